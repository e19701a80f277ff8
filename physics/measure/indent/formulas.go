package indent

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"hapco/physics/numerics/num"
)

// Hertz is the force of a ball on a half-space, N:
//
//	F = 4/3 E/(1-nu^2) sqrt(R) d^(3/2)
func Hertz(young, nu, radius, depth float64) float64 {
	return 4. / 3 * young / (1 - nu*nu) * math.Sqrt(radius) * math.Pow(math.Max(depth, 0), 1.5)
}

// flatPunch is the force of a smooth cylinder's end on a half-space, N:
//
//	F = 2 E/(1-nu^2) a d
func flatPunch(young, nu, radius, depth float64) float64 {
	return 2 * young / (1 - nu*nu) * radius * math.Max(depth, 0)
}

// dimitriadis is the force of a ball on a layer of the given thickness, over Hertz's, with x = sqrt(R d)/thickness, up
// to about 1 [Dimitriadis et al. 2002, eq. 12]:
//
//	1 - 2 a/pi x + 4 a^2/pi^2 x^2 - 8/pi^3 (a^3 + 4 pi^2/15 b) x^3
//	  + 16 a/pi^4 (a^3 + 3 pi^2/5 b) x^4
func dimitriadis(nu, radius, thickness, depth float64, bonded bool) float64 {
	if !(depth > 0) || !(thickness > 0) {
		return 1
	}
	a, b := -0.347*(3-2*nu)/(1-nu), 0.056*(5-2*nu)/(1-nu)
	if bonded {
		a = -(1.2876 - 1.4678*nu + 1.3442*nu*nu) / (1 - nu)
		b = (0.6387 - 1.0277*nu + 1.5164*nu*nu) / (1 - nu)
	}
	x, p := math.Sqrt(radius*depth)/thickness, math.Pi
	return 1 - 2*a/p*x + 4*a*a/(p*p)*x*x - 8/(p*p*p)*(a*a*a+4*p*p/15*b)*x*x*x + 16*a/(p*p*p*p)*(a*a*a+3*p*p/5*b)*x*x*x*x
}

// hayes is kappa, the force of a smooth flat punch on a layer over that on a half-space
// [Hayes et al. 1972]. It is the integral of f from 0 to 1, where
//
//	f(t) = 1 + integral over s from 0 to 1 of k(t,s) f(s)
//	k(t,s) = a/(pi h) integral over u of (1 - L(u)) (cos(u a (t+s)/h) + cos(u a (t-s)/h))
//
// and L is the layer's compliance over the half-space's, of pressure that goes like a Bessel function of u r/h. aspect
// is a/h: the punch's radius over the layer's thickness.
func hayes(nu, aspect float64, bonded bool) float64 {
	const n = 48
	at, weight := gauss(n)
	// The integral over u: 1 - L falls like exp(-2u).
	const points = 400
	const last = 20.0
	us, uw := gauss(points)
	kernel := func(y float64) float64 {
		sum := 0.0
		for i, u := range us {
			sum += last * uw[i] * (1 - layer(nu, last*u, bonded)) * math.Cos(last*u*aspect*y)
		}
		return sum * aspect / math.Pi
	}
	a := make([]float64, n*n)
	f := make([]float64, n)
	for i := range n {
		for j := range n {
			a[i*n+j] = -weight[j] * (kernel(at[i]+at[j]) + kernel(at[i]-at[j]))
		}
		a[i*n+i]++
		f[i] = 1
	}
	num.Solve(a, f)
	sum := 0.0
	for i, w := range weight {
		sum += w * f[i]
	}
	return sum
}

// layer is L(u): bonded to what is below, or smooth on it.
func layer(nu, u float64, bonded bool) float64 {
	if !bonded {
		if u < 1e-3 {
			return u / 2
		}
		return (math.Cosh(2*u) - 1) / (math.Sinh(2*u) + 2*u)
	}
	k := 3 - 4*nu
	return (2*k*math.Sinh(2*u) - 4*u) / (2*k*math.Cosh(2*u) + 4*u*u + 1 + k*k)
}

// gauss are the points and weights of Gauss and Legendre on 0 to 1.
func gauss(n int) (x, w []float64) {
	x, w = make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	return x, w
}

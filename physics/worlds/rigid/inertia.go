package rigid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"hapco/physics/numerics/num"
)

// CheckInertia tells in one line why equations of motion cannot have this inertia: it is not symmetric, or not
// positive.
func CheckInertia(j mat3) error {
	size := 0.0
	for _, x := range j {
		size = max(size, math.Abs(x))
	}
	if !num.AllFinite(j[:]...) || !(size > 0) {
		return fmt.Errorf("inertia: %v (cure: finite numbers, positive on the diagonal)", j)
	}
	for _, k := range [3][2]int{{1, 3}, {2, 6}, {5, 7}} {
		if math.Abs(j[k[0]]-j[k[1]]) > 1e-9*size {
			return fmt.Errorf("inertia: not symmetric: %g and %g across the diagonal", j[k[1]], j[k[0]])
		}
	}
	if p, _ := principal(j); !(p[0] > 0) {
		return fmt.Errorf("inertia: principal moments %.4g, %.4g, %.4g kg m^2 (cure: all above 0)", p[0], p[1], p[2])
	}
	return nil
}

// checkBody is checkInertia for a body of matter, about its centre of mass: no principal moment exceeds the sum of the
// others.
func checkBody(j mat3) error {
	if err := CheckInertia(j); err != nil {
		return err
	}
	if p, _ := principal(j); !(p[2] <= (p[0]+p[1])*(1+1e-9)) {
		return fmt.Errorf("inertia: principal moments %.4g, %.4g, %.4g kg m^2 (cure: the largest is at most the sum of the others, as of every body)", p[0], p[1], p[2])
	}
	return nil
}

// principal finds the principal moments of inertia, ascending, and their axes as the columns of a rotation.
func principal(j mat3) (moments vec3, axes mat3) {
	s := mat.NewSymDense(3, nil)
	for r := range 3 {
		for c := r; c < 3; c++ {
			s.SetSym(r, c, (j.At(r, c)+j.At(c, r))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return vec3{math.NaN(), math.NaN(), math.NaN()}, axes
	}
	copy(moments[:], e.Values(nil))
	var v mat.Dense
	e.VectorsTo(&v)
	for r := range 3 {
		for c := range 3 {
			axes.Set(r, c, v.At(r, c))
		}
	}
	if axes.Det() < 0 {
		axes.SetCol(2, axes.Col(2).Mul(-1))
	}
	return moments, axes
}

// pointInertia is that of a point mass at r about the origin.
func pointInertia(m float64, r vec3) mat3 {
	return mgl64.Ident3().Mul(m * r.Dot(r)).Sub(r.OuterProd3(r).Mul(m))
}

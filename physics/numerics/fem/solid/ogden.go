package solid

import "math"

// Ogden is, with the principal stretches l1, l2, l3 and lb_i = J^(-1/3) l_i,
//
//	W = sum_p 2 mu_p/a_p^2 (lb1^a_p + lb2^a_p + lb3^a_p - 3) + kappa/2 (J-1)^2
//
// so that mu = sum mu_p: the form of Abaqus and CalculiX, where Ogden's own has mu_p/a_p. With Floor > 0 the first part
// takes, for a stretch below Floor, the larger stretch that soft gives, and so holds for turned-over elements too.
type Ogden struct {
	Mu, Alpha []float64 // Pa and -, one a term; Alpha is not 0
	Kappa     float64   // Pa
	Floor     float64   // -; 0: none
}

// soft is a stretch c(t) with its first two derivatives. At and above floor it is t itself; below, with y = (t -
// floor)/floor, it is floor/(1 - y + y^2), which fits with both derivatives and stays above 0.
func soft(t, floor float64) (c, c1, c2 float64) {
	if !(floor > 0) || t >= floor {
		return t, 1, 0
	}
	y := (t - floor) / floor
	d := 1 - y + y*y
	return floor / d, (1 - 2*y) / (d * d), 6 * y * (y - 1) / (d * d * d) / floor
}

// stretch is what one principal stretch brings to one term: c^a and the slopes and curvatures of c^a and of ln c.
type stretch struct{ power, slope, curve, log1, log2 float64 }

func (l Ogden) stretch(t, alpha float64) (s stretch) {
	c, c1, c2 := soft(t, l.Floor)
	if !(c > 0) {
		inf := math.Inf(1)
		return stretch{inf, inf, inf, inf, inf}
	}
	s.log1 = c1 / c
	s.log2 = c2/c - s.log1*s.log1
	s.power = math.Pow(c, alpha)
	s.slope = alpha * s.power * s.log1
	s.curve = alpha * (s.slope*s.log1 + s.power*s.log2)
	return s
}

func (l Ogden) Energy(f *Mat3) float64 {
	_, s, _ := svd(f)
	j := f.Det()
	w := l.Kappa / 2 * (j - 1) * (j - 1)
	product := 1.0
	for _, t := range s {
		c, _, _ := soft(t, l.Floor)
		product *= c
	}
	if !(product > 0) {
		return math.Inf(1)
	}
	for p, alpha := range l.Alpha {
		sum := 0.0
		for _, t := range s {
			sum += l.stretch(t, alpha).power
		}
		w += 2 * l.Mu[p] / (alpha * alpha) * (math.Pow(product, -alpha/3)*sum - 3)
	}
	return w
}

// derivatives by the stretches: w_i and the Hessian w_ik. equal[k] is (w_i - w_j)/(l_i - l_j) of the pair without k,
// exact where the two meet: each term is a difference of one function of one stretch, and J_i - J_j is -(l_i - l_j)
// l_k.
func (l Ogden) derivatives(s [3]float64, w *[3]float64, h *[3][3]float64, equal *[3]float64) {
	ji := [3]float64{s[1] * s[2], s[2] * s[0], s[0] * s[1]}
	wj := l.Kappa * (s[0]*ji[0] - 1)
	product := 1.0
	for _, t := range s {
		c, _, _ := soft(t, l.Floor)
		product *= c
	}
	for i := range 3 {
		w[i] = wj * ji[i]
		for k := range 3 {
			h[i][k] = l.Kappa * ji[i] * ji[k]
			if i != k {
				h[i][k] += wj * s[3-i-k]
			}
		}
		equal[i] = -wj * s[i]
	}
	for p, alpha := range l.Alpha {
		q := 2 * l.Mu[p] / (alpha * alpha) * math.Pow(product, -alpha/3)
		var of [3]stretch
		sum := 0.0
		for i, t := range s {
			of[i] = l.stretch(t, alpha)
			sum += of[i].power
		}
		for i := range 3 {
			a := &of[i]
			w[i] += q * (a.slope - alpha/3*sum*a.log1)
			h[i][i] += q * (a.curve - alpha/3*sum*a.log2)
			for k := range 3 {
				b := &of[k]
				h[i][k] += q * (-alpha/3*(a.slope*b.log1+b.slope*a.log1) + alpha*alpha/9*sum*a.log1*b.log1)
			}
			slopes, logs := l.quotients(s[(i+1)%3], s[(i+2)%3], alpha)
			equal[i] += q * (slopes - alpha/3*sum*logs)
		}
	}
}

// quotients are the divided differences of the slopes of c^a and of ln c between two stretches. Close to each other
// these lose their digits: there they are the means of the curvatures, by Gauss's rule of four points.
func (l Ogden) quotients(a, b, alpha float64) (slopes, logs float64) {
	m, d := (a+b)/2, (a-b)/2
	if math.Abs(d) > 0.02*math.Abs(m) {
		x, y := l.stretch(a, alpha), l.stretch(b, alpha)
		return (x.slope - y.slope) / (a - b), (x.log1 - y.log1) / (a - b)
	}
	for _, g := range [4][2]float64{{-0.8611363115940526, 0.1739274225687269}, {-0.3399810435848563, 0.3260725774312731}, {0.3399810435848563, 0.3260725774312731}, {0.8611363115940526, 0.1739274225687269}} {
		x := l.stretch(m+g[0]*d, alpha)
		slopes += g[1] * x.curve
		logs += g[1] * x.log2
	}
	return slopes, logs
}

// Stress is P = U diag(w_i) V^T with F = U diag(l_i) V^T.
func (l Ogden) Stress(p, f *Mat3) {
	u, s, v := svd(f)
	var w, equal [3]float64
	var h [3][3]float64
	l.derivatives(s, &w, &h, &equal)
	for i := range 3 {
		for k := range 3 {
			u[3*i+k] *= w[k]
		}
	}
	*p = u.MulT(&v)
}

// Tangent is, in the principal frame, A_iikk = w_ik and for i != j
//
//	A_ijij = (a+b)/2, A_ijji = (a-b)/2
//	a = (w_i - w_j)/(l_i - l_j),  b = (w_i + w_j)/(l_i + l_j)
func (l Ogden) Tangent(a *Mat9, f *Mat3) {
	u, s, v := svd(f)
	var w, equal [3]float64
	var h [3][3]float64
	l.derivatives(s, &w, &h, &equal)
	*a = Mat9{}
	var dyad [3][3]Mat3 // u_i v_j^T
	for i := range 3 {
		for j := range 3 {
			for r := range 3 {
				for c := range 3 {
					dyad[i][j][3*r+c] = u[3*r+i] * v[3*c+j]
				}
			}
		}
	}
	for i := range 3 {
		for k := range 3 {
			a.outer(h[i][k], &dyad[i][i], &dyad[k][k])
		}
	}
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		sum := s[i] + s[j]
		if math.Abs(sum) < 1e-6 {
			sum = 1e-6
		}
		x, y := equal[k], (w[i]+w[j])/sum
		a.outer((x+y)/2, &dyad[i][j], &dyad[i][j])
		a.outer((x+y)/2, &dyad[j][i], &dyad[j][i])
		a.outerBoth((x-y)/2, &dyad[i][j], &dyad[j][i])
	}
}

func (l Ogden) Scaled(shape, bulk float64) Law {
	mu := make([]float64, len(l.Mu))
	for i := range mu {
		mu[i] = l.Mu[i] * shape
	}
	return Ogden{mu, l.Alpha, l.Kappa * bulk, l.Floor}
}

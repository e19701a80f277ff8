package exact

import (
	"math"

	"hapco/physics/numerics/num"
)

// path follows a path of interior by its length: rho o v = sigma e, with the residual of the start times sigma over that
// of the start, on which the start lies. Friction makes the problem one without a minimum, and the path may turn: sigma
// grows again for a while before it goes on to 0. There the matrix of interior is singular and its steps end, as in a
// falling wall. The pair (state, log sigma) has a direction all the same, and is followed by predictor and corrector,
// the corrections at right angles to it (Allgower and Georg, Numerical continuation methods, 1990). Lengths are local:
// those of P drho and P^-1 dv, in sqrt(sigma), and of log sigma, so that a length below 1 leaves no cone.
type path struct {
	sigma, from float64   // log of it, and at the start
	start       []float64 // residual there
	tRho, tV    []float64 // direction, of length 1
	tSigma      float64
	zRho, zV    []float64 // derivative by log sigma
	rho, v      []float64 // where the last step began
	length      float64   // of the next step: largest of a contact
}

const (
	pathFirst   = 0.5   // length of the first step
	pathLongest = 3     // and of any
	pathChange  = 1.7   // by what the length changes at once, at most
	pathLeast   = 1e-4  // length at which it ends
	pathTries   = 5     // corrections of a step
	pathUsual   = 2.5   // of a step of the right length
	pathNear    = 0.03  // of sigma, by which rho o v may differ from sigma e
	pathExact   = 1e-3  // of sqrt(sigma): the residual
	pathSteps   = 400   // at most
	pathEnd     = 1e-20 // of the start's sigma
)

// follow is the stage of that method. It starts anew and leaves its best forces in r.
func (s *Exact) follow() outcome {
	e, in := &s.e, &s.e.inner
	w := &in.path
	in.bind(e)
	in.lu.clock = nil
	if e.clock.Runs() {
		in.lu.clock = &e.clock
	}
	n := len(in.rho)
	for _, v := range []*[]float64{&w.start, &w.tRho, &w.tV, &w.zRho, &w.zV, &w.rho, &w.v} {
		*v = num.Grow(*v, n)
		clear(*v)
	}
	_, gap := in.residual(e)
	copy(w.start, in.res)
	w.from, w.tSigma, w.length = math.Log(gap), 0, pathFirst
	w.sigma = w.from
	best := math.Inf(1)
	if _, ok := in.correct(s); !ok {
		return s.outcomeOf(best)
	}
	for range pathSteps {
		copy(s.r, in.force)
		excess := s.test()
		s.keep()
		s.opt.Note(s.err.Scaled)
		if s.err.Scaled < best {
			best = s.err.Scaled
			copy(e.anchor, s.r)
		}
		if excess <= 1 {
			return done
		}
		if w.sigma < w.from+math.Log(pathEnd) || !in.advance(s) {
			break
		}
	}
	return s.outcomeOf(best)
}

// outcomeOf puts the best forces of a stage back that has not found the solution.
func (s *Exact) outcomeOf(best float64) outcome {
	if s.e.clock.Expired() {
		return stopped
	}
	if best < math.Inf(1) {
		copy(s.r, s.e.anchor)
		s.known = false
	}
	return stalled
}

// advance takes one step along the path; false if none is possible.
func (in *interior) advance(s *Exact) bool {
	w := &in.path
	// The direction, as the one before.
	in.solve(&s.e, math.Exp(w.sigma), along, w.zRho, w.zV)
	norm := math.Sqrt(in.dot(w.zRho, w.zV, w.zRho, w.zV) + 1)
	if forward := in.dot(w.zRho, w.zV, w.tRho, w.tV) + w.tSigma; forward < 0 || w.tSigma == 0 {
		norm = -norm // first of all down
	}
	for i := range w.zRho {
		w.tRho[i], w.tV[i] = w.zRho[i]/norm, w.zV[i]/norm
	}
	w.tSigma = 1 / norm
	longest := math.Abs(w.tSigma)
	for c := range in.scale {
		longest = max(longest, math.Sqrt(in.part(c, w.tRho, w.tV, w.tRho, w.tV)))
	}
	copy(w.rho, in.rho)
	copy(w.v, in.v)
	from := w.sigma
	for w.length > pathLeast {
		t := w.length / longest
		for i := range in.rho {
			in.dRho[i], in.dV[i] = t*w.tRho[i], t*w.tV[i]
		}
		t *= 0.9 * in.reach(in.dRho, in.dV)
		for i := range in.rho {
			in.rho[i] += t * w.tRho[i]
			in.v[i] += t * w.tV[i]
		}
		w.sigma += t * w.tSigma
		tries, ok := in.correct(s)
		if ok {
			w.length = min(w.length*math.Pow(pathChange, (pathUsual-float64(tries))/pathUsual), pathLongest)
			return true
		}
		if s.spent() {
			return false
		}
		w.length /= 3
		copy(in.rho, w.rho)
		copy(in.v, w.v)
		w.sigma = from
	}
	return false
}

// correct comes back to the path, at right angles to the direction, and leaves the factors there. It tells how many
// corrections that took.
func (in *interior) correct(s *Exact) (tries int, ok bool) {
	e, w := &s.e, &in.path
	for least := math.Inf(1); tries <= pathTries && !s.spent(); tries++ {
		sigma := math.Exp(w.sigma)
		in.held = math.Exp(w.sigma - w.from)
		size, _ := in.residual(e)
		if !in.prepare(e) {
			break
		}
		s.res.Iterations++
		e.newt.count++
		off := 0.0
		for c := range in.scale {
			l := product(in.scale[c].lambda, in.scale[c].lambda)
			off = max(off, math.Abs(l[0]-sigma)+math.Abs(l[1])+math.Abs(l[2]))
		}
		if off < pathNear*sigma && size < pathExact*math.Sqrt(sigma) {
			return tries, true
		}
		if off = max(off/sigma, size/math.Sqrt(sigma)); tries > 1 && off > 2*least {
			break // it leads away
		}
		least = min(least, off)
		in.solve(e, sigma, predictor, in.dRho, in.dV)
		in.solve(e, sigma, along, w.zRho, w.zV)
		d := -in.dot(in.dRho, in.dV, w.tRho, w.tV) / (in.dot(w.zRho, w.zV, w.tRho, w.tV) + w.tSigma)
		for i := range in.dRho {
			in.dRho[i] += d * w.zRho[i]
			in.dV[i] += d * w.zV[i]
		}
		t := min(1, 0.9*in.reach(in.dRho, in.dV), 1/math.Abs(d))
		if !(t > 1e-6) {
			break
		}
		for i := range in.rho {
			in.rho[i] += t * in.dRho[i]
			in.v[i] += t * in.dV[i]
		}
		w.sigma += t * d
	}
	return tries, false
}

// dot is the product of two directions in local lengths.
func (in *interior) dot(rho1, v1, rho2, v2 []float64) (sum float64) {
	for c := range in.scale {
		sum += in.part(c, rho1, v1, rho2, v2)
	}
	return sum
}

// part is what a contact adds to it.
func (in *interior) part(c int, rho1, v1, rho2, v2 []float64) float64 {
	s, k := &in.scale[c], 3*c
	a, b := s.times([3]float64(rho1[k:k+3])), s.times([3]float64(rho2[k:k+3]))
	f, g := s.inverse([3]float64(v1[k:k+3])), s.inverse([3]float64(v2[k:k+3]))
	return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + f[0]*g[0] + f[1]*g[1] + f[2]*g[2]) / math.Exp(in.path.sigma)
}

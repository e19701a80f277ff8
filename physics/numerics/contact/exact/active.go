package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// active is the semismooth Newton method of newton on a full W, written for what follows a warm start: the unknowns are
// the forces themselves and not their changes, and the iterates are left as the linear equations give them. A sliding
// force may so lie off its cone, and a contact may pull, until the solution is reached. Projecting every iterate back,
// as Admit does, disturbs the displacements of all contacts by more than sliding moves them where W is ill-conditioned,
// and with them the choice of who sticks; unprojected the method needs two to four steps where it otherwise cycles.
//
// With B the columns of the unknowns (sliding: r_n and tau; sticking: all three) and C those of the equations,
//
//	(C' W B + D + alpha I) z = alpha z_0 - C' q
//
// W is taken to be symmetric: its rows serve as columns.
type active struct {
	cols    []unknowns // sliding contacts first, then sticking ones
	slip    int        // how many of cols slide
	raw     []float64  // 3N, forces
	x       []float64  // 3N, W raw + q
	best    []float64  // forces with the least error so far
	lu      tiles
	factors []int32 // at of the columns that lu holds the factors of
	slid    int     // how many of those slid
	reused  bool    // the last step took factors of an earlier one
	z       []float64
	neg     []float64  // -raw
	across  []float64  // 3N, t' times a sliding contact's rows of W
	turn    [2]float64 // and the factors for that
}

// unknowns is an active contact of a step.
type unknowns struct {
	at         int32 // 3 times the contact
	pos        int32 // first unknown
	o          [3]int32
	m1, m2     float64 // mu d
	d1, d2     float64 // direction of y_t
	beta, rest float64 // beta and (1-beta) w, see newton
}

// rawWeight scales w in y = r - x/w: a smaller w gives displacements more say in who is open, sticks or slides than
// forces that are not final yet.
const rawWeight = 0.3

// bind starts from the forces r.
func (a *active) bind(p *contact.Problem, r []float64) {
	n := 3 * p.N
	a.raw = num.Grow(a.raw, n)
	a.x = num.Grow(a.x, n)
	a.best = num.Grow(a.best, n)
	a.neg = num.Grow(a.neg, n)
	a.across = num.Grow(a.across, n)
	copy(a.raw, r)
	a.displace(p)
}

// displace makes x = W raw + q from the columns of the contacts that have a force.
func (a *active) displace(p *contact.Problem) {
	n := 3 * p.N
	x, raw := a.x[:n], a.raw[:n]
	copy(x, p.Q)
	for i, f := range raw {
		a.neg[i] = -f
	}
	for c := 0; c < n; {
		if raw[c] == 0 && raw[c+1] == 0 && raw[c+2] == 0 {
			c += 3
			continue
		}
		end := c + 3
		for end < n && (raw[end] != 0 || raw[end+1] != 0 || raw[end+2] != 0) {
			end += 3
		}
		kernel.Combine(x, p.W[c*n:end*n], a.neg[c:end])
		c = end
	}
}

// choose sorts the contacts by y = raw - x/w.
func (a *active) choose(e *engine) (size int) {
	n := e.p.N
	a.cols = num.Grow(a.cols, n)[:0]
	for _, stick := range [2]bool{false, true} {
		for c := range n {
			l := &e.loc[c]
			if l.wn == 0 {
				continue
			}
			inv := l.inv * (1 / rawWeight)
			r, x := a.raw[3*c:3*c+3:3*c+3], a.x[3*c:3*c+3:3*c+3]
			yn := r[0] - inv*x[0]
			if !(yn > 0) {
				continue
			}
			y1, y2 := r[1]-inv*x[1], r[2]-inv*x[2]
			y := math.Sqrt(y1*y1 + y2*y2)
			if y <= l.mu*yn != stick {
				continue
			}
			k := unknowns{at: int32(3 * c), pos: int32(size)}
			if stick {
				size += 3
			} else {
				k.d1, k.d2 = y1/y, y2/y
				k.m1, k.m2 = l.mu*k.d1, l.mu*k.d2
				k.beta = l.mu * yn / y
				k.rest = (1 - k.beta) * l.scale * rawWeight
				size += 2
			}
			a.cols = append(a.cols, k)
		}
		if !stick {
			a.slip = len(a.cols)
		}
	}
	for i := range a.cols {
		k := &a.cols[i]
		for j := range k.o {
			p := k.pos + int32(j)
			k.o[j] = p/kernel.TileSize*kernel.TileArea + p%kernel.TileSize
		}
	}
	return size
}

// step replaces raw by the solution of the linearised laws and x by its displacements. With reuse it takes the last
// factors, of this solve or an earlier one, where the same contacts stick and slide: x then nearly solves the
// equations, and as much better as the matrices are alike. It reports false where the matrix was not finite or the
// deadline passed.
func (a *active) step(e *engine, alpha float64, reuse bool) bool {
	p := e.p
	size := a.choose(e)
	a.reused = false
	if size == 0 {
		clear(a.raw)
		copy(a.x, p.Q)
		return true
	}
	a.z = num.Grow(a.z, (size+kernel.TileSize-1)/kernel.TileSize*kernel.TileSize)
	clear(a.z[size:])
	if reuse && a.alike() {
		a.reused = true
		a.adopt(true)
		a.displace(p)
		a.residual()
		a.lu.solve(a.z)
		for i := range a.cols {
			k := &a.cols[i]
			z, r := a.z[k.pos:], a.raw[k.at:k.at+3:k.at+3]
			z[0] += r[0]
			if i < a.slip {
				z[1] += k.d1*r[2] - k.d2*r[1]
			} else {
				z[1] += r[1]
				z[2] += r[2]
			}
		}
	} else {
		a.factors = a.factors[:0]
		a.lu.full(size)
		if !a.build(e, alpha) {
			return false
		}
		if a.lu.clock = e.deadline(); !a.lu.factorise() {
			return false
		}
		for i := range a.cols {
			a.factors = append(a.factors, a.cols[i].at)
		}
		a.slid = a.slip
		a.lu.solve(a.z)
	}
	a.adopt(false)
	a.displace(p)
	return true
}

// alike reports whether the factors are of a matrix with the same unknowns.
func (a *active) alike() bool {
	if len(a.factors) != len(a.cols) || a.slid != a.slip {
		return false
	}
	for i, at := range a.factors {
		if a.cols[i].at != at {
			return false
		}
	}
	return true
}

// adopt makes raw the forces of z or, with own, puts its own forces on the lines that sliding ones are sought on.
func (a *active) adopt(own bool) {
	if own {
		for i := range a.cols {
			k := &a.cols[i]
			z, r := a.z[k.pos:], a.raw[k.at:k.at+3:k.at+3]
			z[0] = r[0]
			if i < a.slip {
				z[1] = k.d1*r[2] - k.d2*r[1]
			} else {
				z[1], z[2] = r[1], r[2]
			}
		}
	}
	clear(a.raw)
	for i := range a.cols {
		k := &a.cols[i]
		z, f := a.z[k.pos:], a.raw[k.at:k.at+3:k.at+3]
		if i >= a.slip {
			f[0], f[1], f[2] = z[0], z[1], z[2]
			continue
		}
		f[0] = z[0]
		f[1] = k.m1*z[0] - k.d2*z[1]
		f[2] = k.m2*z[0] + k.d1*z[1]
	}
}

// residual writes what the equations lack at raw and x to z.
func (a *active) residual() {
	for i := range a.cols {
		k := &a.cols[i]
		z, r, x := a.z[k.pos:], a.raw[k.at:k.at+3:k.at+3], a.x[k.at:k.at+3:k.at+3]
		z[0] = -x[0]
		if i < a.slip {
			z[1] = -k.beta*(k.d1*x[2]-k.d2*x[1]) - k.rest*(k.d1*r[2]-k.d2*r[1])
		} else {
			z[1], z[2] = -x[1], -x[2]
		}
	}
}

// build sets up the matrix and the right-hand side.
func (a *active) build(e *engine, alpha float64) bool {
	p, lu := e.p, &a.lu
	n := 3 * p.N
	for i := range a.cols {
		if e.clock.Expired() {
			return false
		}
		k := &a.cols[i]
		w := p.W[int(k.at)*n : int(k.at)*n+3*n]
		q, r := p.Q[k.at:k.at+3:k.at+3], a.raw[k.at:k.at+3:k.at+3]
		pos := int(k.pos)
		a.line(pos, w[:n])
		if i >= a.slip {
			a.line(pos+1, w[n:2*n])
			a.line(pos+2, w[2*n:])
			for j := range 3 {
				lu.add(pos+j, alpha)
				a.z[pos+j] = alpha*r[j] - q[j]
			}
			continue
		}
		clear(a.across)
		a.turn = [2]float64{k.beta * k.d2, -k.beta * k.d1}
		kernel.Combine(a.across, w[n:], a.turn[:])
		a.line(pos+1, a.across)
		lu.add(pos, alpha)
		lu.add(pos+1, alpha+k.rest)
		a.z[pos] = alpha*r[0] - q[0]
		a.z[pos+1] = alpha*(k.d1*r[2]-k.d2*r[1]) - k.beta*(k.d1*q[2]-k.d2*q[1])
	}
	return true
}

// line writes row i of the matrix: w B.
func (a *active) line(i int, w []float64) {
	dst := a.lu.val[i/kernel.TileSize*a.lu.nt*kernel.TileArea+i%kernel.TileSize*kernel.TileSize:]
	for j := range a.cols[:a.slip] {
		k := &a.cols[j]
		v := w[k.at : k.at+3 : k.at+3]
		dst[k.o[0]] = v[0] + k.m1*v[1] + k.m2*v[2]
		dst[k.o[1]] = k.d1*v[2] - k.d2*v[1]
	}
	for j := range a.cols[a.slip:] {
		k := &a.cols[a.slip+j]
		v := w[k.at : k.at+3 : k.at+3]
		dst[k.o[0]], dst[k.o[1]], dst[k.o[2]] = v[0], v[1], v[2]
	}
}

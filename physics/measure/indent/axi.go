package indent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

// Punch is the shape of what is pressed in.
type Punch int

// The punches. The ball is smooth: what touches it may slide.
const (
	Ball      Punch = iota
	Flat            // the end of a smooth cylinder
	BondedEnd       // the end of a cylinder that the surface sticks to
)

// Test is an indentation: a layer on a rigid base, and a rigid punch on its axis.
type Test struct {
	Punch     Punch
	Radius    float64 // of ball or cylinder, m
	Thickness float64 // of the layer, m; 0: a half-space
	Slips     bool    // the layer slides on its base; else it is bonded
	// Fine is how many elements lie between the axis and the edge of the contact at the greatest depth; 0: 16.
	Fine int
}

// Check tells what of the test makes no sense.
func (t *Test) Check() error {
	switch {
	case !(t.Radius > 0) || math.IsInf(t.Radius, 0):
		return fmt.Errorf("indent: radius = %g m (give a length above 0)", t.Radius)
	case !(t.Thickness >= 0) || math.IsInf(t.Thickness, 0):
		return fmt.Errorf("indent: thickness = %g m (give a length above 0, or 0 for a half-space)", t.Thickness)
	case t.Fine < 0 || t.Fine > 200:
		return fmt.Errorf("indent: %d elements across the contact (give 1 to 200, or 0)", t.Fine)
	}
	return nil
}

// extent is the radius of the contact, about, at a depth, m.
func (t *Test) extent(depth float64) float64 {
	if t.Punch != Ball {
		return t.Radius
	}
	a := math.Sqrt(t.Radius * depth)
	if t.Thickness > 0 { // a thin layer is pressed aside: the punch's cut through its surface
		a = math.Max(a, math.Sqrt(2*t.Radius*depth)*math.Min(1, a/t.Thickness))
	}
	return math.Min(a, t.Radius)
}

// errNoForce says that no equilibrium was found.
var errNoForce = errors.New("indent: no equilibrium at this depth (less depth, or a material that resists compression)")

// curve is the force at each depth, N; depths are ascending, m. The error is errNoForce where a depth is out of reach:
// the forces before it are returned.
func (t *Test) curve(ctx context.Context, law solid.Law, depths []float64) ([]float64, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	for i, d := range depths {
		if !num.Finite(d) || i > 0 && d < depths[i-1] {
			return nil, fmt.Errorf("indent: depth %d is %g m (give ascending numbers)", i, d)
		}
	}
	var out []float64
	if len(depths) == 0 || depths[len(depths)-1] <= 0 {
		return make([]float64, len(depths)), nil
	}
	s := newSlab(t, law, depths[len(depths)-1])
	at := 0.0
	for _, d := range depths {
		if d <= 0 {
			out = append(out, 0)
			continue
		}
		if err := s.press(ctx, at, d); err != nil {
			return out, err
		}
		at = d
		out = append(out, s.total())
	}
	return out, nil
}

// slab is the mesh: columns of nodes along Z, from the surface down, one column after the other away from the axis. Two
// unknowns a node: along r and z.
type slab struct {
	test         *Test
	law          solid.Law
	linear       bool // the law of small strains: dilatation is the trace
	nr, nz       int  // nodes
	r, z         []float64
	u            []float64 // displacements, 2 a node
	force        []float64
	band         []float64 // lower half of K: row i has columns i-width to i
	width        int
	rhs          []float64
	active       []bool // columns whose surface node touches
	depth        float64
	next         float64
	work         element
	least        float64 // smallest J of the last pass
	shape        [4]point
	saved, trial []float64
}

// point is one of Gauss's, of weight 1.
type point struct {
	n  [4]float64
	dn [4][2]float64 // in xi, eta
}

// element is the scratch of one element.
type element struct {
	f    [4]solid.Mat3
	b    [4][8]solid.Mat3 // dF/dq at each point
	w    [4]float64
	j    [4]float64
	jk   [4][8]float64 // dJ/dq
	cof  [4]solid.Mat3
	out  [8]float64
	k    [8][8]float64
	x    [8]solid.Mat3
	tang solid.Mat9
}

// newSlab makes a mesh for depths up to the deepest: fine under the punch, ever coarser away from it.
func newSlab(t *Test, law solid.Law, deepest float64) *slab {
	_, linear := law.(solid.Linear)
	s := &slab{test: t, law: law, linear: linear}
	a, fine := t.extent(deepest), cmp.Or(t.Fine, 16)
	h := a / float64(fine)
	const growth, far = 1.25, 300
	// along r: to the contact's edge and half as far again, then growing
	rim := a
	wide := far * a
	if t.Thickness > 0 { // what a layer bonded to its base feels, ends within some thicknesses
		wide = math.Max(8*t.Thickness, 6*t.Thickness+3*a)
		wide = math.Min(wide, far*a)
	}
	if t.Punch == Ball {
		rim *= 1.5
		for k := 0; float64(k)*h < rim-1e-9*a; k++ {
			s.r = append(s.r, float64(k)*h)
		}
	} else {
		// The stress has no bounds at the edge: ever finer towards it, from both sides, but no finer than what bears
		// the depth without turning over.
		power := math.Log(a/(0.7*deepest)) / math.Log(float64(fine))
		power = math.Min(math.Max(power, 1), 2)
		for k := range fine {
			s.r = append(s.r, a*(1-math.Pow(1-float64(k)/float64(fine), power)))
		}
		h = a * math.Pow(float64(fine), -power)
	}
	s.r = append(s.r, rim)
	for step := h; s.r[len(s.r)-1] < wide; step *= growth {
		s.r = append(s.r, s.r[len(s.r)-1]+math.Min(step, wide/5))
	}
	// along z: the same from the surface down
	down := cmp.Or(t.Thickness, far*a)
	step, at := math.Min(h, down/4), 0.0
	for s.z = append(s.z, at); at > -down; s.z = append(s.z, at) {
		even := t.Punch == Ball && -at < a
		if at -= step; !even {
			step = math.Min(step*growth, down/5)
		}
	}
	scale := down / -at
	for i := range s.z {
		s.z[i] *= scale
	}
	s.nr, s.nz = len(s.r), len(s.z)
	n := 2 * s.nr * s.nz
	s.width = 2*s.nz + 3
	s.u, s.force, s.rhs = make([]float64, n), make([]float64, n), make([]float64, n)
	s.saved, s.trial = make([]float64, n), make([]float64, n)
	s.band = make([]float64, n*(s.width+1))
	s.active = make([]bool, s.nr)
	if t.Punch != Ball {
		for i, r := range s.r {
			s.active[i] = r <= a*(1+1e-9)
		}
	}
	g := 1 / math.Sqrt(3)
	for q, p := range [4][2]float64{{-g, -g}, {g, -g}, {g, g}, {-g, g}} {
		for a, c := range corners {
			s.shape[q].n[a] = (1 + c[0]*p[0]) * (1 + c[1]*p[1]) / 4
			s.shape[q].dn[a] = [2]float64{c[0] * (1 + c[1]*p[1]) / 4, c[1] * (1 + c[0]*p[0]) / 4}
		}
	}
	return s
}

var corners = [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}

// node is the number of a node: column i, row j below the surface.
func (s *slab) node(i, j int) int { return i*s.nz + j }

// press goes from one depth to another, in steps of its own choice.
func (s *slab) press(ctx context.Context, from, to float64) error {
	step := to - from
	for at := from; at < to; {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := math.Min(to, at+step)
		if to-next < 1e-9*to {
			next = to
		}
		copy(s.saved, s.u)
		touching := slices.Clone(s.active)
		s.depth, s.next = at, next
		if !s.newton() {
			copy(s.u, s.saved)
			copy(s.active, touching)
			if step /= 2; step < 0.02*(to-from) {
				return errNoForce
			}
			continue
		}
		at = next
		step *= 1.5
	}
	s.depth = to
	return nil
}

// normal is the distance of a surface node from the ball and the direction in which it grows, in r and z.
func (s *slab) normal(i int) (gap float64, n [2]float64) {
	at := 2 * s.node(i, 0)
	r, z := s.r[i]+s.u[at], s.u[at+1]-(s.test.Radius-s.next)
	l := math.Hypot(r, z)
	if i == 0 {
		return l - s.test.Radius, [2]float64{0, -1}
	}
	return l - s.test.Radius, [2]float64{r / l, z / l}
}

// newton finds equilibrium at the next depth. What touches the ball is held along its normal and let go where it would
// be pulled; what the ball enters is held from then on.
func (s *slab) newton() bool {
	const most = 60
	unit := s.next
	for iteration := range most {
		s.assemble()
		if s.least <= 0 || !num.Finite(s.least) {
			return false
		}
		changed := false
		if s.test.Punch == Ball {
			for i := range s.r[:s.nr-1] {
				at := 2 * s.node(i, 0)
				gap, n := s.normal(i)
				push := s.force[at]*n[0] + s.force[at+1]*n[1]
				// A node that has just been held has no force yet: it is judged after a step.
				on := s.active[i]
				if !on && gap < -1e-12*unit {
					on = true
				} else if on && iteration > 0 && push < 0 && gap > -1e-9*unit {
					on = false
				}
				changed = changed || on != s.active[i]
				s.active[i] = on
			}
		}
		far, size := s.hold()
		missing := 0.0
		for _, f := range s.rhs {
			missing += f * f
		}
		if iteration > 0 && !changed && far <= 1e-8*unit && math.Sqrt(missing) <= 1e-7*size {
			return true
		}
		if !s.solve() {
			return false
		}
		s.turnBack()
		longest := 0.0
		for _, d := range s.rhs {
			longest = math.Max(longest, math.Abs(d))
		}
		if !num.Finite(longest) || longest > 1e3*unit {
			return false
		}
		for i, d := range s.rhs {
			s.u[i] += d
		}
		if iteration > 0 && !changed && longest <= 1e-7*unit {
			s.assemble()
			return s.least > 0
		}
	}
	return false
}

// hold puts what is held into K and the right-hand side, which becomes -force of what is free and the way of what is
// held. It gives the longest such way, and the size of the forces.
func (s *slab) hold() (far, size float64) {
	for i, f := range s.force {
		s.rhs[i] = -f
		size += f * f
	}
	fix := func(dof int, way float64) {
		far = math.Max(far, math.Abs(way))
		s.prescribe(dof, way)
	}
	for j := range s.nz { // on the axis
		fix(2*s.node(0, j), 0)
	}
	for i := range s.nr { // on the base, and at the rim
		base := s.node(i, s.nz-1)
		fix(2*base+1, 0)
		if !s.test.Slips && i > 0 {
			fix(2*base, 0)
		}
	}
	if s.test.Thickness == 0 || !s.test.Slips {
		for j := range s.nz - 1 {
			fix(2*s.node(s.nr-1, j), 0)
			fix(2*s.node(s.nr-1, j)+1, 0)
		}
	}
	for i, on := range s.active {
		if !on {
			continue
		}
		at := 2 * s.node(i, 0)
		if s.test.Punch == Ball {
			gap, n := s.normal(i)
			s.turn(at, n)
			fix(at+1, -gap)
			continue
		}
		fix(at+1, -s.next-s.u[at+1])
		if s.test.Punch == BondedEnd && i > 0 {
			fix(at, -s.u[at])
		}
	}
	return far, math.Sqrt(size)
}

// turn takes the two unknowns of a node along the tangent (n_z, -n_r) and the normal n.
func (s *slab) turn(dof int, n [2]float64) {
	c, d := n[1], n[0] // new = Q old with rows (c, -d), (d, c)
	w := s.width
	rotate := func(a, b *float64) { *a, *b = c**a-d**b, d**a+c**b }
	first := max(0, dof-w+1)
	for col := first; col < dof; col++ { // rows dof, dof+1 left of the diagonal
		rotate(&s.band[dof*(w+1)+col-dof+w], &s.band[(dof+1)*(w+1)+col-dof-1+w])
	}
	for row := dof + 2; row < min(len(s.u), dof+w+1); row++ { // columns below
		rotate(&s.band[row*(w+1)+dof-row+w], &s.band[row*(w+1)+dof+1-row+w])
	}
	aa, ab, bb := &s.band[dof*(w+1)+w], &s.band[(dof+1)*(w+1)+w-1], &s.band[(dof+1)*(w+1)+w]
	x, y, z := *aa, *ab, *bb
	*aa, *ab, *bb = c*c*x-2*c*d*y+d*d*z, c*d*(x-z)+(c*c-d*d)*y, d*d*x+2*c*d*y+c*c*z
	rotate(&s.rhs[dof], &s.rhs[dof+1])
}

// turnBack takes the solution of turned nodes back to r and z.
func (s *slab) turnBack() {
	if s.test.Punch != Ball {
		return
	}
	for i, on := range s.active {
		if on {
			_, n := s.normal(i)
			at := 2 * s.node(i, 0)
			a, b := s.rhs[at], s.rhs[at+1]
			s.rhs[at], s.rhs[at+1] = n[1]*a+n[0]*b, -n[0]*a+n[1]*b
		}
	}
}

// prescribe makes the solution at dof a given one.
func (s *slab) prescribe(dof int, way float64) {
	w, n := s.width, len(s.u)
	for col := max(0, dof-w); col < dof; col++ {
		v := &s.band[dof*(w+1)+col-dof+w]
		s.rhs[col] -= *v * way
		*v = 0
	}
	for row := dof + 1; row < min(n, dof+w+1); row++ {
		v := &s.band[row*(w+1)+dof-row+w]
		s.rhs[row] -= *v * way
		*v = 0
	}
	d := &s.band[dof*(w+1)+w]
	s.rhs[dof] = *d * way
	if *d == 0 {
		*d, s.rhs[dof] = 1, way
	}
}

// solve is Cholesky's method in the band, in place; false where K is not positive definite.
func (s *slab) solve() bool {
	w, n := s.width, len(s.u)
	for i := range n {
		row := s.band[i*(w+1) : (i+1)*(w+1)]
		first := max(0, i-w)
		for j := first; j < i; j++ {
			other := s.band[j*(w+1) : (j+1)*(w+1)]
			from := max(first, j-w)
			a, b := row[from-i+w:j-i+w], other[from-j+w:w]
			sum := row[j-i+w]
			for k, v := range a {
				sum -= v * b[k]
			}
			row[j-i+w] = sum / other[w]
		}
		d := row[w]
		for _, v := range row[first-i+w : w] {
			d -= v * v
		}
		if !(d > 0) {
			return false
		}
		row[w] = math.Sqrt(d)
		x := s.rhs[i]
		for k, v := range row[first-i+w : w] {
			x -= v * s.rhs[first+k]
		}
		s.rhs[i] = x / row[w]
	}
	for i := n - 1; i >= 0; i-- {
		row := s.band[i*(w+1) : (i+1)*(w+1)]
		s.rhs[i] /= row[w]
		first := max(0, i-w)
		for k, v := range row[first-i+w : w] {
			s.rhs[first+k] -= v * s.rhs[i]
		}
	}
	return true
}

// total is the force on the punch, N.
func (s *slab) total() float64 {
	sum := 0.0
	for i, on := range s.active {
		if on {
			sum -= s.force[2*s.node(i, 0)+1]
		}
	}
	return sum
}

// assemble fills force and K at the displacements now, and finds the smallest J.
func (s *slab) assemble() {
	clear(s.force)
	clear(s.band)
	s.least = math.Inf(1)
	for i := range s.nr - 1 {
		for j := range s.nz - 1 {
			// counter-clockwise in (R, Z)
			nodes := [4]int{s.node(i, j+1), s.node(i+1, j+1), s.node(i+1, j), s.node(i, j)}
			var x [4][2]float64
			for a, n := range nodes {
				x[a] = [2]float64{s.r[n/s.nz], s.z[n%s.nz]}
			}
			s.element(&nodes, &x)
			for p := range 8 {
				row := 2*nodes[p/2] + p%2
				s.force[row] += s.work.out[p]
				for q := range 8 {
					if col := 2*nodes[q/2] + q%2; col <= row {
						s.band[row*(s.width+1)+col-row+s.width] += s.work.k[p][q]
					}
				}
			}
		}
	}
}

// element computes the force and tangent of one. With Theta the element's mean J,
//
//	Fbar = (Theta/J)^(1/3) F,  energy = sum of w W(Fbar)
//	dFbar/dq_k = s (B_k + g_k F),  s = (Theta/J)^(1/3),  g_k = (Theta_k/Theta - J_k/J)/3
//	d2Fbar/dq_k dq_l = s (g_l B_k + g_k B_l + (g_k g_l + g_kl) F)
//
// where B_k = dF/dq_k does not depend on q. For small strains it is the trace of F that is averaged, and added.
func (s *slab) element(nodes *[4]int, x *[4][2]float64) {
	w := &s.work
	w.out, w.k = [8]float64{}, [8][8]float64{}
	volume, theta := 0.0, 0.0
	var tk [8]float64
	for q := range 4 {
		p := &s.shape[q]
		var jac [2][2]float64 // d(R,Z)/d(xi,eta)
		radius := 0.0
		for a := range 4 {
			radius += p.n[a] * x[a][0]
			for c := range 2 {
				jac[c][0] += x[a][c] * p.dn[a][0]
				jac[c][1] += x[a][c] * p.dn[a][1]
			}
		}
		det := jac[0][0]*jac[1][1] - jac[0][1]*jac[1][0]
		w.w[q] = 2 * math.Pi * radius * det
		f := solid.Identity
		for a := range 4 {
			dr := (p.dn[a][0]*jac[1][1] - p.dn[a][1]*jac[1][0]) / det
			dz := (-p.dn[a][0]*jac[0][1] + p.dn[a][1]*jac[0][0]) / det
			w.b[q][2*a] = solid.Mat3{0: dr, 2: dz, 4: p.n[a] / radius}
			w.b[q][2*a+1] = solid.Mat3{6: dr, 8: dz}
			ur, uz := s.u[2*nodes[a]], s.u[2*nodes[a]+1]
			for k := range f {
				f[k] += ur*w.b[q][2*a][k] + uz*w.b[q][2*a+1][k]
			}
		}
		w.f[q] = f
		if s.linear {
			w.cof[q] = solid.Identity
			w.j[q] = f[0] + f[4] + f[8]
		} else {
			w.cof[q] = f.Cofactor()
			w.j[q] = f.Det()
			s.least = math.Min(s.least, w.j[q])
		}
		volume += w.w[q]
		theta += w.w[q] * w.j[q]
		for k := range 8 {
			w.jk[q][k] = w.cof[q].Dot(&w.b[q][k])
			tk[k] += w.w[q] * w.jk[q][k]
		}
	}
	theta /= volume
	for k := range tk {
		tk[k] /= volume
	}
	if s.linear {
		s.least = 1
		s.small(theta, &tk)
		return
	}
	if s.least <= 0 {
		return
	}
	var tkl [8][8]float64
	for q := range 4 {
		for k := range 8 {
			for l := range k + 1 {
				tkl[k][l] += w.w[q] / volume * second(&w.f[q], &w.b[q][k], &w.b[q][l])
			}
		}
	}
	for q := range 4 {
		f, j := &w.f[q], w.j[q]
		scale := math.Cbrt(theta / j)
		var g [8]float64
		for k := range 8 {
			g[k] = (tk[k]/theta - w.jk[q][k]/j) / 3
			for m := range w.x[k] {
				w.x[k][m] = scale * (w.b[q][k][m] + g[k]*f[m])
			}
		}
		bar := *f
		for m := range bar {
			bar[m] *= scale
		}
		var p solid.Mat3
		s.law.Stress(&p, &bar)
		s.law.Tangent(&w.tang, &bar)
		pf := scale * p.Dot(f)
		for k := range 8 {
			w.out[k] += w.w[q] * p.Dot(&w.x[k])
			ax := w.tang.Times(&w.x[k])
			pk := scale * p.Dot(&w.b[q][k])
			for l := range k + 1 {
				gkl := (tkl[k][l]/theta - tk[k]*tk[l]/(theta*theta) - second(f, &w.b[q][k], &w.b[q][l])/j + w.jk[q][k]*w.jk[q][l]/(j*j)) / 3
				pl := scale * p.Dot(&w.b[q][l])
				v := w.w[q] * (ax.Dot(&w.x[l]) + g[l]*pk + g[k]*pl + (g[k]*g[l]+gkl)*pf)
				w.k[k][l] += v
				if l != k {
					w.k[l][k] += v
				}
			}
		}
	}
}

// small is the element of small strains.
func (s *slab) small(theta float64, tk *[8]float64) {
	w := &s.work
	for q := range 4 {
		bar := w.f[q]
		for m := 0; m < 9; m += 4 {
			bar[m] += (theta - w.j[q]) / 3
		}
		for k := range 8 {
			w.x[k] = w.b[q][k]
			for m := 0; m < 9; m += 4 {
				w.x[k][m] += (tk[k] - w.jk[q][k]) / 3
			}
		}
		var p solid.Mat3
		s.law.Stress(&p, &bar)
		s.law.Tangent(&w.tang, &bar)
		for k := range 8 {
			w.out[k] += w.w[q] * p.Dot(&w.x[k])
			ax := w.tang.Times(&w.x[k])
			for l := range 8 {
				w.k[k][l] += w.w[q] * ax.Dot(&w.x[l])
			}
		}
	}
}

// second is the second derivative of det F along a and b.
func second(f, a, b *solid.Mat3) float64 {
	// of sum e_ijk F_0i F_1j F_2k: each row of F, one of a, one of b
	row := func(m *solid.Mat3, i int) (float64, float64, float64) { return m[3*i], m[3*i+1], m[3*i+2] }
	triple := func(x *solid.Mat3, i int, y *solid.Mat3, j int, z *solid.Mat3, k int) float64 {
		x0, x1, x2 := row(x, i)
		y0, y1, y2 := row(y, j)
		z0, z1, z2 := row(z, k)
		return x0*(y1*z2-y2*z1) + x1*(y2*z0-y0*z2) + x2*(y0*z1-y1*z0)
	}
	return triple(f, 0, a, 1, b, 2) + triple(f, 0, b, 1, a, 2) + triple(a, 0, f, 1, b, 2) + triple(b, 0, f, 1, a, 2) + triple(a, 0, b, 1, f, 2) + triple(b, 0, a, 1, f, 2)
}

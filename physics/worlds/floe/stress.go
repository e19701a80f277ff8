package floe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"hapco/physics/numerics/num"
)

// Elastic is the ice of a floe under plane stress.
type Elastic struct {
	Young     float64 // Pa
	Poisson   float64
	Thickness float64 // m
	Density   float64 // kg/m^3
}

// PointForce acts on a point of a floe.
type PointForce struct {
	At    Vec2 // m
	Force Vec2 // N
}

// EdgeForce is a traction on a straight part of the outline, linear between its ends.
type EdgeForce struct {
	From, To Vec2 // m
	Start    Vec2 // traction at From, Pa
	End      Vec2 // at To
}

// Stress is a plane stress: xx, yy, xy, Pa.
type Stress [3]float64

// Principal is the largest principal stress, Pa, and its direction.
func (s Stress) Principal() (value float64, direction Vec2) {
	mean, half := (s[0]+s[1])/2, (s[0]-s[1])/2
	r := math.Hypot(half, s[2])
	angle := math.Atan2(s[2], half) / 2
	sin, cos := math.Sincos(angle)
	return mean + r, Vec2{cos, sin}
}

// Plate is a floe's outline made ready for stresses: its mesh, and the factorised stiffness of it. It can be loaded
// again and again, anywhere, by one goroutine at a time.
type Plate struct {
	outline []Vec2
	Section
	ice    Elastic
	mesh   *mesh
	eq     []int32 // by degree of freedom: its row in the factor, or -1 where it is held
	factor skyline
	u      []float64 // displacements, m, by node and direction
	f      []float64
	x      []float64 // unknowns of the factor
	nodal  []Stress  // mean of the triangles round a node
	count  []float64 // of those
	grid   squares   // of the mesh's triangles
}

// NewPlate meshes an outline, counter-clockwise, with about count triangles. Points that are named as loaded become
// nodes: there the stress is sharper.
func NewPlate(outline []Vec2, ice Elastic, count int, loaded []Vec2) (*Plate, error) {
	if !num.Positive(ice.Young) || !(ice.Poisson > -1 && ice.Poisson < 0.5) || !num.Positive(ice.Thickness) ||
		!num.Positive(ice.Density) {
		return nil, fmt.Errorf("floe: Young's modulus %g Pa, Poisson's ratio %g, thickness %g m, density %g kg/m^3 (cure: above 0, Poisson's ratio in -1 to 0.5)",
			ice.Young, ice.Poisson, ice.Thickness, ice.Density)
	}
	m, err := triangulate(outline, count, loaded)
	if err != nil {
		return nil, err
	}
	p := &Plate{outline: outline, Section: SectionOf(outline), ice: ice, mesh: m}
	if err := p.assemble(); err != nil {
		return nil, err
	}
	p.grid = locate(m)
	return p, nil
}

// shape gives the six shape functions and their derivatives by the first two area coordinates.
func shape(a, b float64) (n [6]float64, da, db [6]float64) {
	c := 1 - a - b
	n = [6]float64{a * (2*a - 1), b * (2*b - 1), c * (2*c - 1), 4 * a * b, 4 * b * c, 4 * c * a}
	da = [6]float64{4*a - 1, 0, 1 - 4*c, 4 * b, -4 * b, 4 * (c - a)}
	db = [6]float64{0, 4*b - 1, 1 - 4*c, 4 * a, 4 * (c - b), -4 * a}
	return n, da, db
}

// gradients are the derivatives of the shape functions by x and y in a triangle.
func (m *mesh) gradients(t *[6]int32, a, b float64) (g [6]Vec2, area float64) {
	_, da, db := shape(a, b)
	p, q, r := m.nodes[t[0]], m.nodes[t[1]], m.nodes[t[2]]
	e, f := p.Sub(r), q.Sub(r) // x = r + a e + b f
	det := cross(e, f)
	for k := range 6 {
		g[k] = Vec2{(f[1]*da[k] - e[1]*db[k]) / det, (e[0]*db[k] - f[0]*da[k]) / det}
	}
	return g, det / 2
}

// hooke is the matrix of plane stress: s = (d0 exx + d1 eyy, d1 exx + d0 eyy, d2 gxy).
func (e *Elastic) hooke() (d0, d1, d2 float64) {
	d := e.Young / (1 - e.Poisson*e.Poisson)
	return d, d * e.Poisson, e.Young / (2 * (1 + e.Poisson))
}

// stiffnessPoints integrate exactly: the strains of a straight-sided triangle of six nodes are linear.
var stiffnessPoints = [3][2]float64{{2. / 3, 1. / 6}, {1. / 6, 2. / 3}, {1. / 6, 1. / 6}}

func (p *Plate) assemble() error {
	m := p.mesh
	n := len(m.nodes)
	p.u, p.f = make([]float64, 2*n), make([]float64, 2*n)
	p.nodal, p.count = make([]Stress, n), make([]float64, n)

	// Three degrees of freedom are held: two of one node and one of another, so far from it that the floe can only
	// stretch.
	low, far := 0, 0
	for i, x := range m.nodes[:m.corners] {
		if x[0] < m.nodes[low][0] {
			low = i
		}
	}
	for i, x := range m.nodes[:m.corners] {
		if x.Sub(m.nodes[low]).Len() > m.nodes[far].Sub(m.nodes[low]).Len() {
			far = i
		}
	}
	line := m.nodes[far].Sub(m.nodes[low])
	second := 2*far + 1
	if math.Abs(line[1]) > math.Abs(line[0]) {
		second = 2 * far
	}
	p.eq = make([]int32, 2*n)
	rows := int32(0)
	for _, i := range m.order() {
		for k := range 2 {
			d := 2*int(i) + k
			if d == 2*low || d == 2*low+1 || d == second {
				p.eq[d] = -1
				continue
			}
			p.eq[d] = rows
			rows++
		}
	}
	first := make([]int32, rows) // leftmost column of each row
	for i := range first {
		first[i] = int32(i)
	}
	for i := range m.triangles {
		least := rows
		for _, e := range p.rows(i) {
			if e >= 0 {
				least = min(least, e)
			}
		}
		for _, e := range p.rows(i) {
			if e >= 0 {
				first[e] = min(first[e], least)
			}
		}
	}
	p.factor.shape(first)
	p.x = make([]float64, rows)
	d0, d1, d2 := p.ice.hooke()
	for i := range m.triangles {
		t := &m.triangles[i]
		var k [12][12]float64
		for _, at := range stiffnessPoints {
			g, area := m.gradients(t, at[0], at[1])
			w := area / 3 * p.ice.Thickness
			for a := range 6 {
				for b := range 6 {
					x, y := g[a], g[b]
					k[2*a][2*b] += w * (d0*x[0]*y[0] + d2*x[1]*y[1])
					k[2*a][2*b+1] += w * (d1*x[0]*y[1] + d2*x[1]*y[0])
					k[2*a+1][2*b] += w * (d1*x[1]*y[0] + d2*x[0]*y[1])
					k[2*a+1][2*b+1] += w * (d0*x[1]*y[1] + d2*x[0]*y[0])
				}
			}
		}
		rows := p.rows(i)
		for a, ra := range rows {
			for b, rb := range rows {
				if ra >= 0 && rb >= 0 && rb <= ra {
					p.factor.add(ra, rb, k[a][b])
				}
			}
		}
	}
	if !p.factor.factorize() {
		return errors.New("floe: the stiffness of a floe is singular (cure: an outline without slivers)")
	}
	return nil
}

// rows are those of a triangle's degrees of freedom.
func (p *Plate) rows(triangle int) (r [12]int32) {
	for k, v := range p.mesh.triangles[triangle] {
		r[2*k], r[2*k+1] = p.eq[2*v], p.eq[2*v+1]
	}
	return r
}

// order lists the nodes so that neighbours are close: reverse Cuthill-McKee.
func (m *mesh) order() []int32 {
	n := len(m.nodes)
	near := make([][]int32, n)
	for _, t := range m.triangles {
		for _, a := range t {
			for _, b := range t {
				if a != b && !slices.Contains(near[a], b) {
					near[a] = append(near[a], b)
				}
			}
		}
	}
	seen := make([]bool, n)
	breadth := func(from int32) []int32 {
		queue := []int32{from}
		seen[from] = true
		for i := 0; i < len(queue); i++ {
			next := near[queue[i]]
			slices.SortFunc(next, func(a, b int32) int {
				return cmp.Or(cmp.Compare(len(near[a]), len(near[b])), cmp.Compare(a, b))
			})
			for _, j := range next {
				if !seen[j] {
					seen[j] = true
					queue = append(queue, j)
				}
			}
		}
		return queue
	}
	var all []int32
	for i := range int32(n) {
		if seen[i] {
			continue
		}
		from := i
		for range 3 { // towards an end of the mesh
			reach := breadth(from)
			for _, j := range reach {
				seen[j] = false
			}
			from = reach[len(reach)-1]
		}
		all = append(all, breadth(from)...)
	}
	slices.Reverse(all)
	return all
}

// skyline holds the lower half of a symmetric matrix by rows, from the first column that is not zero, and its factors L
// D L' after factorize.
type skyline struct {
	first []int32
	start []int
	v     []float64
}

func (s *skyline) shape(first []int32) {
	s.first = first
	s.start = make([]int, len(first)+1)
	for i, f := range first {
		s.start[i+1] = s.start[i] + i - int(f) + 1
	}
	s.v = make([]float64, s.start[len(first)])
}

func (s *skyline) row(i int) []float64 { return s.v[s.start[i]:s.start[i+1]] }

func (s *skyline) add(i, j int32, x float64) { s.v[s.start[i]+int(j-s.first[i])] += x }

func (s *skyline) factorize() bool {
	for i := range s.first {
		a := s.row(i)
		fi := int(s.first[i])
		scale := math.Abs(a[len(a)-1])
		for j := fi; j < i; j++ { // a_ij - sum l_ik (d_k l_jk)
			b := s.row(j)
			fj := int(s.first[j])
			k := max(fi, fj)
			a[j-fi] -= num.Dot(a[k-fi:j-fi], b[k-fj:j-fj])
		}
		sum := 0.0
		for j := fi; j < i; j++ { // a holds l_ij d_j so far
			d := s.v[s.start[j+1]-1]
			l := a[j-fi] / d
			sum += a[j-fi] * l
			a[j-fi] = l
		}
		a[len(a)-1] -= sum
		if !(a[len(a)-1] > 1e-13*scale) {
			return false
		}
	}
	return true
}

func (s *skyline) solve(x []float64) {
	for i := range s.first {
		a := s.row(i)
		x[i] -= num.Dot(a[:len(a)-1], x[s.first[i]:i])
	}
	for i := range s.first {
		x[i] /= s.v[s.start[i+1]-1]
	}
	for i := len(s.first) - 1; i >= 0; i-- {
		f := int(s.first[i])
		for k, l := range s.row(i)[:i-f] {
			x[f+k] -= l * x[i]
		}
	}
}

// Load solves for the stresses under some forces. With relief the floe is accelerated as a rigid body by what the
// forces do not balance, and the inertia of its mass balances them: section 8. Without, the forces must balance.
func (p *Plate) Load(points []PointForce, edges []EdgeForce, relief bool) error {
	clear(p.f)
	m := p.mesh
	for _, l := range points { // the work that it does on the shape functions round it
		i, a, b, ok := p.grid.find(m, l.At, 1e-6*p.Radius)
		if !ok {
			return fmt.Errorf("floe: a load at (%g, %g) m, outside the outline (cure: a point of the floe)", l.At[0], l.At[1])
		}
		n, _, _ := shape(a, b)
		for k, v := range m.triangles[i] {
			p.push(v, l.Force.Mul(n[k]))
		}
	}
	for i := range edges {
		if err := p.pull(&edges[i]); err != nil {
			return err
		}
	}
	var sum Vec2
	moment, size := 0.0, 0.0
	for i, x := range m.nodes {
		f := Vec2{p.f[2*i], p.f[2*i+1]}
		sum = sum.Add(f)
		moment += cross(x.Sub(p.Centroid), f)
		size += f.Len()
	}
	if relief {
		areal := p.ice.Density * p.ice.Thickness
		a, alpha := sum.Mul(1/(areal*p.Area)), moment/(areal*p.Polar)
		for i := range m.triangles {
			t := &m.triangles[i]
			for _, d := range dunavant {
				n, _, _ := shape(d[0], d[1])
				r := m.nodes[t[0]].Mul(d[0]).Add(m.nodes[t[1]].Mul(d[1])).Add(m.nodes[t[2]].Mul(1 - d[0] - d[1])).Sub(p.Centroid)
				_, area := m.gradients(t, d[0], d[1])
				b := a.Add(turned(r).Mul(alpha)).Mul(-areal * area * d[2])
				for k, v := range t {
					p.push(v, b.Mul(n[k]))
				}
			}
		}
	} else if sum.Len() > 1e-6*size || math.Abs(moment) > 1e-6*size*p.Radius {
		return errors.New("floe: the loads do not balance (cure: inertia relief)")
	}
	for d, e := range p.eq {
		if e >= 0 {
			p.x[e] = p.f[d]
		}
	}
	p.factor.solve(p.x)
	for d, e := range p.eq {
		if e >= 0 {
			p.u[d] = p.x[e]
		}
	}
	p.smooth()
	return nil
}

// push adds a force to a node.
func (p *Plate) push(node int32, f Vec2) {
	p.f[2*node] += f[0]
	p.f[2*node+1] += f[1]
}

// gauss holds the places and weights of Gauss's rule with eight points on [0, 1].
var gauss = func() (g [8][2]float64) {
	const n = len(g)
	for i := range n { // roots of the Legendre polynomial by Newton's method
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		d := 0.0
		for range 50 {
			p, q := 1.0, x // of degrees k-1 and k
			for k := 2; k <= n; k++ {
				p, q = q, ((2*float64(k)-1)*x*q-(float64(k)-1)*p)/float64(k)
			}
			d = float64(n) * (x*q - p) / (x*x - 1)
			x -= q / d
		}
		g[i] = [2]float64{(1 + x) / 2, 1 / ((1 - x*x) * d * d)}
	}
	return g
}()

// pull adds the forces of a traction to those nodes whose edges lie on it.
func (p *Plate) pull(l *EdgeForce) error {
	line := l.To.Sub(l.From)
	length := line.Len()
	tol := 1e-6 * p.Radius
	if length <= tol {
		return errors.New("floe: a traction on an edge without length (cure: two points)")
	}
	on := func(x Vec2) (float64, bool) {
		t := x.Sub(l.From).Dot(line) / (length * length)
		return t, math.Abs(cross(line, x.Sub(l.From)))/length <= tol && t >= -tol/length && t <= 1+tol/length
	}
	covered := 0.0
	for i := range p.mesh.triangles {
		t := &p.mesh.triangles[i]
		for k := range 3 {
			a, b, c := t[k], t[(k+1)%3], t[3+k]
			ta, oa := on(p.mesh.nodes[a])
			tb, ob := on(p.mesh.nodes[b])
			if !oa || !ob {
				continue
			}
			size := p.mesh.nodes[b].Sub(p.mesh.nodes[a]).Len()
			covered += size
			for _, g := range gauss {
				s := g[0]
				at := ta + (tb-ta)*s
				f := l.Start.Add(l.End.Sub(l.Start).Mul(at)).Mul(g[1] * size * p.ice.Thickness)
				p.push(a, f.Mul((1-s)*(1-2*s)))
				p.push(b, f.Mul(s*(2*s-1)))
				p.push(c, f.Mul(4*s*(1-s)))
			}
		}
	}
	if math.Abs(covered-length) > 1e-6*length {
		return fmt.Errorf("floe: the traction from (%g, %g) to (%g, %g) m does not lie on the outline", l.From[0], l.From[1], l.To[0], l.To[1])
	}
	return nil
}

// in is the stress in triangle i at area coordinates a, b.
func (p *Plate) in(i int, a, b float64) Stress {
	t := &p.mesh.triangles[i]
	g, _ := p.mesh.gradients(t, a, b)
	var xx, yy, xy float64
	for k, v := range t {
		x, y := p.u[2*v], p.u[2*v+1]
		xx += g[k][0] * x
		yy += g[k][1] * y
		xy += g[k][1]*x + g[k][0]*y
	}
	d0, d1, d2 := p.ice.hooke()
	return Stress{d0*xx + d1*yy, d1*xx + d0*yy, d2 * xy}
}

// smooth takes the mean of the triangles round each node, where the linear field through the points at which stresses
// are most accurate is continued to the node.
func (p *Plate) smooth() {
	clear(p.count)
	clear(p.nodal)
	corner := [6][2]float64{{1, 0}, {0, 1}, {0, 0}, {0.5, 0.5}, {0, 0.5}, {0.5, 0}}
	for i, t := range p.mesh.triangles {
		for k, v := range t {
			s := p.in(i, corner[k][0], corner[k][1]) // linear in the triangle
			for j := range s {
				p.nodal[v][j] += s[j]
			}
			p.count[v]++
		}
	}
	for i := range p.nodal {
		for j := range p.nodal[i] {
			p.nodal[i][j] /= p.count[i]
		}
	}
}

// At is the stress at a point of the floe under the last load: quadratic between the means at the nodes.
func (p *Plate) At(x Vec2) (Stress, bool) {
	i, a, b, ok := p.grid.find(p.mesh, x, 1e-6*p.Radius)
	if !ok {
		return Stress{}, false
	}
	n, _, _ := shape(a, b)
	var s Stress
	for k, v := range p.mesh.triangles[i] {
		for j := range s {
			s[j] += n[k] * p.nodal[v][j]
		}
	}
	return s, true
}

// locate makes squares with the triangles whose boxes meet them.
func locate(m *mesh) squares {
	lo, hi := boundsOf(m.nodes)
	side := math.Sqrt((hi[0]-lo[0])*(hi[1]-lo[1])/float64(len(m.triangles))) + 1e-6*hi.Sub(lo).Len()
	l := newSquares(lo, hi.Sub(lo), side)
	for i, t := range m.triangles {
		a, b := boundsOf([]Vec2{m.nodes[t[0]], m.nodes[t[1]], m.nodes[t[2]]})
		x0, y0 := l.at(a.Sub(Vec2{1e-6, 1e-6}.Mul(side)))
		x1, y1 := l.at(b.Add(Vec2{1e-6, 1e-6}.Mul(side)))
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				l.put(x, y, int32(i))
			}
		}
	}
	return l
}

// find gives the triangle at x, or the one that x is closest to be in, and the area coordinates there.
func (l *squares) find(m *mesh, x Vec2, tol float64) (triangle int, a, b float64, ok bool) {
	cx, cy := l.at(x)
	best := math.Inf(-1)
	for _, i := range l.cells[cy*l.nx+cx] {
		t := &m.triangles[i]
		p, q, r := m.nodes[t[0]], m.nodes[t[1]], m.nodes[t[2]]
		det := cross(q.Sub(p), r.Sub(p))
		u, v := cross(q.Sub(x), r.Sub(x))/det, cross(r.Sub(x), p.Sub(x))/det
		if in := min(u, v, 1-u-v) * math.Sqrt(det); in > best {
			best, triangle, a, b = in, int(i), u, v
		}
	}
	return triangle, a, b, best >= -tol
}

// strongest is the largest principal stress of a node farther than away from every loaded point, where it is, and its
// direction.
func (p *Plate) strongest(loads []PointForce, away float64) (value float64, at, direction Vec2) {
	value = math.Inf(-1)
	for i, x := range p.mesh.nodes {
		far := true
		for i := range loads {
			far = far && x.Sub(loads[i].At).Len() > away
		}
		if !far {
			continue
		}
		if v, d := p.nodal[i].Principal(); v > value {
			value, at, direction = v, x, d
		}
	}
	return value, at, direction
}

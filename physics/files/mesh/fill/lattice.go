package fill

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// How near a cut may come to a lattice point, as a share of the edge, before the point is moved onto it: for the long
// edges (along the axes) and the short ones (corner to centre). With these values of [Labelle, Shewchuk 2007] no
// tetrahedron gets an angle between faces below 10 or above 165 degrees.
const (
	nearLong  = 0.24999
	nearShort = 0.41189
)

// maxPoints bounds the lattice's memory.
const maxPoints = 60_000_000

// latticeEdge is the cube's edge that gives a mean edge of the given size: a lattice point has six edges of length h
// and eight of sqrt(3)/2 h.
func latticeEdge(size float64) float64 { return size * 14 / (6 + 4*math.Sqrt(3)) }

// lattice is a body-centred cubic lattice around a surface. Points are the cubes' corners, then their centres.
type lattice struct {
	s      *mesh.Triangles
	h      float64 // cube edge
	origin mgl64.Vec3
	n      [3]int // cubes along each axis

	sign  []int8               // of each point: 1 inside, 0 on the surface, -1 outside
	moved map[int32]mgl64.Vec3 // points that were moved onto the surface
	cut   map[[2]int32]float64 // edges that the surface cuts, from the lower point: where, 0 to 1
	cell  []int32              // triangles near each cube: list[cell[c]:cell[c+1]]
	list  []int32
	node  map[[2]int32]int32 // nodes of the mesh: a point (p, p) or a cut on an edge
	nodes []mgl64.Vec3
	tets  [][4]int32
}

// stuff fills a closed surface with tetrahedra of about the given edge length.
func stuff(s *mesh.Triangles, size float64) (*mesh.Mesh, error) {
	l, err := newLattice(s, latticeEdge(size))
	if err != nil {
		return nil, err
	}
	l.classify()
	l.bin()
	l.findCuts()
	l.move()
	l.trim()
	if len(l.tets) == 0 {
		return nil, fmt.Errorf("no lattice point lies inside at size %g (use a smaller size)", size)
	}
	return l.mesh()
}

func newLattice(s *mesh.Triangles, h float64) (*lattice, error) {
	l := &lattice{s: s, h: h, moved: map[int32]mgl64.Vec3{}, cut: map[[2]int32]float64{}, node: map[[2]int32]int32{}}
	low, high := s.Bounds()
	// At least one cube of air around; the odd shares keep the lattice off plane sides.
	l.origin = low.Sub(mgl64.Vec3{1.3819660, 1.4142136, 1.3660254}.Mul(h))
	points := 1.0
	for k := range l.n {
		cubes := math.Ceil((high[k]-l.origin[k])/h) + 1
		points *= cubes + 1
		if !(points < maxPoints) {
			return nil, fmt.Errorf("the lattice would have more than %d points (use a larger size)", maxPoints)
		}
		l.n[k] = int(cubes)
	}
	l.sign = make([]int8, l.corners()+l.cubes())
	return l, nil
}

func (l *lattice) corners() int { return (l.n[0] + 1) * (l.n[1] + 1) * (l.n[2] + 1) }
func (l *lattice) cubes() int   { return l.n[0] * l.n[1] * l.n[2] }

func (l *lattice) corner(c [3]int) int32 { return int32(c[0] + (l.n[0]+1)*(c[1]+(l.n[1]+1)*c[2])) }

func (l *lattice) cube(c [3]int) int { return c[0] + l.n[0]*(c[1]+l.n[1]*c[2]) }

func (l *lattice) centre(c [3]int) int32 { return int32(l.corners() + l.cube(c)) }

// box are the cubes between two, those included.
func box(from, to [3]int) iter.Seq[[3]int] {
	return func(yield func([3]int) bool) {
		for k := from[2]; k <= to[2]; k++ {
			for j := from[1]; j <= to[1]; j++ {
				for i := from[0]; i <= to[0]; i++ {
					if !yield([3]int{i, j, k}) {
						return
					}
				}
			}
		}
	}
}

func (l *lattice) all() iter.Seq[[3]int] {
	return box([3]int{}, [3]int{l.n[0] - 1, l.n[1] - 1, l.n[2] - 1})
}

// place is where a point is: on the lattice, or where it was moved to.
func (l *lattice) place(p int32) mgl64.Vec3 {
	if l.sign[p] == 0 {
		return l.moved[p]
	}
	return l.at(p)
}

func (l *lattice) at(p int32) mgl64.Vec3 {
	q, n, half := int(p), [3]int{l.n[0] + 1, l.n[1] + 1, l.n[2] + 1}, 0.0
	if c := l.corners(); q >= c {
		q, n, half = q-c, l.n, 0.5
	}
	i, j, k := q%n[0], q/n[0]%n[1], q/(n[0]*n[1])
	return l.origin.Add(mgl64.Vec3{float64(i) + half, float64(j) + half, float64(k) + half}.Mul(l.h))
}

// classify finds which points are inside: those with an odd number of triangles on a ray along x. Rows of points share
// a ray.
func (l *lattice) classify() {
	l.rows(0, l.n[0]+1, l.n[1]+1, l.n[2]+1, 0)
	l.rows(l.corners(), l.n[0], l.n[1], l.n[2], 0.5)
}

// rows classifies the points base + i + nx*(j + ny*k), which are off the corners by half an edge where half is 0.5.
func (l *lattice) rows(base, nx, ny, nz int, half float64) {
	crossings := make([][]float64, ny*nz)
	y := func(j int) float64 { return l.origin[1] + (float64(j)+half)*l.h }
	z := func(k int) float64 { return l.origin[2] + (float64(k)+half)*l.h }
	for t := range l.s.Triangles {
		low, high := l.s.Box(int32(t))
		j0 := max(0, int(math.Floor((low[1]-l.origin[1])/l.h-half)))
		j1 := min(ny-1, int(math.Ceil((high[1]-l.origin[1])/l.h-half)))
		k0 := max(0, int(math.Floor((low[2]-l.origin[2])/l.h-half)))
		k1 := min(nz-1, int(math.Ceil((high[2]-l.origin[2])/l.h-half)))
		for k := k0; k <= k1; k++ {
			for j := j0; j <= j1; j++ {
				if x, hit := ray(l.s, int32(t), y(j), z(k)); hit {
					crossings[j+ny*k] = append(crossings[j+ny*k], x)
				}
			}
		}
	}
	for row, at := range crossings {
		// Rounding may lose a crossing of a ray through a node: try beside it.
		for try := 1; len(at)%2 == 1 && try <= 8; try++ {
			at = at[:0]
			off := 1e-7 * float64(try) * l.h
			for t := range l.s.Triangles {
				if x, hit := ray(l.s, int32(t), y(row%ny)+off, z(row/ny)+0.73*off); hit {
					at = append(at, x)
				}
			}
		}
		slices.Sort(at)
		passed := 0
		for i := range nx {
			x := l.origin[0] + (float64(i)+half)*l.h
			for passed < len(at) && at[passed] < x {
				passed++
			}
			p := base + i + nx*row
			l.sign[p] = -1
			if passed%2 == 1 {
				l.sign[p] = 1
			}
		}
	}
}

// ray finds where the line along x at (y, z) passes through a triangle. An edge's side is computed in the same order of
// its nodes for both of its triangles, so that the line passes through one of them and not through both or neither.
func ray(s *mesh.Triangles, t int32, y, z float64) (x float64, hit bool) {
	n := s.Triangles[t]
	left := 0
	for k := range n {
		a, b := n[k], n[(k+1)%3]
		swapped := a > b
		if swapped {
			a, b = b, a
		}
		p, q := s.Nodes[a], s.Nodes[b]
		if ((q[1]-p[1])*(z-p[2])-(q[2]-p[2])*(y-p[1]) >= 0) != swapped {
			left++
		}
	}
	if left != 0 && left != 3 {
		return 0, false
	}
	a, b, c := s.Corners(t)
	normal := b.Sub(a).Cross(c.Sub(a))
	if normal[0] == 0 {
		return 0, false // seen edge on
	}
	return a[0] - (normal[1]*(y-a[1])+normal[2]*(z-a[2]))/normal[0], true
}

// bin lists the triangles near each cube.
func (l *lattice) bin() {
	l.cell = make([]int32, l.cubes()+1)
	visit := func(f func(cube int, t int32)) {
		for t := range l.s.Triangles {
			low, high := l.s.Box(int32(t))
			a, b, c := l.s.Corners(int32(t))
			normal := b.Sub(a).Cross(c.Sub(a))
			reach := (math.Abs(normal[0]) + math.Abs(normal[1]) + math.Abs(normal[2])) * 0.51 * l.h
			var from, to [3]int
			for k := range from {
				from[k] = max(0, int(math.Floor((low[k]-l.origin[k])/l.h-0.01)))
				to[k] = min(l.n[k]-1, int(math.Floor((high[k]-l.origin[k])/l.h+0.01)))
			}
			for c := range box(from, to) {
				middle := l.origin.Add(mgl64.Vec3{float64(c[0]) + 0.5, float64(c[1]) + 0.5, float64(c[2]) + 0.5}.Mul(l.h))
				if math.Abs(middle.Sub(a).Dot(normal)) <= reach {
					f(l.cube(c), int32(t))
				}
			}
		}
	}
	visit(func(cube int, _ int32) { l.cell[cube+1]++ })
	for c := range l.cubes() {
		l.cell[c+1] += l.cell[c]
	}
	l.list = make([]int32, l.cell[l.cubes()])
	next := slices.Clone(l.cell)
	visit(func(cube int, t int32) {
		l.list[next[cube]] = t
		next[cube]++
	})
}

// edges calls f with every edge of the lattice once, and the cubes it runs in.
func (l *lattice) edges(f func(a, b int32, cubes ...int)) {
	for c := range l.all() {
		here, corner, middle := l.cube(c), l.corner(c), l.centre(c)
		for d := range 8 {
			f(l.corner([3]int{c[0] + d&1, c[1] + d>>1&1, c[2] + d>>2}), middle, here)
		}
		for axis := range c {
			up := c
			up[axis]++
			f(corner, l.corner(up), here) // those on the upper sides of the lattice lie in air
			if up[axis] < l.n[axis] {
				f(middle, l.centre(up), here, l.cube(up))
			}
		}
	}
}

// findCuts finds where the surface cuts the edges that have one end inside.
func (l *lattice) findCuts() {
	l.edges(func(a, b int32, cubes ...int) {
		if l.sign[a] == l.sign[b] {
			return
		}
		p, q := l.at(a), l.at(b)
		inside, best := 0.0, math.Inf(1)
		if l.sign[b] > 0 {
			inside = 1
		}
		at := 0.5 // where rounding hides the cut
		for _, c := range cubes {
			for _, t := range l.list[l.cell[c]:l.cell[c+1]] {
				v0, v1, v2 := l.s.Corners(t)
				share, hit := segment(p, q, v0, v1, v2)
				// Of several cuts the first seen from inside.
				if d := math.Abs(share - inside); hit && d < best {
					best, at = d, share
				}
			}
		}
		l.cut[[2]int32{a, b}] = at
	})
}

// segment finds where pq passes through a triangle, as a share of pq. Borders count, with some slack: a neighbour may
// see the cut just beside itself.
func segment(p, q, a, b, c mgl64.Vec3) (share float64, hit bool) {
	d, e1, e2 := q.Sub(p), b.Sub(a), c.Sub(a)
	h := d.Cross(e2)
	det := e1.Dot(h)
	if det == 0 {
		return 0, false
	}
	s := p.Sub(a)
	u := s.Dot(h) / det
	g := s.Cross(e1)
	v := d.Dot(g) / det
	t := e2.Dot(g) / det
	const slack = 1e-9
	if u >= -slack && v >= -slack && u+v <= 1+slack && t >= -slack && t <= 1+slack {
		return math.Min(1, math.Max(0, t)), true
	}
	return 0, false
}

// move puts lattice points onto cuts that come too near. A point on the surface has no cut edges any more.
func (l *lattice) move() {
	edges := slices.SortedFunc(maps.Keys(l.cut), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	around := map[int32][][2]int32{}
	var points []int32
	for _, e := range edges {
		for _, p := range e {
			if around[p] == nil {
				points = append(points, p)
			}
			around[p] = append(around[p], e)
		}
	}
	slices.Sort(points)
	corners := int32(l.corners())
	for _, p := range points {
		nearest := 1.0 // share of the limit
		for _, e := range around[p] {
			if l.sign[e[0]] == 0 || l.sign[e[1]] == 0 {
				continue
			}
			limit := nearShort
			if (e[0] < corners) == (e[1] < corners) {
				limit = nearLong
			}
			t := l.cut[e]
			from := t
			if p == e[1] {
				from = 1 - t
			}
			if from/limit < nearest {
				a, b := l.at(e[0]), l.at(e[1])
				nearest, l.moved[p] = from/limit, a.Add(b.Sub(a).Mul(t))
			}
		}
		if nearest < 1 {
			l.sign[p] = 0
		}
	}
}

// trim makes the tetrahedra: those inside, and what is inside of those that the surface cuts. Four surround each pair
// of neighbouring centres.
func (l *lattice) trim() {
	for c := range l.all() {
		for axis := range c {
			up := c
			if up[axis]++; up[axis] >= l.n[axis] {
				continue
			}
			// The common side's corners, in a ring.
			var ring [4]int32
			for r, s := range [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
				q := up
				q[(axis+1)%3] += s[0]
				q[(axis+2)%3] += s[1]
				ring[r] = l.corner(q)
			}
			for r := range ring {
				l.clip([4]int32{l.centre(c), l.centre(up), ring[r], ring[(r+1)%4]})
			}
		}
	}
}

// point is the mesh node of a lattice point.
func (l *lattice) point(p int32) int32 { return l.nodeAt([2]int32{p, p}, l.place(p)) }

// between is the mesh node where the surface cuts an edge.
func (l *lattice) between(a, b int32) int32 {
	e := [2]int32{min(a, b), max(a, b)}
	p, q := l.at(e[0]), l.at(e[1])
	return l.nodeAt(e, p.Add(q.Sub(p).Mul(l.cut[e])))
}

func (l *lattice) nodeAt(key [2]int32, x mgl64.Vec3) int32 {
	if n, ok := l.node[key]; ok {
		return n
	}
	n := int32(len(l.nodes))
	l.node[key] = n
	l.nodes = append(l.nodes, x)
	return n
}

// clip adds the part of a lattice tetrahedron that is inside.
func (l *lattice) clip(t [4]int32) {
	var in, on, out []int32
	for _, p := range t {
		switch l.sign[p] {
		case 1:
			in = append(in, p)
		case 0:
			on = append(on, p)
		default:
			out = append(out, p)
		}
	}
	switch {
	case len(in) == 0:
	case len(out) == 0:
		l.tet(l.point(t[0]), l.point(t[1]), l.point(t[2]), l.point(t[3]))
	case len(in) == 1:
		var n []int32
		for _, p := range on {
			n = append(n, l.point(p))
		}
		for _, p := range out {
			n = append(n, l.between(in[0], p))
		}
		l.tet(l.point(in[0]), n[0], n[1], n[2])
	case len(in) == 2 && len(on) == 1:
		// A pyramid on the quadrangle that is left of the triangle in, in, out.
		a, b := l.point(in[0]), l.point(in[1])
		ca, cb := l.between(in[0], out[0]), l.between(in[1], out[0])
		top := l.point(on[0])
		if l.diagonal(a, cb, b, ca) {
			l.tet(top, a, b, cb)
			l.tet(top, a, cb, ca)
		} else {
			l.tet(top, b, ca, a)
			l.tet(top, b, cb, ca)
		}
	case len(in) == 2:
		a, b := l.point(in[0]), l.point(in[1])
		l.prism([6]int32{a, l.between(in[0], out[0]), l.between(in[0], out[1]), b, l.between(in[1], out[0]), l.between(in[1], out[1])}, true)
	default:
		a, b, c := l.point(in[0]), l.point(in[1]), l.point(in[2])
		l.prism([6]int32{a, b, c, l.between(in[0], out[0]), l.between(in[1], out[0]), l.between(in[2], out[0])}, false)
	}
}

// diagonal chooses between the diagonals ac and bd of a quadrangle: true for ac. The shorter one is taken; both
// tetrahedra at the quadrangle choose alike.
func (l *lattice) diagonal(a, c, b, d int32) bool {
	ac, bd := l.nodes[a].Sub(l.nodes[c]).LenSqr(), l.nodes[b].Sub(l.nodes[d]).LenSqr()
	if math.Abs(ac-bd) > 1e-12*(ac+bd) {
		return ac < bd
	}
	return min(a, c) < min(b, d)
}

// prism splits a prism with the triangles 0 1 2 and 3 4 5. The last side, 1 2 5 4, is free where it lies on the
// surface.
func (l *lattice) prism(n [6]int32, free bool) {
	quads := [3][4]int{{0, 1, 4, 3}, {2, 0, 3, 5}, {1, 2, 5, 4}}
	var first [3]bool // the diagonal from a quad's first corner
	for k, q := range quads {
		first[k] = l.diagonal(n[q[0]], n[q[2]], n[q[1]], n[q[3]])
	}
	best, quality := l.cone(n, quads, first)
	if free {
		first[2] = !first[2]
		if other, q := l.cone(n, quads, first); q > quality {
			best, quality = other, q
		}
	}
	if quality > 0 {
		for _, t := range best {
			l.tet(t[0], t[1], t[2], t[3])
		}
		return
	}
	// The diagonals run in a ring: a node in the middle is needed.
	var middle mgl64.Vec3
	for _, p := range n {
		middle = middle.Add(l.nodes[p].Mul(1.0 / 6))
	}
	m := int32(len(l.nodes))
	l.nodes = append(l.nodes, middle)
	for _, t := range skin(n, quads, first) {
		l.tet(m, t[0], t[1], t[2])
	}
}

// skin is the boundary of a prism as triangles.
func skin(n [6]int32, quads [3][4]int, first [3]bool) [8][3]int32 {
	s := [8][3]int32{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}}
	for k, q := range quads {
		a, b, c, d := n[q[0]], n[q[1]], n[q[2]], n[q[3]]
		if first[k] {
			s[2+2*k], s[3+2*k] = [3]int32{a, b, c}, [3]int32{a, c, d}
		} else {
			s[2+2*k], s[3+2*k] = [3]int32{b, c, d}, [3]int32{b, d, a}
		}
	}
	return s
}

// cone splits a prism into three tetrahedra from a corner that both diagonals at it reach; of several such corners it
// takes the one with the best shapes. quality is the least of the three, 0 when there is no such corner.
func (l *lattice) cone(n [6]int32, quads [3][4]int, first [3]bool) (best [3][4]int32, quality float64) {
	triangles := skin(n, quads, first)
	for _, tip := range n {
		var tets [3][4]int32
		count := 0
		for _, t := range triangles {
			if t[0] == tip || t[1] == tip || t[2] == tip {
				continue
			}
			if count < 3 {
				tets[count] = [4]int32{tip, t[0], t[1], t[2]}
			}
			count++
		}
		if count != 3 {
			continue
		}
		least := math.Inf(1)
		for _, t := range tets {
			x := []mgl64.Vec3{l.nodes[t[0]], l.nodes[t[1]], l.nodes[t[2]], l.nodes[t[3]]}
			least = math.Min(least, math.Abs(mesh.Quality(mesh.Tet4, x)))
		}
		if least > quality {
			best, quality = tets, least
		}
	}
	return best, quality
}

// tet adds a tetrahedron, right way round.
func (l *lattice) tet(a, b, c, d int32) {
	t := [4]int32{a, b, c, d}
	if l.volume(t) < 0 {
		t[2], t[3] = d, c
	}
	l.tets = append(l.tets, t)
}

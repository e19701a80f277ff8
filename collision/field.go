package collision

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Field is the signed distance to a closed triangle surface that does not deform. Closest is exact everywhere: the
// closest triangle from the box tree, begun at the one that is closest to a grid node nearby; the sign from the
// angle-weighted pseudonormal of the face, edge or corner that the point lies on (Baerentzen and Aanaes, Signed
// distance computation using the angle weighted pseudonormal, 2005), or from the winding number where a triangle
// without area leaves an edge without one. AtLeast reads the grid alone.
//
// Several goroutines may use it at once.
type Field struct {
	triangles [][3]int32
	positions []mgl64.Vec3
	tree      *Tree
	face      []mgl64.Vec3    // of each triangle; zero where it has no area
	edge      [][3]mgl64.Vec3 // edge k runs from corner k to k+1; zero where a triangle beside it has no area
	corner    []mgl64.Vec3    // of each node
	low, high mgl64.Vec3      // of the surface

	origin  mgl64.Vec3 // of the grid
	cell    float64    // edge of its cubes
	count   [3]int     // nodes along x, y, z
	value   []float32  // signed distance at the nodes, x fastest
	closest []int32    // triangle that is closest to each
	built   time.Duration
}

// NewField makes the field of a surface whose triangles run counter-clockwise seen from outside. It keeps the two
// slices. The error says in one line why a surface has no inside: it is open, its triangles do not agree on what is
// outside, or more than two of them meet at an edge.
func NewField(triangles [][3]int32, positions []mgl64.Vec3) (*Field, error) {
	if err := checkClosed(triangles); err != nil {
		return nil, err
	}
	start := time.Now()
	f := &Field{triangles: triangles, positions: positions, tree: NewTree(triangles, positions)}
	if v := f.volume(); !(v > 0) {
		return nil, fmt.Errorf("the surface encloses a volume of %g: its triangles face inwards (cure: turn them round)", v)
	}
	f.pseudonormals()
	f.fill()
	f.built = time.Since(start)
	return f, nil
}

// checkClosed says in one line why a surface has no inside, or nil.
func checkClosed(triangles [][3]int32) error {
	const cure = "(cure: hapco mesh check shows where; a closed surface)"
	if len(triangles) == 0 {
		return fmt.Errorf("the surface has no triangle %s", cure)
	}
	if open := OpenEdges(triangles); len(open) > 0 {
		return fmt.Errorf("the surface is open: %d edges belong to one triangle only, the first from node %d to %d %s", len(open), open[0][0], open[0][1], cure)
	}
	for i, t := range triangles {
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			return fmt.Errorf("triangle %d of the surface names a node twice %s", i, cure)
		}
	}
	once, uses := make(map[[2]int32]bool, 3*len(triangles)), usesOf(triangles)
	for _, t := range triangles {
		for k := range 3 {
			e := [2]int32{t[k], t[(k+1)%3]}
			if n := uses[ascending(e)]; n != 2 {
				return fmt.Errorf("%d triangles of the surface meet at the edge from node %d to %d: which side is inside is not told %s", n, e[0], e[1], cure)
			}
			if once[e] {
				return fmt.Errorf("the two triangles at the edge from node %d to %d of the surface face opposite ways %s", e[0], e[1], cure)
			}
			once[e] = true
		}
	}
	return nil
}

// volume that the surface encloses.
func (f *Field) volume() (v float64) {
	o := f.positions[f.triangles[0][0]]
	for _, t := range f.triangles {
		a, b, c := f.positions[t[0]].Sub(o), f.positions[t[1]].Sub(o), f.positions[t[2]].Sub(o)
		v += a.Dot(b.Cross(c)) / 6
	}
	return v
}

func (f *Field) pseudonormals() {
	f.face = make([]mgl64.Vec3, len(f.triangles))
	f.edge = make([][3]mgl64.Vec3, len(f.triangles))
	f.corner = make([]mgl64.Vec3, len(f.positions))
	beside := make(map[[2]int32]int32, 3*len(f.triangles))
	for i, t := range f.triangles {
		f.face[i] = FaceNormal(f.positions[t[0]], f.positions[t[1]], f.positions[t[2]])
		for k := range 3 {
			beside[[2]int32{t[k], t[(k+1)%3]}] = int32(i)
		}
	}
	for i, t := range f.triangles {
		for k := range 3 {
			n, m := f.face[i], f.face[beside[[2]int32{t[(k+1)%3], t[k]}]]
			if n != (mgl64.Vec3{}) && m != (mgl64.Vec3{}) {
				if s := n.Add(m); s.Len() > 1e-9 {
					f.edge[i][k] = s.Normalize()
				}
			}
		}
	}
	for node, list := range TrianglesAt(len(f.positions), f.triangles) {
		if list != nil {
			f.corner[node] = VertexNormal(int32(node), list, f.triangles, f.positions)
		}
	}
}

// fill works out the grid.
func (f *Field) fill() {
	b := emptyBox()
	for _, t := range f.triangles {
		for _, node := range t {
			b.add(f.positions[node])
		}
	}
	f.low, f.high = b.lo, b.hi
	size := b.hi.Sub(b.lo)
	f.cell = max(size[0], size[1], size[2]) / fieldCells
	total := 1
	for k := range 3 {
		// a cell of room on each side, so that every point near the surface is in the grid
		cells := int(math.Ceil(size[k]/f.cell)) + 2
		f.count[k] = cells + 1
		f.origin[k] = (b.lo[k] + b.hi[k] - float64(cells)*f.cell) / 2
		total *= f.count[k]
	}
	f.value, f.closest = make([]float32, total), make([]int32, total)
	i := 0
	hint := int32(-1)
	for z := range f.count[2] {
		for y := range f.count[1] {
			for x := range f.count[0] {
				at := f.origin.Add(mgl64.Vec3{float64(x), float64(y), float64(z)}.Mul(f.cell))
				hit, _ := f.tree.Closest(f.positions, at, math.Inf(1), hint)
				_, _, d := f.signed(at, &hit)
				f.value[i], f.closest[i] = float32(d), hit.Triangle
				hint = hit.Triangle
				i++
			}
		}
	}
}

// Bounds is the box around the surface.
func (f *Field) Bounds() (lo, hi mgl64.Vec3) { return f.low, f.high }

// BuildTime is how long NewField took.
func (f *Field) BuildTime() time.Duration { return f.built }

// Bytes is the memory that the field takes beside triangles and positions.
func (f *Field) Bytes() int {
	return 8*len(f.value) + 24*(len(f.face)+3*len(f.edge)+len(f.corner)) + 64*len(f.tree.nodes) + 4*len(f.tree.order)
}

// Error bounds how far the grid's trilinear values are from the signed distance: half a cell's diagonal, since that
// changes no faster than the point.
func (f *Field) Error() float64 { return f.cell * (math.Sqrt(3) / 2) * (1 + 1e-5) }

// Closest finds the closest point of the surface, exactly. The normal is the direction between the two, on the surface
// the pseudonormal.
func (f *Field) Closest(p mgl64.Vec3) (q, n mgl64.Vec3, d float64) {
	q, n, d, _ = f.find(p)
	return q, n, d
}

func (f *Field) find(p mgl64.Vec3) (q, n mgl64.Vec3, d float64, hit Hit) {
	i, _, _ := f.near(p)
	hit, ok := f.tree.Closest(f.positions, p, math.Inf(1), f.closest[i])
	if !ok { // not a number
		return p, mgl64.Vec3{0, -1, 0}, math.NaN(), Hit{}
	}
	q, n, d = f.signed(p, &hit)
	return q, n, d, hit
}

// Smoothed is the field with normals that do not jump from triangle to triangle, but interpolate between their corners;
// sharp edges stay sharp.
func (f *Field) Smoothed() Shape {
	s := &smoothField{Field: f, normal: make([][3]mgl64.Vec3, len(f.triangles))}
	around := TrianglesAt(len(f.positions), f.triangles)
	var alike []int32
	for i, t := range f.triangles {
		for k, node := range t {
			alike = alike[:0]
			for _, j := range around[node] {
				if f.face[i].Dot(f.face[j]) > math.Cos(creaseAngle) {
					alike = append(alike, j)
				}
			}
			s.normal[i][k] = VertexNormal(node, alike, f.triangles, f.positions)
		}
	}
	return s
}

type smoothField struct {
	*Field
	normal [][3]mgl64.Vec3 // of each triangle's corners
}

// Closest has the normal of the smoothed surface instead of the direction to p: p = q + d n holds as far as the two
// agree.
func (f *smoothField) Closest(p mgl64.Vec3) (q, n mgl64.Vec3, d float64) {
	q, n, d, hit := f.find(p)
	var s mgl64.Vec3
	for k, w := range hit.Weights {
		s = s.Add(f.normal[hit.Triangle][k].Mul(w))
	}
	if l := s.Len(); l > opposed {
		n = s.Mul(1 / l)
	}
	return q, n, d
}

// signed gives a hit its sign.
func (f *Field) signed(p mgl64.Vec3, hit *Hit) (q, n mgl64.Vec3, d float64) {
	t := f.triangles[hit.Triangle]
	q = f.positions[t[0]].Mul(hit.Weights[0]).Add(f.positions[t[1]].Mul(hit.Weights[1])).Add(f.positions[t[2]].Mul(hit.Weights[2]))
	out := f.pseudonormal(hit)
	way := p.Sub(q)
	l := way.Len()
	side := way.Dot(out)
	if out == (mgl64.Vec3{}) || !(math.Abs(side) > atSurface*l) && l > atSurface*f.cell {
		side = -1
		if f.winding(p) < 0.5 {
			side = 1
		}
	}
	if !(l > atSurface*f.cell) { // on the surface
		if out == (mgl64.Vec3{}) {
			out = f.corner[t[0]]
		}
		if out == (mgl64.Vec3{}) {
			out = mgl64.Vec3{0, -1, 0}
		}
		return q, out, math.Copysign(l, side)
	}
	if side < 0 {
		return q, way.Mul(-1 / l), -l
	}
	return q, way.Mul(1 / l), l
}

// pseudonormal of the face, edge or corner that a hit lies on.
func (f *Field) pseudonormal(hit *Hit) mgl64.Vec3 {
	w := &hit.Weights
	for k := range 3 {
		a, b, c := w[k] != 0, w[(k+1)%3] != 0, w[(k+2)%3] != 0
		switch {
		case a && !b && !c:
			return f.corner[f.triangles[hit.Triangle][k]]
		case a && b && !c:
			return f.edge[hit.Triangle][k]
		}
	}
	return f.face[hit.Triangle]
}

// winding is how many times the surface goes round p: 1 inside, 0 outside; the sum of the solid angles of all triangles
// (van Oosterom and Strackee, 1983).
func (f *Field) winding(p mgl64.Vec3) float64 {
	sum := 0.0
	for _, t := range f.triangles {
		a, b, c := f.positions[t[0]].Sub(p), f.positions[t[1]].Sub(p), f.positions[t[2]].Sub(p)
		la, lb, lc := a.Len(), b.Len(), c.Len()
		sum += math.Atan2(a.Dot(b.Cross(c)), la*lb*lc+a.Dot(b)*lc+b.Dot(c)*la+c.Dot(a)*lb)
	}
	return sum / (2 * math.Pi)
}

// near is the grid node closest to a point, the cell that the point is in, and whether it is in the grid at all.
func (f *Field) near(p mgl64.Vec3) (node int, at [3]float64, inside bool) {
	inside = true
	for k := 2; k >= 0; k-- {
		x := (p[k] - f.origin[k]) / f.cell
		if !(x >= 0) {
			x, inside = 0, false
		} else if last := float64(f.count[k] - 1); x > last {
			x, inside = last, false
		}
		at[k] = x
		node = node*f.count[k] + int(x+0.5)
	}
	return node, at, inside
}

// between is the value of the grid at a point of it, trilinear.
func (f *Field) between(at *[3]float64) float64 {
	var i [3]int
	var s [3]float64
	for k := range 3 {
		i[k] = min(int(at[k]), f.count[k]-2)
		s[k] = at[k] - float64(i[k])
	}
	nx, ny := f.count[0], f.count[1]
	v := f.value[i[0]+nx*(i[1]+ny*i[2]):]
	row := func(j int) float64 {
		return float64(v[j]) + s[0]*(float64(v[j+1])-float64(v[j]))
	}
	low := row(0) + s[1]*(row(nx)-row(0))
	high := row(nx*ny) + s[1]*(row(nx*ny+nx)-row(nx*ny))
	return low + s[2]*(high-low)
}

// AtLeast is a lower bound of the signed distance: from the grid, and then no more than twice Error below it, or from
// the box around the surface.
func (f *Field) AtLeast(p mgl64.Vec3) float64 {
	_, at, inside := f.near(p)
	if inside {
		return f.between(&at) - f.Error()
	}
	b := box{f.low, f.high}
	return math.Sqrt(b.dist2(p))
}

// Within appends to dst the triangles whose boxes reach into another, each once, always in the same order.
func (f *Field) Within(dst []int32, lo, hi mgl64.Vec3) []int32 {
	around := box{lo, hi}
	return f.tree.within(dst, &around, func(t int32) bool {
		own := triangleBox(&f.triangles[t], f.positions)
		return own.meets(&around)
	})
}

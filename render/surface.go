package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/machinery/unionfind"
)

// surface is the CPU part of a body: what is drawn of it, derived from the deformed positions in every frame without
// allocation.
//
// Smooth normals over a sharp edge would make a box look like a pillow, so a node on a crease becomes several vertices,
// one for each smooth patch.
type surface struct {
	node     []int32   // surface node of each vertex
	vertexOf []int32   // first vertex of each surface node, -1 for none
	tri      []uint32  // flat, indices of vertices, counter-clockwise from outside
	corner   []float32 // cornerFloats for each of tri: vertex, barycentric coordinates
	ring     []int32   // neighbours of each vertex within its patch, flat
	ringAt   []int32   // where in ring those of vertex i start; one more at the end
	matter   []float32 // four a vertex: its place at rest in sizes of the body, and how uneven its colour is

	// verts holds vertexFloats a vertex: position, field, normal, cavity.
	verts  []float32
	lo, hi mgl64.Vec3 // bounds of the last update
	begun  bool       // there was one

	outline outline
}

const vertexFloats, cornerFloats = 8, 4

// creaseCos is the cosine of the angle between two triangles above which their common edge is drawn sharp. 50 degrees
// keeps coarse organs round and boxes boxy.
var creaseCos = math.Cos(50 * math.Pi / 180)

// newSurface finds vertices, edges and neighbours from the triangles and the first positions that are seen of a body.
func newSurface(tris [][3]int32, x []mgl64.Vec3) *surface {
	s := &surface{}
	normals := make([]mgl64.Vec3, len(tris))
	for t, tri := range tris {
		n := x[tri[1]].Sub(x[tri[0]]).Cross(x[tri[2]].Sub(x[tri[0]]))
		if l := n.Len(); l > 0 {
			normals[t] = n.Mul(1 / l)
		}
	}

	// Corners (3 a triangle) that share a node across a smooth edge are one vertex.
	same := unionfind.New(3 * len(tris))
	s.outline = newOutline(tris)
	for _, e := range s.outline.edges {
		if e.tb < 0 || normals[e.ta].Dot(normals[e.tb]) < creaseCos {
			continue
		}
		for i := range int32(2) { // the two ends of the edge
			n := tris[e.ta][(e.ka+i)%3]
			for j := range int32(3) {
				if tris[e.tb][j] == n {
					same.Join(3*e.ta+(e.ka+i)%3, 3*e.tb+j)
				}
			}
		}
	}

	vertex := make([]int32, len(same))
	for i := range vertex {
		vertex[i] = -1
	}
	s.tri = make([]uint32, len(same))
	for i := range same {
		r := same.Find(int32(i))
		if vertex[r] < 0 {
			vertex[r] = int32(len(s.node))
			s.node = append(s.node, tris[i/3][i%3])
		}
		s.tri[i] = uint32(vertex[r])
	}

	// The coordinate of a corner is the distance from the edge opposite to it; where that edge is not to be drawn it is
	// raised and never gets near zero.
	hidden := make([]bool, len(same)) // by corner: the edge opposite
	for _, e := range s.outline.edges {
		if e.tb >= 0 && isDiagonal(tris[e.ta], tris[e.tb], e.ka, e.kb, normals[e.ta], normals[e.tb], x) {
			hidden[3*e.ta+(e.ka+2)%3] = true
			hidden[3*e.tb+(e.kb+2)%3] = true
		}
	}
	for i, v := range s.tri {
		s.corner = append(s.corner, float32(v))
		for k := range 3 {
			c := float32(0)
			if i%3 == k {
				c = 1
			}
			if hidden[i-i%3+k] {
				c++
			}
			s.corner = append(s.corner, c)
		}
	}

	s.vertexOf = make([]int32, len(x))
	for i := range s.vertexOf {
		s.vertexOf[i] = -1
	}
	for i := len(s.node) - 1; i >= 0; i-- {
		s.vertexOf[s.node[i]] = int32(i)
	}
	s.neighbours()
	s.matter = make([]float32, 0, 4*len(s.node))
	lo, hi := nowhere()
	lo, hi = bounds(x, lo, hi)
	size := max(hi.Sub(lo).Len(), 1e-9)
	for _, n := range s.node {
		p := x[n].Sub(lo).Mul(1 / size)
		s.matter = append(s.matter, float32(p[0]), float32(p[1]), float32(p[2]), float32(0.6*noise(p.Mul(9))+0.4*noise(p.Mul(23))))
	}
	s.verts = make([]float32, vertexFloats*len(s.node))
	return s
}

// isDiagonal tells whether the edge between two triangles is the diagonal of a parallelogram, that is, cuts a
// quadrilateral face of a hexahedron in two. Showing it would suggest elements that are not there.
func isDiagonal(ta, tb [3]int32, ea, eb int32, na, nb mgl64.Vec3, x []mgl64.Vec3) bool {
	if na.Dot(nb) < 0.99995 {
		return false
	}
	p, q := x[ta[ea]], x[ta[(ea+1)%3]]
	a, b := x[ta[(ea+2)%3]], x[tb[(eb+2)%3]]
	d := p.Sub(q).Len()
	// Parallelogram: both diagonals have the same middle. Of the two, only a right angle makes the pair certain to be a
	// face of a brick.
	if p.Add(q).Sub(a.Add(b)).Len() > 1e-4*d {
		return false
	}
	u, v := p.Sub(a), q.Sub(a)
	return math.Abs(u.Dot(v)) < 1e-3*u.Len()*v.Len()
}

// neighbours lists, for each vertex, the vertices that share an edge of the same patch.
func (s *surface) neighbours() {
	seen := make(map[[2]uint32]bool, 2*len(s.tri))
	count := make([]int32, len(s.node)+1)
	pairs := make([][2]uint32, 0, 2*len(s.tri))
	for t := 0; t < len(s.tri); t += 3 {
		for k := range 3 {
			a, b := s.tri[t+k], s.tri[t+(k+1)%3]
			for _, p := range [2][2]uint32{{a, b}, {b, a}} {
				if !seen[p] {
					seen[p] = true
					pairs = append(pairs, p)
					count[p[0]+1]++
				}
			}
		}
	}
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	s.ringAt = count
	s.ring = make([]int32, len(pairs))
	fill := make([]int32, len(s.node))
	for _, p := range pairs {
		s.ring[count[p[0]]+fill[p[0]]] = int32(p[1])
		fill[p[0]]++
	}
}

// update computes the vertices from the state of the body, and tells whether they are others than before. The colour of a
// value of the field is zero + scale times the value, 0..1; where the state holds none, 0 is written.
func (s *surface) update(state *physics.Surface, scale, zero float64) bool {
	x, v := state.Vertices, s.verts
	field := state.Scalar
	if len(field) != len(x) {
		field = nil
	}
	same := s.begun
	for i := 0; same && i < len(s.node); i++ {
		n, o := s.node[i], v[vertexFloats*i:][:4]
		c := float32(0)
		if field != nil {
			c = float32(zero + scale*field[n])
		}
		same = o[0] == float32(x[n][0]) && o[1] == float32(x[n][1]) && o[2] == float32(x[n][2]) && o[3] == c
	}
	if same {
		return false
	}
	s.begun = true
	lo, hi := nowhere()
	for i, n := range s.node {
		p := &x[n]
		o := v[vertexFloats*i : vertexFloats*i+vertexFloats : vertexFloats*i+vertexFloats]
		o[0], o[1], o[2] = float32(p[0]), float32(p[1]), float32(p[2])
		o[3] = 0
		if field != nil {
			o[3] = float32(zero + scale*field[n])
		}
		o[4], o[5], o[6] = 0, 0, 0
		for a := range 3 {
			lo[a], hi[a] = min(lo[a], p[a]), max(hi[a], p[a])
		}
	}
	s.lo, s.hi = lo, hi

	// The cross product of two sides weighs each triangle by its area.
	for t := 0; t+2 < len(s.tri); t += 3 {
		a := v[vertexFloats*s.tri[t]:][:7]
		b := v[vertexFloats*s.tri[t+1]:][:7]
		c := v[vertexFloats*s.tri[t+2]:][:7]
		ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
		wx, wy, wz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
		nx, ny, nz := uy*wz-uz*wy, uz*wx-ux*wz, ux*wy-uy*wx
		a[4], a[5], a[6] = a[4]+nx, a[5]+ny, a[6]+nz
		b[4], b[5], b[6] = b[4]+nx, b[5]+ny, b[6]+nz
		c[4], c[5], c[6] = c[4]+nx, c[5]+ny, c[6]+nz
	}
	for i := range s.node {
		o := v[vertexFloats*i:][:vertexFloats]
		l := float32(math.Sqrt(float64(o[4]*o[4] + o[5]*o[5] + o[6]*o[6])))
		if l > 0 {
			o[4], o[5], o[6] = o[4]/l, o[5]/l, o[6]/l
		}
	}

	// Cavity: how far the neighbours' middle lies above the tangent plane, over their mean distance. It makes dents
	// darker and ridges lighter.
	for i := range s.node {
		o := v[vertexFloats*i:][:vertexFloats]
		var up, reach float32
		for _, j := range s.ring[s.ringAt[i]:s.ringAt[i+1]] {
			q := v[vertexFloats*j:][:3]
			dx, dy, dz := q[0]-o[0], q[1]-o[1], q[2]-o[2]
			up += dx*o[4] + dy*o[5] + dz*o[6]
			reach += float32(math.Sqrt(float64(dx*dx + dy*dy + dz*dz)))
		}
		o[7] = 0
		if reach > 0 {
			o[7] = min(max(1.6*up/reach, -1), 1)
		}
	}
	return true
}

// Bounds is the box round the bodies of s, m. Bodies that driven marks are left out, unless there are no others; nil
// takes all. Instances count with the corners of shapes where these are given, else by their places. ok is false for a
// snapshot without nodes.
func Bounds(s *physics.Frame, driven []bool, shapes ...physics.Shape) (lo, hi mgl64.Vec3, ok bool) {
	lo, hi = nowhere()
	for i := range s.Surfaces {
		if i < len(driven) && driven[i] {
			continue
		}
		lo, hi = bounds(s.Surfaces[i].Vertices, lo, hi)
	}
	for i := range s.Instances {
		in := &s.Instances[i]
		lo, hi = extend(in.Pose.Position, lo, hi)
		if k := int(in.Shape); k >= 0 && k < len(shapes) {
			for _, x := range shapes[k].Vertices {
				lo, hi = extend(in.Pose.Point(x), lo, hi)
			}
		}
	}
	for i := range s.Points {
		p := &s.Points[i]
		for a := range 3 {
			lo[a], hi[a] = min(lo[a], float64(p.Position[a]-p.Radius)), max(hi[a], float64(p.Position[a]+p.Radius))
		}
	}
	for i := range s.Vertices {
		for a, x := range s.Vertices[i].Position {
			lo[a], hi[a] = min(lo[a], float64(x)), max(hi[a], float64(x))
		}
	}
	if !(lo[0] <= hi[0]) && driven != nil {
		return Bounds(s, nil, shapes...)
	}
	return lo, hi, lo[0] <= hi[0]
}

// nowhere is a box that holds nothing.
func nowhere() (lo, hi mgl64.Vec3) {
	far := mgl64.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}
	return far, far.Mul(-1)
}

func bounds(x []mgl64.Vec3, lo, hi mgl64.Vec3) (mgl64.Vec3, mgl64.Vec3) {
	for i := range x {
		lo, hi = extend(x[i], lo, hi)
	}
	return lo, hi
}

func extend(x, lo, hi mgl64.Vec3) (mgl64.Vec3, mgl64.Vec3) {
	for a := range 3 {
		lo[a], hi[a] = min(lo[a], x[a]), max(hi[a], x[a])
	}
	return lo, hi
}

// noise is smooth value noise on the unit lattice, about -1..1.
func noise(p mgl64.Vec3) float64 {
	var cell [3]int64
	var f mgl64.Vec3
	for a := range 3 {
		fl := math.Floor(p[a])
		cell[a] = int64(fl)
		t := p[a] - fl
		f[a] = t * t * (3 - 2*t)
	}
	sum := 0.0
	for c := range 8 {
		w := 1.0
		h := uint64(0x9e3779b97f4a7c15)
		for a := range 3 {
			bit := int64(c >> a & 1)
			if bit == 1 {
				w *= f[a]
			} else {
				w *= 1 - f[a]
			}
			h ^= uint64(cell[a]+bit) + 0x9e3779b97f4a7c15 + h<<6 + h>>2
			h = mixed(h)
		}
		sum += w * (float64(h>>11)/float64(1<<52) - 1)
	}
	return sum
}

// mixed is a hash of a number: splitmix64's steps.
func mixed(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// ball is a subdivided icosahedron of radius 1.
func ball(level int) (x []mgl64.Vec3, tris [][3]int32) {
	p := (1 + math.Sqrt(5)) / 2
	for _, v := range [...]mgl64.Vec3{{-1, p, 0}, {1, p, 0}, {-1, -p, 0}, {1, -p, 0}, {0, -1, p}, {0, 1, p}, {0, -1, -p}, {0, 1, -p}, {p, 0, -1}, {p, 0, 1}, {-p, 0, -1}, {-p, 0, 1}} {
		x = append(x, v.Normalize())
	}
	tris = [][3]int32{{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
		{3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}}
	for range level {
		middle := map[[2]int32]int32{}
		mid := func(a, b int32) int32 {
			k := [2]int32{min(a, b), max(a, b)}
			i, ok := middle[k]
			if !ok {
				i = int32(len(x))
				x = append(x, x[a].Add(x[b]).Normalize())
				middle[k] = i
			}
			return i
		}
		var next [][3]int32
		for _, t := range tris {
			a, b, c := mid(t[0], t[1]), mid(t[1], t[2]), mid(t[2], t[0])
			next = append(next, [3]int32{t[0], a, c}, [3]int32{t[1], b, a}, [3]int32{t[2], c, b}, [3]int32{a, b, c})
		}
		tris = next
	}
	return x, tris
}

// fake is an organ-like lump, 180 mm across, with a probe of radius 8 mm
// pressed into its top, and contacts under the probe.
func fake(level int) ([]physics.SurfaceInfo, *physics.Frame) {
	x, tris := ball(level)
	fixed := make([]bool, len(x))
	stress := make([]float64, len(x))
	for i, u := range x {
		// A wedge-shaped, lobed ellipsoid.
		r := 1 + 0.10*math.Sin(3.1*u[0]+0.6)*math.Cos(2.3*u[2]) + 0.06*math.Sin(5*u[0]+4*u[2])*math.Cos(4*u[1])
		r -= 0.16 * math.Exp(-(math.Pow(u[0]-0.15, 2)/0.02 + math.Pow(u[2]-0.9, 2)/0.5)) // a fissure
		thick := 0.042 * (1.15 - 0.55*u[0])
		x[i] = mgl64.Vec3{0.092 * r * u[0], thick * r * u[1], 0.058 * r * u[2]}
		fixed[i] = u[1] < -0.86
	}
	tip := mgl64.Vec3{0.012, 0, 0.012}
	top := 0.0
	for _, p := range x {
		if math.Hypot(p[0]-tip[0], p[2]-tip[2]) < 0.01 {
			top = max(top, p[1])
		}
	}
	const radius, press = 0.008, 0.009
	center := mgl64.Vec3{tip[0], top - press + radius, tip[2]}
	for i := range x {
		if x[i][1] < 0 {
			stress[i] = 900 * math.Exp(-math.Pow(x[i][0]/0.05, 2))
			continue
		}
		d := math.Hypot(x[i][0]-tip[0], x[i][2]-tip[2])
		x[i][1] -= 0.95 * press / (1 + math.Pow(d/0.013, 2.4))
		stress[i] = 7800 / (1 + math.Pow(d/0.011, 2))
		if r := x[i].Sub(center); r.Len() < radius { // not into the probe
			x[i] = center.Add(r.Normalize().Mul(radius))
		}
	}

	px, ptris := ball(3)
	for i := range px {
		px[i] = px[i].Mul(radius).Add(center)
	}
	info := []physics.SurfaceInfo{
		{Name: "liver", Material: "tissue", Triangles: tris, Fixed: fixed, Color: mgl64.Vec3{0.62, 0.21, 0.17}},
		{Name: "probe", Material: "steel", Driven: true, Rigid: true, Triangles: ptris, Color: mgl64.Vec3{0.75, 0.77, 0.80}},
	}
	tilt := mgl64.QuatRotate(-0.35, mgl64.Vec3{0.2, 0, 1}.Normalize())
	s := &physics.Frame{
		Field: 1, Surfaces: []physics.Surface{{Vertices: x, Scalar: stress}, {Vertices: px}},
		Stylus: frame.Pose{Position: center, Rotation: tilt},
	}
	s.Target = s.Stylus
	s.Target.Position = center.Add(mgl64.Vec3{0.004, -0.016, 0.003})

	// Contacts on the probe's lower cap, in rings.
	node := int32(0)
	for ring := range 4 {
		n := max(1, 6*ring)
		for k := range n {
			theta := 0.24 * float64(ring)
			phi := 2*math.Pi*float64(k)/float64(n) + 0.2*float64(ring)
			out := mgl64.Vec3{math.Sin(theta) * math.Cos(phi), -math.Cos(theta), math.Sin(theta) * math.Sin(phi)}
			c := physics.Contact{ID: uint64(node) + 1, Node: node, P: center.Add(out.Mul(radius)), N: out.Mul(-1), Mu: 0.4}
			c.Q = c.P
			c.T1 = perpendicular(c.N)
			c.T2 = c.N.Cross(c.T1)
			rn := 0.11 * (1 - 0.27*float64(ring))
			c.Status = physics.Stick
			c.R = [3]float64{rn, 0.15 * rn, -0.1 * rn}
			switch {
			case ring == 3:
				c.Status, c.R = physics.Open, [3]float64{}
			case ring == 2:
				c.Status = physics.Slip
				c.R = [3]float64{rn, 0.4 * rn * math.Cos(phi), 0.4 * rn * math.Sin(phi)}
			}
			c.Force = c.N.Mul(c.R[0]).Add(c.T1.Mul(c.R[1])).Add(c.T2.Mul(c.R[2]))
			s.Force = s.Force.Add(c.Force)
			s.Contacts = append(s.Contacts, c)
			node++
		}
	}
	return info, s
}

// fakeBlocks are two bricks of hexahedra, one upon the other, like the thesis's
// benches: an elastic impactor on an obstacle.
func fakeBlocks() ([]physics.SurfaceInfo, *physics.Frame) {
	brick := func(lo, hi mgl64.Vec3, n int) (x []mgl64.Vec3, tris [][3]int32) {
		at := map[[3]int]int32{}
		node := func(i, j, k int) int32 {
			key := [3]int{i, j, k}
			id, ok := at[key]
			if !ok {
				id = int32(len(x))
				at[key] = id
				f := mgl64.Vec3{float64(i), float64(j), float64(k)}.Mul(1 / float64(n))
				d := hi.Sub(lo)
				x = append(x, mgl64.Vec3{lo[0] + f[0]*d[0], lo[1] + f[1]*d[1], lo[2] + f[2]*d[2]})
			}
			return id
		}
		quad := func(a, b, c, d int32) { tris = append(tris, [3]int32{a, b, c}, [3]int32{a, c, d}) }
		for i := range n {
			for j := range n {
				quad(node(0, i, j), node(0, i, j+1), node(0, i+1, j+1), node(0, i+1, j))
				quad(node(n, i, j), node(n, i+1, j), node(n, i+1, j+1), node(n, i, j+1))
				quad(node(i, 0, j), node(i+1, 0, j), node(i+1, 0, j+1), node(i, 0, j+1))
				quad(node(i, n, j), node(i, n, j+1), node(i+1, n, j+1), node(i+1, n, j))
				quad(node(i, j, 0), node(i, j+1, 0), node(i+1, j+1, 0), node(i+1, j, 0))
				quad(node(i, j, n), node(i+1, j, n), node(i+1, j+1, n), node(i, j+1, n))
			}
		}
		return x, tris
	}
	a, ta := brick(mgl64.Vec3{-0.02, 0.02, -0.02}, mgl64.Vec3{0.02, 0.04, 0.02}, 4)
	b, tb := brick(mgl64.Vec3{-0.04, -0.02, -0.04}, mgl64.Vec3{0.04, 0.02, 0.04}, 6)
	fixed := make([]bool, len(b))
	for i, p := range b {
		fixed[i] = p[1] < -0.0199
	}
	info := []physics.SurfaceInfo{
		{Name: "impactor", Material: "aluminium", Driven: true, Triangles: ta, Color: mgl64.Vec3{0.70, 0.73, 0.78}},
		{Name: "obstacle", Material: "tissue", Triangles: tb, Fixed: fixed, Color: mgl64.Vec3{0.80, 0.46, 0.40}},
	}
	s := &physics.Frame{Surfaces: []physics.Surface{{Vertices: a}, {Vertices: b}}, Stylus: frame.At(mgl64.Vec3{0, 0.04, 0}), Target: frame.At(mgl64.Vec3{0, 0.04, 0})}
	node := int32(0)
	for i := range 5 {
		for j := range 5 {
			c := physics.Contact{ID: uint64(node) + 1, Node: node, P: mgl64.Vec3{-0.02 + 0.01*float64(i), 0.02, -0.02 + 0.01*float64(j)}, N: mgl64.Vec3{0, 1, 0}, T1: mgl64.Vec3{1, 0, 0}, T2: mgl64.Vec3{0, 0, -1}, Mu: 0.3, Status: physics.Stick}
			c.Q = c.P
			c.R = [3]float64{1, 0.2, 0}
			if i == 0 {
				c.Status, c.R = physics.Slip, [3]float64{0.5, 0.15, 0}
			}
			c.Force = c.N.Mul(c.R[0]).Add(c.T1.Mul(c.R[1]))
			s.Force = s.Force.Add(c.Force)
			s.Contacts = append(s.Contacts, c)
			node++
		}
	}
	return info, s
}

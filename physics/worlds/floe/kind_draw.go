package floe

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// look is what of the picture outlives a frame.
type look struct {
	tool   []physics.SurfaceInfo
	shape  [][]mgl64.Vec3 // vertices of tool, in its own frame
	water  []physics.Vertex
	sheet  [][3]uint32 // triangles of water
	cut    []faces     // by number of a floe
	seen   int         // cracks that cut and edges know of
	edges  []edge
	thin   float64 // thickness of the thinnest and the thickest floe, m
	thick  float64
	load   []float64 // by body: sum of the impulses on it, N s
	order  []int32
	fast   float64 // ranges of colours and arrows, which grow at once and shrink late
	heavy  float64
	strong float64
	hit    float64 // largest impulse of the last step, N s
}

// faces is how the upper side of a floe is cut into triangles, and whether all of its corners see its centroid: then
// its rim is bevelled.
type faces struct {
	triangles [][3]int
	star      bool
}

// edge of a floe that a crack made.
type edge struct {
	floe, from int // the edge runs from vertex from to the next
	time       float64
}

type color = [3]float32

var (
	thinIce   = color{0.56, 0.72, 0.80}
	thickIce  = color{0.95, 0.97, 0.99}
	iceEdge   = color{0.36, 0.62, 0.74}
	rock      = color{0.36, 0.33, 0.30}
	seaTop    = color{0.07, 0.24, 0.33}
	seaSide   = color{0.05, 0.17, 0.25}
	gap       = color{0.04, 0.13, 0.19}
	impulse   = mgl64.Vec3{0.98, 0.62, 0.10}
	windHue   = mgl64.Vec3{0.92, 0.94, 0.97}
	streamHue = mgl64.Vec3{0.25, 0.62, 0.90}
)

// scale of colours from nothing to most, of about even steps of lightness.
var stops = [...]color{{0.20, 0.28, 0.60}, {0.16, 0.46, 0.66}, {0.20, 0.66, 0.58}, {0.60, 0.82, 0.35}, {0.99, 0.90, 0.25}}

func mix(a, b color, t float64) color {
	s := float32(mgl64.Clamp(t, 0, 1))
	return color{a[0] + s*(b[0]-a[0]), a[1] + s*(b[1]-a[1]), a[2] + s*(b[2]-a[2])}
}

func ramp(t float64) color {
	t = mgl64.Clamp(t, 0, 1) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	return mix(stops[i], stops[i+1], t-float64(i))
}

// follow adapts a range to the largest value now shown.
func follow(most *float64, top float64) float64 {
	*most = max(top, 0.98**most)
	return max(*most, 1e-12)
}

// begin prepares the picture of a world that was just opened.
func (k *look) begin(l *live) {
	*k = look{thin: math.Inf(1), water: k.water, sheet: k.sheet, tool: k.tool, shape: k.shape, cut: k.cut[:0], edges: k.edges[:0]}
	w := l.world
	for i := range w.count() {
		b := &w.bodies[w.order[i]]
		if !b.fixed && !b.tool {
			k.thin, k.thick = min(k.thin, b.thickness), max(k.thick, b.thickness)
		}
		k.cut = append(k.cut, facesOf(b.outline))
	}
	if len(k.tool) == 0 {
		k.makeTool(l)
		k.makeWater(l)
	}
}

func facesOf(outline []Vec2) faces {
	f := faces{triangles: ears(outline), star: true}
	for i, a := range outline {
		f.star = f.star && cross(a, outline[(i+1)%len(outline)]) > 0
	}
	return f
}

// learn takes over what has broken since the last frame. Floes that broke again have other vertices: what was known of
// their edges is found anew.
func (k *look) learn(w *World) {
	for ; k.seen < len(w.breaking.cracks); k.seen++ {
		c := &w.breaking.cracks[k.seen]
		for len(k.cut) < len(w.number) {
			k.cut = append(k.cut, faces{})
		}
		k.edges = slices.DeleteFunc(k.edges, func(e edge) bool { return e.floe == c.Floe })
		// The two edges that face each other along the crack. Should a fragment have broken again within the step, it
		// has none of that length any more, and the one that is closest is marked.
		for _, i := range [2]int{c.Floe, c.Fragment} {
			b := &w.bodies[w.order[i]]
			k.cut[i] = facesOf(b.outline)
			best, least := -1, math.Inf(1)
			for j, a := range b.at {
				d := b.at[(j+1)%len(b.at)].Sub(a)
				if d.Len() == 0 {
					continue
				}
				off := math.Abs(cross(d.Normalize(), c.Direction)) + math.Abs(cross(a.Sub(c.At), c.Direction))/b.radius
				if off < least {
					best, least = j, off
				}
			}
			k.edges = append(k.edges, edge{i, best, c.Time})
		}
	}
}

// Draw shows the sea, the floes on it, and what they do to each other.
func (l *live) Draw(f *physics.Frame) {
	k, w, s := &l.look, l.world, &l.now
	k.learn(w)
	f.Resize(l.info)
	tool := &w.bodies[w.hand.index]
	f.Step, f.Time = l.steps, w.time
	f.Force, f.Torque = l.felt()
	l.drawHeld(f)
	f.Stylus = frame.Pose{Position: l.onTable(tool.g, l.stylus.Position[1]), Rotation: l.stylus.Rotation}
	if w.err != nil {
		f.Status = w.err.Error()
	}
	pose := frame.At(l.onTable(tool.g, l.toolHeight()))
	pose.Rotation = mgl64.QuatRotate(tool.angle, mgl64.Vec3{0, 1, 0})
	for i, shape := range k.shape {
		f.Surfaces[i].Place(shape, pose)
	}
	k.weigh(w)
	l.drawSea(f)
	l.drawFloes(f)
	if s.View.Cracks {
		l.drawCracks(f)
	}
	if s.View.Impulses {
		l.drawImpulses(f)
	}
	l.drawFlows(f)
	l.drawContacts(f)

	e, r := w.Energy(), w.Report()
	floes, fastest := 0, 0.0
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed && !b.tool {
			floes++
			fastest = max(fastest, b.v.Len())
		}
	}
	force, _ := w.handForce()
	copy(f.Numbers, []float64{numTime: w.time, numForce: force.Len(), numFloes: float64(floes),
		numContacts: float64(r.Contacts), numClusters: float64(r.Clusters), numSplits: float64(r.Cracks),
		numLargest: float64(r.Largest), numSpeed: fastest, numHit: k.hit})
	energies := [...]float64{e.Kinetic, e.Impact, e.Friction, -e.Water, e.Fracture, e.Wind, e.Tool}
	most := 0.0
	for _, x := range energies {
		most = max(most, math.Abs(x))
	}
	for i, x := range energies {
		if math.Abs(x) < 1e-9*most {
			x = 0 // round-off would stretch the plots' axes over twenty decades
		}
		f.Numbers[numKinetic+i] = x
	}
}

// weigh sums the impulses on each floe.
func (k *look) weigh(w *World) {
	k.load = num.Grow(k.load, len(w.bodies))
	clear(k.load)
	k.hit = 0
	for i := range w.contacts {
		c := &w.contacts[i]
		j := math.Hypot(c.Impulse, c.Friction)
		k.hit = max(k.hit, j)
		k.load[c.A] += j
		k.load[c.B] += j
	}
}

func (l *live) drawSea(f *physics.Frame) {
	base := uint32(len(f.Vertices))
	f.Vertices = append(f.Vertices, l.look.water...)
	for _, t := range l.look.sheet {
		f.Triangles = append(f.Triangles, [3]uint32{base + t[0], base + t[1], base + t[2]})
	}
}

// height of the upper side of a floe above the water, m of the scene. Fixed ones, the shores, stand out.
func (l *live) height(b *body) float64 {
	h := b.thickness
	if b.fixed {
		h = 1.6 * max(l.look.thick, 0.5)
	}
	return h * l.now.View.Relief / l.now.Scale
}

// vertex at a place at sea and a height in m of the scene.
func (l *live) vertex(p Vec2, y float64, c color) physics.Vertex {
	per := 1 / l.now.Scale
	return physics.Vertex{Position: [3]float32{float32(p[0] * per), float32(y), float32(-p[1] * per)}, Color: c}
}

// drawFloes shows floes as blocks whose upper edge is bevelled.
func (l *live) drawFloes(f *physics.Frame) {
	k, w := &l.look, l.world
	fast, heavy := 0.0, 0.0
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed && !b.tool {
			fast, heavy = max(fast, b.v.Len()+math.Abs(b.rate)*b.Radius), max(heavy, k.load[i])
		}
	}
	fast, heavy = follow(&k.fast, fast), follow(&k.heavy, heavy)
	for number, i := range w.order {
		b := &w.bodies[i]
		if b.tool {
			continue
		}
		var top color
		side := iceEdge
		switch {
		case b.fixed:
			top, side = rock, mix(rock, seaSide, 0.4)
		case l.now.View.Color == bySpeed:
			top = ramp((b.v.Len() + math.Abs(b.rate)*b.Radius) / fast)
			side = mix(top, seaSide, 0.4)
		case l.now.View.Color == byLoad:
			top = ramp(k.load[i] / heavy)
			side = mix(top, seaSide, 0.4)
		default:
			top = mix(thinIce, thickIce, 0.15+0.85*(b.thickness-k.thin)/max(k.thick-k.thin, 1e-9))
			// neighbours differ a little
			top = mix(top, iceEdge, 0.22*math.Mod(float64(number)*math.Phi, 1))
		}
		rim := mix(top, side, 0.35)
		h := l.height(b)
		inset := 0.0
		if k.cut[number].star && !b.fixed {
			inset = min(0.12, 0.8*h*l.now.Scale/b.Radius)
		}
		n := uint32(len(b.at))
		base := uint32(len(f.Vertices))
		for _, ring := range [3]struct {
			y, in float64
			color color
		}{{-0.3 * h, 0, side}, {0.7 * h, 0, rim}, {h, inset, top}} {
			for _, p := range b.at {
				f.Vertices = append(f.Vertices, l.vertex(p.Add(b.g.Sub(p).Mul(ring.in)), ring.y, ring.color))
			}
		}
		for j := range n {
			next := (j + 1) % n
			for r := range uint32(2) {
				a, c := base+r*n, base+(r+1)*n
				f.Triangles = append(f.Triangles, [3]uint32{a + j, a + next, c + next}, [3]uint32{a + j, c + next, c + j})
			}
		}
		for _, t := range k.cut[number].triangles {
			f.Triangles = append(f.Triangles, [3]uint32{base + 2*n + uint32(t[0]), base + 2*n + uint32(t[1]), base + 2*n + uint32(t[2])})
		}
	}
}

// drawCracks shows edges that a crack made as a gap down to the water, which the two sides share: it opens in a second.
func (l *live) drawCracks(f *physics.Frame) {
	w := l.world
	for _, e := range l.look.edges {
		b := &w.bodies[w.order[e.floe]]
		if e.from < 0 || e.from >= len(b.at) {
			continue
		}
		y := l.height(b) * 1.01
		p, q := b.at[e.from], b.at[(e.from+1)%len(b.at)]
		wide := 0.05 * b.Radius * mgl64.Clamp((w.time-e.time)/l.now.Pace, 0.2, 1)
		base := uint32(len(f.Vertices))
		for _, c := range [4]Vec2{p, q, q.Add(b.g.Sub(q).Normalize().Mul(wide)), p.Add(b.g.Sub(p).Normalize().Mul(wide))} {
			f.Vertices = append(f.Vertices, l.vertex(c, y, gap))
		}
		f.Triangles = append(f.Triangles, [3]uint32{base, base + 1, base + 2}, [3]uint32{base, base + 2, base + 3})
	}
}

// drawImpulses shows the largest impulses of the last step, as arrows on the floe that they push.
func (l *live) drawImpulses(f *physics.Frame) {
	k, w := &l.look, l.world
	k.order = k.order[:0]
	top := 0.0
	for i := range w.contacts {
		if c := &w.contacts[i]; c.Impulse > 0 {
			k.order = append(k.order, int32(i))
			top = max(top, c.Impulse)
		}
	}
	slices.SortFunc(k.order, func(a, b int32) int { return cmp.Compare(w.contacts[b].Impulse, w.contacts[a].Impulse) })
	full := 0.07 * (l.now.Hi[0] - l.now.Lo[0]) / l.now.Scale / follow(&k.strong, top)
	for _, i := range k.order[:min(len(k.order), mostArrows)] {
		c := &w.contacts[i]
		p := c.Normal.Mul(c.Impulse).Add(c.tangent().Mul(c.Friction))
		v := mgl64.Vec3{p[0] * full, 0, -p[1] * full}
		if v.Len() < 0.008*(l.now.Hi[0]-l.now.Lo[0])/l.now.Scale {
			break
		}
		y := max(l.height(&w.bodies[c.A]), l.height(&w.bodies[c.B]))
		f.Arrows = append(f.Arrows, physics.Arrow{At: l.onTable(c.Point, 1.2*y), Vector: v, Color: impulse})
	}
}

// drawFlows shows wind and current as arrows at a corner of the sea.
func (l *live) drawFlows(f *physics.Frame) {
	s, w := &l.now, l.world
	size := s.Hi.Sub(s.Lo)
	at := Vec2{s.Lo[0] + 0.07*size[0], s.Hi[1] - 0.1*size[1]}
	wide := 0.06 * size[0] / s.Scale
	for i, u := range [2]Vec2{w.config.Environment.Air.at(w.time).Mul(1. / 15), w.config.Environment.Water.at(w.time).Mul(1 / 0.5)} {
		if u.Len() < 0.02 {
			continue
		}
		u = u.Mul(wide * min(1, 1/u.Len()))
		f.Arrows = append(f.Arrows, physics.Arrow{At: l.onTable(at.Sub(Vec2{0, 0.07 * float64(i) * size[1]}), 0.1*wide), Vector: mgl64.Vec3{u[0], 0, -u[1]},
			Color: [2]mgl64.Vec3{windHue, streamHue}[i]})
	}
}

// drawContacts shows what the tool touches.
func (l *live) drawContacts(f *physics.Frame) {
	w := l.world
	dt := cmp.Or(l.now.Window, w.dt)
	for i := range w.contacts {
		c := &w.contacts[i]
		sign, other := 1.0, c.A
		if w.hand.index == c.A {
			sign, other = -1, c.B
		} else if w.hand.index != c.B {
			continue
		}
		y := 0.5 * l.height(&w.bodies[other])
		n := mgl64.Vec3{sign * c.Normal[0], 0, -sign * c.Normal[1]}
		t := c.tangent()
		t1 := mgl64.Vec3{sign * t[0], 0, -sign * t[1]}
		p := l.onTable(c.Point, y)
		out := physics.Contact{ID: c.key | 1<<63, Node: -1, P: p, Q: p.Sub(n.Mul(c.Gap / l.now.Scale)), N: n, T1: t1, T2: n.Cross(t1), Mu: w.config.Friction}
		out.X[0] = c.Gap / l.now.Scale
		if c.Impulse > 0 && dt > 0 {
			out.R[0], out.R[1] = c.Impulse/dt/l.newtons(), c.Friction/dt/l.newtons()
			out.Force = n.Mul(out.R[0]).Add(t1.Mul(out.R[1]))
			out.Status = physics.Stick
			if math.Abs(c.Friction) >= w.config.Friction*c.Impulse*(1-1e-6) {
				out.Status = physics.Slip
			}
		}
		f.Contacts = append(f.Contacts, out)
	}
}

// makeWater makes a block of sea whose upper side varies a little in colour.
func (k *look) makeWater(l *live) {
	const nx, nz = 40, 26
	s := &l.scene
	size := s.Hi.Sub(s.Lo)
	add := func(u, v, y float64, c color) {
		x := l.onTable(s.Lo.Add(Vec2{u * size[0], v * size[1]}), y)
		k.water = append(k.water, physics.Vertex{Position: physics.Single(x), Color: c})
	}
	for j := range nz + 1 {
		for i := range nx + 1 {
			u, v := float64(i)/nx, float64(j)/nz
			swell := math.Sin(9*u+4*v+2*math.Sin(5*v)) + math.Sin(13*v-6*u+2*math.Sin(7*u)) + 0.5*math.Sin(31*u+17*v)
			add(u, v, 0, mix(seaTop, seaSide, 0.5+0.25*swell))
		}
	}
	for j := range uint32(nz) {
		for i := range uint32(nx) {
			a := j*(nx+1) + i
			k.sheet = append(k.sheet, [3]uint32{a, a + 1, a + nx + 2}, [3]uint32{a, a + nx + 2, a + nx + 1})
		}
	}
	deep := -0.035 * max(size[0], size[1]) / s.Scale
	corners := [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for i, c := range corners {
		d := corners[(i+1)%4]
		base := uint32(len(k.water))
		add(c[0], c[1], deep, mix(seaSide, color{}, 0.5))
		add(d[0], d[1], deep, mix(seaSide, color{}, 0.5))
		add(d[0], d[1], 0, mix(seaSide, iceEdge, 0.25))
		add(c[0], c[1], 0, mix(seaSide, iceEdge, 0.25))
		k.sheet = append(k.sheet, [3]uint32{base, base + 1, base + 2}, [3]uint32{base, base + 2, base + 3})
	}
}

// block is a polygon drawn out from y to y, smaller or larger above by a factor.
func block(outline []Vec2, per, low, high, flare float64, at Vec2) (x []mgl64.Vec3, t [][3]int32) {
	n := int32(len(outline))
	for _, ring := range [2]struct{ y, times float64 }{{low, 1}, {high, flare}} {
		for _, p := range outline {
			p = p.Mul(ring.times).Add(at).Mul(per)
			x = append(x, mgl64.Vec3{p[0], ring.y, -p[1]})
		}
	}
	for j := range n {
		next := (j + 1) % n
		t = append(t, [3]int32{j, next, n + next}, [3]int32{j, n + next, n + j})
	}
	for _, e := range ears(outline) {
		t = append(t, [3]int32{n + int32(e[0]), n + int32(e[1]), n + int32(e[2])}, [3]int32{int32(e[0]), int32(e[2]), int32(e[1])})
	}
	return x, t
}

// makeTool makes the surfaces of the tool: a disc, or a hull with what stands on it.
func (k *look) makeTool(l *live) {
	s := &l.scene
	t := &s.Tool
	per := 1 / s.Scale
	outline := t.outline()
	g := SectionOf(outline).Centroid
	centre(outline, g)
	add := func(name string, c mgl64.Vec3, rigid bool, x []mgl64.Vec3, tris [][3]int32) {
		k.shape = append(k.shape, x)
		k.tool = append(k.tool, physics.SurfaceInfo{Name: name, Material: "painted", Driven: true, Rigid: rigid, Triangles: tris, Color: c,
			About: fmt.Sprintf("%s: %.3g m, %.3g t, pulled after the hand by a spring of %.3g kN/m.", t.Shape, t.Length, t.Mass/1000, t.Stiffness/1000)})
	}
	if t.Shape == "disc" {
		h := 0.5 * t.Length * per
		x, tris := block(outline, per, -0.2*h, h, 0.9, Vec2{})
		add("tool", t.Color, true, x, tris)
		return
	}
	l0, w := t.Length, t.Width
	deck := 0.28 * w * per
	x, tris := block(outline, per, -0.3*deck, deck, 1.04, Vec2{})
	add("hull", t.Color, false, x, tris)
	house, faces := []mgl64.Vec3(nil), [][3]int32(nil)
	for _, b := range [...]struct{ at, length, wide, low, high float64 }{
		{-0.22 * l0, 0.26 * l0, 0.72 * w, 1, 2.5}, {-0.20 * l0, 0.16 * l0, 0.62 * w, 2.5, 3.6}, {-0.31 * l0, 0.05 * l0, 0.2 * w, 2.5, 4.6}, {0.27 * l0, 0.05 * l0, 0.1 * w, 1, 2.4},
	} {
		x, tris := block(rectangle(Vec2{b.length / 2, b.wide / 2}), per, b.low*deck, b.high*deck, 0.94, Vec2{b.at - g[0], 0})
		base := int32(len(house))
		house = append(house, x...)
		for _, f := range tris {
			faces = append(faces, [3]int32{f[0] + base, f[1] + base, f[2] + base})
		}
	}
	add("deckhouse", mgl64.Vec3{0.90, 0.90, 0.86}, false, house, faces)
}

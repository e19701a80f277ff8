package render

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// scene is the CPU part of drawing: everything that a frame needs, worked out from a snapshot into slices that are
// reused. It knows no OpenGL.
type scene struct {
	info      []physics.SurfaceInfo
	shapes    []physics.Shape
	container *[2]mgl64.Vec3 // see physics.Info.Container
	drivenIs  []bool
	driven    []int
	looks     []look
	surfaces  []*surface // empty until the first snapshot
	changed   []bool     // surfaces that are others than in the frame before
	moved     bool       // one is, or there are things that may be
	begun     bool       // the first frame has been seen
	ready     bool       // surfaces match info and hold a frame
	size      float64    // radius of the bounds of what stays in place, set by the first frame, m

	// order in which bodies are drawn.
	order struct {
		farFirst []int
		depth    []float64
	}

	// field that colours show, and its range.
	field struct {
		names  []fieldNames
		number int // of the last frame, see physics.Frame.Field
		on     []bool
		most   autoScale
		legend colorScale
		shown  bool
	}

	// things that are no surfaces: the newest frame's own.
	things struct {
		balls      []float32
		grains     float32 // what the balls are, see grainKinds
		neighbours grains
		vertices   []physics.Vertex
		triangles  [][3]uint32
		instances  []physics.Instance
	}

	// mounts are the plates that hold bodies, see buildMounts.
	mounts struct {
		held  []bool // by body: on a plate
		verts []float32
		tris  []uint32
		runs  [][3]int32 // of each plate: its body, and the range of its triangles
	}

	// ground with its grid, and the shadow on it.
	ground struct {
		given      *float64 // see physics.Info.Ground
		y          float64  // m
		center     mgl64.Vec3
		radius     float64 // m
		cell       float64 // side of a grid cell, m
		shadow     mgl64.Vec3
		shadowHalf float64
	}

	// probe is the tool's round tip.
	probe struct {
		tip       mgl64.Vec3 // its centre, stylus frame
		tipRadius float64    // m; 0 where the driven body is no tool
		at        mgl64.Vec3 // the same in the world
		radius    float64
	}

	// handle is the pen, in the stylus frame, and where it stands.
	handle struct {
		verts []float32
		tris  []uint32
		ends  [len(handleParts) + 1]int32 // ranges of tris
		grip  mgl64.Vec3                  // where the hand holds it, stylus frame
		shown bool
		pose  mgl64.Mat4
		back  mgl64.Mat4 // its inverse
	}

	// ghost of the target.
	ghost struct {
		opacity float64 // 0: none
		motion  mgl64.Mat4
	}

	// glyphs are instances, see glyphs.go for the layouts.
	glyphs struct {
		arrows, points, marks, lines, axes, plate []float32
		topArrows, topLines                       []float32 // of the selected contact, over everything
	}

	// cone of the selected contact's friction.
	cone struct {
		shown bool
		verts []float32
		color rgb
		ends  [3]mgl64.Vec3 // tips of n, t1 and t2
	}

	// forces are how long arrows are.
	forces struct {
		contacts   autoScale  // m/N
		resultant  autoScale  // m/N
		metresPerN [2]float64 // contact forces, resultant; 0: none drawn
	}

	outlines ribbons
	pick     []picked
	overlay  overlay
}

// picked is a contact on the screen.
type picked struct {
	x, y, depth float64 // pixels, y down; m
	id          uint64  // of the contact
}

func (sc *scene) reset(world *physics.Info) {
	bodies := world.Surfaces
	on := sc.outlines.on
	*sc = scene{
		info:      bodies,
		shapes:    world.Shapes,
		container: world.Container,
		looks:     make([]look, len(bodies)),
		drivenIs:  make([]bool, len(bodies)),
		changed:   make([]bool, len(bodies)),
		outlines:  ribbons{on: on},
	}
	sc.ground.given = world.Ground
	sc.field.names, sc.field.on = namesOf(world.Fields), make([]bool, len(bodies))
	sc.order.farFirst, sc.order.depth = make([]int, len(bodies)), make([]float64, len(bodies))
	for i := range bodies {
		sc.looks[i] = newLook(&bodies[i])
		sc.drivenIs[i] = bodies[i].Driven
		sc.order.farFirst[i] = i
	}
	sc.choose(false)
}

// choose finds the surfaces of the tool in hand, the second hand's where turned.
func (sc *scene) choose(turned bool) {
	sc.driven = sc.driven[:0]
	for i := range sc.info {
		if b := &sc.info[i]; b.Driven && b.Second == turned {
			sc.driven = append(sc.driven, i)
		}
	}
}

// matches tells whether the snapshot belongs to the scene of reset.
func (sc *scene) matches(s *physics.Frame) bool {
	if s == nil || len(s.Surfaces) != len(sc.info) || len(sc.info)+len(s.Points)+len(s.Instances)+len(s.Triangles) == 0 {
		return false
	}
	for i := range sc.info {
		x := s.Surfaces[i].Vertices
		if sc.ready && i < len(sc.surfaces) {
			if len(x) != len(sc.surfaces[i].vertexOf) {
				return false
			}
			continue
		}
		if n := len(sc.info[i].Fixed); n > 0 && n != len(x) {
			return false
		}
		for _, t := range sc.info[i].Triangles {
			for _, n := range t {
				if n < 0 || int(n) >= len(x) {
					return false
				}
			}
		}
	}
	return true
}

// build works out a frame. fresh is true when the surfaces are new.
func (sc *scene) build(s *physics.Frame, cam *Camera, opt *Options, vp Viewport) (fresh bool) {
	g := &sc.glyphs
	for _, list := range [...]*[]float32{&g.arrows, &g.points, &g.marks, &g.lines, &g.plate, &g.axes, &g.topArrows, &g.topLines} {
		*list = (*list)[:0]
	}
	sc.pick = sc.pick[:0]
	sc.cone.shown, sc.handle.shown, sc.field.shown, sc.ghost.opacity = false, false, false, 0
	sc.forces.metresPerN = [2]float64{}
	sc.things.balls, sc.things.instances, sc.things.vertices, sc.things.triangles = nil, nil, nil, nil
	if !sc.matches(s) {
		sc.ready = false
		sc.outlines.data = sc.outlines.data[:0]
		if sc.begun {
			sc.buildOverlay(cam, opt, vp)
		}
		return false
	}
	sc.choose(s.Turned)
	if !sc.begun {
		sc.begun = true
		sc.first(s)
		fresh = true
	}
	sc.ready = true

	sc.buildField(s, opt)
	scale, zero := 0.0, 0.0
	if sc.field.legend.Max > 0 {
		scale = 1 / sc.field.most.value
		if sc.field.legend.Min < 0 {
			scale, zero = scale/2, 0.5
		}
	}
	sc.moved = len(s.Instances)+len(s.Points)+len(s.Triangles) > 0
	for i, f := range sc.surfaces {
		sc.changed[i] = f.update(&s.Surfaces[i], scale, zero)
		sc.moved = sc.moved || sc.changed[i]
	}
	sc.sortBodies(cam)
	// A sphere dims the tissue under the tool's tip.
	if sc.probe.at, sc.probe.radius = s.Stylus.Point(sc.probe.tip), sc.probe.tipRadius; !finite(sc.probe.at) {
		sc.probe.radius = 0
	}
	// The shadow leans away from the light; see shadow.vert.
	sc.ground.shadow = sc.ground.center.Add(mgl64.Vec3{0.04 * sc.size, 0, -0.03 * sc.size})
	sc.ground.shadowHalf = 2 * sc.size
	sc.buildStylus(s, opt)
	sc.buildOutlines(cam, opt)
	sc.buildThings(s)
	sc.buildContacts(s, cam, opt, vp)
	if opt.Fixed {
		sc.buildFixed(cam, opt, vp)
	}
	if opt.Triad {
		sc.buildAxes(vp)
	}
	sc.buildOverlay(cam, opt, vp)
	return fresh
}

// first prepares what depends on the first shape of the bodies.
func (sc *scene) first(s *physics.Frame) {
	for i := range sc.info {
		sc.surfaces = append(sc.surfaces, newSurface(sc.info[i].Triangles, s.Surfaces[i].Vertices))
	}
	lo, hi, _ := Bounds(s, sc.drivenIs, sc.shapes...)
	if c := sc.container; c != nil {
		lo, hi = bounds(c[:], lo, hi)
	}
	sc.size = max(hi.Sub(lo).Len()/2, 1e-9)
	sc.ground.center = lo.Add(hi).Mul(0.5)
	sc.ground.y = lo[1] - 0.015*sc.size
	if sc.ground.given != nil {
		sc.ground.y = *sc.ground.given
	}
	sc.buildMounts(s)
	sc.ground.radius = 3.2 * sc.size
	sc.ground.cell = roundDown(sc.size / 3)
	sc.buildHandle(s)
}

// buildField finds out which bodies carry the field and the range of colours.
func (sc *scene) buildField(s *physics.Frame, opt *Options) {
	top, any := 0.0, false
	if s.Field != sc.field.number { // in other units
		sc.field.number, sc.field.most = s.Field, autoScale{}
	}
	for i := range s.Surfaces {
		v := opt.body(i)
		sc.field.on[i] = s.Field > 0 && s.Field <= len(sc.field.names) && len(s.Surfaces[i].Scalar) == len(s.Surfaces[i].Vertices)
		if !sc.field.on[i] || !v.Field || v.Hidden {
			continue
		}
		any = true
		for _, x := range s.Surfaces[i].Scalar {
			if x = math.Abs(x); x > top && !math.IsInf(x, 0) {
				top = x
			}
		}
	}
	sc.field.legend = colorScale{}
	if !any {
		return
	}
	if opt.FieldMax > 0 {
		sc.field.most.value = opt.FieldMax
	} else {
		sc.field.most.follow(top)
	}
	if sc.field.most.value <= 0 {
		sc.field.most.value = 1 // nothing is loaded yet: any range shows it as zero
	}
	sc.field.legend = legend(sc.field.most.value, &sc.field.names[s.Field-1])
	sc.field.shown = true
}

func (sc *scene) sortBodies(cam *Camera) {
	for i, f := range sc.surfaces {
		sc.order.depth[i] = cam.depth(f.lo.Add(f.hi).Mul(0.5))
	}
	slices.SortStableFunc(sc.order.farFirst, func(a, b int) int { return cmp.Compare(sc.order.depth[b], sc.order.depth[a]) })
}

// buildStylus places the pen, the ghost of the target and the spring.
func (sc *scene) buildStylus(s *physics.Frame, opt *Options) {
	sc.handle.shown = opt.Handle && len(sc.handle.verts) > 0
	sc.handle.pose, sc.handle.back = poseMatrix(s.Stylus), poseMatrix(inverse(s.Stylus))
	if !opt.Ghost || len(sc.driven) == 0 {
		return
	}
	gap := s.Target.Position.Sub(s.Stylus.Position)
	turn := s.Target.Rotation.Mul(s.Stylus.Rotation.Conjugate())
	angle := 2 * math.Acos(min(1, math.Abs(turn.W)))
	// Fades in, so that a target that is nearly reached does not flicker.
	apart := gap.Len()/(0.03*sc.size) + angle/0.3
	if !(apart > 0.15) || math.IsInf(apart, 0) {
		return
	}
	sc.ghost.opacity = min(1, (apart-0.15)*1.2)
	sc.ghost.motion = poseMatrix(s.Target).Mul4(poseMatrix(inverse(s.Stylus)))
	a, b := s.Stylus.Point(sc.handle.grip), s.Target.Point(sc.handle.grip)
	sc.addSpring(a, b, ghostColor, float32(sc.ghost.opacity))
}

func poseMatrix(p frame.Pose) mgl64.Mat4 {
	m := p.Rotation.Mat4()
	m[12], m[13], m[14] = p.Position[0], p.Position[1], p.Position[2]
	return m
}

// inverse is the pose that undoes p.
func inverse(p frame.Pose) frame.Pose {
	return frame.Pose{Position: p.InversePoint(mgl64.Vec3{}), Rotation: p.Rotation.Conjugate()}
}

// autoScale is a range that grows at once and shrinks late, so that arrows and colours keep their meaning while forces
// vary.
type autoScale struct {
	value float64
}

// follow adapts a range to the largest value now shown: the new range is a round number of at least top.
func (a *autoScale) follow(top float64) float64 {
	if top > 0 && !math.IsInf(top, 0) && (top > a.value || top < a.value/6) {
		a.value = RoundUp(top)
	}
	return a.value
}

// fit adapts a factor such that top times it fills up to full, in round numbers: 1, 2 or 5 times a power of ten.
func (a *autoScale) fit(top, full float64) float64 {
	if top > 0 && !math.IsInf(top, 0) && (top*a.value > full || top*a.value < 0.25*full) {
		a.value = roundDown(full / top)
	}
	return a.value
}

// statusColor is the colour of a contact.
func statusColor(s physics.Status) rgb {
	if int(s) < len(StatusColors) {
		return StatusColors[s]
	}
	return openColor
}

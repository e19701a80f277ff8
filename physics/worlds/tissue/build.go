package tissue

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

// Progress hears how far a precomputation is, 0..1, and what is being done.
type Progress func(fraction float64, what string)

// New builds the world that a scene describes: meshes, stiffness, and the
// compliance of the surfaces (algorithm 4.2). notes are sentences that the user
// should read, such as a support that was chosen for him. It takes from
// milliseconds to minutes; ctx stops it.
func New(ctx context.Context, s *scene.Scene, progress Progress) (w *World, notes []string, err error) {
	return Builder{}.New(ctx, s, progress)
}

// Builder says how worlds are built.
type Builder struct {
	Cache       *flex.Cache // of compliances; nil: none
	MemoryLimit int64       // most bytes that a body's factorisation and compliance may take; 0: flex.DefaultMemoryLimit
	// WholeSurface is the number of surface nodes up to which the compliance is
	// that of the whole surface; above, it is that of the nodes that may touch,
	// contact_surface in the scene. 0 stands for 3000.
	WholeSurface int
	// Later is the number of mesh nodes from which on Open leaves a body's
	// compliance to what works beside the steps; 0: 4000, or 1500 on the surface.
	Later int

	beside bool              // leave what takes long to Live
	gate   func(what string) // tests hold preparations up with it
}

// Open is New, but for bodies whose compliance takes long: they are there at
// once, and nothing touches them before Live has computed a coarse
// compliance beside the steps, then all of it.
func (build Builder) Open(ctx context.Context, s *scene.Scene, progress Progress) (w *World, notes []string, err error) {
	build.beside = true
	return build.New(ctx, s, progress)
}

// reached lets tests see where a preparation is.
func (build Builder) reached(what string) {
	if build.gate != nil {
		build.gate(what)
	}
}

// New is New with the builder's settings.
func (build Builder) New(ctx context.Context, s *scene.Scene, progress Progress) (w *World, notes []string, err error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	w = &World{scene: s, build: build, driven: -1}
	w.given.anchored, w.given.smoothNormals, w.given.dropOverhang = s.Contact.Anchored, s.Contact.Normals == scene.SmoothNormals, s.Contact.DropOverhang
	for i := range s.Bodies {
		sb := &s.Bodies[i]
		share := func(fraction float64, detail string) {
			if progress != nil {
				progress((float64(i)+fraction)/float64(len(s.Bodies)), "compliance of "+sb.Name+detail)
			}
		}
		b, found, err := build.body(ctx, s, i, share)
		if err != nil {
			return nil, nil, err
		}
		for _, note := range found {
			notes = append(notes, sb.Name+": "+note)
		}
		if sb.Role == scene.Driven {
			w.driven = i
		}
		w.bodies = append(w.bodies, b)
	}
	if w.driven < 0 {
		return nil, nil, fmt.Errorf("scene %q: no body is driven by the stylus (cure: role = \"driven\" for one body)", s.Name)
	}
	w.set.share, w.set.steps = marginShare, marginSteps
	w.strainLimit = s.Contact.StrainLimit
	w.pairUp()
	for i, b := range w.bodies {
		b.strains.direction = int32(len(w.directions))
		w.directions = append(w.directions, direction{impactor: i, obstacle: i, after: -1})
	}
	w.prepareAdhesion()
	w.held.lever = frame.Reach(w.bodies[w.driven].rest)
	w.given.length = s.Contact.Length
	if !(w.given.length > 0) {
		w.given.length = shortestSide(w.bodies[w.driven].rest)
	}
	if err := w.findProbes(); err != nil {
		return nil, nil, err
	}
	w.given.defaults = w.sceneParams()
	if err := w.SetParams(w.given.defaults); err != nil {
		return nil, nil, err
	}
	w.reserve()
	w.Reset()
	// What is far is found to be far now, not in the first step.
	w.detect()
	w.contacts, w.touching = w.contacts[:0], 0
	return w, notes, nil
}

// pairUp lists which bodies may touch, as the scene says (scene.PairContact).
func (w *World) pairUp() {
	n := len(w.bodies)
	w.sweep = collision.NewSweep(n)
	w.bodyPairOf = make([]int32, n*n)
	for i := range w.bodyPairOf {
		w.bodyPairOf[i] = -1
	}
	for i, a := range w.bodies {
		for j := i; j < n; j++ {
			b := w.bodies[j]
			given := w.scene.Pair(a.info.Name, b.info.Name)
			mode := scene.ContactDefault
			if given != nil {
				mode = given.Contact
			}
			first, second := i, j
			if given != nil && given.A != a.info.Name {
				first, second = j, i
			}
			if mode == scene.ContactDefault {
				mode, first, second = w.usual(i, j, given != nil)
			}
			if mode != scene.ContactNone {
				w.addBodyPair(first, second, mode, given)
			}
		}
	}
}

// usual is how two bodies touch where the scene does not say.
func (w *World) usual(i, j int, named bool) (mode scene.PairContact, first, second int) {
	a, b := w.bodies[i], w.bodies[j]
	round := func(k int) bool {
		shape := &w.scene.Bodies[k].Shape
		return w.bodies[k].info.Driven && shape.Kind == scene.ToolShape &&
			(shape.Tool.Kind == scene.ProbeTool || shape.Tool.Kind == scene.BallTool)
	}
	if b.info.Driven { // its nodes come first
		i, j = j, i
	}
	switch {
	case i == j && !named, a.info.Rigid && b.info.Rigid:
		return scene.ContactNone, i, j
	case i == j:
		return scene.ContactBoth, i, j
	case round(i):
		return scene.ContactOne, i, j
	}
	return scene.ContactFull, i, j
}

func (w *World) addBodyPair(first, second int, mode scene.PairContact, given *scene.Pair) {
	m := bodyPair{a: min(first, second), b: max(first, second), backward: -1}
	if first != second && (w.bodies[first].rigidSurface != nil || w.bodies[second].rigidSurface != nil) {
		if w.bodies[first].rigidSurface == nil {
			first, second = second, first
		}
		mode = scene.ContactOne
		w.pairRigid(&m, w.bodies[first], w.bodies[second])
	}
	m.forward = w.addDirection(first, second, -1, given)
	if first != second && mode >= scene.ContactBoth {
		m.backward = w.addDirection(second, first, m.forward, given)
	}
	a, b := w.bodies[first], w.bodies[second]
	full := mode == scene.ContactFull || m.rigid != nil && m.rigid.coarse != nil && a.rigidSurface.solid != nil // see rigidOnFacets
	if full && len(a.facets.edges) <= maxFeatures && len(b.facets.edges) <= maxFeatures {
		m.edges = true
		a.prepareEdges()
		b.prepareEdges()
	}
	if m.edges || m.backward >= 0 {
		a.measureSpacing()
		b.measureSpacing()
	}
	if first == second {
		m.close = make([]closeList, a.facets.tree.Parts())
		m.listAgain()
	}
	index := int32(len(w.bodyPairs))
	w.bodyPairs = append(w.bodyPairs, m)
	if first == second {
		w.alone = append(w.alone, index)
	} else {
		w.bodyPairOf[m.a*len(w.bodies)+m.b] = index
	}
}

func (w *World) addDirection(impactor, obstacle int, after int32, given *scene.Pair) int32 {
	b := w.bodies[impactor]
	p := direction{
		impactor: impactor, obstacle: obstacle, after: after, friction: math.NaN(), loose: b.loose,
		memory: make([]nodeMemory, len(b.rest)), touched: make([]int32, 0, min(len(b.region), maxReserved)),
	}
	if given != nil {
		p.friction = given.Friction
	}
	if impactor == obstacle {
		p.near = b.facets.tree.NewAround(b.surroundings(max(captureTouching*w.scene.Contact.DDCTolerance, 2*b.longest)))
	}
	w.directions = append(w.directions, p)
	return int32(len(w.directions) - 1)
}

// prepareEdges makes room for what detection wants to know of the body's edges.
func (b *body) prepareEdges() {
	if b.facets.cones == nil {
		b.facets.cones, b.facets.spans = make([]edgeCone, len(b.facets.edges)), make([]edgeSpan, len(b.facets.edges))
	}
}

// measureSpacing finds the length of the shortest edge at each surface node.
func (b *body) measureSpacing() {
	if b.spacing != nil {
		return
	}
	b.spacing = make([]float64, len(b.rest))
	for i := range b.spacing {
		b.spacing[i] = b.longest
	}
	for _, t := range b.facets.triangles {
		for k := range 3 {
			i, j := t[k], t[(k+1)%3]
			if l := b.rest[i].Sub(b.rest[j]).Len(); l > 0 {
				b.spacing[i], b.spacing[j] = min(b.spacing[i], l), min(b.spacing[j], l)
			}
		}
	}
}

// longestEdge of the body's facets, m.
func (b *body) longestEdge() float64 {
	longest := 0.0
	for i := range b.facets.triangles {
		longest = max(longest, b.longestOf(int32(i)))
	}
	return longest
}

// reserve makes room for as many contacts as the impactor has nodes, so that
// no step has to allocate.
func (w *World) reserve() {
	n := 0
	for _, p := range w.directions {
		n += len(w.bodies[p.impactor].region)
	}
	n = min(n, maxReserved)
	w.memory.reserve(maxReserved)
	w.nextMemory.reserve(maxReserved)
	w.contacts = make([]contactPoint, 0, n)
	w.hand.mine, w.hand.others = make([]int32, 0, n), make([]int32, 0, n)
	w.posed.problem.ID = []uint64{}
	w.resize(n)
	w.resize(0)
	w.posed.problem.Resize(n)
	w.posed.none()
	for _, b := range w.bodies {
		b.links = make([]flex.Link, 0, n)
		b.force = num.Grow(b.force, 3*min(3*n, len(b.rest)))
		w.fillWork.elastic = num.Grow(w.fillWork.elastic, 3*len(b.rest))
	}
}

// maxReserved bounds the contacts that memory is set aside for before the first
// step: W of 256 contacts takes 4.7 MB. More contacts grow the memory once.
const maxReserved = 256

// DefaultParams are the parameters that the scene gives. The slice is fresh.
func (w *World) DefaultParams() Params {
	p := w.given.defaults
	p.Bodies = append([]BodyParams(nil), p.Bodies...)
	return p
}

func (w *World) sceneParams() Params {
	s := w.scene
	p := Params{Friction: s.Friction, Contact: s.Contact, RhoImposed: s.Contact.Rho > 0}
	for _, b := range w.bodies {
		p.Bodies = append(p.Bodies, BodyParams{Young: b.young, Poisson: b.poisson})
	}
	return p
}

// say notes what there is to remark, and tells what the body is.
func (b *body) say(remarks []string, from *scene.Solid) {
	fixed := 0
	for _, f := range b.info.Fixed {
		if f {
			fixed++
		}
	}
	b.info.About = strings.TrimSpace(fmt.Sprintf("%s: %d nodes, %d elements, %d surface triangles, %d fixed surface nodes. %s",
		b.info.Name, len(b.mesh.Nodes), b.mesh.Elements(), len(b.info.Triangles), fixed, strings.Join(remarks, ". ")))
	from.Notes = append(from.Notes, remarks...)
}

// body makes one body: geometry, support, contact region, compliance.
func (build Builder) body(ctx context.Context, s *scene.Scene, index int, progress func(fraction float64, detail string)) (b *body, notes []string, err error) {
	sb := &s.Bodies[index]
	solid, err := abandonable(ctx, func() (*scene.Solid, error) { return s.Solid(index) })
	if err != nil {
		return nil, nil, err
	}
	m, surface := solid.Mesh, solid.Surface
	b = &body{
		info: physics.SurfaceInfo{
			Name: sb.Name, Material: sb.Material, Driven: sb.Role == scene.Driven,
			Rigid: sb.Rigid || m.Elements() == 0, Color: sb.Color, Triangles: surface.Triangles,
		},
		density: sb.Density, gravity: s.Gravity,
		mesh: m, fixed: solid.Fixed, surface: surface.Nodes,
	}
	b.rest, b.info.Fixed = surface.Places(m), surface.Marked(solid.Fixed)
	b.touchable(surface.Marked(solid.Region))
	b.allocate(sb)
	idle := sb.Idle(solid.Young, solid.Poisson, s.Gravity != mgl64.Vec3{})
	b.say(s.Remarks(sb, solid, idle, solid.Flexibility == nil && !b.info.Rigid), solid) // an object file's flexibility is its own
	if b.info.Rigid {
		b.takeRigidSurface(solid, s.Contact.Normals == scene.SmoothNormals)
		return b, solid.Notes, nil
	}
	b.young = solid.Young
	var supplied *flex.Compliance
	if solid.Flexibility != nil {
		supplied = suppliedCompliance(solid)
	} else {
		b.chooseCompliance(s, build.WholeSurface)
	}
	if supplied == nil && build.beside && build.large(b) {
		b.poisson, b.apart = solid.Poisson, true
		if err := build.preview(ctx, b, solid.Poisson); err != nil {
			return nil, nil, fmt.Errorf("body %q: %w", sb.Name, err)
		}
		return b, solid.Notes, nil
	}
	f, err := build.flexibility(ctx, b, solid.Poisson, supplied, progress)
	if err != nil {
		return nil, nil, fmt.Errorf("body %q: %w", sb.Name, err)
	}
	b.applyFlexibility(f)
	return b, solid.Notes, nil
}

// touchable sets the nodes with which the body touches others, and the
// triangles on which others touch it: those whose corners are all marked.
func (b *body) touchable(marks []bool) {
	for i, marked := range marks {
		if marked {
			b.region = append(b.region, int32(i))
		}
	}
	var facing [][3]int32
	for _, t := range b.info.Triangles {
		if marks[t[0]] && marks[t[1]] && marks[t[2]] {
			facing = append(facing, t)
		}
	}
	b.facets = newFacets(facing, b.rest, b.locate)
	b.longest = b.longestEdge()
	b.marked = newMarks(len(b.rest))
	for _, t := range facing {
		b.gatherNew(nil, t[:])
	}
	b.loose = b.gatherNew(nil, b.region)
}

// allocate sets aside what a step writes.
func (b *body) allocate(sb *scene.Body) {
	n := len(b.rest)
	b.deformed.allocate(n)
	b.normals = newVertexNormals(n, b.facets.triangles)
	b.strains = newStrains(b.facets, b.rest)
	b.smooth = newCornerNormals(b.facets, &b.normals)
	b.active = newActiveNodes(n)
	b.radius = frame.Reach(b.rest)
	b.place(sb.Pose)
	b.low, b.high = mesh.Bounds(b.rest)
	b.restart()
}

// shortestSide of the bounding box, m.
func shortestSide(x []mgl64.Vec3) float64 {
	lo, hi := mesh.Bounds(x)
	d := hi.Sub(lo)
	return min(d[0], d[1], d[2])
}

// findProbes ties the scene's probes to the nearest surface nodes.
func (w *World) findProbes() error {
	for _, p := range w.scene.Probes {
		_, index := w.scene.Body(p.Body)
		if index < 0 {
			return fmt.Errorf("probe %q: no body is called %q", p.Name, p.Body)
		}
		node := w.bodies[index].nearest(p.Point)
		w.probes = append(w.probes, probe{name: p.Name, body: index, node: node})
	}
	return nil
}

// nearest surface node to a point of the undeformed body.
func (b *body) nearest(point mgl64.Vec3) (node int) {
	best := math.Inf(1)
	for i, x := range b.rest {
		if d := x.Sub(point).LenSqr(); d < best {
			node, best = i, d
		}
	}
	return node
}

// factorize says what is to come, and refuses what takes too much.
func (build Builder) factorize(ctx context.Context, b *body, poisson float64, nodes []int32, single bool, progress func(fraction float64, detail string)) (*flex.Factor, error) {
	progress(0, "")
	plan, err := flex.NewPlan(b.mesh, b.fixed, poisson, nodes)
	if err != nil {
		return nil, err
	}
	bytes := func() int64 {
		if single {
			return plan.Cost.FactorBytes + plan.Cost.ComplianceBytes/2
		}
		return plan.Cost.Bytes()
	}
	limit := build.limit()
	if bytes() > limit {
		// To eliminate the wanted nodes last saves time, but takes memory.
		wanted := plan.Cost.ComplianceBytes
		if plan, err = flex.NewPlan(b.mesh, b.fixed, poisson, nil); err != nil {
			return nil, err
		}
		t := 3 * float64(len(nodes))
		plan.Cost.Operations += 2.4 * t * float64(plan.Cost.FactorBytes) / 8 // as NewPlan counts them
		plan.Cost.ComplianceBytes = wanted
	}
	cost := plan.Cost
	if bytes() > limit {
		return nil, fmt.Errorf("the compliance of %d nodes would take %.1f GB and about %.0f s, the limit is %.1f GB (cure: contact_surface for the part that is touched, a coarser mesh, or hapco run, whose window computes what is near the stylus)",
			len(nodes), float64(bytes())/1e9, cost.Seconds(), float64(limit)/1e9)
	}
	detail := ""
	if s := cost.Seconds(); s > 2 {
		detail = fmt.Sprintf(" (%d nodes, %.1f GB, about %.0f s)", len(nodes), float64(bytes())/1e9, s)
	}
	progress(0, detail)
	factor, err := plan.Factorize(ctx)
	if err == nil {
		progress(0.5, "")
	}
	return factor, err
}

func (w *World) prepareAdhesion() {
	n := len(w.bodies)
	a := &w.adhesion
	a.tree, a.witness, a.facet = make([]*collision.Tree, n), make([]int32, n), make([]int32, n)
	a.force, a.drop = make([]mgl64.Vec3, n), make([]bool, n)
	tool := w.bodies[w.driven]
	a.beyond = clearance * shortestSide(tool.rest) / 2
	for i, b := range w.bodies {
		if i != w.driven && !b.info.Rigid && w.strainLimit > 0 {
			a.tree[i] = collision.NewTree(b.facets.triangles, b.rest)
		}
	}
}

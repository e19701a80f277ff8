package physics

import (
	"context"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem"
	"hapco/physics/flex"
	"hapco/physics/scene"
)

// Progress hears how far a precomputation is, 0..1, and what is being done.
type Progress func(fraction float64, what string)

// New builds the world that a scene describes: meshes, stiffness, and the
// compliance of the surfaces (algorithm 4.2). notes are sentences that the user
// should read, such as a support that was chosen for him. It takes from
// milliseconds to minutes; ctx stops it.
func New(ctx context.Context, s *scene.Scene, progress Progress) (w *World, notes []string, err error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	w = &World{
		scene: s, driven: -1,
		anchored:      s.Contact.Anchored,
		smoothNormals: s.Contact.Normals == scene.SmoothNormals,
		dropOverhang:  s.Contact.DropOverhang,
	}
	for i := range s.Bodies {
		sb := &s.Bodies[i]
		share := func(fraction float64) {
			if progress != nil {
				progress((float64(i)+fraction)/float64(len(s.Bodies)), "compliance of "+sb.Name)
			}
		}
		b, said, err := newBody(ctx, s, i, share)
		if err != nil {
			return nil, nil, err
		}
		for _, note := range said {
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
	w.pairUp()
	w.length = s.Contact.Length
	if !(w.length > 0) {
		w.length = shortestSide(w.bodies[w.driven].rest)
	}
	if err := w.findProbes(); err != nil {
		return nil, nil, err
	}
	w.defaults = w.sceneParams()
	if err := w.SetParams(w.defaults); err != nil {
		return nil, nil, err
	}
	w.reserve()
	w.Reset()
	// What is far is found to be far now, not in the first step.
	w.detect()
	w.contacts = w.contacts[:0]
	return w, notes, nil
}

// pairUp lists which bodies may touch, as the scene says (scene.PairContact).
func (w *World) pairUp() {
	for i, a := range w.bodies {
		for j := i; j < len(w.bodies); j++ {
			b := w.bodies[j]
			said := w.scene.Pair(a.info.Name, b.info.Name)
			mode := scene.ContactDefault
			if said != nil {
				mode = said.Contact
			}
			first, second := i, j
			if said != nil && said.A != a.info.Name {
				first, second = j, i
			}
			if mode == scene.ContactDefault {
				mode, first, second = w.usual(i, j, said != nil)
			}
			switch {
			case mode == scene.ContactNone:
			case i == j:
				w.addPair(i, i, said)
			default:
				w.addPair(first, second, said)
				if mode == scene.ContactBoth {
					w.addPair(second, first, said)
				}
			}
		}
	}
}

// usual is how two bodies touch where the scene does not say.
func (w *World) usual(i, j int, named bool) (mode scene.PairContact, first, second int) {
	a, b := w.bodies[i], w.bodies[j]
	switch {
	case i == j && !named, a.info.Rigid && b.info.Rigid:
		return scene.ContactNone, i, j
	case b.info.Driven:
		return scene.ContactOne, j, i
	case a.info.Driven:
		return scene.ContactOne, i, j
	}
	return scene.ContactBoth, i, j
}

func (w *World) addPair(impactor, obstacle int, said *scene.Pair) {
	p := pair{impactor: impactor, obstacle: obstacle, friction: math.NaN(), memory: make([]nodeMemory, len(w.bodies[impactor].rest))}
	if said != nil {
		p.friction = said.Friction
	}
	if impactor == obstacle {
		b := w.bodies[impactor]
		p.near = b.surroundings(max(captureTouching*w.scene.Contact.DDCTolerance, 2*b.longestEdge()))
	}
	w.pairs = append(w.pairs, p)
}

// longestEdge of the body's facets, m.
func (b *body) longestEdge() float64 {
	longest := 0.0
	for _, t := range b.facets.triangles {
		for k := range 3 {
			longest = max(longest, b.rest[t[k]].Sub(b.rest[t[(k+1)%3]]).Len())
		}
	}
	return longest
}

// reserve makes room for as many contacts as the impactor has nodes, so that
// no step has to allocate.
func (w *World) reserve() {
	n := 0
	for _, p := range w.pairs {
		n += len(w.bodies[p.impactor].region)
	}
	n = min(n, maxReserved)
	w.contacts = make([]contactPoint, 0, n)
	w.mine, w.others = make([]int32, 0, n), make([]int32, 0, n)
	w.resize(n)
	w.resize(0)
	for _, b := range w.bodies {
		b.links = make([]flex.Link, 0, n)
		w.flex.Reserve(min(3*n, len(b.rest)))
		b.force = growFloats(b.force, 3*min(3*n, len(b.rest)))
		w.whole = growFloats(w.whole, 3*len(b.rest))
	}
}

// maxReserved bounds the contacts that memory is set aside for before the first
// step: W of 256 contacts takes 4.7 MB. More contacts grow the memory once.
const maxReserved = 256

// DefaultParams are the parameters that the scene gives. The slice is fresh.
func (w *World) DefaultParams() Params {
	p := w.defaults
	p.Bodies = append([]BodyParams(nil), p.Bodies...)
	return p
}

func (w *World) sceneParams() Params {
	s := w.scene
	p := Params{
		Friction:        s.Friction,
		Solver:          s.Contact.Solver,
		Criterion:       s.Contact.Criterion,
		Tolerance:       s.Contact.Tolerance,
		MaxIterations:   s.Contact.MaxIterations,
		RhoImposed:      s.Contact.Rho > 0,
		Rho:             s.Contact.Rho,
		RhoFactor:       s.Contact.RhoFactor,
		Shadow:          s.Contact.Shadow,
		UzawaError:      s.Contact.UzawaError,
		NewtonTolerance: s.Contact.NewtonTolerance,
		DDCTolerance:    s.Contact.DDCTolerance,
		MaxForce:        s.Device.MaxForce,
		Reducer:         s.Device.Reducer,
	}
	for _, b := range w.bodies {
		p.Bodies = append(p.Bodies, BodyParams{Young: b.young, Poisson: b.poisson})
	}
	return p
}

// newBody makes one body: geometry, support, contact region, compliance.
func newBody(ctx context.Context, s *scene.Scene, index int, progress func(float64)) (b *body, notes []string, err error) {
	sb := &s.Bodies[index]
	solid, err := s.Solid(index)
	if err != nil {
		return nil, nil, err
	}
	m, surface := solid.Mesh, solid.Surface
	b = &body{
		info: BodyInfo{
			Name: sb.Name, Material: sb.Material, Driven: sb.Role == scene.Driven,
			Rigid: sb.Rigid || m.Elements() == 0, Color: sb.Color,
			Nodes: len(m.Nodes), Elements: m.Elements(), Triangles: surface.Triangles,
		},
		density: sb.Density, gravity: s.Gravity,
		mesh: m, fixed: solid.Fixed, surface: surface.Nodes, triangles: surface.Triangles,
	}
	b.rest = make([]mgl64.Vec3, len(surface.Nodes))
	for i, node := range surface.Nodes {
		b.rest[i] = m.Nodes[node]
	}
	b.touchable(solid.Region)
	b.allocate(sb)
	if b.info.Rigid {
		return b, solid.Notes, nil
	}
	b.young = solid.Young
	var supplied *flex.Compliance
	if solid.Flexibility != nil {
		supplied = suppliedCompliance(solid)
	}
	f, err := newFlexibility(ctx, b, solid.Poisson, supplied, progress)
	if err != nil {
		return nil, nil, fmt.Errorf("body %q: %w", sb.Name, err)
	}
	b.applyFlexibility(f)
	return b, solid.Notes, nil
}

// touchable sets the nodes with which the body touches others, and the
// triangles on which others touch it: those whose corners are all in region,
// which lists mesh nodes.
func (b *body) touchable(region []int32) {
	inside := make(map[int32]bool, len(region))
	for _, node := range region {
		inside[node] = true
	}
	for i, node := range b.surface {
		if inside[node] {
			b.region = append(b.region, int32(i))
		}
	}
	var facing [][3]int32
	for _, t := range b.triangles {
		if inside[b.surface[t[0]]] && inside[b.surface[t[1]]] && inside[b.surface[t[2]]] {
			facing = append(facing, t)
		}
	}
	b.facets = newFacets(facing, b.rest, b.locate)
}

// suppliedCompliance restricts the flexibility matrix of an object file (figure
// 4.23) to the surface, at E = 1 Pa.
func suppliedCompliance(solid *scene.Solid) *flex.Compliance {
	n, all := len(solid.Surface.Nodes), 3*len(solid.Mesh.Nodes)
	c := &flex.Compliance{N: n, C: make([]float64, 9*n*n)}
	for i, a := range solid.Surface.Nodes {
		for j, b := range solid.Surface.Nodes {
			for d := range 3 {
				for e := range 3 {
					c.C[(3*i+d)*3*n+3*j+e] = solid.Young * solid.Flexibility[(3*int(a)+d)*all+3*int(b)+e]
				}
			}
		}
	}
	return c
}

// allocate sets aside what a step writes.
func (b *body) allocate(sb *scene.Body) {
	n := len(b.rest)
	b.info.Fixed = make([]bool, n)
	fixed := map[int32]bool{}
	for _, node := range b.fixed {
		fixed[node] = true
	}
	for i, node := range b.surface {
		b.info.Fixed[i] = fixed[node]
	}
	b.shape.allocate(n)
	b.normals = newVertexNormals(n, b.facets.triangles)
	b.active = newActiveNodes(n)
	for _, x := range b.rest {
		b.radius = max(b.radius, x.Len())
	}
	b.place(sb.Pose)
	b.low, b.high = bounds(b.rest)
	b.restart()
}

// newFlexibility factorises K, which stresses and weight need, and computes the
// compliance of the surface, unless the caller has it already. It
// reads only what does not change about a body, so it may run beside the steps.
func newFlexibility(ctx context.Context, b *body, poisson float64, compliance *flex.Compliance, progress func(float64)) (flexibility, error) {
	factor, err := flex.Factorize(b.mesh, b.fixed, poisson)
	if err != nil {
		return flexibility{}, err
	}
	if compliance == nil {
		if compliance, err = factor.Compliance(ctx, b.surface, progress); err != nil {
			factor.Close()
			return flexibility{}, err
		}
	}
	f := flexibility{compliance: compliance, factor: factor, poisson: poisson, stress: fem.NewStress(b.mesh)}
	if b.density > 0 && b.gravity.Len() > 0 {
		for axis := range f.weight {
			f.weight[axis] = surfaceWeight(factor, b, axis)
			f.heaviest[axis] = longest(f.weight[axis])
		}
	}
	return f, nil
}

// surfaceWeight is the displacement of the surface under an acceleration of
// 1 m/s^2 along one body axis, at E = 1 Pa.
func surfaceWeight(factor *flex.Factor, b *body, axis int) []float64 {
	var force mgl64.Vec3
	force[axis] = b.density
	load := make([]float64, 3*len(b.mesh.Nodes))
	fem.BodyForce(load, b.mesh, force)
	u := make([]float64, len(load))
	factor.Solve(u, load)
	out := make([]float64, 3*len(b.surface))
	for i, node := range b.surface {
		copy(out[3*i:3*i+3], u[3*node:3*node+3])
	}
	return out
}

// longest of the vectors that a flat slice holds.
func longest(u []float64) float64 {
	most := 0.0
	for i := 0; i < len(u); i += 3 {
		most = max(most, math.Hypot(math.Hypot(u[i], u[i+1]), u[i+2]))
	}
	return most
}

// shortestSide of the bounding box, m.
func shortestSide(x []mgl64.Vec3) float64 {
	lo, hi := bounds(x)
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
		node, best := 0, math.Inf(1)
		for i, x := range w.bodies[index].rest {
			if d := x.Sub(p.Point).LenSqr(); d < best {
				node, best = i, d
			}
		}
		w.probes = append(w.probes, probe{name: p.Name, body: index, node: node})
	}
	return nil
}

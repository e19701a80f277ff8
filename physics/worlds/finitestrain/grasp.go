package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
)

// grasp is the spring by which the stylus holds a patch of a body: dead forces on its nodes, which each step
// finds anew. Force is that of the state that is shown, in which the middle of the patch is where it is with it.
type grasp struct {
	physics.Grasped
	next mgl64.Vec3 // in the step under way, N
}

// placed is where a node is that can move.
func (w *world) placed(n int32) (mgl64.Vec3, bool) {
	l := w.engine
	return mgl64.Vec3(l.Shown.X[3*n : 3*n+3]), l.k.Index[n] >= 0
}

// hold takes hold of what another grasp says.
func (w *world) hold(g *physics.Grasp) {
	h := &w.grasp
	if g.Number == h.Number {
		return
	}
	w.letGo()
	if h.Number = g.Number; h.Number == 0 {
		return
	}
	body, middle, far := -1, int32(-1), math.Inf(1)
	place := func(n int32) (mgl64.Vec3, bool) { x, _ := w.placed(n); return x, true }
	for i, s := range w.bodies.surfaces {
		if n, d := g.Nearest(s.Nodes, place, far); n >= 0 {
			body, middle, far = i, n, d
		}
	}
	if body < 0 || w.bodies.blocks[body] < 0 || w.engine.k.Index[middle] < 0 {
		return
	}
	nodes := w.bodies.surfaces[body].Nodes
	low, high := mesh.Bounds(w.bodies.surfaces[body].Places(w.engine.body.Mesh))
	extent := high.Sub(low).Len()
	h.Take(body, middle, nodes, w.placed, physics.PatchWidth*extent, physics.PatchStretch*extent)
	h.Yields = w.engine.yields(&h.Grasped)
	h.Softer = 1 / w.stiffer()
	h.AsStiff()
	if w.engine.Options.Motion.Step > 0 {
		mass := 0.0
		for _, m := range w.material.mass {
			mass += m
		}
		omega := 2 * math.Pi * physics.GraspHz
		h.K = min(h.K, mass*omega*omega)
	}
	h.Begin(w.shown.tool, h.Middle(w.placed))
}

// yields is the compliance of a patch on the tangent in use, m/N.
func (l *Live) yields(h *physics.Grasped) (c mgl64.Mat3) {
	for axis := range 3 {
		clear(l.correction.residual)
		for i, n := range h.Nodes {
			l.correction.residual[3*int(l.k.Index[n])+axis] = h.Share[i]
		}
		l.tangents.now.quick.First(l.correction.residual)
		l.tangents.now.quick.Second(l.correction.du)
		for i, n := range h.Nodes {
			for k := range 3 {
				c[3*axis+k] += h.Share[i] * l.correction.du[3*int(l.k.Index[n])+k]
			}
		}
	}
	return c
}

// letGo ends a grasp.
func (w *world) letGo() {
	w.grasp.next = mgl64.Vec3{}
	w.load()
	w.grasp.Release()
}

// pull finds the force of the spring for a step with the stylus in a pose.
func (w *world) pull(to frame.Pose) {
	h := &w.grasp
	if len(h.Nodes) == 0 {
		return
	}
	shown := h.Force
	h.Softer = 1 / w.stiffer()
	h.Pull(to, h.Middle(w.placed))
	h.next, h.Force = h.Force, shown
	w.load()
}

// pulled is after that step.
func (w *world) pulled() {
	h := &w.grasp
	if len(h.Nodes) > 0 {
		h.Force = h.next
		h.See(w.shown.tool, h.Middle(w.placed))
	}
}

// load gives the nodes of the patch their weight and their shares of the spring's force.
func (w *world) load() {
	h, k := &w.grasp, 1/w.stiffer()
	w.engine.Pull = h.next.Len() * k
	for i, n := range h.Nodes {
		f := h.next.Mul(h.Share[i] * k)
		if len(w.material.mass) > 0 {
			f[1] -= w.material.mass[n] * w.now.Gravity * k
		}
		copy(w.engine.Load[3*n:3*n+3], f[:])
	}
}

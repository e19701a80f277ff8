package physics

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
)

// Grasped is a Grasp as a world of bodies without inertia, or with an implicit scheme, keeps it: a spring from the stylus
// to a patch of nodes. A patch, since what a single node does under a force is a matter of the mesh. With the compliance
// C of the patch, the place p of its middle and the force F that it is in equilibrium with,
//
//	F' = (C + 1/k)^-1 (to - p + C F)
//
// is the spring's force in the next equilibrium, where nothing else changes.
type Grasped struct {
	Number uint32     // of the grasp that was heeded last
	Body   int        // that is held
	Nodes  []int32    // of it; none: nothing is held
	Share  []float64  // of the force, of each node; together 1
	Force  mgl64.Vec3 // on the patch, N
	At, To mgl64.Vec3 // ends of the spring, m
	Yields mgl64.Mat3 // C at the scale of Softer, m/N
	Softer float64    // C is that many times Yields
	K      float64    // stiffness of the spring, N/m
	most   float64    // stretch from which on the spring pulls no harder, m
	on     mgl64.Vec3 // its end in the stylus's frame, m
	felt   [9]float64 // stiffness that the stylus feels, N/m
}

// mostHeld is how many nodes a patch has at most: they are kept in memory of one size, and in a finer mesh the nearest do.
const mostHeld = 24

// Release lets go.
func (h *Grasped) Release() {
	h.Nodes, h.Share, h.Force = h.Nodes[:0], h.Share[:0], mgl64.Vec3{}
}

// Nearest is the node nearest to the place of a grasp among those of which at tells a place; -1: none. It is no farther
// than near, m.
func (g *Grasp) Nearest(nodes []int32, at func(node int32) (mgl64.Vec3, bool), near float64) (best int32, far float64) {
	best, far = -1, near
	for _, n := range nodes {
		if x, ok := at(n); ok {
			if d := x.Sub(g.At).Len(); d < far {
				best, far = n, d
			}
		}
	}
	return best, far
}

// Take takes hold of the nodes about one of them, as wide as that, m, each the less the farther it is. The patch's
// compliance is then the caller's to find. stretch is by how much the spring may be stretched before it pulls no
// harder, m.
func (h *Grasped) Take(body int, middle int32, nodes []int32, at func(node int32) (mgl64.Vec3, bool), wide, stretch float64) {
	if cap(h.Nodes) < mostHeld {
		h.Nodes, h.Share = make([]int32, 0, mostHeld), make([]float64, 0, mostHeld)
	}
	h.Body, h.most = body, stretch
	h.Nodes, h.Share = append(h.Nodes[:0], middle), append(h.Share[:0], 1)
	x0, _ := at(middle)
	sum := 1.0
	for _, n := range nodes {
		x, ok := at(n)
		d := x.Sub(x0).Len() / wide
		if !ok || n == middle || d >= 1 {
			continue
		}
		share, place := 1-d*d, len(h.Nodes)
		if place == mostHeld { // in the place of the farthest
			place = 0
			for i, s := range h.Share {
				if s < h.Share[place] {
					place = i
				}
			}
			if h.Share[place] >= share {
				continue
			}
			sum -= h.Share[place]
		} else {
			h.Nodes, h.Share = append(h.Nodes, 0), append(h.Share, 0)
		}
		h.Nodes[place], h.Share[place] = n, share
		sum += share
	}
	for i := range h.Share {
		h.Share[i] /= sum
	}
	h.Force, h.Softer = mgl64.Vec3{}, 1
}

// Keep drops the nodes that do not stay.
func (h *Grasped) Keep(stays func(node int32) bool) {
	n, sum := 0, 0.0
	for i, node := range h.Nodes {
		if stays(node) {
			h.Nodes[n], h.Share[n] = node, h.Share[i]
			sum += h.Share[n]
			n++
		}
	}
	if n == len(h.Nodes) {
		return
	}
	h.Nodes, h.Share = h.Nodes[:n], h.Share[:n]
	for i := range h.Share {
		h.Share[i] /= sum
	}
}

// Middle is the place of the patch, m.
func (h *Grasped) Middle(at func(node int32) (mgl64.Vec3, bool)) (p mgl64.Vec3) {
	for i, n := range h.Nodes {
		x, _ := at(n)
		p = p.Add(x.Mul(h.Share[i]))
	}
	return p
}

// Begin puts the spring's end at the stylus where the patch is.
func (h *Grasped) Begin(stylus frame.Pose, p mgl64.Vec3) {
	h.on, h.At, h.To = stylus.InversePoint(p), p, p
}

// See tells where the spring's ends are.
func (h *Grasped) See(stylus frame.Pose, p mgl64.Vec3) { h.At, h.To = p, stylus.Point(h.on) }

// Pull finds the force on the patch, which is at p with the last one.
func (h *Grasped) Pull(stylus frame.Pose, p mgl64.Vec3) {
	h.See(stylus, p)
	c := h.Yields.Mul(h.Softer)
	inv, _ := frame.Inverse(c.Add(mgl64.Ident3().Mul(1 / h.K)))
	h.Force = inv.Mul3x1(h.To.Sub(p).Add(c.Mul3x1(h.Force)))
	h.felt = inv
	if f, most := h.Force.Len(), h.most*h.K; f > most {
		h.Force, h.felt = h.Force.Mul(most/f), [9]float64{}
	}
}

// AsStiff makes the spring as stiff as the patch is: half of the stylus's way is the spring's then, and it can be seen.
func (h *Grasped) AsStiff() { h.K = 3 / (h.Softer * h.Yields.Trace()) }

// Reaction is what the stylus gets, N, and N m about its origin.
func (h *Grasped) Reaction(stylus frame.Pose) (force, torque mgl64.Vec3) {
	if len(h.Nodes) == 0 {
		return
	}
	return h.Force.Mul(-1), h.Force.Cross(h.To.Sub(stylus.Position))
}

// Feel adds it to the hand's model, with how it grows as the stylus goes on.
func (h *Grasped) Feel(m *local.Model, stylus frame.Pose) {
	if len(h.Nodes) == 0 {
		return
	}
	f, t := h.Reaction(stylus)
	if !m.Field.On {
		m.Field = local.Field{On: true}
	}
	for k := range 3 {
		m.Field.Force[k] += f[k]
		m.Field.Force[3+k] += t[k]
	}
	m.Field.Spring(mgl64.Mat3(h.felt), h.To.Sub(stylus.Position))
	m.Length = max(m.Length, h.To.Sub(stylus.Position).Len())
}

// Draw shows it.
func (h *Grasped) Draw(f *Frame) {
	if len(h.Nodes) > 0 {
		f.Held = Held{On: true, At: h.At, To: h.To, Force: h.Force}
	}
}

// Of a grasp in every kind of world.
const (
	// PatchWidth is the radius of a patch as a share of a body's extent: about a fingertip on an organ. Narrower, the
	// patch's compliance is the mesh's; wider, more is held than was pointed at.
	PatchWidth = 0.05
	// PatchStretch is the stretch from which on the spring pulls no harder, as a share of a body's extent. The spring is
	// as stiff as the patch, which has then been drawn out by as much: about where tissue is no longer shown truly.
	PatchStretch = 0.15
	// GraspHz is how often in a second what has a mass would swing on the spring: g/(2 pi GraspHz)^2 = 28 mm is its
	// stretch under a body's own weight, which is seen; the clutch, which only holds, has 8.
	GraspHz = 3.0
)

package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// held is the tool on the hand's spring. Its motion d from where it is, a way and a turn, is among the unknowns of an
// increment. With e the motion that would bring it to the hand, and J^T r the wrench of the contacts on it,
//
//	K_s (e - d) + J^T r = 0,  K_s = K min(1, F_max / K |e|),  x = W r + q + J d
//
// so that the spring adds J K_s^-1 J^T to W and J e to q. It saturates: whatever the hand does, the tool and what it
// presses bear no more than F_max. Where the last step's forces would let the tool go farther than an increment may, it
// goes through oil as well, with a force c d against its way such that it would go as far as that: the spring of
// stiffness K_s / s and end s e, s = K_s / (K_s + c). What is too far all the same, as where tissue snaps, it goes in
// part. Without a spring the tool is where it is told to be.
type held struct {
	spring physics.Coupling
	lever  float64 // of the turning spring, whose largest moment is F_max over it, m

	on      bool       // the tool hangs in this increment
	way     six        // e
	yields  [2]float64 // of the spring: of a way, m/N, and a turn, rad/(N m)
	share   float64    // so much less of e, and K_s so many times larger
	lead    []float64  // J: of each contact three rows of six
	columns []float64  // J^T of the contacts of the problem
	pushed  six        // K_s^-1 J^T r
}

// six is a way and a turn, world axes, m and rad; or a force and a moment, N and N m.
type six [6]float64

func (a six) dot(b []float64) float64 {
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] + a[4]*b[4] + a[5]*b[5]
}

// part is the way, 0, or the turn, 1.
func (a six) part(k int) mgl64.Vec3 { return mgl64.Vec3(a[3*k:]) }

// Hang makes the tool of the next steps hang on the hand by a spring. That is a free hand's, which the scene's limit of
// strain is for.
func (w *World) Hang(c physics.Coupling) {
	if w.held.spring = c; !(w.strainLimit > 0) {
		w.held.spring = physics.Coupling{}
	}
}

// Hung is the spring by which the tool hangs; the zero value: it does not.
func (w *World) Hung() physics.Coupling { return w.held.spring }

// Lever is how far the tool reaches from the stylus's origin, m.
func (w *World) Lever() float64 { return w.held.lever }

// Stretch is by how much the last step has left the tool behind the hand, m, and whether it rests on its spring.
func (w *World) Stretch() (way float64, rests bool) {
	h := &w.held
	return h.way.part(0).Sub(h.motion().part(0)).Len(), h.on && w.last.reached && !w.clock.late
}

// reach begins the tool's way to a target, and tells whether it will get to there, or to rest on its spring.
func (w *World) reach(target frame.Pose) (reached bool) {
	h, b := &w.held, w.bodies[w.driven]
	if h.on = h.spring.Stiffness > 0 && finitePose(target); !h.on {
		pose, reached := w.limit(target)
		b.place(pose)
		return reached
	}
	e := target.Position.Sub(b.pose.Position)
	turn := frame.Log(target.Rotation.Normalize().Mul(b.pose.Rotation.Conjugate()))
	h.way = six{e[0], e[1], e[2], turn[0], turn[1], turn[2]}
	h.yields = [2]float64{softest(h.spring.Stiffness, h.spring.Limit, e.Len()), softest(h.spring.Angle, h.spring.Limit*h.lever, turn.Len())}
	h.lead = num.Grow(h.lead, 18*len(w.contacts))
	for i := range w.contacts {
		c := &w.contacts[i]
		rows := h.lead[18*i : 18*i+18]
		sign, at := w.onStylus(c)
		if sign == 0 {
			clear(rows)
			continue
		}
		arm := b.pointOf(at).Sub(b.pose.Position)
		for k, axis := range [3]mgl64.Vec3{c.n, c.t1, c.t2} {
			m := arm.Cross(axis)
			copy(rows[6*k:], []float64{sign * axis[0], sign * axis[1], sign * axis[2], sign * m[0], sign * m[1], sign * m[2]})
		}
	}
	h.share = 1
	h.push(w.r, nil)
	far := w.far()
	h.share = min(1, w.allowed(far)/far)
	h.push(w.r, nil)
	w.last.way = w.far()
	return h.share == 1
}

// softest is the compliance of a spring that saturates, drawn by a way; 0: there is none.
func softest(stiffness, limit, way float64) float64 {
	if stiffness == 0 {
		return 0
	}
	if limit > 0 && stiffness*way > limit {
		return way / limit
	}
	return 1 / stiffness
}

// shifts is how far the forces bring the tool along an axis of a contact, m.
func (h *held) shifts(contact int32, axis int) float64 {
	if !h.on {
		return 0
	}
	return h.pushed.dot(h.lead[18*contact+6*int32(axis):])
}

// motion is d.
func (h *held) motion() (d six) {
	for k, e := range h.way {
		d[k] = h.share*e + h.pushed[k]
	}
	return d
}

// bodiesDelassus is W of the bodies alone: the hand's model is that of a tool in its place.
func (w *World) bodiesDelassus() []float64 {
	if w.held.on {
		return w.posed.bodies
	}
	return w.posed.read().W
}

// far is how far d brings any point of the tool, m.
func (w *World) far() float64 {
	d := w.held.motion()
	return d.part(0).Len() + d.part(1).Len()*w.bodies[w.driven].radius
}

// push finds what forces make of d: those of the contacts kept, or of all.
func (h *held) push(r []float64, kept []int32) {
	n := len(r) / 3
	var f six
	for k := range n {
		i := k
		if kept != nil {
			i = int(kept[k])
		}
		for a, r := range r[3*k : 3*k+3] {
			if r != 0 {
				for c, x := range h.lead[18*i+6*a:][:6] {
					f[c] += x * r
				}
			}
		}
	}
	for c := range f {
		h.pushed[c] = h.share * h.yields[c/3] * f[c]
	}
}

// shift adds to the free motion of the contacts what the spring's end does.
func (w *World) shift() {
	if h := &w.held; h.on {
		for i := range w.free {
			w.free[i] += h.share * h.way.dot(h.lead[6*i:])
		}
	}
}

// hangOn sets what of the problem the hand decides: q, and the spring's compliance in W, where the tool hangs.
func (w *World) hangOn() {
	h, p := &w.held, w.posed.change()
	for k, i := range w.set.kept {
		copy(p.Q[3*k:3*k+3], w.free[3*i:3*i+3])
	}
	if !h.on {
		return
	}
	n := 3 * p.N
	h.columns = num.Grow(h.columns, 6*n)
	for k, i := range w.set.kept {
		for a := range 3 {
			for c, x := range h.lead[18*i+6*int32(a):][:6] {
				h.columns[c*n+3*k+a] = x
			}
		}
	}
	copy(p.W, w.posed.bodies)
	var yields [6]float64
	for c := range yields {
		yields[c] = h.share * h.yields[c/3]
	}
	p.AddProducts(h.columns, yields[:])
}

// push finds what the forces that the problem's solve has found make of d.
func (w *World) push() {
	if w.held.on {
		w.held.push(w.set.r, w.set.kept)
	}
}

// follow puts the tool to where the forces let it be, no farther than an increment may, and tells whether it rests
// there.
func (w *World) follow(target frame.Pose) (rests bool) {
	h, b := &w.held, w.bodies[w.driven]
	target.Rotation = target.Rotation.Normalize()
	far := w.far()
	share := min(1, w.allowed(far)/far)
	if rests = share == 1 && h.share == 1; !rests || h.pushed != (six{}) {
		d := h.motion()
		target.Position = b.pose.Position.Add(d.part(0).Mul(share))
		target.Rotation = frame.Renormal(frame.Exp(d.part(1).Mul(share)).Mul(b.pose.Rotation))
	}
	b.place(target)
	return rests
}

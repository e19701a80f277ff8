package rigid

import (
	"fmt"
	"math"

	"hapco/physics/numerics/modes"
)

// vibration is a body's modes, carried along by its rigid motion and loaded by it, one way: the inertia of the
// rotation, and the impulses of contacts,
//
//	q'' + 2 zeta omega q' + omega^2 q = - int rho phi.(W x (W x X) + A x X) dV + sum phi(P).R^T F
//
// for modes of mass 1 of a free body, which its own weight does not load. What is left out are terms with q in them:
// they matter once the body turns about as fast as it vibrates.
type vibration struct {
	Body  *Body
	Modes *modes.Modes

	osc     *Oscillators
	offset  vec3   // of the centre of mass in the mesh's frame
	s       []mat3 // of each mode int rho phi_a X_b dV, X from the centre of mass
	load    []float64
	impulse []float64
	sub     int // steps within one of the world's
	corners int // nodes of the mesh that the modes were asked of

	sound   []float64 // at most maxSound samples, in turn
	next    int       // place of the next one
	part    int       // steps of a sample that are in sum
	sum     float64
	each    int       // steps of a sample
	loud    []float64 // of each mode
	keeping bool
}

// maxSound is how many samples are kept at most: three seconds in the hand.
const maxSound = 3 * soundRate

// mostRate is how many times the rate of sound modes may need: 50 times what is heard.
const mostRate = 128

// soundRate is how many steps a second the modes are given at least, and samples a second of their sound.
const soundRate = 48000

// vibrate lets a body vibrate in its modes, which were found on a mesh whose frame is the body's but for the offset of
// its centre of mass; zeta is the damping ratio.
func (w *World) vibrate(b *Body, m *modes.Modes, offset vec3, zeta float64) (*vibration, error) {
	if !(zeta >= 0 && zeta < 1) {
		return nil, fmt.Errorf("rigid: damping ratio %g (cure: 0 or more, below 1)", zeta)
	}
	v := &vibration{Body: b, Modes: m, offset: offset, corners: len(b.Form.Vertices)}
	v.sub, v.each = max(1, int(math.Ceil(w.Config.Step*soundRate))), 1
	fastest := m.Omega[len(m.Omega)-1]
	if most := mostRate * float64(max(1, v.sub)); !(fastest*w.Config.Step <= most) {
		return nil, fmt.Errorf("rigid: its fastest mode has %.3g Hz (cure: at most %.3g Hz: a lower E, more density, fewer modes)", fastest/(2*math.Pi), most/w.Config.Step/(2*math.Pi))
	}
	for fastest*w.Config.Step/float64(v.sub) > 1 { // well within the bound of 2
		v.sub, v.each = 2*v.sub, 2*v.each
	}
	var list []Oscillator
	field := make([]float64, 3*len(m.Mesh.Nodes))
	for i, omega := range m.Omega {
		list = append(list, Oscillator{Omega: omega, Zeta: zeta})
		var s mat3
		for a := range 3 {
			for c := range 3 {
				clear(field)
				for n, x := range m.Mesh.Nodes {
					field[3*n+a] = x[c] - offset[c]
				}
				s.Set(a, c, m.Participation(i, field))
			}
		}
		v.s = append(v.s, s)
		loud := 0.0
		for _, u := range m.Phi[i] {
			loud += u * u
		}
		v.loud = append(v.loud, math.Sqrt(loud/float64(len(m.Mesh.Nodes))))
	}
	v.osc = NewOscillators(list, w.Config.Step/float64(v.sub))
	v.load, v.impulse = make([]float64, len(list)), make([]float64, len(list))
	v.inertia(b.W)
	for i, o := range list { // the stretch of a steady turn
		v.osc.Q[i] = v.load[i] / (o.Omega * o.Omega)
	}
	v.osc.Start(v.load)
	strike := b.Strike
	b.Strike = func(f, at vec3) {
		if strike != nil {
			strike(f, at)
		}
		v.strike(f, at)
	}
	b.vibration = v
	w.vibrations = append(w.vibrations, v)
	return v, nil
}

// strike is an impulse on the surface, N s, world axes, at a point of the body's frame: the nearest node takes it.
func (v *vibration) strike(impulse, at vec3) {
	node := v.node(at)
	f := unrotate(v.Body.Q, impulse)
	for i, phi := range v.Modes.Phi {
		v.impulse[i] = phi[3*node]*f[0] + phi[3*node+1]*f[1] + phi[3*node+2]*f[2]
	}
	v.osc.kick(v.impulse)
}

// node is the one nearest to a point of the body's frame.
func (v *vibration) node(at vec3) (node int) {
	at = at.Add(v.offset)
	best := math.Inf(1)
	for n := range v.corners {
		if d := v.Modes.Mesh.Nodes[n].Sub(at); d.Dot(d) < best {
			best, node = d.Dot(d), n
		}
	}
	return node
}

// at is the displacement of the surface at a point of the body's frame, that of the nearest node, m, body frame.
func (v *vibration) at(at vec3) (u vec3) {
	node := v.node(at)
	for i, phi := range v.Modes.Phi {
		for k := range 3 {
			u[k] += v.osc.Q[i] * phi[3*node+k]
		}
	}
	return u
}

// inertia sets the loads of a rotation w. Its rate of change loads no mode of a free body: they are orthogonal to rigid
// motions.
func (v *vibration) inertia(w vec3) {
	w2 := w.Dot(w)
	for i, s := range v.s { // W x (W x X) = W (W.X) - W^2 X
		v.load[i] = w2*s.Trace() - w.Dot(s.Mul3x1(w))
	}
}

// step advances the modes by a step of the world.
func (v *vibration) step(h float64) {
	v.inertia(v.Body.W)
	for range v.sub {
		v.osc.Step(v.load)
		if v.keeping {
			s := 0.0
			for i := range v.loud {
				s += v.loud[i] * (v.osc.Q[i] - v.osc.Last[i])
			}
			v.keep(s)
		}
	}
}

// energy of the vibration, J.
func (v *vibration) energy() float64 { return v.osc.energy() }

// displacements writes those of all nodes of the modes' mesh to dst, flat, m, in the body's frame: for display, and for
// stresses.
func (v *vibration) displacements(dst []float64) {
	clear(dst)
	for i, phi := range v.Modes.Phi {
		q := v.osc.Q[i]
		for k := range dst {
			dst[k] += q * phi[k]
		}
	}
}

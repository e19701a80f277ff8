package rigid

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/machinery/team"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/numerics/num"
)

// World is bodies that fall, touch, stick, slide and hang on joints. One step of h is
//
//	drift  h/2: places move on, attitudes by C1 without torque
//	kick   h  : forces, and the impulses of contacts and joints, at the places reached
//	drift  h/2
//
// which is symmetric in time and of second order. Attitudes, masses and directions
// do not change within the kick, so that its energy is that of the impulses,
//
//	T+ - T- = h F.(v+ + v-)/2 + r.(U+ + U-)/2,
//
// and that of a constant weight is exact. r and the relative velocities U at the contacts obey Signorini's and
// Coulomb's laws with Newton's restitution, all at once: x = W r + q, W = H M^-1 H^T, x_n = U_n+ + e U_n- where bodies
// strike, and U_n+ + gap/h where they come near. The gap is that to the places of the next kick: nothing gets through.
// Blows that follow from each other are solved one after the other within the kick: see bounce.go.
type World struct {
	Config Config
	Team   *team.Team // shares the islands of a step; nil: none
	// Deadline of the next steps: where they are late, sweeps end with what they have. nil: none.
	Deadline *physics.Deadline

	late bool          // this step was
	asks func() bool   // the deadline
	cost time.Duration // of the last solve

	job    func(i int) // of the team
	h      float64     // time that the kick under way stands for, s
	ahead  float64     // and after which the next one comes at the latest
	part   float64     // length of the last part of a step, s
	bodies []*Body
	moved  []*Body // those that may move
	awake  []int32 // of them those that do not sleep: see rest.go
	rest   rest
	ids    []int32 // of each body its place among moved, or -1
	joints []*Joint
	laws   []law
	apart  map[uint64]bool // pairs that do not touch each other
	search search
	system system
	hands  []*hand

	vibrations []*vibration

	time  float64
	steps int
	stats Stats

	kinetic0 float64 // energy at the start, J
	given    given   // since then
}

// Config says how a world moves. DefaultConfig fills it.
type Config struct {
	Step      float64 // h, s
	Gravity   vec3    // m/s^2
	Tolerance float64 // of both errors of the contact problem
	Sweeps    int     // at most, in a step
	Dense     int     // up to so many contacts, without joints, "auto" solves the problem with W formed
}

// DefaultConfig is for bodies of any size; a step should let them fall, roll and turn by a small part of it.
func DefaultConfig() Config {
	return Config{Step: 1e-3, Gravity: vec3{0, -9.81, 0}, Tolerance: 1e-8, Sweeps: 200, Dense: 24}
}

func (c *Config) check() error {
	switch {
	case !(c.Step > 0) || math.IsInf(c.Step, 0):
		return fmt.Errorf("rigid: a step of %g s (cure: above 0)", c.Step)
	case !num.AllFinite(c.Gravity[:]...):
		return fmt.Errorf("rigid: gravity %v m/s^2 (cure: finite numbers)", c.Gravity)
	case !(c.Tolerance > 0) || c.Sweeps < 1 || c.Dense < 0:
		return fmt.Errorf("rigid: tolerance %g, %d sweeps, dense %d (cure: above 0, 1 or more, 0 or more)", c.Tolerance, c.Sweeps, c.Dense)
	}
	return nil
}

// law is a force law. Forces are asked for in the middle of the step, where v and w are those before the kick.
type law interface {
	Apply(w *World)
	Energy(w *World) float64 // potential, J
}

// Stats are of the last step: of several parts the worst, and the number of contacts of the last one.
type Stats struct {
	Contacts int
	Loaded   int // of them
	Islands  int // of bodies that touch each other or hang together
	Sweeps   int // the most of an island
	Errors   contact.Errors
	Solved   bool    // both errors are below the tolerance, in all parts of the step
	Late     bool    // the deadline ended sweeps before
	Deepest  float64 // m, below 0 where bodies are in each other
	Overlap  float64 // m, the most by which bodies are deeper in each other than their slop; 0: none is
	Caution  float64 // rad, largest |W| h: above cautionAngle attitudes are inexact
	Rounds   int     // of blows that follow from each other, the most of an island
	// Restitution is the least share of its own that was left to a contact, since with
	// more it would have given energy; 1: all kept theirs.
	Restitution float64
	Joints      float64 // J, by which joints changed the energy in this step
	Led         float64 // J, that tools gave in it beside their mean velocities; see given
	Gain        float64 // J, by which contacts changed the energy in this step: below 0 but for a touch within the step, m (g h)^2/2
}

// NewWorld makes a world without bodies.
func NewWorld(c Config) (*World, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &World{Config: c, apart: map[uint64]bool{}, stats: Stats{Restitution: 1}}, nil
}

// Add takes a body in. Its mass and inertia are checked: one line says what no body can have.
func (w *World) Add(b *Body) error {
	fail := func(format string, a ...any) error {
		return fmt.Errorf("rigid: body %q: "+format, append([]any{b.Name}, a...)...)
	}
	if b.Form == nil {
		b.Form = &Form{}
	}
	if err := b.Form.prepare(); err != nil {
		return fail("%w", err)
	}
	if b.Form.Kind == FormPlane && !b.Fixed {
		return fail("a plane has no mass (cure: fixed)")
	}
	if !num.FiniteVec(b.X) || !num.FiniteVec(b.V) || !num.FiniteVec(b.W) || !num.FiniteVec(b.Q.V) || !num.Finite(b.Q.W) {
		return fail("its place or velocity is no finite number")
	}
	l := b.Q.Len()
	if b.Q = b.Q.Scale(1 / l); l == 0 {
		b.Q = mgl64.QuatIdent()
	}
	if !(b.Friction >= 0) || math.IsInf(b.Friction, 0) {
		return fail("friction %g (cure: 0 or more)", b.Friction)
	}
	if !(b.Restitution >= 0 && b.Restitution <= 1) {
		return fail("restitution %g (cure: 0 to 1)", b.Restitution)
	}
	b.invMass = 0
	if !b.Fixed {
		if !(b.Mass > 0) || math.IsInf(b.Mass, 0) {
			return fail("mass %g kg (cure: above 0, or a fixed body)", b.Mass)
		}
		if err := checkBody(b.Inertia); err != nil {
			return fail("%w", err)
		}
		b.invMass = 1 / b.Mass
		b.rotor = Rotor{J: b.Inertia, Inv: inverse(b.Inertia)}
		if b.Solo != nil {
			if err := b.Solo.start(b, w.Config.Gravity); err != nil {
				return fail("%w", err)
			}
		}
	}
	b.id = int32(len(w.bodies))
	w.bodies = append(w.bodies, b)
	w.ready()
	return nil
}

// ready makes room for the bodies there are.
func (w *World) ready() {
	w.moved, w.ids = w.moved[:0], w.ids[:0]
	planes, still := w.search.planes[:0], math.Inf(1)
	for i, b := range w.bodies {
		b.r = matrixOf(b.Q)
		id := int32(-1)
		b.asleep = false
		if b.moves() {
			id = int32(len(w.moved))
			w.moved = append(w.moved, b)
		}
		w.ids = append(w.ids, id)
		if b.Form.Kind == FormPlane {
			planes = append(planes, int32(i))
		}
		if b.Form.reach > 0 {
			still = min(still, stillShare*b.Form.reach)
		}
	}
	w.search = search{still: still, found: found{deepest: math.Inf(1)}, sweep: collision.NewSweep(len(w.bodies)),
		planes: planes, places: make([]place, len(w.bodies))}
	w.system.room(len(w.moved))
	w.rest.room(len(w.bodies), len(w.moved))
	w.regroup()
}

// Bodies lists the bodies.
func (w *World) Bodies() []*Body { return w.bodies }

// Stats of the last step.
func (w *World) Stats() *Stats { return &w.stats }

// addLaw adds a force law.
func (w *World) addLaw(l law) { w.laws = append(w.laws, l) }

// ignore keeps two bodies from touching each other.
func (w *World) ignore(a, b *Body) { w.apart[pairKey(a.id, b.id)] = true }

func pairKey(a, b int32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

// slop of two bodies, m.
func (w *World) slop(a, b *Body) float64 { return slopShare * smaller(a, b) }

// smaller of two bodies' sizes, m: the farthest point from its centre. Planes have none.
func smaller(a, b *Body) float64 { return min(a.Form.reach, b.Form.reach) }

// energy is the kinetic energy, that of the weights, and that of the force laws, J.
func (w *World) energy() (kinetic, potential float64) {
	for _, b := range w.moved {
		kinetic += b.kinetic()
		if b.invMass > 0 {
			potential -= b.Mass * w.Config.Gravity.Dot(b.X)
		}
	}
	for _, l := range w.laws {
		potential += l.Energy(w)
	}
	return kinetic, potential
}

// Energy is the kinetic and the potential one of all bodies, J.
func (w *World) Energy() float64 {
	kinetic, potential := w.energy()
	return kinetic + potential
}

// momentum is the linear momentum, and the angular one about the origin.
func (w *World) momentum() (linear, angular vec3) {
	for _, b := range w.moved {
		if b.invMass > 0 {
			p := b.V.Mul(b.Mass)
			linear = linear.Add(p)
			angular = angular.Add(b.X.Cross(p)).Add(b.spin())
		}
	}
	return linear, angular
}

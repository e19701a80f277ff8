package tissue

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// World is the simulation's state: bodies, contacts and their equilibrium. One goroutine owns it; Step advances it and
// the other loops see snapshots.
type World struct {
	scene      *scene.Scene
	build      Builder
	bodies     []*body
	driven     int // index of the body that follows the stylus
	directions []direction
	probes     []probe
	detection
	held     held
	adhesion adhesion
	grasp    grasp

	params      Params
	strainLimit float64 // contact.strain_limit

	// given is what the scene has, and does not change.
	given struct {
		defaults      Params
		anchored      bool    // sticking contacts keep their material point
		smoothNormals bool    //
		dropOverhang  bool    // contacts over an open edge do not count
		length        float64 // characteristic length L of (3.6), m
	}

	contacts []contactPoint // within reach, then the limits of strain
	touching int            // how many of these are contacts
	free, mu []float64      // x_free, 3 a contact, m; friction coefficients
	r, x     []float64      // 3 a contact: forces, N; relative displacements, m
	set      activeSet      // the contacts that the problem is made of
	posed    posed

	// solving finds their forces.
	solving struct {
		solver   contact.Solver
		options  contact.Options
		recorder recorder
		result   contact.Result
		status   []contact.Status // of each contact
		residual []float64        // 3 a contact: of the natural map, N
	}

	// last is the last step.
	last struct {
		step        uint64
		timing      Timing
		way         float64 // longest of a point of the stylus, m
		reached     bool    // the stylus stands where it was asked to
		loss        float64 // what friction took, J
		compression float64 // of the surface, see Stats
	}

	// clock of the steps.
	clock struct {
		of    *physics.Deadline // nil: none
		limit time.Duration     // contact.deadline
		timed bool              // the step has one
		watch contact.Watch     // asks it,
		asks  func() bool       // by this
		late  bool              // it ended the step before all was done
	}

	fillWork fillWork // workspace of Snapshot

	hand handModel // workspace of Model
}

// probe is a surface node whose displacement is reported.
type probe struct {
	name       string
	body, node int
}

// Deadline ends the next steps as Params.Deadline says; nil, as at the start: as late as it takes. Who steps begins it
// before each.
func (w *World) Deadline(d *physics.Deadline) { w.clock.of = d }

// limit shortens the way to target to what one increment may cover.
func (w *World) limit(target frame.Pose) (pose frame.Pose, reached bool) {
	b := w.bodies[w.driven]
	w.last.way = 0
	if !finitePose(target) {
		return b.pose, false
	}
	move := target.Position.Sub(b.pose.Position).Len()
	from, to := b.pose.Rotation, target.Rotation.Normalize()
	if from.Dot(to) < 0 { // the same rotation, reached the short way round
		to = to.Scale(-1)
	}
	angle := 2 * math.Acos(min(1, math.Abs(from.Dot(to))))
	way := move + angle*b.radius
	w.last.way = way
	allowed := w.allowed(way)
	if !(way > allowed) {
		target.Rotation = to
		return target, true
	}
	s := allowed / way
	w.last.way = allowed
	pose.Position = b.pose.Position.Add(target.Position.Sub(b.pose.Position).Mul(s))
	pose.Rotation = mgl64.QuatNlerp(from, to, s)
	return pose, false
}

// allowed is how long a way of the driven body may be in one increment, m.
func (w *World) allowed(way float64) float64 {
	most := w.params.DDCTolerance / 2
	if s := w.bodies[w.driven].rigidSurface; s != nil && s.round { // contacts are with its tangent planes
		most = min(most, s.solid.Round/4)
	}
	if way > most {
		most = max(most, w.separation()-w.params.DDCTolerance)
	}
	return most
}

// separation is a lower bound of the distance between the driven body and all others, from their bounding boxes, m.
func (w *World) separation() float64 {
	lo, hi := w.bodies[w.driven].box()
	least := math.Inf(1)
	for i, b := range w.bodies {
		if i == w.driven {
			continue
		}
		l, h := b.box()
		var d mgl64.Vec3
		for k := range 3 {
			d[k] = max(0, l[k]-hi[k], lo[k]-h[k])
		}
		least = min(least, d.Len())
	}
	return least
}

func finitePose(p frame.Pose) bool {
	s := p.Position.Dot(p.Position) + p.Rotation.Dot(p.Rotation)
	return !math.IsNaN(s) && !math.IsInf(s, 0) && p.Rotation.Dot(p.Rotation) > 0.5
}

func (w *World) resize(contacts int) {
	w.r = num.Grow(w.r, 3*contacts)
	w.x = num.Grow(w.x, 3*contacts)
	w.solving.status = num.Grow(w.solving.status, contacts)
}

// SetParams makes p the parameters of the next step. A solver or a Poisson's ratio that cannot be had is an error and
// leaves everything as it was. Poisson's ratios are applied by the caller, since they take time: see Live.
func (w *World) SetParams(p Params) error {
	if err := checkShadow(p.Shadow); err != nil {
		return err
	}
	if p.Solver != w.params.Solver || w.solving.solver == nil {
		s, err := contact.New(p.Solver)
		if err != nil {
			return err
		}
		t := contact.Describe(p.Solver).Traits
		w.solving.solver, w.set.unreduced, w.solving.recorder.traits = s, !t.Subset(), t
	}
	if p.DDCTolerance != w.params.DDCTolerance {
		for i := range w.directions {
			for k := range w.directions[i].memory {
				w.directions[i].memory[k].far = 0
			}
		}
		for i := range w.bodyPairs {
			w.bodyPairs[i].listAgain()
		}
	}
	w.clock.limit = time.Duration(p.Deadline * float64(time.Second))
	bodies := w.params.Bodies
	w.params = p
	w.params.Bodies = append(bodies[:0], p.Bodies...)
	for i, b := range w.bodies {
		if young := p.Bodies[i].Young; young != b.young && young > 0 && b.flexibility.elastic() {
			b.setYoung(young)
		}
	}
	return nil
}

// Params returns the parameters in force. The slice inside is the world's.
func (w *World) Params() Params { return w.params }

// Reset puts every body back into its undeformed place and forgets all contacts.
func (w *World) Reset() {
	for i, b := range w.bodies {
		b.place(w.scene.Bodies[i].Pose)
		b.links = b.links[:0]
		b.active.reset()
		b.restart()
	}
	w.forget()
	w.letGo()
	w.adhesion.forget()
	w.contacts, w.touching, w.last.compression = w.contacts[:0], 0, 0
	w.resize(0)
	w.set.kept, w.set.in = w.set.kept[:0], w.set.in[:0]
	w.posed.none()
	w.held.on = false
	w.solving.result = contact.Result{Converged: true}
}

// StartPose is where the stylus stands before the first step.
func (w *World) StartPose() frame.Pose { return w.scene.Bodies[w.driven].Pose }

// Pose is where the stylus stands now.
func (w *World) Pose() frame.Pose { return w.bodies[w.driven].pose }

// Scene is what the world was made from.
func (w *World) Scene() *scene.Scene { return w.scene }

// Problem is the contact problem of the last step, for tables and tests: that of the contacts of Solved. It belongs to
// the world, is not to be changed, and is another after the next step.
func (w *World) Problem() (p *contact.Problem, r []float64) { return w.posed.read(), w.set.r }

// Probe is the displacement of a named point of the scene, world axes, m.
func (w *World) Probe(name string) (mgl64.Vec3, bool) {
	for _, p := range w.probes {
		if p.name == name {
			b := w.bodies[p.body]
			b.locate(int32(p.node))
			return b.rotation.Mul3x1(b.displacement(int32(p.node))), true
		}
	}
	return mgl64.Vec3{}, false
}

// BodyParams are the live parameters of one body.
type BodyParams struct {
	Young   float64 // E, Pa; takes effect on the next step
	Poisson float64 // nu, -; the compliance is recomputed in the background
}

// Params are the parameters that change while the simulation runs. A value is replaced whole and takes effect at the
// next step; see section 4.4.2. What of Contact concerns how contacts are found and not how they are solved keeps the
// scene's value, but for DDCTolerance.
type Params struct {
	Friction      float64 // mu, - (2.16), for pairs without a value of their own
	scene.Contact         // RhoFactor 0 stands for 1
	RhoImposed    bool    // Rho is imposed; false: rho_min from the Delassus operator (3.1)
	Field         int     // that is computed for display: its place among the fields, from 1; 0: none
	Curve         bool    // record the convergence curves for display
	Bodies        []BodyParams
}

// listAgain makes closeToItself make all lists anew.
func (m *bodyPair) listAgain() {
	for i := range m.close {
		m.close[i].until = -1
	}
}

// onStylus tells how a contact acts on the driven body: +1 where that carries
// P, -1 where it carries Q, 0 where it is not part of the pair, or is all of it: where
// the driven body touches itself the two forces cancel. And its side of it.
func (w *World) onStylus(c *contactPoint) (sign float64, at *side) {
	p := &w.directions[c.direction]
	switch {
	case p.impactor == p.obstacle:
	case p.impactor == w.driven:
		return 1, &c.p
	case p.obstacle == w.driven:
		return -1, &c.q
	}
	return 0, nil
}

// setOptions makes the parameters those of a contact solve.
func (w *World) setOptions(opt *contact.Options) {
	opt.Tolerance = w.params.Tolerance
	opt.Criterion = w.params.Criterion
	opt.MaxIterations = w.params.MaxIterations
	opt.LocalLength = w.params.UzawaError * w.given.length
	opt.LocalMax = w.scene.Contact.UzawaIterations
	opt.RhoFactor = w.params.RhoFactor
	opt.UnitFree, opt.Timed = true, true
	opt.Rho = 0
	if w.params.RhoImposed {
		opt.Rho = w.params.Rho
	}
}

// checkShadow reports a name that no solver has.
func checkShadow(name string) error {
	if name == "" || slices.Contains(contact.Names(), name) {
		return nil
	}
	return fmt.Errorf("contact: no solver %q to compare with; choose one of %s, or none", name, strings.Join(contact.Names(), ", "))
}

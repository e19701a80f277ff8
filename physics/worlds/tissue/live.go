package tissue

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/latest"
	"hapco/physics/numerics/contact"
)

// Live is a World behind the seam: it steps, and beside the steps it prepares what takes
// long and works out what is for the eye only.
type Live struct {
	*World
	info    *physics.Info
	snap    Snapshot        // workspace of Draw
	hand    local.Model     // workspace of Account
	drawn   func(*Snapshot) // tests see what is drawn
	context context.Context
	helped  bool // Start was called: what is for the eye is worked on elsewhere
	dump    *contact.Dump

	preparing preparing
	stress    straining
	shapes    shaping
	shadow    shadowing
}

// NewLive puts a world behind the seam.
func NewLive(w *World) *Live {
	l := &Live{World: w, context: context.Background()}
	l.info = w.seamInfo()
	l.stress.prepare(w)
	l.shapes.prepare(w, smallSurface)
	l.shadow.init(nil, nil)
	l.preparing.init(w)
	return l
}

// Info implements physics.World.
func (l *Live) Info() *physics.Info { return l.info }

// Step makes one increment towards the target.
func (l *Live) Step(in physics.Input) physics.Report {
	l.Deadline(in.Deadline)
	if in.Placed && in.Target.Proper() {
		b := l.bodies[l.driven]
		b.place(in.Target)
		b.restart()
	}
	l.grasp.asked = in.Grasp
	l.Hang(in.Coupling)
	target := in.Target
	if l.held.spring.Stiffness > 0 {
		target = in.Hand
	}
	reached := l.World.Step(target)
	if l.dump.Step() {
		l.dump.Take(l.Problem())
	}
	l.shadow.offer(l.World)
	r := physics.Report{Reached: reached, Stylus: l.Pose(), Total: l.last.timing.Total}
	r.Force, r.Torque = l.given()
	t := &l.last.timing
	r.Phases = [physics.MaxPhases]time.Duration{t.Collision, t.Free, t.Assemble, t.Contact, t.Displacement}
	return r
}

// Local is the contact problem of the last step.
func (l *Live) Local(m *local.Model) {
	m.Field.On = false
	l.Model(m)
	l.grasp.Feel(m, l.Pose())
}

// given is what contacts and grasp give the stylus.
func (l *Live) given() (force, torque mgl64.Vec3) {
	force, torque = l.Force()
	f, t := l.grasp.Reaction(l.Pose())
	return force.Add(f), torque.Add(t)
}

// Reset puts every body back into its undeformed place.
func (l *Live) Reset() {
	l.World.Reset()
	l.shadow.forget()
}

// Close gives up what was begun for display and nobody will see, and frees the factors. Beside a preparation that was
// given up and still computes, its finalizer frees a factor instead.
func (l *Live) Close() error {
	for _, b := range l.bodies {
		if s := b.flexibility.factor; s != nil {
			s.close(!l.helped)
		}
	}
	return nil
}

// Start begins what goes on beside the steps.
func (l *Live) Start(ctx context.Context) (wait func()) {
	l.context, l.helped = ctx, true
	var helpers failsafe.Group
	helpers.Go(func() { l.stress.serve(ctx, strainer()) })
	helpers.Go(func() { l.shadow.serve(ctx, new(shadowHand).solve) })
	helpers.Go(func() { l.shapes.serve(ctx, shaper()) })
	return func() {
		l.preparing.wait()
		helpers.Wait()
	}
}

// Between takes over what has been prepared.
func (l *Live) Between(stepping bool) { l.preparing.advance(l.context, l.World, stepping) }

// Draw fills a frame.
func (l *Live) Draw(f *physics.Frame) {
	w, s := l.World, &l.snap
	f.Resize(l.info)
	w.params.Field, w.params.Curve = f.Want.Field, f.Want.Series
	s.Frame = *f
	if l.shapes.exchange(w, s) {
		w.fillContacts(s)
	} else {
		w.Snapshot(s)
	}
	s.Progress = 1
	l.preparing.tell(w, s)
	l.stress.exchange(w, s)
	if !l.helped && w.params.Field != 0 {
		w.fieldNow(s)
	}
	l.shadow.collect(w, s)
	if l.drawn != nil {
		l.drawn(s)
	}

	s.Show(&w.params)
	*f = s.Frame
	f.Softest = 0
	for i, b := range w.bodies {
		if e := w.params.Bodies[i].Young; !b.info.Rigid && e > 0 && (f.Softest == 0 || e < f.Softest) {
			f.Softest = e
		}
	}
	force, torque := w.grasp.Reaction(f.Stylus)
	f.Force, f.Torque = f.Force.Add(force), f.Torque.Add(torque)
	w.grasp.Draw(f)
}

// beyondLinear is the compression of the surface from which another law of the body is
// suggested: linear elasticity is honest to a third of it.
const beyondLinear = 0.3

// Show makes the frame's numbers, jobs and curves of what comes with it.
func (s *Snapshot) Show(p *Params) {
	f := &s.Frame
	for i := range numbers {
		f.Numbers[i] = numbers[i].of(p, s)
	}
	for i := range s.Preparing {
		f.Jobs = append(f.Jobs, s.Preparing[i].job())
	}
	if len(s.Contacts) > 0 && !s.Stats.Solve.Converged {
		f.Status = "not converged"
	} else if s.Stats.Compression > beyondLinear || s.Field == beyondField && s.Beyond > 0 {
		f.Status = "beyond a linear body: try scene liver"
	}
	if len(f.Series) != 2 {
		f.Series = make([]physics.Series, 2)
	}
	fillSeries(&f.Series[0], &s.Curve)
	fillSeries(&f.Series[1], &s.Shadow.Curve)
}

// fillSeries copies a convergence curve.
func fillSeries(to *physics.Series, c *Curve) {
	m := &measures[c.Measure]
	to.Values, to.Goal, to.Label, to.Unit = append(to.Values[:0], c.Values...), c.Goal, m.name, m.unit
}

// job is what the window tells of a preparation.
func (p *Preparation) job() physics.Job {
	j := physics.Job{Title: p.Body, What: p.What, Plan: p.Plan, Fraction: p.Fraction, Failed: p.Failed}
	if p.Failed {
		j.What = "It cannot be touched: " + p.What
	}
	switch p.Ready {
	case Untouchable:
		j.Note = "It cannot be touched yet"
	case Inside:
		j.Note = "The stylus is inside: lift it out to touch it"
	case Coarse:
		j.Note = "Forces are approximate away from the stylus"
	}
	return j
}

// Account is a step's row in a table.
func (l *Live) Account(costly bool) []physics.Entry {
	w := l.World
	st := w.Stats()
	hand := &l.hand
	if hand.Capacity() == 0 {
		local.Make(hand, 0)
	}
	w.Model(hand)
	felt, _ := hand.Resultant(hand.R)
	probes := map[string][3]float64{}
	for _, p := range w.scene.Probes {
		if u, ok := w.Probe(p.Name); ok {
			probes[p.Name] = u
		}
	}
	cone, lag, off := w.Coulomb()
	inverted, beyond, strain := 0, 0, 0.0
	if costly {
		inverted, beyond, strain = w.Strains()
	}
	return []physics.Entry{
		{Name: "r_norm_N", Value: w.RNorm(), Column: "r_norm_N"},
		{Name: "sticking", Value: st.Stick, Column: "sticking", Short: "stick"},
		{Name: "sliding", Value: st.Slip, Column: "sliding", Short: "slip"},
		{Name: "open", Value: st.Open, Column: "open", Short: "open"},
		{Name: "penetration_m", Value: st.Penetration, Column: "penetration_mm", Scale: 1e3},
		{Name: "reduction_m", Value: st.Reduction}, // the same over contacts that contact.reduction left out
		{Name: "felt_N", Value: [3]float64(felt)},  // resultant of the contact model that the hand is given
		{Name: "hand_left_out", Value: hand.Extra}, // contacts of the stylus that model has no room for ...
		{Name: "hand_lumped", Value: hand.Lumped},  // ... and those of them that are loaded: felt as one
		{Name: "probes_m", Value: probes},          //
		{Name: "iterations", Value: st.Solve.Iterations, Column: "iterations", Short: "iter"},
		{Name: "error", Value: finite(st.Solve.RelativeChange), Column: "relative_change", Short: "error", Format: "%.1e"},
		{Name: "natural_map_error", Value: finite(st.Solve.NaturalError), Column: "natural_map_error"},
		{Name: "scaled_error", Value: finite(st.Solve.ScaledError)},
		{Name: "converged", Value: st.Solve.Converged},
		{Name: "late", Value: st.Late}, // contact.deadline ended the solve
		{Name: "rho_min_N_per_m", Value: finite(w.RhoMin()), Column: "rho_min_N_per_m"},
		// What linear elasticity makes of the bodies: elements turned over inside, those
		// strained beyond what it is honest for, the largest principal strain, triangles held at contact.strain_limit, and how
		// often a tool that was pulled has been let go since the start.
		{Name: "inverted_elements", Value: inverted},
		{Name: "beyond_linear", Value: beyond},
		{Name: "largest_strain", Value: strain},
		{Name: "cone_violation", Value: cone},
		{Name: "friction_lag", Value: lag},
		{Name: "coulomb_error", Value: finite(off)},
		{Name: "strain_limited", Value: st.Limited},
		{Name: "released", Value: st.Released},
	}
}

// finite makes a number that JSON can hold; -1 stands for none.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return -1
	}
	return x
}

// background works on the newest of the orders that the steps give, on a goroutine of its own: what is for the eye
// only, and what a step must not wait for. Orders and results are newest values; nobody waits for anybody.
type background[Order, Result any] struct {
	orders  *latest.Box[Order]
	results *latest.Box[Result]
	wake    chan struct{}
	busy    atomic.Bool // from an order until its result is there
}

// init makes orders and results ready, each by a function that may be nil.
func (b *background[Order, Result]) init(order func(*Order), result func(*Result)) {
	b.orders, b.results = latest.New(order), latest.New(result)
	b.wake = make(chan struct{}, 1)
}

// post sends the order that lies in orders.Back. Physics goroutine.
func (b *background[Order, Result]) post() {
	b.busy.Store(true)
	b.orders.Publish()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// serve works on orders until ctx ends. A result counts if work is true.
func (b *background[Order, Result]) serve(ctx context.Context, work func(*Order, *Result) bool) {
	if b.orders == nil { // there is nothing to do in this world
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		}
		if order, newer := b.orders.Get(); newer {
			if work(order, b.results.Back()) {
				b.results.Publish()
			}
			b.busy.Store(false)
		}
	}
}

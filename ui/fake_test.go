package ui

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics"
	scenefile "hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

// fakeSession is a slab of springs under a ball: enough physics for the window
// to have something to show, with no loops of its own. It steps when asked for
// a snapshot.
type fakeSession struct {
	title     string
	controls  []string
	question  setting.Question
	info      *physics.Info
	params    tissue.Params
	keys      []physics.Key
	paused    bool
	snap      tissue.Snapshot
	slab      []mgl64.Vec3
	ball      []mgl64.Vec3
	hand      mgl64.Vec3
	tip       mgl64.Vec3
	spring    float64
	turn      mgl64.Quat
	clutched  bool
	start     time.Time
	last      time.Time
	closed    atomic.Bool
	resets    int
	grasp     physics.Grasp
	fixed     bool // nothing of it can be held
	steps     int  // asked for while paused
	sets      int  // of parameters
	message   string
	progress  float64
	residue   float64 // N, of a contact that is not there
	mouseless bool    // a device with motors holds the stylus
	servo     fakeServo
}

const (
	slabX, slabZ  = 0.20, 0.14
	slabHigh      = 0.05
	ballRadius    = 0.012
	slabStiffness = 180.0 // N/m under the whole ball
)

func newFake(title string) *fakeSession {
	s := &fakeSession{title: title, spring: 300, hand: mgl64.Vec3{0, 0.04, 0}, tip: mgl64.Vec3{0, 0.04, 0}, start: time.Now(), last: time.Now()}
	const nx, nz = 40, 28
	node := func(i, k, layer int) int32 { return int32((layer*(nz+1)+k)*(nx+1) + i) }
	var tris [][3]int32
	quad := func(a, b, c, d int32) { tris = append(tris, [3]int32{a, b, c}, [3]int32{a, c, d}) }
	for layer := range 2 {
		for k := range nz + 1 {
			for i := range nx + 1 {
				s.slab = append(s.slab, mgl64.Vec3{slabX * (float64(i)/nx - 0.5), -slabHigh * float64(layer), slabZ * (float64(k)/nz - 0.5)})
			}
		}
	}
	for k := range nz {
		for i := range nx {
			quad(node(i, k, 0), node(i, k+1, 0), node(i+1, k+1, 0), node(i+1, k, 0))
			quad(node(i, k, 1), node(i+1, k, 1), node(i+1, k+1, 1), node(i, k+1, 1))
		}
	}
	for i := range nx {
		quad(node(i, 0, 0), node(i+1, 0, 0), node(i+1, 0, 1), node(i, 0, 1))
		quad(node(i, nz, 0), node(i, nz, 1), node(i+1, nz, 1), node(i+1, nz, 0))
	}
	for k := range nz {
		quad(node(0, k, 0), node(0, k, 1), node(0, k+1, 1), node(0, k+1, 0))
		quad(node(nx, k, 0), node(nx, k+1, 0), node(nx, k+1, 1), node(nx, k, 1))
	}
	fixed := make([]bool, len(s.slab))
	for i := len(fixed) / 2; i < len(fixed); i++ {
		fixed[i] = i%3 == 0
	}
	var ballTris [][3]int32
	const rings, around = 12, 20
	for r := range rings + 1 {
		for j := range around {
			th, ph := math.Pi*float64(r)/rings, 2*math.Pi*float64(j)/around
			s.ball = append(s.ball, mgl64.Vec3{math.Sin(th) * math.Cos(ph), math.Cos(th), math.Sin(th) * math.Sin(ph)}.Mul(ballRadius))
		}
	}
	for r := range rings {
		for j := range around {
			a, b := int32(r*around+j), int32(r*around+(j+1)%around)
			ballTris = append(ballTris, [3]int32{a, b + around, a + around}, [3]int32{a, b, b + around})
		}
	}
	s.info = tissue.Describe()
	s.info.Surfaces = []physics.SurfaceInfo{
		{Name: "probe", Material: "steel", Driven: true, Rigid: true, Triangles: ballTris, Fixed: make([]bool, len(s.ball)), Color: mgl64.Vec3{0.75, 0.77, 0.80}},
		{Name: "liver", Material: "tissue", Triangles: tris, Fixed: fixed, Color: mgl64.Vec3{0.62, 0.26, 0.22}},
	}
	c := scenefile.Default().Contact
	c.Tolerance, c.MaxIterations, c.UzawaError, c.DDCTolerance = 1e-4, 5000, 1e-5, 5e-3
	s.params = tissue.Params{
		Friction: 0.3, Contact: c,
		Bodies: []tissue.BodyParams{{Young: 2e11, Poisson: 0.3}, {Young: 20e3, Poisson: 0.4}},
	}
	s.keys = tissue.KeysOf([]string{"", "liver"}, s.params, func() *tissue.Params { return &s.params }, func(p tissue.Params) error {
		s.params = p
		return nil
	})
	s.servo.start()
	s.snap.Surfaces = []physics.Surface{{Vertices: append([]mgl64.Vec3(nil), s.ball...)}, {Vertices: append([]mgl64.Vec3(nil), s.slab...)}}
	s.step()
	return s
}

// over tells whether the ball is over the slab.
func (s *fakeSession) over() bool {
	return math.Abs(s.hand[0]) < slabX/2 && math.Abs(s.hand[2]) < slabZ/2
}

// step puts the ball where spring and slab balance.
func (s *fakeSession) step() {
	n := &s.snap
	n.Resize(s.info)
	n.Step++
	s.snap.When = time.Since(s.start)
	if !s.clutched {
		s.tip = s.hand
		if pen := ballRadius - s.hand[1]; pen > 0 && s.over() {
			s.tip[1] = s.hand[1] + pen*slabStiffness/(slabStiffness+s.spring)
		}
	}
	n.Stylus, n.Target = frame.At(s.tip), frame.At(s.hand)
	for i, p := range s.ball {
		n.Surfaces[0].Vertices[i] = p.Add(s.tip)
	}
	depth := ballRadius - s.tip[1]
	if !s.over() {
		depth = min(depth, 0)
	}
	n.Contacts, n.Force = n.Contacts[:0], mgl64.Vec3{}
	n.Surfaces[1].Scalar = n.Surfaces[1].Scalar[:0]
	for i, p := range s.slab {
		d := math.Hypot(p[0]-s.tip[0], p[2]-s.tip[2])
		shape := 1 / (1 + math.Pow(d/0.02, 2))
		if p[1] < 0 {
			shape = 0
		}
		n.Surfaces[1].Vertices[i] = p
		if depth > 0 {
			dent := min(0, max(-depth*shape, -depth))
			n.Surfaces[1].Vertices[i][1] += dent
		}
		if s.params.Field != 0 {
			n.Surfaces[1].Scalar = append(n.Surfaces[1].Scalar, 4000*shape*max(depth, 0)/0.01)
		}
	}
	n.Stats = tissue.Stats{}
	total := 0.0
	for i, p := range s.ball {
		gap := n.Surfaces[0].Vertices[i][1] + max(depth, 0)*0.6
		if !s.over() || p[1] > -0.3*ballRadius || gap > s.params.DDCTolerance {
			continue
		}
		c := physics.Contact{ID: uint64(i) + 1, Node: int32(i), P: n.Surfaces[0].Vertices[i], N: p.Mul(-1 / ballRadius), Mu: s.params.Friction}
		c.Q, c.T1 = c.P, mgl64.Vec3{1, 0, 0}
		c.T2 = c.N.Cross(c.T1).Normalize()
		c.T1 = c.T2.Cross(c.N).Normalize()
		c.X = [3]float64{gap, 2e-5, 0}
		if gap < 0 {
			c.Status = contact.Stick
			c.R = [3]float64{-gap, -0.2 * c.Mu * gap, 0}
			if p[0] > 0.4*ballRadius {
				c.Status = contact.Slip
				c.R[1] = -c.Mu * gap
			}
			c.X[0] = 0
			total += c.R[0]
		}
		n.Contacts = append(n.Contacts, c)
	}
	scale := 0.0
	if depth > 0 && total > 0 {
		scale = slabStiffness * depth / total
	}
	for i := range n.Contacts {
		c := &n.Contacts[i]
		for k := range c.R {
			c.R[k] *= scale
		}
		c.Force = c.N.Mul(c.R[0]).Add(c.T1.Mul(c.R[1])).Add(c.T2.Mul(c.R[2]))
		n.Force = n.Force.Add(c.Force)
		switch c.Status {
		case contact.Open:
			n.Stats.Open++
		case contact.Stick:
			n.Stats.Stick++
		case contact.Slip:
			n.Stats.Slip++
		}
	}
	if s.residue > 0 {
		up := mgl64.Vec3{0, s.residue, 0}
		n.Contacts = append(n.Contacts, physics.Contact{ID: 999, Status: contact.Stick, P: s.tip, N: mgl64.Vec3{0, 1, 0}, T1: mgl64.Vec3{1, 0, 0}, T2: mgl64.Vec3{0, 0, -1}, Force: up, R: [3]float64{s.residue}})
		n.Force = n.Force.Add(up)
	}
	k := float64(len(n.Contacts))
	wave := 1 + 0.3*math.Sin(3*s.snap.When.Seconds())
	n.Stats.Solve = contact.Result{Iterations: int(4 * k * wave), Converged: true, RelativeChange: 0.8e-4 * wave, NaturalError: 3e-5 * wave, ScaledError: 4e-6 * wave, RhoMin: 118}
	us := func(v float64) time.Duration { return time.Duration(v * float64(time.Microsecond)) }
	n.Stats.Timing = tissue.Timing{Collision: us(120), Free: us(30 * wave), Assemble: us(20 + 2*k), Contact: us(15 + 9*k*wave), Displacement: us(60)}
	n.Message, n.Progress = s.message, s.progress
	s.compare(wave)
	s.show()
}

// show makes a frame of what there is.
func (s *fakeSession) show() {
	f, n := &s.snap.Frame, &s.snap
	n.Show(&s.params)
	f.Field, f.RateHz, f.Softest = s.params.Field, 812, s.params.Bodies[1].Young
	t := &n.Stats.Timing
	if s.grasp.Number != 0 && !s.fixed {
		f.Held = physics.Held{On: true, At: s.grasp.At, To: s.hand, Force: s.hand.Sub(s.grasp.At)}
	}
	f.Mean.Phases = [physics.MaxPhases]time.Duration{t.Collision, t.Free, t.Assemble, t.Contact, t.Displacement}
}

// compare fakes convergence curves and a second solver that is slower and a
// little off.
func (s *fakeSession) compare(wave float64) {
	n := &s.snap
	fall := func(values []float64, iterations int) []float64 {
		values = values[:0]
		for k := range iterations {
			values = append(values, 0.5*math.Pow(1e-4*wave, float64(k+1)/float64(iterations)))
		}
		return values
	}
	first := &n.Stats.Solve
	first.Elapsed = n.Stats.Timing.Contact
	n.Curve.Values, n.Curve.Goal = n.Curve.Values[:0], s.params.Tolerance
	values := n.Shadow.Curve.Values[:0]
	n.Shadow = tissue.Shadow{Solver: s.params.Shadow}
	if s.params.Curve {
		n.Curve.Values = fall(n.Curve.Values, first.Iterations)
	}
	if s.params.Shadow != "" {
		second := *first
		second.Iterations, second.Elapsed = 7*first.Iterations, 9*first.Elapsed
		second.RelativeChange, second.NaturalError, second.ScaledError = 0.9*first.RelativeChange, 20*first.NaturalError, 50*first.ScaledError
		counts := [3]int{n.Stats.Open, n.Stats.Stick, n.Stats.Slip}
		n.Shadow.Step, n.Shadow.Contacts, n.Shadow.Solved = n.Step, len(n.Contacts), n.Step
		n.Shadow.First, n.Shadow.FirstForce, n.Shadow.FirstStatuses = *first, n.Force, counts
		n.Shadow.Result, n.Shadow.Force, n.Shadow.Statuses = second, n.Force.Mul(1.04), counts
		n.Shadow.ForceDifference, n.Shadow.Difference = 0.04, 0.07
		if s.params.Curve {
			values = fall(values, second.Iterations)
			n.Shadow.Curve.Goal = s.params.Tolerance
		}
	}
	n.Shadow.Curve.Values = values
	for i := range n.Contacts {
		n.Contacts[i].Residual = [3]float64{1e-5, 2e-6, 0}
	}
}

func (s *fakeSession) Title() string { return s.title }
func (s *fakeSession) Common() *setting.Setting {
	c := setting.Default()
	c.Controls, c.Question = s.controls, s.question
	c.Paths = []setting.Path{{Name: "sliding", Moves: []setting.Move{{Direction: mgl64.Vec3{0, -1, 0}, Steps: 30, Step: 1e-3}, {Direction: mgl64.Vec3{1, 0, 0}, Steps: 20, Step: 1e-3}}}}
	return &c
}
func (s *fakeSession) Info() *physics.Info { return s.info }
func (s *fakeSession) View() View {
	return View{Eye: mgl64.Vec3{0.17, 0.17, 0.30}, Target: mgl64.Vec3{0, -0.005, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6}
}
func (s *fakeSession) Seen() (*physics.Frame, bool) {
	if s.paused || time.Since(s.last) < 2*time.Millisecond {
		return &s.snap.Frame, false
	}
	s.last = time.Now()
	s.step()
	return &s.snap.Frame, true
}
func (s *fakeSession) Keys() []physics.Key      { return s.keys }
func (s *fakeSession) Pause(on bool)            { s.paused = on }
func (s *fakeSession) SetGrasp(g physics.Grasp) { s.grasp = g }
func (s *fakeSession) Stalled() time.Duration   { return 0 }
func (s *fakeSession) SetWant(w physics.Want)   { s.params.Field, s.params.Curve = w.Field, w.Series }
func (s *fakeSession) SetValues(v []float64) {
	for i, k := range s.keys {
		if k.Settable() && k.Get() != v[i] {
			_ = k.Set(v[i])
		}
	}
	s.sets++
}
func (s *fakeSession) StepOnce()     { s.steps++; s.step() }
func (s *fakeSession) ResetObjects() { s.resets++ }
func (s *fakeSession) Haptics() HapticsStatus {
	raw := s.snap.Force
	sent := raw.Mul(s.servo.Params().Reducer)
	if l := sent.Len(); l > s.servo.Params().MaxForce {
		sent = sent.Mul(s.servo.Params().MaxForce / l)
	}
	h := HapticsStatus{Stats: haptics.Stats{Device: "mouse", Rate: 998, Target: 1000, Force: sent, Raw: raw}}
	s.servo.fill(&h, s.mouseless)
	return h
}
func (s *fakeSession) Pointer() Pointer {
	if s.mouseless {
		return nil
	}
	return s
}
func (s *fakeSession) SetHand(p mgl64.Vec3) { s.hand = p }
func (s *fakeSession) Hand() mgl64.Vec3     { return s.hand }
func (s *fakeSession) Rotation() mgl64.Quat {
	if s.turn.W == 0 && s.turn.V.Len() == 0 {
		return mgl64.QuatIdent()
	}
	return s.turn
}
func (s *fakeSession) SetRotation(q mgl64.Quat) { s.turn = q }
func (s *fakeSession) SetClutch(open bool)      { s.clutched = open }
func (s *fakeSession) Stiffness() float64       { return s.spring }
func (s *fakeSession) SetStiffness(k float64)   { s.spring = k }
func (s *fakeSession) Close() error             { s.closed.Store(true); return nil }
func (s *fakeSession) Closed() bool             { return s.closed.Load() }

var fakeScenes = []Scene{
	{Name: "liver", Title: "Liver", Group: "tissue", About: "A liver on a table: press it, drag over it."},
	{Name: "bench-a-36", Title: "Bench A", Group: "thesis", About: "The thesis's bench A: two blocks, 36 contacts."},
	{Name: "bench-b-66", Title: "Bench B", Group: "thesis", About: "The thesis's bench B: 66 contacts."},
}

// fakeOpener hands out fakes and remembers them.
type fakeOpener struct {
	opened []*fakeSession
	delay  time.Duration
	fail   map[string]error
	adjust func(*fakeSession)
}

func (o *fakeOpener) open(ctx context.Context, scene string, progress func(float64, string)) (Session, error) {
	steps := 10
	for i := range steps {
		progress(float64(i)/float64(steps), "compliance of the surface")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(o.delay / time.Duration(steps)):
		}
	}
	if err := o.fail[scene]; err != nil {
		return nil, err
	}
	s := newFake(scene)
	if o.adjust != nil {
		o.adjust(s)
	}
	o.opened = append(o.opened, s)
	return s, nil
}

package grain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// live is a grain world behind the seam.
type live struct {
	scene SceneFile // as it was opened
	now   SceneFile // with the live parameters
	info  *physics.Info
	world *World
	tool  *Posed
	which int // obstacle that the tool is
	stops stops

	pose   frame.Pose
	steps  uint64
	grasp  uint32       // number of the last
	end    mgl64.Vec3   // of its spring, in the tool's frame, m
	force  mgl64.Vec3   // of the grains on the tool, mean over the last step, N
	torque mgl64.Vec3   // the same about the stylus's origin, N m
	toolAt []mgl64.Vec3 // the tool's surface about the stylus
	lines  []physics.Line

	felt  local.Field // what Local said last
	at    frame.Pose  // where
	fresh float64     // s since
	peak  float64     // largest force since the tool was last left in peace, N

	due  float64 // grains that the source owes
	made int     // grains since the start
	dice *rand.PCG

	gone int // grains that have left

	audit audit
	seen  seen
}

// Open makes the world.
func (s *SceneFile) Open(ctx context.Context, _ physics.Options) (physics.World, []string, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for f, path := range s.forms() {
		if f.Unit == "" {
			f.Unit = s.Units.Length
		}
		if err := f.load(); err != nil {
			return nil, nil, fmt.Errorf("scene: %s: %s.mesh: %w", s.Name, path, err)
		}
	}
	l := &live{scene: *s, now: *s}
	if err := l.open(); err != nil {
		return nil, nil, err
	}
	l.describe()
	return l, nil, nil
}

// grain is the one with a number. Radii differ by a fixed sequence without a pattern, so
// that a scene is the same each time.
func (s *SceneFile) grain(i int, at mgl64.Vec3) Grain {
	vary := 1 + s.Spread*(2*math.Mod(float64(i+1)*math.Phi, 1)-1)
	return Grain{Radius: s.Radius * vary, Density: s.Density, Position: at}
}

// config is what of the scene may change while the world runs.
func (s *SceneFile) config() Config {
	c := Config{
		Step: s.Step, Gravity: mgl64.Vec3{0, -s.Gravity, 0}, Fluid: s.Fluid,
		Interaction: Interaction{Sigma: s.sigma(), Epsilon: s.Epsilon, Shifted: s.Model.Shifted, Core: s.Model.Core},
		Buoyancy:    s.Model.Buoyancy, Drag: s.Model.Drag, Solid: true,
	}
	if c.Step == 0 { // of the grains that there may be: the smallest and the largest
		for _, share := range [2]float64{1 - s.Spread, 1 + s.Spread} {
			c.Grains = append(c.Grains, Grain{Radius: s.Radius * share, Density: s.Density, Velocity: mgl64.Vec3{0, -s.Source.Speed, 0}})
		}
		c.Step = c.StableStep()
		c.Grains = nil
	}
	lightest := s.Radius * (1 - s.Spread)
	c.Step = min(c.Step/float64(s.Substeps), c.longestStep(lightest, s.Density))
	c.Interaction.Limit = c.Interaction.StableLimit(c.Step, sphere(lightest)*s.Density)
	return c
}

// open builds the engine's world anew.
func (l *live) open() error {
	s := &l.now
	c := s.config()
	c.Room = max(s.Number, s.Source.Most)
	c.Threads = 1 + c.Room/fewGrains // the window and the hand want processors, too
	if err := CheckNumber(c.Room); err != nil {
		return err
	}
	for i, at := range s.places() {
		c.Grains = append(c.Grains, s.grain(i, at))
	}
	l.lines = l.lines[:0]
	for _, q := range s.Container.walls() {
		c.Obstacles = append(c.Obstacles, q.shape())
		corners := [4]mgl64.Vec3{q.corner, q.corner.Add(q.a), q.corner.Add(q.a).Add(q.b), q.corner.Add(q.b)}
		for k := range corners {
			l.lines = append(l.lines, physics.Line{A: corners[k], B: corners[(k+1)%4], Color: mgl64.Vec3{0.55, 0.60, 0.68}})
		}
	}
	for i := range s.Obstacles {
		c.Obstacles = append(c.Obstacles, posed(s.Obstacles[i].shape(), s.Obstacles[i].Pose))
	}
	l.which, l.tool = len(c.Obstacles), posed(s.Tool.shape(), frame.At(s.ToolAt))
	c.Obstacles = append(c.Obstacles, l.tool)
	if c.Step <= 0 {
		return errors.New("grain: there is no stable time step (cure: step = a time in s)")
	}
	w, err := New(c)
	if err != nil {
		return err
	}
	l.world = w
	w.mover.obstacle, w.mover.slack = l.which, toolSlack*w.model.Sigma
	w.forget() // the lists know no moving tool yet
	l.stops = stopsOf(&s.Tool, w.model.Sigma, c.Obstacles[:l.which], frame.At(s.ToolAt))
	l.pose, l.force, l.torque = frame.At(s.ToolAt), mgl64.Vec3{}, mgl64.Vec3{}
	l.felt, l.at, l.fresh, l.peak = local.Field{}, l.pose, 0, 0
	l.audit.on = false
	l.due, l.made, l.dice = 0, w.N(), rand.NewPCG(1, 2)
	l.seen.reset(c.Room)
	return nil
}

func (l *live) Info() *physics.Info { return l.info }

// OwnStep is the engine's step, s.
func (l *live) OwnStep() float64 { return l.world.Dt() }

// Step lets the grains move for a time, and the tool go to its target in it.
func (l *live) Step(in physics.Input) (r physics.Report) {
	w := l.world
	n := 0
	if in.Dt > 0 && !math.IsInf(in.Dt, 0) {
		n = int(min(in.Dt/w.Dt()+roundedUp, 1<<40))
	}
	to := in.Target
	if !to.Proper() {
		to = l.pose
	}
	l.take(&in.Grasp)
	before := w.impulse.obstacle[l.which]
	done := 0
	p := l.path(to, n)
	for ; done < n && (done == 0 || !in.Deadline.Late(0)); done++ {
		judged := l.audit.on && done == 0 && w.grip.grain == 0
		if judged {
			l.audit.begin(l)
		}
		l.advance(&p, n-done)
		w.grip.to = l.pose.Point(l.end)
		l.bring(w.Dt())
		judged = judged && l.audit.ready(l)
		w.Step(1)
		if judged {
			l.audit.end(w)
		}
		if w.listing.stale { // till then nobody has come far
			l.vanish()
		}
	}
	if n > 0 {
		r.Advanced = float64(done) * w.Dt()
		after, t := &w.impulse.obstacle[l.which], -1/r.Advanced
		l.force = after.force.value().Sub(before.force.value()).Mul(t)
		l.torque = after.moment.value().Sub(before.moment.value()).Mul(t).Sub(l.pose.Position.Cross(l.force))
		l.fresh += r.Advanced
	}
	l.steps++
	r.Force, r.Torque = l.force, l.torque
	r.Reached = l.pose == in.Target
	return r
}

// vanish removes the grains that have left the box to keep, and those whose place is no
// number, or is not exact any more.
func (l *live) vanish() {
	w, low, up := l.world, l.now.KeepLow, l.now.KeepUp
	for k, most := 0, farthest*l.world.model.Sigma; k < 3; k++ {
		low[k], up[k] = max(low[k], -most), min(up[k], most)
	}
	for i := w.N() - 1; i >= 0; i-- {
		p := w.pos[4*i : 4*i+3]
		if !(p[0] >= low[0] && p[0] <= up[0] && p[1] >= low[1] && p[1] <= up[1] && p[2] >= low[2] && p[2] <= up[2]) {
			w.Remove(int(w.id[i]))
			l.gone++
		}
	}
}

// crowd is how many grains the source has room for at once: more need not be tried.
func (s *SceneFile) crowd() float64 {
	box, n := s.Source.Up.Sub(s.Source.Low), 1.0
	for _, side := range box {
		n *= 1 + max(0, side)/(2*s.Radius)
	}
	return 1 + min(n, float64(s.Source.Most))
}

// bring makes the grains that are due after so many seconds. They come a few at a time,
// since each time neighbours are listed anew.
func (l *live) bring(seconds float64) {
	s := &l.now.Source
	gap := comeEvery * l.world.Dt()
	l.due = min(l.due+s.Rate*seconds, 1+s.Rate*gap*comeLate, l.now.crowd())
	if l.due < max(1, min(s.Rate*gap, l.now.crowd())) {
		return
	}
	for ; l.due >= 1; l.due-- {
		if l.world.N() >= s.Most {
			continue
		}
		at := s.Low
		for k := range at {
			at[k] += (s.Up[k] - s.Low[k]) * float64(l.dice.Uint64()>>11) / (1 << 53)
		}
		g := l.now.grain(l.made, at)
		g.Velocity[1] = -s.Speed
		if ok, err := l.world.Add(g); ok && err == nil {
			l.made++
		}
	}
}

// Local is the force field about the tool: the force of the grains, and how it grows where grains that repel the tool
// are pressed further; and the contacts with what holds the tool. The force goes on from what the last field says of
// the tool's new pose, so that the hand feels no jump, and follows the mean force of the steps.
func (l *live) Local(m *local.Model) {
	m.Origin, m.Rotation = l.pose.Position, l.pose.Rotation
	l.stops.fill(m, l.pose, l.now.Device.Stiffness)
	m.Field = local.Field{On: true}
	for i, x := range l.expected() {
		mean := l.force[i%3]
		if i >= 3 {
			mean = l.torque[i%3]
		}
		m.Field.Force[i] = mean + (x-mean)*math.Exp(-l.fresh/settle)
	}
	size := mgl64.Vec3(m.Field.Force[:3]).Len()
	if l.peak = max(l.peak, size); size < faint*l.peak && l.force == (mgl64.Vec3{}) {
		m.Field.Force, l.peak = [6]float64{}, 0
	}
	l.stiffness(&m.Field.K)
	l.spring(&m.Field)
	m.Field.On = m.Field != (local.Field{On: true}) // of nothing there is no field: nothing is touched
	l.felt, l.at, l.fresh = m.Field, l.pose, 0
}

// expected is the force that the last field gives at the present pose. It changes by no
// more than there was or is: farther off the field says nothing.
func (l *live) expected() (f [6]float64) {
	d := (&local.Model{Origin: l.at.Position, Rotation: l.at.Rotation}).Displacement(l.pose.Position, l.pose.Rotation)
	f = l.felt.Force
	var change [6]float64
	for i := range 6 {
		for j, x := range d {
			change[i] -= l.felt.K[6*i+j] * x
		}
	}
	size := mgl64.Vec3(change[:3]).Len()
	most := max(mgl64.Vec3(f[:3]).Len(), l.force.Len())
	share := 1.0
	if size > most {
		share = most / size
	}
	for i, x := range change {
		f[i] += share * x
	}
	return f
}

// stiffness adds that of the grains that are pressed against the tool.
func (l *live) stiffness(k *[36]float64) {
	w := l.world
	for i := range w.near(l.which) {
		p := mgl64.Vec3(w.pos[4*i:][:3])
		q, ok := l.tool.Closest(p)
		e := p.Sub(q)
		gap := e.Len()
		if !ok || !(gap > 0 && gap < CutOff*w.model.Sigma) {
			continue
		}
		slope := 2 * w.model.Slope(gap)
		if !(slope > 0) { // pulls the less the farther: no spring
			continue
		}
		n := e.Mul(1 / gap)
		t := q.Sub(l.pose.Position).Cross(n)
		row := [6]float64{n[0], n[1], n[2], t[0], t[1], t[2]}
		for r, x := range row {
			for c, y := range row {
				k[6*r+c] += slope * x * y
			}
		}
	}
}

func (l *live) Keys() []physics.Key {
	return physics.KeysOf(ownFields, &l.now, "", "Grains", func(name string) error {
		if name == "show.color" || name == "source.rate" {
			return nil
		}
		if err := l.now.check(); err != nil {
			return err
		}
		l.audit.on = false
		return l.world.Change(l.now.config())
	})
}

// Sample is the state of the grains.
func (l *live) Sample() []physics.Entry {
	w := l.world
	sums := w.Sums()
	positions := make([]mgl64.Vec3, w.N())
	for i := range positions {
		positions[i] = w.Position(i)
	}
	r := w.Report()
	return []physics.Entry{
		{Name: "tool_m", Value: l.pose.Position},
		{Name: "tool_force_N", Value: l.force},
		{Name: "tool_torque_Nm", Value: l.torque},
		{Name: "grains", Value: w.N(), Short: "grains"},
		{Name: "centroid_m", Value: sums.Centroid},
		{Name: "height_m", Value: sums.Centroid[1], Short: "height m", Format: "%.5f"},
		{Name: "momentum_kg_m_s", Value: sums.Momentum},
		{Name: "momentum_left_over_kg_m_s", Value: w.residual(sums.Momentum)},
		{Name: "kinetic_J", Value: sums.Kinetic, Short: "kinetic J", Format: "%.3e"},
		{Name: "potential_J", Value: sums.Potential, Short: "potential J", Format: "%.3e"},
		{Name: "dissipated_J", Value: w.Dissipated(), Short: "dissipated J", Format: "%.3e"},
		{Name: "core", Value: r.Core, Short: "pressed"},
		{Name: "near_bound", Value: r.Near, Short: "near bound"},
		{Name: "lost", Value: r.Lost},
		{Name: "positions_m", Value: positions},
	}
}

// Reset puts every grain back to where it started.
func (l *live) Reset() {
	old := l.world
	if err := l.open(); err != nil {
		panic("grain: a scene that was opened cannot be opened again: " + err.Error())
	}
	old.Close()
}

// Close ends the engine's goroutines.
func (l *live) Close() error {
	l.world.Close()
	return nil
}

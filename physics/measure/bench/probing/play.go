package probing

import (
	"context"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// PlayOptions say how scripts are played.
type PlayOptions struct {
	Device func() Device        // makes what a hand feels through; nil: none
	Clock  func() time.Duration // processor time of this thread; nil: none
	Steps  int                  // of the world in a script, at most; 0: no limit
}

// play is a script under way.
type play struct {
	s       *Stage
	o       *PlayOptions
	v       *Verdict
	devices [2]Device
	spring  physics.Coupling // of the first
	hand    [2]frame.Pose    // where the device is
	stylus  [2]frame.Pose    // and where it lets the tool be
	fresh   bool             // the models are newer than the last tick
	rhythm  int
	wait    int           // ticks until the next step
	owed    float64       // time since the last step, s
	dt      float64       // of the next step, where set
	odd     bool          // it is
	asked   int           // questions after which a step is late; 0: it has no deadline
	passed  bool          // the deadline of the last step had passed before it
	own     float64       // the world's own step before it, s
	in      physics.Input // of the last step
	bad     *frame.Pose
	tick    int
	steps   int
	warned  int     // tick of the last step after which the world said that its contacts are not solved
	far     float64 // s of the world's own time for which everything has been clear of the tools, and they have held nothing; 0: none
	last    physics.Report
	account map[string]any // of the last step that was looked at closely
	leaving bool
	done    bool // no more can be learnt
}

// The length of things, ticks.
const (
	retreat   = 150 // in which the hand goes away
	peace     = 300 // and stays there
	warning   = 300 // for so long bodies may be in each other after a step whose contacts were not solved
	closely   = 10  // steps from one close look to the next
	widely    = 200 // and to the next at all that can be written down
	hereafter = 0.5 // s that a world which advances in time has at the end besides
	relaxed   = 0.1 // s of the world's own time: after so long clear of everything nothing is felt
)

// Play makes a script from the start of the scene and looks in every step whether the laws hold.
func (s *Stage) Play(ctx context.Context, script *Script, o PlayOptions) (v *Verdict, err error) {
	if s.other {
		if err := s.again(ctx); err != nil {
			return nil, err
		}
	}
	s.begin()
	p := &play{s: s, o: &o, v: &Verdict{}, rhythm: 1, warned: -warning}
	defer func() {
		if r := recover(); r != nil {
			p.law(false, Panicked, ", step %d: %v, %s", p.steps, r, culprit())
			s.other = true
			v, err = p.v, nil
		}
	}()
	for k := range s.hands {
		p.hand[k], p.stylus[k] = s.start[k], s.start[k]
		if o.Device != nil {
			d := o.Device()
			if c, ok := d.(interface{ Close() }); ok {
				defer c.Close()
			}
			if k == 0 {
				p.spring = d.Couple(s.info.Lever)
			}
			d.Begin(s.start[k])
			p.devices[k] = d
		}
	}
	p.draw()
	s.solids.start(s.info, &s.frame)
	for i := range script.Acts {
		if err := p.act(ctx, &script.Acts[i]); err != nil || p.done {
			return p.v, err
		}
	}
	p.leave(ctx)
	p.v.Rows = p.tick
	p.v.sort()
	return p.v, ctx.Err()
}

// culprit is the function of ours that panicked.
func culprit() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "hapco/") || !more {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
	}
}

// leave lets go of all, takes the hands away, and waits.
func (p *play) leave(ctx context.Context) {
	s := p.s
	p.leaving, p.asked = true, 0
	for i := range s.keys {
		if x := s.home[i]; isGrip(&s.keys[i]) {
			p.set(&s.keys[i], 0)
		} else if s.keys[i].Get() != x {
			p.set(&s.keys[i], x)
		}
	}
	p.rhythm, p.wait = 1, 0
	away := s.away()
	from := p.hand
	for i := range retreat {
		t := float64(i+1) / retreat
		for k := range s.hands {
			to := away.Position
			to[2] -= float64(k) * 8 * s.reach
			p.hand[k].Position = from[k].Position.Add(to.Sub(from[k].Position).Mul(t))
		}
		if p.next(ctx) {
			return
		}
	}
	for range peace {
		if p.next(ctx) {
			return
		}
	}
	if s.info.Advances {
		for range int(hereafter * 100) {
			p.owed += 10e-3
			if p.step(); p.done || ctx.Err() != nil {
				return
			}
		}
	}
	p.look(true)
}

// spent tells that the script has had as many steps as it may.
func (p *play) spent() bool { return p.o.Steps > 0 && p.steps >= p.o.Steps && !p.leaving }

// next is a tick with its step; it tells that all is over.
func (p *play) next(ctx context.Context) bool {
	p.ticked()
	return p.done || ctx.Err() != nil
}

// act makes one act.
func (p *play) act(ctx context.Context, a *Act) error {
	s := p.s
	if p.spent() {
		return nil
	}
	switch a.Kind {
	case ActKey, ActBad:
		for i := range s.keys {
			switch k := &s.keys[i]; {
			case k.Name != a.Key:
			case a.Kind == ActKey:
				p.set(k, a.Value)
			default:
				p.refuse(k, a.Value)
			}
		}
		return nil
	case ActReset:
		s.world.Reset()
		p.fresh = true
		p.far, p.account = 0, nil
		return nil
	case ActTool, ActScene:
		return p.exchange(ctx, a)
	case ActNoPose:
		bad := noPoses[int(a.Value)%len(noPoses)]
		p.bad = &bad
		p.next(ctx)
		return ctx.Err()
	case ActDt:
		p.dt, p.odd, p.wait = a.Dt, true, 0
		p.next(ctx)
		return ctx.Err()
	case ActDeadline:
		p.asked = a.Ticks
		return nil
	case ActRhythm:
		p.rhythm = a.Ticks
		return nil
	}
	way := p.way(a)
	for n := 1; n <= a.Ticks; n++ {
		arrived := false
		for k := range s.hands {
			if a.Hand == k || a.Hand == 2 {
				p.hand[k], arrived = way(k, n)
			}
		}
		if p.next(ctx) {
			return ctx.Err()
		}
		if arrived && a.Kind != ActHold {
			break
		}
	}
	return nil
}

// way is where an act takes a hand in its nth tick, and whether that is its end.
func (p *play) way(a *Act) func(k, n int) (frame.Pose, bool) {
	s := p.s
	from := p.hand
	goTo := func(to [2]vec) func(k, n int) (frame.Pose, bool) {
		return func(k, n int) (frame.Pose, bool) {
			pose := from[k]
			way := to[k].Sub(from[k].Position)
			length, gone := way.Len(), a.Speed*1e-3*float64(n)
			if !(gone < length) {
				pose.Position = to[k]
				return pose, true
			}
			pose.Position = from[k].Position.Add(way.Mul(gone / length))
			return pose, false
		}
	}
	switch a.Kind {
	case ActTo, ActBetween:
		at := s.place(a.Thing[0], a.At[0])
		if a.Kind == ActBetween {
			at = at.Add(s.place(a.Thing[1], a.At[1])).Mul(0.5)
		}
		var to [2]vec
		for k := range s.hands {
			to[k] = at
			if way := at.Sub(from[k].Position); way.Len() > 0 {
				to[k] = at.Add(way.Normalize().Mul(a.Depth * s.reach))
			}
		}
		return goTo(to)
	case ActBy:
		return goTo([2]vec{from[0].Position.Add(a.Way), from[1].Position.Add(a.Way)})
	case ActCircle:
		radius := a.Way.Len()
		axis := a.Way.Mul(1 / radius)
		out := num.Across(axis)
		return func(k, n int) (frame.Pose, bool) {
			angle := min(a.Speed*1e-3*float64(n)/radius, 2*math.Pi*a.Turns)
			pose := from[k]
			pose.Position = pose.Position.Add(mgl64.QuatRotate(angle, axis).Rotate(out).Sub(out).Mul(radius))
			return pose, angle == 2*math.Pi*a.Turns
		}
	case ActTurn:
		most := a.Way.Len()
		axis := a.Way.Mul(1 / most)
		return func(k, n int) (frame.Pose, bool) {
			angle := min(a.Speed*1e-3*float64(n), most)
			return turnedBy(from[k], axis, angle), angle == most
		}
	}
	return func(k, n int) (frame.Pose, bool) { return p.hand[k], false }
}

// set gives a parameter a value that a panel sends. It may be refused, and then changes nothing.
func (p *play) set(k *physics.Key, x float64) {
	before := k.Get()
	err := k.Set(x)
	p.law(err == nil || k.Get() == before, Unrefused, ": %s = %g is refused, %v, and is %g instead of %g", k.Name, x, err, k.Get(), before)
}

// refuse gives it one that it must refuse.
func (p *play) refuse(k *physics.Key, x float64) {
	before := k.Get()
	if err := k.Set(x); err == nil || k.Get() != before {
		p.law(false, Unrefused, ": %s takes %g, and is %g: %v", k.Name, x, k.Get(), err)
		_ = k.Set(before)
	}
}

// exchange opens the scene anew, with another tool where the act names one.
func (p *play) exchange(ctx context.Context, a *Act) error {
	s := p.s
	s.other = true
	if a.Kind == ActTool && a.Tool < len(s.tools) {
		for _, change := range s.tools[a.Tool].Changes {
			if err := s.scene.Set(change); err != nil {
				p.law(false, Unrefused, ": tool %s: %v", s.tools[a.Tool].Name, err)
				return nil
			}
		}
	}
	if err := s.reopen(ctx); err != nil {
		return err
	}
	s.world.Draw(&s.frame)
	s.reach = max(s.toolReach(), s.size()/1e3)
	p.far, p.account = 0, nil
	s.solids.start(s.info, &s.frame)
	return nil
}

// noPoses are poses that are none.
var noPoses = []frame.Pose{
	{Position: vec{math.NaN(), 0, 0}, Rotation: mgl64.QuatIdent()},
	{Position: vec{0, math.Inf(1), 0}, Rotation: mgl64.QuatIdent()},
	{Position: vec{1e300, 0, 0}, Rotation: mgl64.QuatIdent()},
	{},
	{Rotation: mgl64.Quat{W: math.NaN()}},
	{Rotation: mgl64.Quat{W: 1e-200, V: vec{1e-200, 0, 0}}},
	{Rotation: mgl64.Quat{W: math.Inf(1)}},
}

// ticked is a millisecond: the devices' tick, and the world's step where one is due.
func (p *play) ticked() {
	p.tick++
	s := p.s
	for k := range s.hands {
		p.stylus[k] = p.hand[k]
		if d := p.devices[k]; d != nil {
			m := &s.models[k]
			m.Period = time.Duration(p.rhythm) * time.Millisecond
			if !p.fresh {
				m = nil
			}
			now := d.Tick(p.hand[k], m)
			p.judgeFelt(k, &now)
			if now.Stylus.Rotation.Len() > 0 {
				p.stylus[k] = now.Stylus
			}
		}
	}
	p.fresh = false
	p.owed += 1e-3
	if p.wait--; p.wait <= 0 && !p.spent() {
		p.step()
		p.wait = p.rhythm
	}
	if p.far > 0 && !s.info.Advances {
		p.far += 1e-3
	}
}

// step is one of the world.
func (p *play) step() {
	s := p.s
	p.own = 0
	if t, ok := s.world.(physics.Timed); ok {
		p.own = t.OwnStep()
	}
	in := physics.Input{Target: p.stylus[0], Hand: p.hand[0], Second: p.stylus[1], Coupling: p.spring, Dt: min(p.owed, physics.LongestAdvance+p.own)}
	if p.odd {
		in.Dt, p.odd = p.dt, false
	}
	if p.bad != nil {
		in.Target, in.Hand, in.Second, p.bad = *p.bad, *p.bad, *p.bad, nil
	}
	p.passed = p.asked == 1
	if p.asked > 0 { // the answers are counted, so that all is the same twice
		in.Deadline = physics.AnswersAgain([]uint32{uint32(p.asked - 1), 1})
	}
	p.in = in
	p.v.take(p.o.Clock, func() { p.last = s.world.Step(in) })
	// What is left the world gets with the next step; where it is late that is given up.
	if p.owed = max(0, in.Dt-p.last.Advanced); in.Deadline.Cut() || !num.Finite(p.owed) || !s.info.Advances {
		p.owed = 0
	}
	p.steps++
	if p.far > 0 && s.info.Advances { // one that is slower than the hand forgets as slowly
		p.far += p.last.Advanced
	}
	p.draw()
	p.look(p.steps%closely == 0)
}

// draw takes the state of the world: its frame, and what the hands may feel.
func (p *play) draw() {
	s := p.s
	s.world.Draw(&s.frame)
	s.world.Local(&s.models[0])
	if s.hands == 2 {
		s.world.(physics.TwoHanded).LocalSecond(&s.models[1])
	}
	for k := range s.hands {
		s.models[k].Sequence = uint64(p.steps + 1)
	}
	p.fresh = true
	if p.far == 0 && p.steps%closely != 0 {
		return
	}
	if !s.clear() || s.holds() {
		p.far = 0
	} else if p.far == 0 {
		p.far = 1e-3
	}
}

// Patience is how many steps a script gets before it ends: fewer where each takes long, since
// it looks for a state of rest, or since there are many things.
func (s *Stage) Patience() int {
	if !s.info.Advances {
		return 600
	}
	return min(max(60000/max(1, s.things()), 600), 4000)
}

// Shorten leaves out acts of a script that breaks a law, as long as it still does, with so many tries at most.
func (s *Stage) Shorten(ctx context.Context, script Script, cause Cause, tries int, o PlayOptions) (Script, *Verdict, error) {
	var best *Verdict
	for share := max(1, len(script.Acts)/2); share > 0; {
		progress := false
		for from := len(script.Acts) - share; from >= 0 && tries > 0; from -= share {
			c := script
			c.Acts = slices.Delete(slices.Clone(script.Acts), from, from+share)
			tries--
			v, err := s.Play(ctx, &c, o)
			if err != nil {
				return script, best, err
			}
			if v.has(cause) {
				script, best, progress = c, v, true
			}
		}
		if !progress || share > len(script.Acts) {
			share /= 2
		}
	}
	return script, best, nil
}

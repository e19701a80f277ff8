package probing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// What must hold in every gesture of a hostile hand.
const (
	// Once the tool is clear of everything nothing pulls at it: contact only pushes what
	// it touches. It is the rounding of a sum of forces that is left, N.
	leftForce = 1e-9
	// By the end tissue is where it was: the bodies are elastic, and without a force
	// nothing holds them. It is far below what can be seen or felt, m.
	restSlack = 1e-6
	// Tissue may cling to a tool that rises: with friction 0.3, its flanks hold the shaft until they slip. Over the
	// shape at rest by its own radius, the tool has hardly any flank left to hold: what pulls there against its way is
	// a hook. Of the straight press's force; with more friction as much more. A tool beside the shape at rest is
	// another matter: it may well push an arm aside, and that leans on its shaft. At large strains an arm may be swung
	// up, too, and lean there: its friction, which the cone bounds, is no hook, and does not count, nor what it presses
	// with on a shaft that is tilted. A hook is over what it holds: its normal is nearer to straight down than to
	// sideways, by hookedFrom as a cosine.
	pullShare, pullFriction, hookedFrom = 0.05, 0.3, 0.7
	// A force beyond ten times that of the deepest straight press is no force of this
	// tissue, whichever way the tool went.
	forceFactor = 10
	// A tool that hangs on the hand's spring and has come to rest there meets what the spring bears, whatever it presses
	// on: to equilibrium's tolerance, of the sum of the contact forces.
	pullSlack = 0.02
	// The straight press has a measure of its own, Young's modulus x depth x width of what is pressed in: what a tool
	// takes on tissue that is much thicker than it is wide. A straight press beyond ten of these is broken, too.
	pressFactor = 10
	// Tissue that is turned over is seen for a moment at most: of the frames, and at a stretch, s.
	TurnedShare   = 1e-3
	turnedSeconds = 50e-3
	// Steps that the hand does not feel as gaps, ms: of a hundred 99, and all.
	StepP99MS, StepMaxMS = 3, 20
	// Increments of one row that are too many: the hand waits for a tool that does not come. A row is half a tool's
	// radius long at most, and an increment a hundredth at least.
	mostIncrements = 2000
	frameSeconds   = 1e-3 // an increment
	// A step asks its deadline for the last time when all is done. What comes after that is little, and
	// so is what the clock itself takes.
	unasked = 100 * time.Microsecond
)

// Cause is a kind of breach. The first are the worst.
type Cause uint8

// The causes.
const (
	Panicked     Cause = iota // the world broke down
	NoNumber                  // a force or a place is not a number
	Lost                      // the stylus does not come where the hand is
	Force                     // beyond ten straight presses, or what the spring of the hand bears
	Hooked                    // a force or a contact while everything should be clear
	Deformed                  // not back at rest
	Pulled                    // while the tool was clear of the shape at rest
	Inverted                  // elements turned over at large strains
	Turned                    // triangles turned over for longer than a moment
	Unsolved                  // a contact problem without a solution, and not for want of time
	Inadmissible              // a force outside the cone
	Jolted                    // the force sent to the hand jumps, or is dropped
	Through                   // something solid is in something solid, or has gone through it
	Energy                    // from nowhere
	Unrefused                 // a parameter takes what it must refuse
	Slow                      // given up after too long a time
	causes
)

// String is one word.
func (c Cause) String() string {
	return [...]string{"panicked", "not-a-number", "lost", "force", "hooked", "deformed", "pulled", "inverted", "turned", "unsolved", "inadmissible", "jolted", "through", "energy", "unrefused", "slow"}[c]
}

// Causes are all of them, the worst first.
func Causes() (all []Cause) {
	for c := range causes {
		all = append(all, c)
	}
	return all
}

// Breach is where a gesture first broke a law.
type Breach struct {
	Cause Cause
	Row   int    // of the path, from 0
	Text  string // what was found, and what may be
}

// Verdict is what was found in one gesture.
type Verdict struct {
	Breaches  []Breach // one a cause at most, the worst first
	Rows      int
	Times             // of increments
	Press     float64 // of the straight press, N
	bearable  float64 // what that may be, N
	Force     float64 // the largest, N
	strongest int     // its row
	met       vec     // where the stylus was, m
	against   vec     // unit, the way it pushed
	Pull      float64 // the largest while clear of the shape at rest by the tool's radius, N
	Jump      float64 // the largest change of the force in an increment, N
	Astray    float64 // the node farthest from rest at the end, m
	Deepest   float64 // that rigid bodies were in each other, of the smaller one's reach
	Late      int     // steps that their deadline ended
	Frames    int     // with tissue turned over
	Turned    float64 // longest that a triangle stayed so, s
	Crossed   Crossed // steps with surfaces that go through each other
	Hand      Touch   // what it has felt; empty without a device
}

// has tells whether there is a breach of that cause.
func (v *Verdict) has(c Cause) bool {
	return slices.ContainsFunc(v.Breaches, func(b Breach) bool { return b.Cause == c })
}

func (v *Verdict) breach(c Cause, row int, format string, args ...any) {
	if !v.has(c) {
		v.Breaches = append(v.Breaches, Breach{c, row, fmt.Sprintf(format, args...)})
	}
}

// law notes a breach where it does not hold.
func (v *Verdict) law(holds bool, c Cause, row int, format string, args ...any) {
	if !holds {
		v.breach(c, row, format, args...)
	}
}

// sort puts the worst breaches first.
func (v *Verdict) sort() {
	slices.SortStableFunc(v.Breaches, func(a, b Breach) int { return cmp.Compare(a.Cause, b.Cause) })
}

// JudgeOptions say how gestures are judged.
type JudgeOptions struct {
	Clock     func() time.Duration // processor time of this thread; nil: none
	TimeLimit time.Duration        // for the steps of a gesture, by that clock where there is one; 0: none
	Deadline  time.Duration        // of each of its steps; 0: none
	Device    Device               // through which the hand feels; nil: none
}

// Judge makes one gesture and looks whether the laws hold in every increment.
func (a *Arena) Judge(ctx context.Context, g *Gesture, o JudgeOptions) (*Verdict, error) {
	return refusal.Caught(func() *Verdict {
		v := &Verdict{}
		a.ground.hang(o.Device)
		a.straight(ctx, g, v)
		a.perform(ctx, g, &o, v)
		a.judgeForce(ctx, g, v)
		v.sort()
		return v
	})
}

// judgeForce compares the largest force with straight presses. Where the gesture is deepest tissue may be soft, as the
// free end of a shelf is, and straight down may be a way where nothing gives, as on the end by which a lobe hangs: so
// the tool comes straight against that force to where it was met as well.
func (a *Arena) judgeForce(ctx context.Context, g *Gesture, v *Verdict) {
	if a.ground.hangs() || !(v.Force > forceFactor*v.Press) { // what hangs has a law of its own: see look
		return
	}
	if a.pressTo(ctx, g, v.met, v.against, v); v.Force > forceFactor*v.Press {
		v.breach(Force, v.strongest, "row %d: %.3g N, more than %g times the %.3g N of a straight press", v.strongest, v.Force, float64(forceFactor), v.Press)
	}
}

// perform makes the gesture until its end, or until it is given up.
func (a *Arena) perform(ctx context.Context, g *Gesture, o *JudgeOptions, v *Verdict) {
	refusal.Need(a.ground.begin(a, g))
	if o.Deadline > 0 {
		before := refusal.Must(a.ground.setDeadline(o.Deadline.Seconds(), &a.deadline))
		defer a.ground.setDeadline(before, nil)
	}
	start := a.ground.StartPose()
	tool, _ := a.reach(g.Rotation)
	rows, cleared := a.Rows(g)
	v.Rows = len(rows)
	for i := range a.turnover {
		a.turnover[i].reset()
	}
	a.felt, _ = a.ground.Force()
	if o.Device != nil {
		o.Device.Begin(start)
	}
	var spent time.Duration
	at := start.Position
	for row, d := range rows {
		target := frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation}
		reached := false
		for n := 0; n < a.ground.patience() && !reached; n++ {
			refusal.Need(ctx.Err())
			a.deadline.Begin(0)
			took := v.take(o.Clock, func() { reached = a.seen.Step(target) })
			if o.Deadline > 0 && o.Clock != nil && took > o.Deadline+unasked && !a.deadline.Cut() {
				v.breach(Slow, row, "row %d: a step of %.3g ms, whose deadline was %.3g, does not say that it is late", row, 1e3*took.Seconds(), 1e3*o.Deadline.Seconds())
			}
			a.look(v, row, row >= cleared && (reached || a.world != nil) && !a.caught(at, target.Position))
			if o.Device != nil {
				a.feel(v, o.Device, target, row)
			}
			now := a.snapshot.Stylus.Position
			way := now.Sub(at)
			if drawn := target.Position.Sub(now); a.world != nil && a.ground.hangs() && drawn != (vec{}) {
				way = drawn // where a tool that hangs goes is not where the hand draws it
			}
			a.rise(v, row, g, tool, now, way)
			at = now
			if spent += took; o.TimeLimit > 0 && spent > o.TimeLimit {
				v.breach(Slow, row, "row %d after %.0f s", row, spent.Seconds())
				return
			}
			if v.has(NoNumber) {
				return
			}
		}
		// a stiffening body holds a tool back: it must come once the hand is clear
		if !reached && (a.world != nil || row == len(rows)-1) {
			v.breach(Lost, row, "row %d not reached in %d increments", row, a.ground.patience())
			return
		}
	}
	last := frame.Pose{Position: start.Position.Add(rows[len(rows)-1]), Rotation: start.Rotation}
	if a.caught(at, last.Position) {
		return
	}
	a.strays(v)
	for i := 0; i < a.ground.swings() && !(v.Astray <= restSlack); i++ {
		refusal.Need(ctx.Err())
		a.seen.Step(last)
		if i%50 == 0 {
			a.look(v, len(rows)-1, true)
			a.strays(v)
		}
	}
	v.law(v.Astray <= restSlack, Deformed, len(rows)-1,
		"at the end: a node %.3g mm from rest, more than %.3g", 1e3*v.Astray, 1e3*restSlack)
}

// caught tells that the tool is not where the hand is, and would go into something on its way straight to there, by the
// shape at rest: that holds it.
func (a *Arena) caught(at, hand vec) bool {
	into := func(s surface) bool { return s.entered(at, hand) }
	return a.ground.hangs() && slices.ContainsFunc(a.rest, into)
}

// entered tells whether the way from p to q leads into the surface.
func (s *surface) entered(p, q vec) bool {
	box, way := boxOf(p, q), q.Sub(p)
	for t := range s.triangles {
		if box.touches(&s.boxes[t]) && s.normal[t].Dot(way) < 0 {
			if _, ok := s.cut(t, p, q); ok {
				return true
			}
		}
	}
	return false
}

// look judges the state after an increment.
func (a *Arena) look(v *Verdict, row int, clear bool) {
	a.seen.Snapshot(&a.snapshot)
	s := &a.snapshot
	force, _ := a.seen.Force()
	f := force.Len()
	v.Jump, a.felt = max(v.Jump, force.Sub(a.felt).Len()), force
	if !num.Finite(f) || !a.numbers() {
		v.breach(NoNumber, row, "row %d: a force of %v N", row, force)
		return
	}
	if f > v.Force {
		v.Force, v.strongest, v.met, v.against = f, row, s.Stylus.Position, force.Mul(1/f)
	}
	pressed := 0.0
	for i := range s.Contacts {
		pressed += s.Contacts[i].Force.Len()
	}
	bears := a.ground.pulls()
	v.law(!(f > bears+pullSlack*pressed+leftForce), Force, row,
		"row %d: the tool meets %.3g N, and the hand's spring bears %.3g", row, f, bears)
	st := a.seen.Stats()
	if st.Late {
		v.Late++
	} else if !st.Solve.Converged {
		v.breach(Unsolved, row, "row %d: error %.2g after %d iterations, %d contacts", row, st.Solve.ScaledError, st.Solve.Iterations, st.Solved)
	}
	if c := inadmissible(s.Contacts); c != nil {
		v.breach(Inadmissible, row, "row %d: r_n %.3g, r_t %.3g N with friction %g", row, c.R[0], math.Hypot(c.R[1], c.R[2]), c.Mu)
	}
	text := a.ground.offCone()
	v.law(text == "", Inadmissible, row, "row %d: %s", row, text)
	if clear {
		near, loaded := len(s.Contacts), 0
		for i := range s.Contacts {
			if s.Contacts[i].Status != contact.Open {
				loaded++
			}
		}
		v.law(f <= leftForce && loaded == 0 && near <= a.near, Hooked, row,
			"row %d, %.0f mm clear: %.3g N, %d contacts, %d of them closed", row, 1e3*a.room, f, near, loaded)
	}
	v.Crossed.Add(a.cuts.look(s))
	turned := false
	v.law(a.world != nil || s.Inverted <= 0, Inverted, row, // inside a linear body they may be
		"row %d: %d elements turned over", row, s.Inverted)
	for i, b := range a.soft {
		over, longest := a.turnover[i].look(s.Surfaces[b].Vertices)
		turned = turned || over > 0
		v.Turned = max(v.Turned, float64(longest)*frameSeconds)
	}
	if turned {
		v.Frames++
	}
	v.law(!(v.Turned > turnedSeconds), Turned, row, "row %d: triangles turned over for longer than %.0f ms", row, 1e3*turnedSeconds)
}

// numbers tells whether all nodes are somewhere.
func (a *Arena) numbers() bool {
	for _, i := range a.soft {
		sum := 0.0
		for _, x := range a.snapshot.Surfaces[i].Vertices {
			sum += x[0] + x[1] + x[2]
		}
		if !num.Finite(sum) {
			return false
		}
	}
	return true
}

// inadmissible is a contact whose force pulls or leaves the cone by more than rounding; nil: none.
func inadmissible(contacts []physics.Contact) *physics.Contact {
	const rounding = 1e-9
	for i := range contacts {
		c := &contacts[i]
		if !(contact.ConeViolation(c.Mu, c.R[0]+c.Hold, math.Hypot(c.R[1], c.R[2])) <= rounding) {
			return c
		}
	}
	return nil
}

// strays looks how far from rest the last shape is.
func (a *Arena) strays(v *Verdict) {
	v.Astray = 0
	for i, b := range a.soft {
		for k, x := range a.snapshot.Surfaces[b].Vertices {
			v.Astray = max(v.Astray, x.Sub(a.rest[i].x[k]).Len())
		}
	}
}

// rise judges what pulls at a tool that goes up by way.
func (a *Arena) rise(v *Verdict, row int, g *Gesture, tool []vec, at, way vec) {
	if !(way[1] > math.Hypot(way[0], way[2])) {
		return
	}
	force, _ := a.seen.Force()
	allowed := pullShare * v.Press * max(1, g.Friction/pullFriction)
	up := way.Normalize()
	pull := -force.Dot(up)
	if a.world == nil {
		for i := range a.snapshot.Contacts {
			c := &a.snapshot.Contacts[i]
			if pull += c.Force.Dot(up); c.N.Dot(up) < -hookedFrom {
				pull -= c.R[0] * c.N.Dot(up)
			}
		}
	}
	if !(pull > max(allowed, leftForce, v.Pull)) {
		return
	}
	if away := a.over(tool, at); away > a.radius && a.outside(tool, at) > a.radius {
		v.Pull = pull
		v.breach(Pulled, row, "row %d, %.1f mm over the shape at rest: pulled by %.3g N, more than %.3g", row, 1e3*away, pull, allowed)
	}
}

// outside is how far a tool that is over the tissue at rest is from it, m. Over a steep
// flank it is nearer than it is high.
func (a *Arena) outside(tool []vec, at vec) float64 {
	least := math.Inf(1)
	for _, x := range tool {
		for i := range a.rest {
			least = min(least, a.rest[i].distance(at.Add(x), nil, nil))
		}
	}
	return least
}

// over is how far a tool is above tissue at rest, m: each of its points above what is below that, or above all tissue
// where nothing is. A tool whose lowest point is beside the tissue is not over it.
func (a *Arena) over(tool []vec, at vec) float64 {
	least, low, beside := math.Inf(1), math.Inf(1), false
	for _, x := range tool {
		p := at.Add(x)
		top := a.top.at(p[0], p[2])
		none := math.IsInf(top, 0)
		if none {
			top = a.high[1]
		}
		least = min(least, p[1]-top)
		if p[1] < low {
			low, beside = p[1], none
		}
	}
	if beside {
		return math.Inf(-1)
	}
	return least
}

// straight makes the deepest presses straight down, in worlds of their own. They are as deep as the gesture is under
// the surface at rest, or as deep as a hostile hand presses there if that is more: a sweep goes through far more tissue
// than lies above it. Where the tool may slip off an edge, a press takes next to nothing. So one is made at two places,
// where the gesture is deepest and where the scene puts the tool, and the stronger one counts.
func (a *Arena) straight(ctx context.Context, g *Gesture, v *Verdict) {
	tool, _ := a.reach(g.Rotation)
	rows, _ := a.Rows(g)
	under, place := a.radius, g.At
	found := false
	for i := 0; i < len(rows); i += 8 {
		p := g.At.Add(rows[i])
		if way, _ := a.touch(tool, p); -way > under || !found && !math.IsInf(way, 0) {
			under, place, found = max(a.radius, -way), p, true
		}
	}
	if !found { // beside a lobe that hangs: the press is made in the middle of the tissue
		place = a.low.Add(a.high).Mul(0.5)
	}
	a.pressAt(ctx, g, place, under, v)
	a.pressAt(ctx, g, a.start, under, v)
}

// pressAt makes such a press straight down at a place.
func (a *Arena) pressAt(ctx context.Context, g *Gesture, at vec, under float64, v *Verdict) {
	tool, low := a.reach(g.Rotation)
	at[1] = a.high[1] + low
	way, _ := a.touch(tool, at)
	if math.IsInf(way, 0) {
		return
	}
	at[1] -= way + max(under, deepest*a.top.thick(at[0], at[2]))
	a.pressTo(ctx, g, at, vec{0, 1, 0}, v)
}

// pressTo makes a straight press to a place, against a way, unit, from where all is clear, and keeps the larger force
// and what that may be. It goes at the pace of a hand: in a world that moves in time the inertia of the tissue,
// density x speed of sound x section x speed of the tool, is in it as it is in the gesture.
func (a *Arena) pressTo(ctx context.Context, g *Gesture, to, against vec, v *Verdict) {
	if v.has(Force) {
		return
	}
	tool, _ := a.reach(g.Rotation)
	press := Gesture{Rotation: g.Rotation, Friction: g.Friction, Solver: "auto", At: micrometres(a.clearOf(tool, to, against))}
	err := a.ground.begin(a, &press)
	if _, far := errors.AsType[*unreached](err); far {
		return // something stands there that the tool does not come round: what else was pressed counts
	}
	refusal.Need(err)
	var f float64
	f, v.bearable = a.press(ctx, tool, to, v.bearable)
	if v.Press = max(v.Press, f); !(f <= v.bearable) { // NaN, too
		v.Press = v.bearable
		v.breach(Force, 0, "a straight press: %.3g N, more than %g times what tissue takes, %.3g N", f, float64(pressFactor), v.bearable/pressFactor)
	}
}

// clearOf is the first place from which a tool comes to a place against a way, unit, and in which it is clear of the
// tissue's box.
func (a *Arena) clearOf(tool []vec, to, against vec) vec {
	own, way := boxOf(tool...), math.Inf(1)
	for k := range 3 {
		if against[k] > 0 {
			way = min(way, (a.high[k]-own.low[k]-to[k])/against[k])
		} else if against[k] < 0 {
			way = min(way, (a.low[k]-own.high[k]-to[k])/against[k])
		}
	}
	return to.Add(against.Mul(max(way, 0) + a.scale*6e-3))
}

// press is the largest force of a press straight from where a gesture has begun to a place, and what it may be, at
// least most, N. It ends at the first one beyond.
func (a *Arena) press(ctx context.Context, tool []vec, to vec, most float64) (force, bearable float64) {
	start := a.ground.StartPose()
	way := to.Sub(start.Position)
	n := int(math.Ceil(way.Len() / (a.scale * liftRow)))
	touched := -1
	for k := 1; k <= n; k++ {
		target := start
		target.Position = target.Position.Add(way.Mul(float64(k) / float64(n)))
		reached := false
		for i := 0; i < 10*a.ground.patience() && !reached; i++ {
			refusal.Need(ctx.Err())
			reached = a.ground.Step(target)
		}
		f, _ := a.ground.Force()
		if touched < 0 && f.Len() > 0 {
			touched = k
		}
		if touched >= 0 {
			depth := max(a.radius, way.Len()*float64(k-touched+1)/float64(n))
			most = max(most, pressFactor*a.ground.young()*depth*width(tool, way.Normalize(), depth))
		}
		if force = max(force, f.Len()); !(force <= most) { // NaN, too
			break
		}
		if !reached && a.world == nil && !a.ground.hangs() {
			break // no deeper
		}
	}
	return force, most
}

// width is that of a tool's foremost part, as deep as given, seen along its way, m.
func width(tool []vec, way vec, depth float64) float64 {
	foremost := math.Inf(-1)
	for _, x := range tool {
		foremost = max(foremost, x.Dot(way))
	}
	a := num.Across(way)
	b := way.Cross(a)
	front := boxOf()
	for _, x := range tool {
		if x.Dot(way) >= foremost-depth {
			front = front.with(vec{x.Dot(a), x.Dot(b)})
		}
	}
	return max(front.size()[0], front.size()[1])
}

// turnover watches which triangles of a surface are turned over. It is the drawn surface that is judged, not the
// elements beneath, so that it holds whatever the shape is made of. Where tissue turns little, a triangle is turned
// over that faces the other way than at rest. Where it may turn by any angle, that alone is nothing wrong: there the
// space just before the triangle must be inside the body, too, or the body be inside out there.
type turnover struct {
	surface surface
	rest    []vec   // normals, not unit
	stretch []int32 // frames since each began to be turned over
	turns   bool    // tissue may turn by any angle
}

func newTurnover(s *surface, turns bool) turnover {
	t := turnover{rest: slices.Clone(s.normal), stretch: make([]int32, len(s.normal)), turns: turns}
	t.surface.connect(s.triangles, len(s.x))
	return t
}

func (t *turnover) reset() { clear(t.stretch) }

// look counts the triangles turned over in a shape, and tells for how many frames the oldest lasts.
func (t *turnover) look(x []vec) (turned int, longest int32) {
	t.surface.move(x)
	for i := range t.rest {
		if t.surface.normal[i].Dot(t.rest[i]) < 0 && (!t.turns || t.surface.buried(i)) {
			turned++
			t.stretch[i]++
			longest = max(longest, t.stretch[i])
		} else {
			t.stretch[i] = 0
		}
	}
	return turned, longest
}

// buried tells that the front of a triangle does not look out of the body: the surface
// goes round the place just before it, one way or the other. Where parts of the body
// touch, they may be inside each other by as much as is allowed of any two bodies.
func (s *surface) buried(i int) bool {
	c := &s.triangles[i]
	middle := s.x[c[0]].Add(s.x[c[1]]).Add(s.x[c[2]]).Mul(1. / 3)
	around := s.winding(middle.Add(s.outward([]int32{int32(i)})))
	return around < -0.5 || around > 0.5 && s.distance(middle, []int32{int32(i)}, nil) > DefaultLimits().Penetration
}

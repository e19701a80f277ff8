package probing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"hapco/physics"
)

// Script is what a hostile hand does in a scene of any kind, one act after the other. At its end it lets go and goes
// far away.
type Script struct {
	Seed, Number uint64
	Acts         []Act
}

// ActKind is a kind of act.
type ActKind uint8

// The kinds of acts.
const (
	ActTo       ActKind = iota // straight to a place on a thing, and so far past it
	ActBetween                 // straight to between two places, a wedge
	ActBy                      // a straight way
	ActCircle                  // round in a plane
	ActTurn                    // about an axis
	ActHold                    // stay
	ActKey                     // another value for a parameter
	ActBad                     // one that it must refuse
	ActReset                   // everything back to the start, the hand stays
	ActTool                    // another tool, the hand stays
	ActScene                   // the scene opened anew, the hand stays
	ActNoPose                  // a step with a pose that is none
	ActDt                      // a step of so much time
	ActDeadline                // from now on steps are told that they are late when they have asked so often; 0: never
	ActRhythm                  // so many ticks of the hand from one step to the next, from now on
)

// Act is one act. Which numbers count is a matter of its kind.
type Act struct {
	Kind      ActKind
	Hand      int        // that moves: 0, 1, or 2 for both
	Thing, At [2]float64 // choose things and places on them, 0 to 1
	Depth     float64    // past a place, of the tool's reach
	Way       vec        // m; of circles their axis times their radius, of turns their axis times their angle
	Turns     float64
	Speed     float64 // m/s; of turns rad/s; +Inf: at once
	Key       string
	Value     float64
	Ticks     int // as many at most, or as many at all
	Dt        float64
	Tool      int
}

// String is what the hand does, in a few words.
func (a *Act) String() string {
	hand := [...]string{"", " (second)", " (both)"}[a.Hand]
	mm := func(v vec) string { return fmt.Sprintf("(%.3g %.3g %.3g) mm", 1e3*v[0], 1e3*v[1], 1e3*v[2]) }
	switch a.Kind {
	case ActTo:
		return fmt.Sprintf("to thing %.3g at %.3g, %.2g reaches deep, %.3g m/s", a.Thing[0], a.At[0], a.Depth, a.Speed) + hand
	case ActBetween:
		return fmt.Sprintf("between things %.3g and %.3g, %.3g m/s", a.Thing[0], a.Thing[1], a.Speed) + hand
	case ActBy:
		return fmt.Sprintf("by %s, %.3g m/s", mm(a.Way), a.Speed) + hand
	case ActCircle:
		return fmt.Sprintf("%.2g turns of %.3g mm, %.3g m/s", a.Turns, 1e3*a.Way.Len(), a.Speed) + hand
	case ActTurn:
		return fmt.Sprintf("turn by %.3g rad, %.3g rad/s", a.Way.Len(), a.Speed) + hand
	case ActHold:
		return fmt.Sprintf("hold %d ms", a.Ticks)
	case ActKey:
		return fmt.Sprintf("%s = %g", a.Key, a.Value)
	case ActBad:
		return fmt.Sprintf("%s = %g, in vain", a.Key, a.Value)
	case ActReset:
		return "reset"
	case ActTool:
		return fmt.Sprintf("tool %d", a.Tool)
	case ActScene:
		return "open anew"
	case ActNoPose:
		return "no pose"
	case ActDt:
		return fmt.Sprintf("a step of %g s", a.Dt)
	case ActDeadline:
		return fmt.Sprintf("late when asked %d times", a.Ticks)
	}
	return fmt.Sprintf("a step every %d ms", a.Ticks)
}

// String is one line.
func (s *Script) String() string {
	var words []string
	for i := range s.Acts {
		words = append(words, s.Acts[i].String())
	}
	return strings.Join(words, "; ")
}

// longest is how many ticks an act takes at most: a hand that is slow does not arrive.
const longest = 300

// author makes scripts for a stage.
type author struct {
	*rand.Rand
	s    *Stage
	acts []Act
}

// Script is the nth of a seed, the same whatever was played before.
func (s *Stage) Script(seed, n uint64) Script {
	a := &author{Rand: rand.New(rand.NewPCG(seed, n)), s: s}
	if a.IntN(3) == 0 {
		a.rhythm()
	}
	for range 2 + a.IntN(3) {
		a.gesture()
		if a.IntN(2) == 0 {
			a.meddle()
		}
	}
	return Script{Seed: seed, Number: n, Acts: a.acts}
}

func (a *author) add(act Act) { a.acts = append(a.acts, act) }

func (a *author) between(low, high float64) float64 { return low + (high-low)*a.Float64() }

// log is a number between two, each size as likely.
func (a *author) log(low, high float64) float64 {
	return low * math.Pow(high/low, a.Float64())
}

// speed is from creeping to 10 m/s.
func (a *author) speed() float64 { return a.log(1e-3, 10) }

// move is an act of a hand, or of both.
func (a *author) move(kind ActKind) Act {
	m := Act{Kind: kind, Ticks: longest, Speed: a.speed()}
	if a.s.hands == 2 {
		m.Hand = a.IntN(3)
	}
	for k := range 2 {
		m.Thing[k], m.At[k] = a.Float64(), a.Float64()
	}
	return m
}

func (a *author) direction() vec {
	for {
		v := vec{a.NormFloat64(), a.NormFloat64(), a.NormFloat64()}
		if l := v.Len(); l > 0.1 {
			return v.Mul(1 / l)
		}
	}
}

// approach brings the hand to a thing, so that what follows meets it.
func (a *author) approach(hand int) {
	m := a.move(ActTo)
	m.Hand, m.Depth, m.Speed = hand, a.between(-1.5, 0), a.log(0.3, 10)
	if a.IntN(6) == 0 {
		m.Speed = math.Inf(1)
	}
	a.add(m)
}

// gesture is a hostile one: a press, a drag, a wedge, a flick, circles, a turn, a jump.
func (a *author) gesture() {
	m := a.move(ActTo)
	m.Depth = a.between(0, 3)
	a.approach(m.Hand)
	if a.IntN(5) > 0 {
		m.Speed = a.log(0.02, 3)
		a.add(m)
	}
	hold := func() { a.add(Act{Kind: ActHold, Ticks: 1 + a.IntN(150)}) }
	by := func(most float64) Act {
		b := a.move(ActBy)
		b.Hand = m.Hand
		b.Way = a.direction().Mul(a.log(0.05*a.s.reach, most))
		return b
	}
	switch a.IntN(8) {
	case 0: // a press
		hold()
	case 1, 2: // drags
		for range 1 + a.IntN(3) {
			a.add(by(a.s.size()))
		}
	case 3: // a wedge
		w := a.move(ActBetween)
		w.Hand = m.Hand
		a.add(w)
		hold()
	case 4: // flicks
		for range 1 + a.IntN(3) {
			f := by(3 * a.s.reach)
			f.Speed = a.log(1, 10)
			back := f
			back.Way = f.Way.Mul(-1)
			a.add(f)
			a.add(back)
		}
	case 5: // circles
		c := a.move(ActCircle)
		c.Hand, c.Way, c.Turns = m.Hand, a.direction().Mul(a.log(0.1*a.s.reach, 5*a.s.reach)), a.between(0.3, 4)
		a.add(c)
	case 6: // a turn
		t := a.move(ActTurn)
		t.Hand, t.Way, t.Speed = m.Hand, a.direction().Mul(a.between(0.1, 3)), a.log(0.1, 100)
		a.add(t)
		a.add(by(3 * a.s.reach))
	case 7: // a jump
		j := by(a.s.size())
		j.Speed = math.Inf(1)
		a.add(j)
		hold()
	}
}

// meddle changes something while the tool is where it is.
func (a *author) meddle() {
	s := a.s
	switch pick := a.IntN(18); {
	case pick < 6 && len(s.keys) > 0:
		k := &s.keys[a.IntN(len(s.keys))]
		a.add(Act{Kind: ActKey, Key: k.Name, Value: a.end(k)})
		a.add(Act{Kind: ActHold, Ticks: 1 + a.IntN(60)})
	case pick < 8 && len(s.keys) > 0:
		k := &s.keys[a.IntN(len(s.keys))]
		a.add(Act{Kind: ActBad, Key: k.Name, Value: a.beyond(k)})
	case pick < 9:
		for i := range s.keys { // what holds on to things, where there is something
			if isGrip(&s.keys[i]) {
				a.add(Act{Kind: ActKey, Key: s.keys[i].Name, Value: float64(a.IntN(2))})
			}
		}
	case pick < 10:
		a.add(Act{Kind: ActReset})
	case pick < 11 && len(s.tools) > 0 && a.IntN(3) > 0:
		a.add(Act{Kind: ActTool, Tool: a.IntN(len(s.tools))})
	case pick < 11:
		a.add(Act{Kind: ActScene})
	case pick < 12:
		a.add(Act{Kind: ActNoPose, Value: float64(a.IntN(len(noPoses)))})
	case pick < 14:
		a.add(Act{Kind: ActDt, Dt: []float64{0, 1e-12, 1e-6, 1. / 30, 1, math.Inf(1), math.NaN(), -1}[a.IntN(8)]})
	case pick < 16:
		a.add(Act{Kind: ActDeadline, Ticks: a.IntN(4)})
	default:
		a.rhythm()
	}
}

func (a *author) rhythm() {
	a.add(Act{Kind: ActRhythm, Ticks: []int{1, 2, 3, 7, 16, 33, 120}[a.IntN(7)]})
}

// isGrip tells that a key is the one by which a hand takes hold of things.
func isGrip(k *physics.Key) bool { return k.Switch && (k.Press == "X" || k.Name == "grip.closed") }

// ends are the least and the greatest value that a key takes.
func ends(k *physics.Key) (low, high float64) {
	if n := len(k.Choices); n > 0 {
		return 0, float64(n - 1)
	}
	low, high = k.Min, k.Max
	if k.Zero {
		low = 0
	}
	if k.Floor != 0 {
		low = k.Floor
	}
	if k.Ceil != 0 {
		high = k.Ceil
	}
	return low, high
}

// end is a value at an end of a key's range, of words any.
func (a *author) end(k *physics.Key) float64 {
	low, high := ends(k)
	if len(k.Choices) > 2 {
		return float64(a.IntN(len(k.Choices)))
	}
	switch a.IntN(5) {
	case 0:
		return k.Default
	case 1, 2:
		return low
	}
	return high
}

// beyond is a value that a key must refuse.
func (a *author) beyond(k *physics.Key) float64 {
	low, high := ends(k)
	span := max(high-low, 1)
	for {
		x := [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e19, high + span, low - span}[a.IntN(8)]
		if len(k.Choices) > 0 || !k.Holds(x) {
			return x
		}
	}
}

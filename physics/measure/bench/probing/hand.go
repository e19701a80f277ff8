package probing

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// Site is a place where the hand works: the tip of the tool hovers there.
type Site struct {
	Above vec     // from where the stylus starts, world, m
	Touch float64 // how far below that the surface is, m
	Press float64 // how much farther the tip goes at most, m
	Slide float64 // how far it may stray to the side while it presses, m
}

// down is so far below the surface.
func (s *Site) down(depth float64) vec { return s.Above.Add(vec{0, -s.Touch - depth, 0}) }

// Hand is a motion of the stylus over time, as an operator makes it: it presses and lifts, slides, draws circles, tilts
// the tool, taps, and moves on to the next site. Down is -Y. It trembles.
type Hand struct {
	start frame.Pose
	keys  []key
	top   float64 // the height at which it goes from site to site
	marks []Mark
}

// Mark says what the hand begins to do and when, s.
type Mark struct {
	Time float64
	What string
}

// key is where the hand is at a moment, and how it got there: along a straight line with the least jerk (Flash and
// Hogan, 1985), or a circle.
type key struct {
	t      float64
	offset vec // of the tip, m
	tilt   vec // rotation vector, rad
	circle float64
	turns  float64
}

// Tremor of a hand that holds a pen: 9 Hz, a tenth of a millimetre each way.
const (
	tremorHz = 9.0
	tremorM  = 0.1e-3
)

// NewHand makes the motion over sites, again and again for so many seconds.
func NewHand(start frame.Pose, sites []Site, seconds float64) *Hand {
	return newHand(start, sites, seconds, (*Hand).work)
}

// NewQuickHand makes a hurried one that takes some 1.2 s a site.
func NewQuickHand(start frame.Pose, sites []Site, seconds float64) *Hand {
	return newHand(start, sites, seconds, (*Hand).hurry)
}

func newHand(start frame.Pose, sites []Site, seconds float64, work func(h *Hand, s *Site, round int)) *Hand {
	h := &Hand{start: start, keys: []key{{}}}
	for i := range sites {
		h.top = max(h.top, sites[i].Above[1])
	}
	for round := 0; h.end() < seconds; round++ {
		for i := range sites {
			work(h, &sites[i], round)
			if h.end() >= seconds {
				break
			}
		}
	}
	return h
}

func (h *Hand) last() *key { return &h.keys[len(h.keys)-1] }

func (h *Hand) end() float64 { return h.last().t }

// Marks are the beginnings of the hand's gestures.
func (h *Hand) Marks() []Mark { return h.marks }

func (h *Hand) begin(what string) { h.marks = append(h.marks, Mark{h.end(), what}) }

// to adds a move that takes so many seconds.
func (h *Hand) to(seconds float64, offset vec) {
	h.keys = append(h.keys, key{t: h.end() + seconds, offset: offset, tilt: h.last().tilt})
}

func (h *Hand) turn(seconds float64, tilt vec) {
	h.keys = append(h.keys, key{t: h.end() + seconds, offset: h.last().offset, tilt: tilt})
}

// work does every gesture at one site: some 13 s. A later round goes the other way round and less deep.
func (h *Hand) work(s *Site, round int) {
	way := 1.0
	if round%2 == 1 {
		way = -1
	}
	above, down := s.Above, s.down
	deep := s.Press * (1 - 0.25*float64(round%3))
	side := s.Slide * way

	h.begin("press")
	last := h.last().offset
	h.to(0.25, vec{last[0], h.top, last[2]})
	h.to(0.4, vec{above[0], h.top, above[2]})
	h.to(0.25, above)
	h.to(0.7, down(deep))
	h.to(0.4, down(deep))
	h.to(0.5, above)

	h.begin("slide")
	h.to(0.4, down(0.7*deep))
	for _, d := range []vec{{side, 0, 0}, {-side, 0, 0}, {0, 0, side}, {0, 0, -side}, {}} {
		h.to(0.45, down(0.7*deep).Add(d))
	}

	h.begin("circles")
	h.to(0.3, down(0.5*deep).Add(vec{0.7 * side, 0, 0}))
	k := h.last()
	h.keys = append(h.keys, key{t: k.t + 2.4, offset: k.offset, tilt: k.tilt, circle: 0.7 * side, turns: 3 * way})
	h.to(0.3, down(0.8*deep))

	h.begin("tilt")
	h.turn(0.4, vec{0.35, 0, 0})
	h.turn(0.6, vec{0, 0, 0.35})
	h.turn(0.6, vec{-0.35, 0, 0})
	h.turn(0.4, vec{})
	h.to(0.4, above)

	h.begin("taps") // a finger's tap: the tip strikes at up to 0.5 m/s
	for range 3 {
		h.to(0.06, down(0.6*deep))
		h.to(0.02, down(0.6*deep))
		h.to(0.08, above)
		h.to(0.15, above)
	}

	h.begin("swipe") // across, through the flank of whatever is there, and off
	h.to(0.25, above.Add(vec{-2 * side, 0, 0}))
	h.to(0.25, down(0.4*deep).Add(vec{-2 * side, 0, 0}))
	h.to(0.18, down(0.4*deep).Add(vec{2 * side, 0, 0}))
	h.to(0.25, above.Add(vec{2 * side, 0, 0}))
	h.to(0.3, above)
}

// hurry does a few gestures at one site.
func (h *Hand) hurry(s *Site, round int) {
	above, down := s.Above, s.down
	h.begin("press")
	if last := h.last().offset; last != (vec{}) {
		h.to(0.12, vec{last[0], h.top, last[2]})
		h.to(0.15, vec{above[0], h.top, above[2]})
	}
	h.to(0.05, above)
	h.to(0.2, down(s.Press))
	h.begin("slide")
	h.to(0.15, down(0.7*s.Press).Add(vec{s.Slide, 0, 0}))
	h.to(0.2, down(0.7*s.Press).Add(vec{-0.5 * s.Slide, 0, s.Slide}))
	h.begin("tilt")
	h.turn(0.15, vec{0.3, 0, 0.2})
	h.turn(0.15, vec{})
	h.to(0.1, above)
	h.begin("taps")
	h.to(0.06, down(0.6*s.Press))
	h.to(0.06, above)
}

// at is the pose that the hand asks for at time t, s.
func (h *Hand) at(t float64) frame.Pose {
	i := 1
	for i < len(h.keys)-1 && h.keys[i].t < t {
		i++
	}
	a, b := &h.keys[i-1], &h.keys[i]
	s := 1.0
	if b.t > a.t {
		s = min(1, max(0, (t-a.t)/(b.t-a.t)))
	}
	s = s * s * s * (10 + s*(6*s-15))
	offset := a.offset.Mul(1 - s).Add(b.offset.Mul(s))
	if b.circle != 0 { // about the point a radius to the left of where it began
		sin, cos := math.Sincos(2 * math.Pi * b.turns * s)
		offset = offset.Add(vec{b.circle * (cos - 1), 0, b.circle * sin})
	}
	w := 2 * math.Pi * tremorHz * t
	offset = offset.Add(vec{math.Sin(w), math.Sin(1.13 * w), math.Sin(0.91 * w)}.Mul(tremorM))
	p := frame.Pose{Position: h.start.Position.Add(offset), Rotation: h.start.Rotation}
	tilt := a.tilt.Mul(1 - s).Add(b.tilt.Mul(s))
	if angle := tilt.Len(); angle > 0 {
		p.Rotation = mgl64.QuatRotate(angle, tilt.Mul(1/angle)).Mul(h.start.Rotation)
	}
	return p
}

package ui

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hapco/haptics"
	"hapco/physics"
)

// fakeServo is a haptic loop that does what it is told and nothing else.
type fakeServo struct {
	params, home haptics.Params
	limits       haptics.DeviceLimits
	released     bool
	saved        int
	notices      []string
	loop         haptics.Stats
	buttons      atomic.Uint32
}

// press holds the buttons of these bits.
func (s *fakeServo) press(bits uint32) { s.buttons.Store(bits) }

func (s *fakeServo) start() {
	s.limits = haptics.DefaultLimits()
	s.home = haptics.DefaultParams(s.limits, 1000)
	s.home.MaxForce = 3.3
	s.params = s.home
	s.loop = haptics.Stats{Device: "Touch", Rate: 998, Target: 1000, RealTime: `SCHED_FIFO 80; the servo's memory locked`, Late: 35 * time.Microsecond, Work: 21 * time.Microsecond}
}

func (s *fakeServo) fill(h *HapticsStatus, motors bool) {
	g := haptics.Gains{Stiffness: s.params.Stiffness, Damping: s.params.Damping}
	g.Check(s.limits, 1000)
	s.loop.Gains = g
	s.loop.Last.Buttons = s.buttons.Load()
	own := h.Stats
	h.Stats, h.Motors, h.Driven, h.Released = s.loop, motors, motors, s.released
	h.Rate, h.Target, h.Force, h.Raw, h.Message = own.Rate, own.Target, own.Force, own.Raw, own.Message
	if !motors {
		h.Device = own.Device
	}
}

func (s *fakeSession) Servo() Servo { return &s.servo }

func (s *fakeServo) Params() haptics.Params        { return s.params }
func (s *fakeServo) DefaultParams() haptics.Params { return s.home }
func (s *fakeServo) SetParams(p haptics.Params)    { s.params = p }
func (s *fakeServo) Release()                      { s.released = true }
func (s *fakeServo) Resume()                       { s.released = false }
func (s *fakeServo) Periods() haptics.Periods {
	return haptics.Periods{19: 400, 20: 500, 21: 90, 40: 10}
}
func (s *fakeServo) SaveFlight() {
	s.saved++
	s.notices = append(s.notices, "~/flights/flight-7.mcap (by hand, 60.0 s)")
}
func (s *fakeServo) Notice() (string, bool, bool) {
	if len(s.notices) == 0 {
		return "", false, false
	}
	n := s.notices[0]
	s.notices = s.notices[1:]
	return n, false, true
}

// A device with motors: coupling, margin, passivity, dead-man button, release
// by button and by key, and a saved flight, all with the mouse.
func TestHapticsPanel(t *testing.T) {
	o := &fakeOpener{adjust: func(s *fakeSession) {
		s.mouseless = true
		s.servo.loop.Last.Energy, s.servo.loop.Last.Alpha = -2.1e-4, 3.2
		s.servo.loop.Last.Flags = haptics.Damped | haptics.Saturated
		s.servo.loop.Counts[5], s.servo.loop.Counts[14], s.servo.loop.Missed = 12, 31415, 3
	}}
	d := openDesk(t, o, Options{})
	number := func(what string) (float64, *tracePicture) {
		p := d.look()
		f, _ := p.Values[what].(float64)
		return f, p
	}
	reveal := func(label string) { // the section is below the fold
		p := d.look()
		r := p.Widgets["Haptics"]
		d.do("mousemove", px(float64(r.X)+40), px(0.6*float64(p.Viewport.H)))
		for range 60 {
			if d.look().Widgets[label].Visible {
				d.do("click", "5") // well inside
				break
			}
			d.do("click", "5", "sleep", "0.1")
		}
		at := float32(math.NaN()) // until it has come to rest
		d.until(label+" at rest", func(p *tracePicture) bool {
			d.do("sleep", "0.2")
			y := p.Widgets[label].Y
			still := y == at
			at = y
			return still
		})
	}

	d.click("Release")
	d.value("released", func(v any) bool { return v == true })
	d.until("the cure", func(p *tracePicture) bool { return strings.Contains(p.Status, "Take hold again") })
	d.click("Release")
	d.value("released", func(v any) bool { return v == false })
	d.do("key", "Escape")
	d.value("released", func(v any) bool { return v == true })
	d.click("Release")
	d.value("released", func(v any) bool { return v == false })

	reveal("Dead-man button")
	before, _ := number("margin")
	d.point("Coupling stiffness", 0.2, 0.5)
	d.do("mousedown", "1", "mousemove_relative", "--", "3", "0", "mouseup", "1")
	d.value("device.coupling_stiffness", func(v any) bool { k, _ := v.(float64); return k > 10 && k < 200 })
	d.until("a wider margin", func(p *tracePicture) bool { m, _ := p.Values["margin"].(float64); return m > before })
	d.click("Coupling/direct")
	d.value("device.coupling", func(v any) bool { return v == "direct" })
	d.click("Coupling/virtual")
	d.value("device.coupling", func(v any) bool { return v == "virtual" })
	d.click("Passivity controller")
	d.value("device.passivity", func(v any) bool { return v == false })
	d.click("Force on")
	d.value("force_on", func(v any) bool { return v == false })
	d.click("Dead-man button")
	d.click("Dead-man button/second button")
	d.value("device.dead_man", func(v any) bool { return v == 2.0 })
	d.do("key", "F9")
	d.until("the file's name", func(p *tracePicture) bool { return strings.Contains(p.Status, "flight-7.mcap") })
	if o.opened[0].servo.saved != 1 {
		t.Errorf("saved %d times", o.opened[0].servo.saved)
	}
}

func TestMarginText(t *testing.T) {
	limits := haptics.DefaultLimits()
	g := haptics.DeriveGains(limits, 1000)
	text, color := marginText(&g, true)
	if color != goodColor || !strings.Contains(text, "×") {
		t.Errorf("derived gains read %q", text)
	}
	g.Stiffness = 2 * g.StableLimit
	g.Check(limits, 1000)
	if text, color = marginText(&g, true); color != badColor || !strings.HasPrefix(text, "0.50 ×") {
		t.Errorf("twice the limit reads %q", text)
	}
	g.Stiffness = math.NaN()
	g.Check(limits, 1000)
	if _, color = marginText(&g, true); color == goodColor {
		t.Error("NaN looks good")
	}
	if text, _ = marginText(&g, false); !strings.Contains(text, "bodies") {
		t.Errorf("direct coupling reads %q", text)
	}
}

func TestEnergyPlace(t *testing.T) {
	last := -2.0
	for _, e := range []float64{math.Inf(-1), -0.1, -1e-3, -1e-9, 0, 1e-9, 1e-6, 1e-3, 0.1} {
		p := energyPlace(e)
		if !(p > last) && e > -0.1 || !(p >= -1 && p <= 1) {
			t.Errorf("%g J lies at %g, after %g", e, p, last)
		}
		last = p
	}
	if energyPlace(-1e-4) != -energyPlace(1e-4) {
		t.Error("the meter is not symmetric")
	}
}

// Each intervention has its words.
func TestFlagsAreExplained(t *testing.T) {
	for i, about := range flagAbouts {
		if about == "" || haptics.FlagNames[i] == "" {
			t.Errorf("flag %d (%s) is not explained", i, haptics.FlagNames[i])
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 31415: "31k", 12e6: "12M"} {
		if got := count(n); got != want {
			t.Errorf("%d reads %q, want %q", n, got, want)
		}
	}
}

// A number reads as its format says.
func TestNumberText(t *testing.T) {
	for want, n := range map[string]struct {
		physics.Number
		x float64
	}{
		"4.0 %": {physics.Number{Format: physics.Share}, 0.04}, "17": {physics.Number{Format: physics.Count}, 17}, "yes": {physics.Number{Format: physics.YesNo}, 1},
		"2.50 mm": {physics.Number{Unit: "m"}, 2.5e-3}, "–": {physics.Number{Unit: "N"}, math.NaN()},
	} {
		if text := numberText(&n.Number, n.x); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// The histogram counts from when the plots were cleared, and says how much is on time.
func TestPeriodPlot(t *testing.T) {
	p := &periodPlot{}
	p.record(haptics.Periods{19: 400, 20: 500, 25: 90, 40: 10}, 1000)
	n, sum, most := p.counts()
	if sum != 1000 || most != 500 || near(&n, sum) != 0.9 {
		t.Errorf("%d periods, at most %d, %g on time", sum, most, near(&n, sum))
	}
	if d := p.data(); len(d.Curves[0].X) != len(n) || math.Abs(d.Curves[0].X[20]-1e-3) > 1e-12 || d.Curves[0].Y[20] != 500 {
		t.Errorf("%+v", d)
	}
	p.clear()
	p.record(haptics.Periods{19: 400, 20: 507, 25: 90, 40: 11}, 1000)
	if n, sum, _ = p.counts(); sum != 8 || n[20] != 7 || n[40] != 1 {
		t.Errorf("%v after clearing", n)
	}
}

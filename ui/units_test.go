package ui

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics"
)

func TestQuantityText(t *testing.T) {
	for _, c := range []struct {
		q    quantity
		v    float64
		want string
	}{
		{pressure, 20e3, "20.0 kPa"}, {pressure, 999.6e3, "1.00 MPa"}, {pressure, 69e9, "69.0 GPa"},
		{length, 5e-3, "5.00 mm"}, {length, 1e-6, "1.00 µm"}, {length, 0, "0 mm"}, {length, math.Inf(1), "∞ mm"},
		{force, 0, "0 N"}, {force, 3.3, "3.30 N"}, {force, 0.0421, "42.1 mN"}, {force, -2, "-2.00 N"},
		{plain, 0.3, "0.300"}, {plain, 1e-4, "1e-4"}, {plain, 2.5e-7, "2.5e-7"}, {plain, 5000, "5000"}, {plain, 1e5, "1e5"},
		{plain, 0.9996, "1.00"}, {plain, 9.996, "10.0"}, {plain, 99.96, "100"},
		{stiffness, 118, "118 N/m"}, {stiffness, 2.5e6, "2.50 MN/m"}, {frequency, 998.2, "998 Hz"}, {duration, 1.25e-3, "1.25 ms"},
		{force, math.NaN(), "not a number N"},
	} {
		if got := c.q.text(c.v); got != c.want {
			t.Errorf("%v of quantity %d reads %q, want %q", c.v, c.q, got, c.want)
		}
	}
}

func TestQuantityParse(t *testing.T) {
	kPa := unit{"kPa", 1e3}
	for _, c := range []struct {
		q    quantity
		in   string
		want float64
	}{
		{pressure, "20", 20e3}, {pressure, "20 kPa", 20e3}, {pressure, "0.02MPa", 20e3}, {pressure, " 2e4 Pa ", 2e4},
		{pressure, "0,5 mpa", 5e5}, {length, "12 um", 12e-6}, {length, "12 μm", 12e-6}, {length, "3 m", 3},
		{stiffness, "5 mN/m", 5e-3}, {stiffness, "5 MN/m", 5e6}, {plain, "1e-6", 1e-6}, {length, "inf", math.Inf(1)},
	} {
		shown := kPa
		if c.q != pressure {
			shown = unit{"", 1}
		}
		got, err := c.q.parse(c.in, shown)
		if err != nil || math.Abs(got-c.want) > 1e-12*math.Abs(c.want) && got != c.want {
			t.Errorf("%q reads as %v, %v; want %v", c.in, got, err, c.want)
		}
	}
	for _, s := range []string{"", "soft", "nan", "12 furlongs", "3 N", "1.2.3"} {
		if v, err := pressure.parse(s, kPa); err == nil {
			t.Errorf("%q was taken for %v", s, v)
		}
	}
}

// What a number shows can be typed back, within the digits shown.
func TestQuantityRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		q := quantity(r.IntN(len(quantities)))
		v := math.Pow(10, r.Float64()*20-10)
		got, err := q.parse(q.text(v), unit{"", 1})
		if err != nil || math.Abs(got-v) > 0.06*v {
			t.Fatalf("quantity %d: %v shows %q and reads back as %v, %v", q, v, q.text(v), got, err)
		}
	}
}

// allControls are the window's own and those of a tissue world.
var allControls = func() []*control {
	list := []*control{&ctlMaxForce, &ctlReducer, &ctlStiffness, &ctlForceScale, &ctlResultantScale,
		&ctlScene, &ctlFps, &ctlHFps, &ctlDisplay, &ctlHapticForce, &ctlDevice, &ctlMissed}
	keys := newFake("x").keys
	for i := range keys {
		if keys[i].Section == "" {
			continue
		}
		c := controlOf(&keys[i])
		list = append(list, &c)
	}
	return list
}()

func TestSliderMapping(t *testing.T) {
	for _, c := range allControls {
		b := &c.bounds
		if b.Max == 0 && b.Min == 0 {
			continue // no slider
		}
		if !(b.Max > b.Min) || b.Log && !(b.Min > 0) {
			t.Errorf("%s: bounds %+v", c.label, *b)
			continue
		}
		last := math.Inf(-1)
		for i := range 201 {
			v := b.at(float64(i) / 200)
			if v < last || v > b.Max || v < b.Min && !(b.Zero && v == 0) {
				t.Fatalf("%s: position %d gives %v after %v", c.label, i, v, last)
			}
			last = v
			if back := b.at(b.position(v)); math.Abs(back-v) > 0.06*math.Abs(v)+b.Step/2 {
				t.Fatalf("%s: %v comes back as %v", c.label, v, back)
			}
		}
		if b.at(1) != b.Max || b.at(2) != b.Max || b.position(b.Max) != 1 {
			t.Errorf("%s: the right end is %v, not %v", c.label, b.at(1), b.Max)
		}
		if low := b.at(0); low != b.Min && !(b.Zero && low == 0) {
			t.Errorf("%s: the left end is %v", c.label, low)
		}
		if v := b.admit(math.Inf(-1)); v > b.Min || math.IsInf(v, 0) {
			t.Errorf("%s: the least value to type is %v, above the slider's %v", c.label, v, b.Min)
		}
		if v := b.admit(math.Inf(1)); v < b.Max {
			t.Errorf("%s: the largest value to type is %v, below the slider's %v", c.label, v, b.Max)
		}
	}
}

// A drag over the whole slider is a factor of ten, from wherever it begins.
func TestDecadeSlider(t *testing.T) {
	keys := newFake("x").keys
	young := controlOf(&keys[physics.Place(keys, "liver.E")])
	b := &young.bounds
	if !b.Decade {
		t.Fatal("the slider of Young's modulus runs over nine decades")
	}
	for _, c := range []struct{ from, part, want float64 }{
		{12e3, 1, 120e3}, {12e3, -1, 1.2e3}, {12e3, 0.5, 37.9e3}, {2e11, 1, 1e11}, {150, -1, 100}, {70e9, 0.01, 71.6e9},
	} {
		if got := b.dragged(c.from, c.part); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%g dragged by %g: %g, want %g", c.from, c.part, got, c.want)
		}
	}
	for v, want := range map[float64]float64{12e3: 0.5, 37.94733e3: 1, 3.794733e3: 0, 1e9: 1, 1: 0} {
		if got := b.about(v, 12e3); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g lies at %g, want %g", v, got, want)
		}
	}
}

// Arrow keys take every slider from end to end, one small step at a time.
func TestArrowKeysOnSliders(t *testing.T) {
	for _, c := range allControls {
		b := &c.bounds
		if b.Max == 0 && b.Min == 0 {
			continue
		}
		for _, coarse := range []bool{false, true} {
			v := b.at(0)
			for n := 0; v < b.Max; n++ {
				next := b.nudged(v, true, coarse)
				if !(next > v) || n > 4000 {
					t.Fatalf("%s: stuck at %g going up, coarse %v", c.label, v, coarse)
				}
				if !coarse && b.Log && v > 0 && next > v*1.05 && next-v > b.Step {
					t.Fatalf("%s: leaps from %g to %g", c.label, v, next)
				}
				v = next
			}
			for n := 0; v > b.at(0); n++ {
				next := b.nudged(v, false, coarse)
				if !(next < v) || n > 4000 {
					t.Fatalf("%s: stuck at %g going down, coarse %v", c.label, v, coarse)
				}
				v = next
			}
		}
	}
}

// No axis shows rounding: its range is what its quantity has at least, about zero where there are both signs, and no
// logarithmic one goes down to where numbers end.
func TestAxesHaveAFloor(t *testing.T) {
	for q := range quantity(len(quantities)) {
		if !(q.least() > 0) {
			t.Errorf("quantity %d has no floor", q)
		}
		for _, values := range [][]float64{{0, 8e-17}, {-3e-18, 2e-18}, {0}} {
			p := &plot{unit: q, hist: newHistory(1, 8), curves: []curve{{}}}
			for i, v := range values {
				p.hist.add(float64(i), []float64{v})
			}
			if p.fitAxis(0); p.axis.hi-p.axis.lo < 0.999*q.least() {
				t.Errorf("%v of quantity %d: the axis goes from %g to %g", values, q, p.axis.lo, p.axis.hi)
			}
		}
		p := &plot{unit: q, hist: newHistory(1, 8), curves: []curve{{}}, axis: axis{log: true}}
		p.hist.add(0, []float64{1e-30})
		for n := range 5 {
			p.hist.add(1+float64(n), []float64{math.Pow(10, float64(n)) * q.least()})
			if p.fitAxis(0); math.Pow(10, p.axis.lo) < 0.999*lowest*q.least() {
				t.Errorf("a logarithmic axis of quantity %d goes down to 1e%g", q, p.axis.lo)
			}
		}
		if zero, tiny := p.text(0), p.text(0.5*lowest*q.least()); q != plain && tiny != zero {
			t.Errorf("below the logarithmic axis of quantity %d it reads %s", q, tiny)
		}
	}
}

// A number of a world that is rounding reads 0 in the unit of its quantity.
func TestRoundingReadsZero(t *testing.T) {
	n := &physics.Number{Unit: "J"}
	for x, want := range map[float64]string{8.3e-17: "0 mJ", -2e-18: "0 mJ", 2e-12: "2.00 pJ", 0.0116: "11.6 mJ"} {
		if got := numberText(n, x); got != want {
			t.Errorf("%g J reads %q, want %q", x, got, want)
		}
	}
}

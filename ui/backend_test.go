package ui

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hapco/physics"
	scenefile "hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/testkit"
)

// Plots wrap; none is left out or too narrow to be read.
func TestPlotsWrap(t *testing.T) {
	for count := 1; count <= 6; count++ {
		for w := float32(100); w < 4000; w += 7 {
			columns, rows := plotGrid(count, w, 6, leastPlot)
			if columns < 1 || columns*rows < count || columns*(rows-1) >= count {
				t.Fatalf("%d plots, %g pixels: %d columns, %d rows", count, w, columns, rows)
			}
			if each := (w - 6*float32(columns-1)) / float32(columns); each < leastPlot && columns > 1 {
				t.Fatalf("%d plots, %g pixels: %g each", count, w, each)
			}
			if w >= float32(count)*(leastPlot+6) && rows != 1 {
				t.Fatalf("%d plots, %g pixels: %d rows where one would do", count, w, rows)
			}
		}
	}
	fake := newFake("x")
	pages := newPages(fake.info, fake.keys)
	for _, page := range append(pages, newPages(&physics.Info{}, nil)...) {
		if len(page.pictures) < 2 && page.depth == nil {
			t.Errorf("page %s has %d plots", page.title, len(page.pictures))
		}
	}
}

func TestShortNames(t *testing.T) {
	for in, want := range map[string]string{
		"liver": "liver", "bench-a-36": "bench-a-36", "": "", "/data/meshes/liver2.msh": "liver2",
		"../a/organ.msh.gz": "organ", "mine/press.toml": "press", "left.lobe.long-name": "left.lobe.long-name",
	} {
		if got := shortName(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// Text keeps its size on a large screen, whether its monitor asks for it or not.
// Text is cut as far as it must be, and no loop goes on where nothing fits: a window may be made as narrow as one likes.
func TestTextIsCutToAnyWidth(t *testing.T) {
	const text = "Parameters are those of the scene again."
	for width := -3; width < 60; width++ {
		got := shortened(text, func(s string) bool { return len([]rune(s)) <= width })
		switch n := len([]rune(got)); {
		case width >= len(text) && got != text, width < len(text) && !strings.HasSuffix(got, "…"), n > max(width, 1):
			t.Errorf("to %d: %q", width, got)
		}
	}
}

func TestTextScale(t *testing.T) {
	for _, c := range []struct {
		monitor, zoom float64
		w, h          int
		want          float64
	}{{1, 1, 1280, 800, 1}, {1, 1, 800, 600, 1}, {1, 1, 3840, 2160, 2}, {2, 1, 3840, 2160, 2}, {1, 1.5, 1280, 800, 1.5}, {1, 1, 3840, 800, 1}} {
		if got := textScale(c.monitor, c.zoom, c.w, c.h); got != c.want {
			t.Errorf("%+v gives %g", c, got)
		}
	}
}

// Labels, scene keys and --set keys are the same words.
func TestLabelsAreKeys(t *testing.T) {
	known := map[string]bool{}
	own, body := scenefile.Fields()
	for _, name := range slices.Concat(setting.Names(setting.HeadFields), setting.Names(own), setting.Names(setting.TailFields)) {
		known[name] = true
	}
	for _, name := range setting.Names(body) {
		known["liver."+name] = true
	}
	for _, c := range allControls {
		if c.label == "" || c.about == "" {
			t.Errorf("%+v has no label or no explanation", *c)
		}
		if c.key == "" {
			continue
		}
		if !known[c.key] {
			t.Errorf("%s: the scene format has no key %q", c.label, c.key)
		}
		if want := lastWord(c.key); want != c.label && want != lowered(c.label) {
			t.Errorf("label %q, key %q: not the same words", c.label, c.key)
		}
	}
}

func lastWord(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' {
			return key[i+1:]
		}
	}
	return key
}

func lowered(label string) string {
	out := []byte(label)
	for i, c := range out {
		switch {
		case c == ' ':
			out[i] = '_'
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

func TestHistory(t *testing.T) {
	h := newHistory(2, 5)
	if h.nearest(1) != -1 || !math.IsNaN(h.last(0)) {
		t.Fatal("an empty history has a sample")
	}
	for i := range 8 {
		h.add(float64(i), []float64{float64(i), -float64(i)})
	}
	h.add(7, []float64{99, 99}) // the same moment again: ignored
	if h.count != 5 || h.time(0) != 3 || h.last(0) != 7 || h.value(1, 0) != -3 {
		t.Fatalf("%d samples from %g to %g", h.count, h.time(0), h.last(0))
	}
	if h.since(4.5) != 2 || h.since(-1) != 0 || h.since(9) != 5 || h.nearest(4.4) != 1 || h.nearest(99) != 4 {
		t.Fatal("looking up a time")
	}
	lo, hi, ok := h.extent(0, 2, false)
	if lo != 5 || hi != 7 || !ok {
		t.Fatalf("extent %g..%g", lo, hi)
	}
	if _, _, ok := h.extent(1, 0, true); ok {
		t.Fatal("negative values have no place on a logarithmic axis")
	}
	h.add(1, []float64{1, 1}) // the clock went back: another simulation
	if h.count != 1 {
		t.Fatal("a new simulation keeps the old one's samples")
	}
}

// A run that ends stays behind the next one, at the time since both began; one too short to show does not, and the
// oldest goes.
func TestEarlierRuns(t *testing.T) {
	p := &plot{hist: newHistory(1, 100), span: 10, curves: []curve{{}}}
	now := 0.0
	for run := range earlierMost + 2 {
		for i := range 10 {
			now += 0.1
			p.hist.add(now, []float64{float64(10*run + i)})
		}
		p.hist.again()
		p.hist.add(now+0.05, []float64{99})
		p.hist.again() // too short
		now++
	}
	p.hist.add(now, []float64{7})
	n := 0
	for h, later := range p.runs {
		if h.time(0)+later != now || h.count != 10 || h.last(0) != float64(10*(n+2)+9) {
			t.Errorf("run %d begins at %g with %d samples up to %g; this one at %g", n, h.time(0)+later, h.count, h.last(0), now)
		}
		n++
	}
	if n != earlierMost || p.hist.count != 1 {
		t.Errorf("%d runs are kept, the present one has %d samples", n, p.hist.count)
	}
	if p.fitAxis(now + 0.9); !(p.axis.hi >= 49) {
		t.Errorf("the axis ends at %g, an earlier run at 49", p.axis.hi)
	}
	p.alone = true
	for range p.runs {
		t.Error("a run shows that is hidden")
	}
}

func TestHistoryAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	h := newHistory(3, 64)
	sample := []float64{1, 2, 3}
	now := 0.0
	if n := testing.AllocsPerRun(500, func() { now++; h.add(now, sample); h.since(now - 10) }); n != 0 {
		t.Fatalf("%g allocations a sample", n)
	}
}

func TestAxisHoldsItsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		lo := math.Pow(10, r.Float64()*12-8)
		hi := lo * (1 + r.Float64()*1000)
		for _, log := range []bool{false, true} {
			a := axis{log: log}
			a.fit(lo, hi)
			l, h := a.lo, a.hi
			if log {
				l, h = math.Pow(10, l), math.Pow(10, h)
			}
			if l > lo*(1+1e-6) || h < hi*(1-1e-6) || !(a.step > 0) || (a.hi-a.lo)/a.step > 8.01 {
				t.Fatalf("%g..%g on an axis %g..%g by %g, log %v", lo, hi, a.lo, a.hi, a.step, log)
			}
			if a.at(hi) < a.at(lo) {
				t.Fatal("upside down")
			}
		}
	}
	var a axis
	a.fit(0, 0)
	if !(a.hi > a.lo) {
		t.Fatal("an axis without height")
	}
	a = axis{}
	a.fit(0, 97)
	before := a
	if a.fit(0, 60); a != before {
		t.Fatal("the axis flutters")
	}
	if a.fit(0, 5); a == before {
		t.Fatal("the axis never narrows")
	}
}

func TestUserScale(t *testing.T) {
	for _, c := range []struct {
		option float64
		env    string
		want   float64
	}{{0, "", 1}, {2, "", 2}, {0, "1.5", 1.5}, {2, "1.5", 2}} {
		if got, err := userScale(c.option, c.env); err != nil || got != c.want {
			t.Errorf("%+v gives %g, %v", c, got, err)
		}
	}
	for _, bad := range []string{"big", "0.1", "99", "nan"} {
		if _, err := userScale(0, bad); !errors.Is(err, ErrScale) {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestNoDisplay(t *testing.T) {
	_, err := checkDisplay("linux", func(string) string { return "" })
	if !errors.Is(err, ErrNoDisplay) {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{":987", "unix:987.0", ":987.1"} {
		if _, err := checkDisplay("linux", func(string) string { return name }); !errors.Is(err, ErrNoDisplay) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := checkDisplay("darwin", func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
}

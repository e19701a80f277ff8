package ui

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"hapco/physics/machinery/testkit"
)

// desk is a running window with a hand on its mouse.
type desk struct {
	t     *testing.T
	trace string
	done  chan error
	stop  context.CancelFunc
}

func openDesk(t *testing.T, o *fakeOpener, opt Options) *desk {
	t.Helper()
	needDisplay(t)
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("xdotool is not installed: apt-get install xdotool")
	}
	d := &desk{t: t, trace: filepath.Join(t.TempDir(), "trace.json"), done: make(chan error, 1)}
	t.Setenv("HAPCO_UI_TRACE", d.trace)
	every := traceEvery
	traceEvery = 30 * time.Millisecond
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	opt.Open = o.open
	if opt.Scenes == nil {
		opt.Scenes = fakeScenes
	}
	switch opt.Scene {
	case "":
		opt.Scene = "liver"
	case "-": // the gallery
		opt.Scene = ""
	}
	d.do("mousemove", "2000", "1500")
	go onMainThread(func() { d.done <- Run(ctx, opt) })
	t.Cleanup(func() {
		stop()
		if err := <-d.done; err != nil {
			t.Errorf("Run: %v", err)
		}
		traceEvery = every
	})
	d.until("a scene on screen", func(p *tracePicture) bool { return p.Study != "" || (p.Ready || p.Gallery) && len(p.Widgets) > 5 })
	return d
}

func (d *desk) do(args ...string) {
	d.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %v: %v\n%s", args, err, out)
	}
}

func (d *desk) look() *tracePicture {
	data, err := os.ReadFile(d.trace)
	if err != nil {
		return &tracePicture{}
	}
	var p tracePicture
	if err := json.Unmarshal(data, &p); err != nil {
		d.t.Fatalf("trace: %v", err)
	}
	return &p
}

// until waits for the window to show something.
func (d *desk) until(what string, ok func(*tracePicture) bool) *tracePicture {
	d.t.Helper()
	for end := time.Now().Add(testkit.Hang); ; time.Sleep(20 * time.Millisecond) {
		p := d.look()
		if ok(p) {
			return p
		}
		if time.Now().After(end) {
			d.t.Fatalf("waited in vain for %s; frame %d of scene %q, force %g N, %d contacts, selected %d, status %q, values %v",
				what, p.Frame, p.Scene, p.RawN, len(p.Contacts), p.Selected, p.Status, p.Values)
		}
	}
}

// settle waits until every event has been digested: some frames without motion.
func (d *desk) settle() *tracePicture {
	d.t.Helper()
	last := d.look()
	d.until("the stylus to rest", func(p *tracePicture) bool {
		if p.Stylus == nil || p.Frame < last.Frame+6 {
			return false
		}
		still := math.Hypot(p.Stylus.X-last.Stylus.X, p.Stylus.Y-last.Stylus.Y) < 0.5
		last = p
		return still
	})
	return last
}

// press moves the tool away from the eye by the wheel until a force acts on it, N.
func (d *desk) press(force float64) {
	d.t.Helper()
	for i := 0; i < 20 && d.look().RawN < force; i++ {
		d.do("click", "4")
		d.frames(6)
	}
	d.until("a force", func(p *tracePicture) bool { return p.RawN >= force })
	d.settle()
}

// frames waits until n more pictures were drawn: on a busy machine a moment is
// not enough for a click to be digested.
func (d *desk) frames(n int) {
	d.t.Helper()
	first := d.look().Frame
	d.until("more frames", func(p *tracePicture) bool { return p.Frame >= first+n })
}

// enter types into the field that a click has just opened.
func (d *desk) enter(text string) {
	d.t.Helper()
	d.frames(8)
	d.do("type", text)
	d.frames(2 * len(text))
	d.do("key", "Return")
}

func px(v float64) string { return strconv.Itoa(int(math.Round(v))) }

// point moves the mouse to a fraction of a widget.
func (d *desk) point(label string, fx, fy float64) {
	d.t.Helper()
	p := d.until("widget "+label, func(p *tracePicture) bool { return p.Widgets[label].Visible })
	r := p.Widgets[label]
	d.do("mousemove", px(float64(r.X)+fx*float64(r.W)), px(float64(r.Y)+fy*float64(r.H)))
}

func (d *desk) click(label string) {
	d.t.Helper()
	d.point(label, 0.5, 0.5)
	d.do("click", "1") // down and up within the same millisecond
}

func (d *desk) value(what string, ok func(any) bool) {
	d.t.Helper()
	d.until(what, func(p *tracePicture) bool { return ok(p.Values[what]) })
}

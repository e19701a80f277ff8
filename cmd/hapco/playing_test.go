package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"hapco/physics/machinery/testkit"
)

// A recording in the window: it plays, rests, goes where the timeline is clicked, steps,
// plays faster, and begins again; the tool touches where it touched then.
func TestRecordingIsPlayedInTheWindow(t *testing.T) {
	testkit.Slow(t)
	bin, dir := buildProgram(t), t.TempDir()
	file := filepath.Join(dir, "press.mcap")
	c := exec.Command(bin, "run", "bench-a-16", "--headless", "--seconds", "3", "--path", "penetration", "--record", file)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	w := startWindow(t, bin, dir, "replay", file)
	number := func(tr *trace, name string) float64 { x, _ := tr.Values[name].(float64); return x }
	tr := w.await("the timeline", func(tr *trace) bool { return tr.Ready && tr.Widgets["PlayLine"].Visible })
	length, line := number(tr, "play_length_s"), tr.Widgets["PlayLine"]
	if length < 2 || length > 6 {
		t.Fatalf("%g s long", length)
	}
	to := func(part float64) {
		w.x("mousemove %.0f %.0f\nclick 1", line.X+part*line.W, line.Y+line.H/2)
	}
	w.await("the end", func(tr *trace) bool { return number(tr, "play_s") == length && tr.Values["playing"] == false })
	full := w.await("the force at the end", func(tr *trace) bool { return tr.RawN > 0.1 }).RawN
	w.x("key comma") // rests
	to(0.02)
	w.await("the beginning, with little force", func(tr *trace) bool {
		return number(tr, "play_s") < 0.1*length && tr.Values["playing"] == false && tr.RawN < full/4
	})
	to(0.5)
	tr = w.await("the middle", func(tr *trace) bool {
		return number(tr, "play_s") > 0.45*length && number(tr, "play_s") < 0.55*length && tr.Values["playing"] == false
	})
	at := number(tr, "play_s")
	w.x("key period\nkey period\nkey comma\nkey period")
	w.await("two steps on", func(tr *trace) bool {
		d := number(tr, "play_s") - at - 2*0.01
		return d > -1e-6 && d < 1e-6
	})
	w.click("PlaySpeed")
	w.await("double speed", func(tr *trace) bool { return number(tr, "play_speed") == 2 })
	w.click("PlayLoop")
	w.click("PlayOn")
	w.await("the second round", func(tr *trace) bool { return tr.Values["playing"] == true && number(tr, "play_rounds") >= 1 })
	w.quit()
}

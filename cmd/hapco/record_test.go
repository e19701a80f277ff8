package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics/record"
	"hapco/physics/machinery/testkit"
)

// Twenty scene changes with --record leave twenty-one whole recordings, none of
// them over another. Sessions of the mouse overlap, as the window keeps the old
// one until the new one is there.
func TestRecordOverSceneChanges(t *testing.T) {
	for _, device := range []string{"mouse", "virtual"} {
		t.Run(device, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "press.mcap")
			c := runCommand{SceneFlags: app.SceneFlags{Scene: "bench-a-16"}, DeviceFlags: app.DeviceFlags{Device: device, RateHz: 1000, Record: path}}
			first, err := c.Load()
			if err != nil {
				t.Fatal(err)
			}
			open := c.opener(first)
			names := []string{"bench-a-16", "bench-c-16"}
			var old *app.Session
			var ticks []uint64
			end := func() {
				if old == nil {
					return
				}
				if err := old.Close(); err != nil {
					t.Fatal(err)
				}
				ticks = append(ticks, old.Haptics().Ticks)
			}
			changes := 21
			if testing.Short() {
				changes = 6
			}
			for k := range changes {
				s, err := open(context.Background(), names[k%2], func(float64, string) {})
				if err != nil {
					t.Fatal(err)
				}
				end()
				old = s.(*app.Session)
				testkit.Eventually(t, "ticks", func() bool { return old.Haptics().Ticks > 50 })
			}
			end()
			for k, n := range ticks {
				name := path
				if k > 0 {
					name = strings.TrimSuffix(path, ".mcap") + fmt.Sprintf("-%d.mcap", k+1)
				}
				recs, notes, err := record.Read(name)
				if err != nil || uint64(len(recs)) != n || n == 0 || recs[n-1].Tick != n || notes["scene"] != names[k%2] {
					t.Errorf("%s: %d ticks of %d, %v, %v", name, len(recs), n, notes, err)
				}
			}
		})
	}
}

// A full disk ends the recording, not the force, and is told at once.
func TestFullDiskWhileRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program")
	}
	b := &rig{bin: buildProgram(t), dir: t.TempDir()}
	d := newHaply(t)
	path := filepath.Join(b.dir, "r.mcap")
	p := b.start(t, []string{"HAPLY_URL=ws" + strings.TrimPrefix(d.URL, "http"), "HAPCO_NO_CACHE=1"},
		"run", "bench-a-16", "--headless", "--device", "haply", "--seconds", "600", "--record", path)
	// the limit of a file's size, in the place of a disk's
	if out, err := exec.Command("prlimit", fmt.Sprintf("--pid=%d", p.cmd.Process.Pid), "--fsize=200000").CombinedOutput(); err != nil {
		t.Skipf("prlimit: %v %s", err, out)
	}
	p.until("word of the end", func() bool { return strings.Contains(p.said(), "the recording has ended after") })
	if info, err := os.Stat(path); err != nil || info.Size() != 200000 {
		t.Errorf("the file: %v, %v", info, err)
	}
	_, _, steps := d.look()
	p.until("a second of force", func() bool { _, _, now := d.look(); return now > steps+1000 })
	if strings.Count(p.said(), "the recording has ended") != 1 {
		t.Errorf("said more than once:\n%s", p.said())
	}
	p.interrupt()
	if f, err := readFlight(path); err != nil || len(f.ticks) < 100 {
		t.Errorf("the recording: %v", err)
	}
}

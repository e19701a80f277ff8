package record

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/haptics"
	"hapco/physics/machinery/testkit"
)

// source gives made-up ticks.
type source struct{ recs []haptics.Record }

func (s *source) Drain(dst []haptics.Record) int {
	n := copy(dst, s.recs)
	s.recs = s.recs[n:]
	return n
}

// ticks makes n ticks of 1 ms from number first.
func ticks(first, n int) []haptics.Record {
	out := make([]haptics.Record, n)
	for i := range out {
		k := first + i
		x := math.Sin(float64(k) * 0.01)
		out[i] = haptics.Record{
			Tick: uint64(k), Time: int64(k) * 1e6, Model: uint64(k / 3), Late: int32(k % 50), Work: 12345, Flags: haptics.Slewed | haptics.Ramping,
			Buttons: 1, Contacts: 36, Sweeps: 7, Position: [3]float64{x, 1e-300, -x}, Rotation: [4]float64{0, 0, 0, 1}, Tool: [3]float64{x, 2, 3},
			Velocity: [3]float64{1, 2, 3}, Raw: [3]float64{x, 0, 0.1}, Force: [3]float64{0.1, 1.0 / 3, x}, Torque: [3]float64{1, 2, 3},
			Age: 0.003, Gain: 1, Energy: -1e-9, Alpha: 4, Heat: 0.5, Residual: 1e-7,
		}
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	want := ticks(1, 5000)
	w, err := Create(path, 1e18, map[string]string{"device": "virtual"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, notes, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || notes["device"] != "virtual" {
		t.Fatalf("%d ticks, notes %v", len(got), notes)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("tick %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// A recording that was never closed, or was cut anywhere, gives what reached the disk.
func TestSurvivesACrash(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mcap")
	w, err := Create(path, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ticks(1, 5000)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path) // no Close: the program died here
	if err != nil {
		t.Fatal(err)
	}
	recs, _, err := Read(path)
	if len(recs) < 3000 {
		t.Errorf("%d of 5000 ticks left: %v", len(recs), err)
	}
	for _, share := range []float64{0.3, 0.6, 0.95} {
		cut := filepath.Join(dir, "cut.mcap")
		if err := os.WriteFile(cut, whole[:int(share*float64(len(whole)))], 0o644); err != nil {
			t.Fatal(err)
		}
		recs, _, err := Read(cut)
		if err != nil && !errors.Is(err, ErrTruncated) {
			t.Errorf("cut at %g: %v", share, err)
		}
		for i, r := range recs {
			if r.Tick != uint64(i+1) {
				t.Fatalf("cut at %g: tick %d is %d", share, i, r.Tick)
			}
		}
	}
	if err := os.WriteFile(path, []byte("not a recording"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), "not an MCAP file") {
		t.Errorf("text file: %v", err)
	}
}

// The last minute is kept, whatever came before.
func TestKeepsTheLastMinute(t *testing.T) {
	src := &source{recs: ticks(1, 2500)}
	f := NewFlight(src, Options{Keep: time.Second})
	f.poll()
	got := f.Recent(5000)
	if len(got) != 1000 || got[0].Tick != 1501 || got[999].Tick != 2500 {
		t.Fatalf("%d ticks, from %d to %d", len(got), got[0].Tick, got[len(got)-1].Tick)
	}
}

// A force spike and a burst of missed deadlines each leave one file, with what
// came before and after; neither leaves a second one soon.
func TestTriggers(t *testing.T) {
	for reason, disturb := range map[string]func([]haptics.Record){
		"force spike": func(r []haptics.Record) { r[1000].Raw[1] = 20 },
		"missed deadlines": func(r []haptics.Record) {
			for i := 1000; i < len(r); i++ {
				r[i].Time += int64(min(i-999, 12)) * 1e6
			}
		},
		"": func([]haptics.Record) {},
	} {
		dir := t.TempDir()
		recs := ticks(1, 4000)
		disturb(recs)
		f := NewFlight(&source{recs: recs}, Options{Dir: dir, Keep: 10 * time.Second, Notes: map[string]string{"scene": "test"}})
		f.poll()
		f.wait.Wait()
		events := f.Events()
		if reason == "" {
			if len(events) != 0 {
				t.Errorf("calm ticks left a file: %+v", events)
			}
			continue
		}
		if len(events) != 1 || events[0].Err != nil || events[0].Reason != reason {
			t.Fatalf("%s: events %+v", reason, events)
		}
		got, notes, err := Read(events[0].Path)
		if err != nil || notes["reason"] != reason || notes["scene"] != "test" {
			t.Fatalf("%s: %v, notes %v", reason, err, notes)
		}
		if n := len(got); n < 1900 || n > 2100 || got[0].Tick != 1 {
			t.Errorf("%s: %d ticks from %d", reason, n, got[0].Tick)
		}
	}
}

// Dump on request, a stream of all ticks, and errors that say what is wrong.
func TestDumpAndStream(t *testing.T) {
	dir := t.TempDir()
	src := &source{}
	f := NewFlight(src, Options{Dir: dir, Keep: time.Second})
	f.Dump("key")
	if e := f.Events(); len(e) != 1 || e[0].Err == nil {
		t.Errorf("dump of nothing: %+v", e)
	}
	path := filepath.Join(dir, "all.mcap")
	if name, err := f.Stream(path, nil); err != nil || name != path {
		t.Fatal(err)
	}
	if _, err := f.Stream(filepath.Join(dir, "second.mcap"), nil); err == nil {
		t.Error("two streams at once")
	}
	src.recs = ticks(1, 3000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { f.Run(ctx); close(done) }()
	testkit.Eventually(t, "ticks", func() bool { return len(f.Recent(10)) > 0 })
	f.Dump("key")
	cancel()
	<-done
	if recs, _, err := Read(path); err != nil || len(recs) != 3000 {
		t.Errorf("stream: %d ticks, %v", len(recs), err)
	}
	if e := f.Events(); len(e) != 1 || e[0].Err != nil || e[0].Ticks == 0 {
		t.Errorf("dump: %+v", e)
	}
	if _, err := f.Stream(filepath.Join(dir, "nowhere", "a.mcap"), nil); err == nil {
		t.Error("a file in no folder")
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.mcap")
	w, err := Create(path, 0, nil)
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(w.Write(ticks(1, 20)), w.Close()); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.mcap")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, _ = Read(path)
	})
}

// The histogram counts the time between ticks that follow each other, and what is longer
// than two periods in its last bin; ticks that were lost have no time between them.
func TestPeriodsAreCounted(t *testing.T) {
	recs := ticks(1, 4) // 1 ms apart
	late := ticks(5, 3)
	late[0].Time += 260e3
	late[1].Time += 5e6 // 4.74 ms after the one before
	late[2].Tick, late[2].Time = 90, 1e9
	f := NewFlight(&source{append(recs, late...)}, Options{Rate: 1000, Asked: true, Dir: t.TempDir()})
	f.poll()
	if got, want := f.Periods(), (haptics.Periods{20: 3, 25: 1, 40: 1}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

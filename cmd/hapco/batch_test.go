package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"hapco/physics"
)

// busy keeps all processors busy until stop.
func busy() (stop func()) {
	var ended atomic.Bool
	done := make(chan struct{})
	n := 2 * runtime.NumCPU()
	for range n {
		go func() {
			for x := 1.0; !ended.Load(); x += 1 / x {
			}
			done <- struct{}{}
		}()
	}
	return func() {
		ended.Store(true)
		for range n {
			<-done
		}
	}
}

// circumstances are what a computation must not depend on.
func circumstances(do func(name string)) {
	do("idle")
	for _, n := range []int{1, 2} {
		if n == min(2, runtime.NumCPU()) && testing.Short() {
			continue
		}
		before := runtime.GOMAXPROCS(n)
		do(fmt.Sprint("GOMAXPROCS ", n))
		runtime.GOMAXPROCS(before)
	}
	stop := busy()
	defer stop()
	do("busy")
}

// tracedJSON is the JSON of a trace without what steps took, by time or step.
func tracedJSON(t *testing.T, args ...string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.json")
	if status, _, errors := hapco(t, append([]string{"trace", "--json", "--no-cache", "--out", out}, args...)...); status != 0 {
		t.Fatalf("%v: exit status %d, %s", args, status, errors)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Steps, Samples []map[string]json.RawMessage }
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range append(r.Steps, r.Samples...) {
		delete(s, "ms")
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		all[string(s["t"])+string(s["step"])] = string(line)
	}
	return all
}

// agree compares what two traces have in common.
func agree(t *testing.T, what string, a, b map[string]string, least int) {
	t.Helper()
	n := 0
	for at, line := range a {
		if other, ok := b[at]; ok {
			if n++; other != line {
				t.Fatalf("%s: at %s\n%.600s\n%.600s", what, at, line, other)
			}
		}
	}
	if n < least {
		t.Errorf("%s: %d states in common", what, n)
	}
}

// traceScene traces a scene in every circumstance, over time with three values of --every.
func traceScene(t *testing.T, scene string, advances bool, seconds float64, args ...string) {
	t.Helper()
	var first map[string]string
	circumstances(func(name string) {
		if !advances {
			got := tracedJSON(t, append([]string{scene}, args...)...)
			if first == nil {
				first = got
			}
			agree(t, name, first, got, len(first))
			return
		}
		for _, every := range []float64{seconds / 8, seconds / 4, seconds} {
			if first != nil && name != "busy" && every != seconds/4 {
				continue
			}
			got := tracedJSON(t, append([]string{scene, "--seconds", fmt.Sprint(seconds), "--every", fmt.Sprint(every)}, args...)...)
			if first == nil {
				first = got
			}
			agree(t, fmt.Sprintf("%s, every %g", name, every), first, got, 2)
		}
	})
}

// A batch is a computation: the same bytes whatever is printed, however many processors there are,
// and however busy they are. Those of every kind of world here, every scene in the long tests.
func TestBatchesAreComputations(t *testing.T) {
	for scene, seconds := range map[string]float64{beadScene(t): 0.4, "dominoes": 0.04, "swing": 0.08, "ice-ship": 0.8} {
		if testing.Short() && (scene == "swing" || scene == "ice-ship") {
			continue
		}
		t.Run(filepath.Base(scene), func(t *testing.T) { traceScene(t, scene, true, seconds) })
	}
	t.Run("bench-a-16", func(t *testing.T) { traceScene(t, "bench-a-16", false, 0, "--path", "penetration", "--steps", "4") })
}

// Every scene that the program carries.
func TestBatchesOfAllScenes(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	all, err := physics.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			s, err := physics.Load(l.Name)
			if err != nil {
				t.Fatal(err)
			}
			w, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			advances := w.Info().Advances
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			traceScene(t, l.Name, advances, 0.08)
		})
	}
}

// Sweeps and indentations give the same bytes however busy the machine is.
func TestSweepsAndIndentationsAreComputations(t *testing.T) {
	dir := t.TempDir()
	sheet := writeFile(t, filepath.Join(dir, "s.toml"), "scene = \"bench-a-16\"\npath = \"penetration\"\nsteps = 2\n[grid]\nfriction = [0.1, 0.4]\n")
	var first [][]byte
	circumstances(func(name string) {
		out := filepath.Join(dir, name)
		if status, _, errors := hapco(t, "sweep", sheet, "--out", out, "--no-cache"); status != 0 {
			t.Fatalf("exit status %d, %s", status, errors)
		}
		table := filepath.Join(out, "i.csv")
		if status, _, errors := hapco(t, "indent", beadScene(t), "--depth", "2 mm", "--speed", "20 mm/s", "--along", "0,-1,0", "--csv", table); status != 0 {
			t.Fatalf("exit status %d, %s", status, errors)
		}
		var got [][]byte
		for _, file := range []string{filepath.Join(out, "sweep.csv"), table} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%s: %s\n%s", name, got, first)
		}
	})
}

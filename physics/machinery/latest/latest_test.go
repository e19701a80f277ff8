package latest

import (
	"sync"
	"testing"
)

// A reader sees whole values only, never an older one after a newer one, and
// the last one in the end; run it with -race.
func TestBoxHandsOverWholeNewestValues(t *testing.T) {
	type value struct{ a, b [64]int }
	box := New(func(v *value) {
		for i := range v.a {
			v.a[i], v.b[i] = -1, -1
		}
	})
	const last = 20000
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := range last + 1 {
			v := box.Back()
			for i := range v.a {
				v.a[i] = n
			}
			for i := range v.b {
				v.b[i] = n
			}
			box.Publish()
		}
	})
	seen := -1
	for seen < last {
		v, newer := box.Get()
		n := v.a[0]
		for i := range v.a {
			if v.a[i] != n || v.b[i] != n {
				t.Fatalf("a torn value: %d and %d, %d", n, v.a[i], v.b[i])
			}
		}
		if n < seen || newer != (n > seen) {
			t.Fatalf("value %d after %d, newer: %v", n, seen, newer)
		}
		seen = n
	}
	writer.Wait()
	if _, newer := box.Get(); newer {
		t.Error("a value that was read is new again")
	}
}

func TestBoxAllocatesNothing(t *testing.T) {
	box := New[[128]float64](nil)
	if n := testing.AllocsPerRun(100, func() { box.Back()[3] = 1; box.Publish(); box.Get() }); n != 0 {
		t.Errorf("%g allocations a hand-over", n)
	}
}

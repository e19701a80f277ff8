package rigid

import "testing"

// BenchmarkHeap is a step of a dozen bodies of all forms that fall on each other.
func BenchmarkHeap(b *testing.B) {
	w := newWorld(b, nil)
	floor(b, w, 0.4, 0)
	heap(b, w, 0)
	for range 1500 {
		w.Step()
	}
	for b.Loop() {
		w.Step()
	}
	b.ReportMetric(float64(w.stats.Contacts), "contacts")
}

// BenchmarkFall is the first second and a half of the same.
func BenchmarkFall(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, nil)
		floor(b, w, 0.4, 0)
		heap(b, w, 0)
		run(w, 1.5)
	}
}

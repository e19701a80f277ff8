package unionfind

import (
	"math/rand/v2"
	"testing"
)

// Numbers are in one set exactly where a chain of joins leads from one to the other.
func TestJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const n = 40
	s, label, count := New(n), [n]int32{}, n
	for i := range label {
		label[i] = int32(i)
	}
	for range 60 {
		a, b := rng.Int32N(n), rng.Int32N(n)
		if joined := s.Join(a, b); joined != (label[a] != label[b]) {
			t.Fatalf("Join(%d, %d) = %v", a, b, joined)
		}
		from, to := max(label[a], label[b]), min(label[a], label[b])
		for i := range label {
			if label[i] == from {
				label[i] = to
			}
		}
		for i := range label {
			if s.Find(int32(i)) != label[i] {
				t.Fatalf("%d is in set %d, want %d", i, s.Find(int32(i)), label[i])
			}
		}
		if from != to {
			count--
		}
	}
	if count == n || count == 1 {
		t.Fatalf("%d sets: nothing was tried", count)
	}
}

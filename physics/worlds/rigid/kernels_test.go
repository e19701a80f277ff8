package rigid

import (
	"math/rand/v2"
	"testing"
)

// The kernels in assembly and their twins in Go move a wall that a ball strikes alike, to the last bit.
func TestTwins(t *testing.T) {
	if !fast {
		t.Skip("no assembly here")
	}
	defer func() { fast = true }()
	var twins [2]*World
	for k := range twins {
		w, err := Wall(6, 4, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		ball := &Body{Name: "ball", Form: Ball(0.05), X: vec3{0.03, 0.2, 0.105}, V: vec3{0, 0, -3}, Friction: 0.6}
		ball.Mass, ball.Inertia = ball.Form.Solid(8000)
		if err := w.Add(ball); err != nil {
			t.Fatal(err)
		}
		twins[k] = w
	}
	sweeps := 0
	for step := range 150 {
		for k, w := range twins {
			fast = k == 0
			w.Step()
			sweeps += w.stats.Sweeps
		}
		if twins[0].stats != twins[1].stats {
			t.Fatalf("step %d: %+v and %+v", step, twins[0].stats, twins[1].stats)
		}
		for i, b := range twins[0].moved {
			if o := twins[1].moved[i]; b.placed() != o.placed() {
				t.Fatalf("step %d, %s: %v and %v", step, b.Name, b.placed(), o.placed())
			}
		}
	}
	if sweeps < 1000 {
		t.Errorf("%d sweeps", sweeps)
	}
}

// Contacts are solved in the order of their numbers where they share a body, and apart from that, rank by rank, beside
// such as share none. The ground is nobody's.
func TestQueueKeepsTheOrderOnEachBody(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const bodies, contacts = 40, 300
	var q queue
	for range 3 { // with the memory of the last
		q.begin(bodies)
		var ends [contacts][2]int32
		for i := range ends {
			ends[i] = [2]int32{1 + rng.Int32N(bodies-1), rng.Int32N(bodies)}
			q.add(ends[i][0], ends[i][1])
		}
		q.line()
		share := func(i, k int32) bool {
			for _, a := range ends[i] {
				if a != 0 && (a == ends[k][0] || a == ends[k][1]) {
					return true
				}
			}
			return false
		}
		together := 0
		for k, i := range q.order {
			if q.place[i] != int32(k) {
				t.Fatalf("contact %d is at %d, not %d", i, k, q.place[i])
			}
			if k > 0 && share(i, q.order[k-1]) {
				together++
			}
			for _, before := range q.order[:k] {
				if before > i && share(i, before) {
					t.Fatalf("contact %d comes after %d", i, before)
				}
			}
		}
		if len(q.order) != contacts || together >= len(q.counts) || len(q.counts) > contacts/4 {
			t.Errorf("%d contacts in %d ranks, %d beside one of their bodies", len(q.order), len(q.counts), together)
		}
	}
}

package rigid

import (
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// Bricks whose faces and edges lie on each other tremble by less than any tolerance: which
// corner of which brick is the touch changes, but not the touch, nor what it remembers.
func TestTouchesPersist(t *testing.T) {
	w := newWorld(t, nil)
	floor(t, w, 0.5, 0)
	for _, x := range []vec3{{-0.1, 0.05, 0}, {0.1, 0.05, 0}, {0, 0.15, 0}, {0.2, 0.15, 0}} {
		add(t, w, &Body{Name: "brick", Form: Box(0.2, 0.1, 0.1), X: x, Friction: 0.5})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	noise := func(size float64) vec3 {
		return vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(size)
	}
	var at []vec3
	for _, b := range w.bodies {
		at = append(at, b.X)
	}
	kept := map[uint64]float64{}
	for step := range 300 {
		for i, b := range w.bodies {
			if b.invMass > 0 {
				b.X = at[i].Add(noise(2e-8))
				b.Q = turned(mgl64.QuatIdent(), noise(2e-7))
				b.r = matrixOf(b.Q)
			}
		}
		w.detect(1e-3, false)
		if n := len(w.search.touches); n < 20 {
			t.Fatalf("step %d: %d touches", step, n)
		}
		for _, p := range w.search.pairs {
			for k := p.from; k < p.to; k++ {
				touch := &w.search.touches[k]
				key := p.order<<8 | uint64(touch.id)
				if step == 0 {
					touch.impulse[0] = 1 + rng.Float64()
					kept[key] = touch.impulse[0]
				} else if touch.impulse[0] == 0 || touch.impulse[0] != kept[key] {
					t.Fatalf("step %d: touch %d of %d has impulse %g, had %g", step, touch.id, p.order, touch.impulse[0], kept[key])
				}
			}
		}
	}
}

// Touches go on as the nearest of the last step, of all pairs the nearest first, and of equals the first.
func TestTouchesTakeTheNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	touches := func() []touch {
		list := make([]touch, rng.IntN(9))
		for i := range list {
			for side := range 2 { // on a grid: many are as far as others
				list[i].spots[side] = vec3{float64(rng.IntN(4)), float64(rng.IntN(3)), float64(side)}
			}
		}
		return list
	}
	for range 2000 {
		now, last := touches(), touches()
		for k := range last {
			last[k].id = uint32(k + 1)
		}
		want, taken := make([]uint32, len(now)), map[int]bool{}
		for {
			best, i, k := 1.5*1.5, -1, -1
			for a := range now {
				for b := range last {
					d, e := now[a].spots[0].Sub(last[b].spots[0]), now[a].spots[1].Sub(last[b].spots[1])
					if away := min(d.Dot(d), e.Dot(e)); want[a] == 0 && !taken[b] && away < best {
						best, i, k = away, a, b
					}
				}
			}
			if i < 0 {
				break
			}
			want[i], taken[k] = last[k].id, true
		}
		persist(now, last, 1.5)
		for i := range now {
			if now[i].id != want[i] {
				t.Fatalf("touch %d of %d goes on as %d of %d, want %d", i, len(now), now[i].id, len(last), want[i])
			}
		}
	}
}

// The wall of 200 bricks that hapco run opens neither creeps nor trembles, and no touch loses
// what it remembers.
func TestShippedWallRests(t *testing.T) {
	text, err := assets.Scene("bricks")
	if err != nil {
		t.Fatal(err)
	}
	seconds := 0.2
	if testkit.Long() && !testkit.Race {
		seconds = wallSeconds(t, 4)
	}
	l := openLive(t, "bricks.toml", string(text))
	w := l.world
	in := physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: w.Config.Step}
	var at []vec3
	for _, b := range w.bodies {
		at = append(at, b.X)
	}
	ids := map[uint64]bool{}
	crept, fastest, sweeps := 0.0, 0.0, 0
	for i := range int(seconds / w.Config.Step) {
		l.Step(in)
		sweeps += w.stats.Sweeps
		for _, key := range w.system.contacts.keys {
			if i == 0 {
				ids[key] = true
			} else if !ids[key] {
				t.Fatalf("step %d: a contact is new", i)
			}
		}
		for k, b := range w.bodies {
			crept = max(crept, b.X.Sub(at[k]).Len())
			fastest = max(fastest, b.V.Len())
		}
	}
	t.Logf("%d contacts, %g s: crept %.2g m, fastest %.2g m/s, %.3g sweeps a step", w.stats.Contacts, seconds, crept, fastest, float64(sweeps)/float64(w.steps))
	if crept > 1e-6 || fastest > 1e-4 {
		t.Errorf("crept %.2g m, moves at %.2g m/s", crept, fastest)
	}
}

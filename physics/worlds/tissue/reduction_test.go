package tissue

import (
	"context"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// crowded is a round probe, or a flat tool, on a fine mesh: hundreds of contacts.
const crowded = `
title = "crowded"
about = "many contacts"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
rigid = true
position = [0, 12.05, 0]
[body.tool]
kind = "probe"
radius = 12
length = 60
spacing = 0.8
[[body]]
name = "slab"
E = 20
nu = 0.4
clamp = "bottom"
contact_surface = "top"
[body.box]
origin = [-12, -10, -12]
size = [24, 10, 24]
elements = [24, 4, 24]
[[pair]]
bodies = ["probe", "slab"]
contact = "one"
[contact]
tolerance = 1e-6
ddc_tolerance = 1
`

const crowdedFlat = `
[body.box]
origin = [-6, 0, -6]
size = [12, 4, 12]
elements = [13, 1, 13]
`

func crowdedWorld(t testing.TB, text string, set ...string) *World {
	t.Helper()
	s, err := scene.Parse("crowded.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range set {
		if err := scene.Set(s, a); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Leaving contacts out where there are hundreds changes the force in the hand by
// little, leaves nothing deeper than said, and does not flicker at rest.
func TestContactReductionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	flat := strings.Replace(crowded, "[body.tool]\nkind = \"probe\"\nradius = 12\nlength = 60\nspacing = 0.8\n", crowdedFlat, 1)
	flat = strings.Replace(flat, "position = [0, 12.05, 0]", "position = [0, 0.05, 0]", 1)
	for name, text := range map[string]string{"probe": crowded, "flat": flat} {
		t.Run(name, func(t *testing.T) {
			exact, reduced := crowdedWorld(t, text, "contact.reduction=0"), crowdedWorld(t, text)
			start := exact.StartPose()
			worst, most, beyond, kept := 0.0, 0, 0, 0
			var deepest float64
			compared := 0
			for i := 1; i <= 38; i++ {
				// down, then along
				d := mgl64.Vec3{1e-4 * float64(max(0, i-28)), -1e-4 * float64(min(i, 28)), 4e-5 * float64(max(0, i-28))}
				pose := frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation}
				reduced.Step(pose)
				exact.Step(pose)
				a, _ := reduced.Force()
				b, _ := exact.Force()
				st, all := reduced.Stats(), exact.Stats()
				if all.Reduction != 0 {
					t.Fatalf("%s: contact.reduction=0 leaves contacts %g m inside", name, all.Reduction)
				}
				if st.Open+st.Stick+st.Slip != reduced.touching {
					t.Fatalf("%s: %d contacts are reported of %d", name, st.Open+st.Stick+st.Slip, reduced.touching)
				}
				most, kept = max(most, all.Stick+all.Slip), max(kept, st.Solved)
				deepest = max(deepest, st.Reduction)
				if st.Reduction > reduced.set.reduced.limit {
					beyond++
				}
				if all.Stick+all.Slip <= reduceAbove/2 {
					continue // the force is small, and so are the errors
				}
				compared++
				worst = max(worst, a.Sub(b).Len()/b.Len())
			}
			t.Logf("%s: up to %d loaded contacts, %d kept; force differs by up to %.2g %% in %d steps; left out up to %.3g mm inside, deeper than asked in %d steps",
				name, most, kept, 100*worst, compared, 1e3*deepest, beyond)
			if most < 110 || kept >= most || compared < 10 {
				t.Errorf("%s: up to %d contacts, %d kept", name, most, kept)
			}
			if !(worst < 0.02) {
				t.Errorf("%s: the force differs by %.2g %%", name, 100*worst)
			}
			if beyond > 8 {
				t.Errorf("%s: left out up to %g m inside", name, deepest)
			}
			// at rest the same contacts carry the same forces
			hold := reduced.Pose()
			for range 10 {
				reduced.Step(hold)
			}
			before, _ := reduced.Force()
			carried := carrying(reduced)
			for range 20 {
				reduced.Step(hold)
				after, _ := reduced.Force()
				if d := after.Sub(before).Len() / before.Len(); !(d < 1e-3) {
					t.Fatalf("%s: the force at rest changes by %.2g %%", name, 100*d)
				}
			}
			if now := carrying(reduced); len(now) != len(carried) {
				t.Errorf("%s: %d contacts carry at rest, %d before", name, len(now), len(carried))
			}
		})
	}
}

func carrying(w *World) map[uint64]bool {
	ids := map[uint64]bool{}
	for i := range w.contacts {
		if w.r[3*i] != 0 {
			ids[w.contacts[i].id] = true
		}
	}
	return ids
}

// Up to as many contacts as are always kept the key changes nothing.
func TestContactReductionLeavesFewAlone(t *testing.T) {
	with, without := probedWorld(t), probedWorld(t)
	p := without.DefaultParams()
	p.Reduction = 0
	if err := without.SetParams(p); err != nil {
		t.Fatal(err)
	}
	start := with.StartPose()
	for i := range 120 {
		pose := frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, -5e-5 * float64(i), 0}), Rotation: start.Rotation}
		with.Step(pose)
		without.Step(pose)
		a, _ := with.Force()
		b, _ := without.Force()
		if a != b {
			t.Fatalf("step %d: %v N and %v N", i, a, b)
		}
	}
	if with.Stats().Stick+with.Stats().Slip < 3 {
		t.Error("nothing touches")
	}
}

func TestContactReductionAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	w := crowdedWorld(t, crowded)
	start := w.StartPose()
	i := 0
	step := func() {
		i++
		d := mgl64.Vec3{1e-4 * float64(i%40), -3e-3, 0}
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
	}
	for range 80 {
		step()
	}
	if n := testing.AllocsPerRun(40, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
	if !w.set.reduced.active {
		t.Error("nothing was left out")
	}
}

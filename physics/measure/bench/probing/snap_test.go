package probing

import (
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/tissue"
)

// TestReleasedLobe: the stylus tilts on the free corner of a lobe, drags it aside
// and lets go. The lobe springs back by more than the DDC tolerance in one step,
// over the organ beneath it; in no step is it seen inside.
func TestReleasedLobe(t *testing.T) {
	if testing.Short() || testkit.Race {
		t.Skip("seconds of probing")
	}
	p, err := Cases()[0].Prepare(t.Context(), tissue.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	w, h := p.World, NewHand(p.World.StartPose(), p.Sites, 60)
	const release, end = 23_100, 23_200 // ms on the hand's way: how the lobe lies hangs on all of it
	var s tissue.Snapshot
	for i := range end {
		at := 1e-3 * float64(i+1)
		w.Step(h.at(at))
		if i < release {
			continue
		}
		w.Snapshot(&s)
		if d := p.Checker.Check(&s); !(d.most() <= DefaultLimits().Penetration) {
			t.Errorf("%.3f s: %.3g mm deep", at, 1e3*d.most())
		}
	}
}

// Under a hand that stands still tissue comes to rest: normals follow the shape and the shape follows normals, but not to
// and fro for ever. The tool is on tissue that it has pressed far aside.
func TestTissueUnderAStillHandIsStill(t *testing.T) {
	a := sceneArena(t, "liver-linear")
	a.ground.hang(nil)
	g := a.Gesture(3302, 4)
	if err := a.ground.begin(a, &g); err != nil {
		t.Fatal(err)
	}
	rows, _ := a.Rows(&g)
	start := a.ground.StartPose()
	at := start
	for _, d := range rows[:127] {
		at.Position = start.Position.Add(d)
		a.ground.Step(at)
	}
	var before vec
	for range 100 {
		before, _ = a.ground.Force()
		a.ground.Step(at)
	}
	after, _ := a.ground.Force()
	if change := after.Sub(before).Len(); !(after.Len() > 1) || change > 1e-3*after.Len() {
		t.Errorf("a force of %.3g N that changes by %.3g in a step", after.Len(), change)
	}
}

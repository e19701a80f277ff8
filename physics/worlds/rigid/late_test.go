package rigid

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/numerics/num"
)

// A wall that is struck, in steps that are late after a number of sweeps: each ends with the sweeps
// that it has, says so, advances by one of its own steps at least, and gives the hand finite forces;
// the same answers give the same motion, to the last bit.
func TestLateStepsOfAStruckWallRepeat(t *testing.T) {
	text, err := assets.Scene("bricks")
	if err != nil {
		t.Fatal(err)
	}
	strike := func(answers []uint32) (l *live, sum float64, late, sweeps int) {
		l = openLive(t, "bricks.toml", string(text))
		in := physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: 4e-3}
		var m local.Model
		local.Make(&m, 0)
		for l.world.time < 0.12 {
			in.Target.Position = l.info.Start.Position.Add(mgl64.Vec3{0, 0, -1.5 * (l.world.time + 1e-3)})
			if in.Deadline = nil; answers != nil {
				in.Deadline = physics.AnswersAgain(answers)
			}
			r := l.Step(in)
			l.Local(&m)
			f, moment := m.Resultant(m.R)
			if !num.AllFinite(f[:]...) || !num.AllFinite(moment[:]...) || !num.AllFinite(r.Force[:]...) {
				t.Fatalf("forces %v and %v N", f, r.Force)
			}
			h := l.world.Config.Step
			if r.Advanced < h*(1-1e-9) || r.Advanced > in.Dt*(1+1e-9) || answers == nil && r.Advanced < in.Dt*(1-1e-9) {
				t.Fatalf("%g s of %g s in steps of %g s", r.Advanced, in.Dt, h)
			}
			if l.world.stats.Late {
				late++
				if answers != nil && l.world.stats.Solved {
					t.Error("cut short and solved")
				}
			}
			sweeps = max(sweeps, l.world.stats.Sweeps)
			sum += r.Force.Len()
		}
		return l, sum, late, sweeps
	}
	a, forceA, late, sweeps := strike([]uint32{12, 1})
	b, forceB, _, _ := strike([]uint32{12, 1})
	if late == 0 || sweeps > 40 {
		t.Errorf("%d steps were cut short, the longest of %d sweeps", late, sweeps)
	}
	if forceA == 0 || forceA != forceB {
		t.Errorf("forces add up to %g and %g N", forceA, forceB)
	}
	for i := range a.parts {
		if p, q := a.parts[i].body, b.parts[i].body; p.X != q.X || p.Q != q.Q || p.V != q.V {
			t.Fatalf("%s: at %v and %v", a.parts[i].name, p.X, q.X)
		}
	}
	if _, _, late, sweeps := strike(nil); late > 0 || sweeps < 40 {
		t.Errorf("without a deadline %d steps were cut short, the longest of %d sweeps", late, sweeps)
	}
}

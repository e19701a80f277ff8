package servo

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// wall is a simulated physics: a floor y = 0 of stiffness K under a stylus with
// feet at four corners, answering poses after a delay and only every so many ticks.
type wall struct {
	K      float64 // N/m for each foot, normal and tangential
	mu     float64
	reach  float64 // distance at which contacts are found, m
	every  int     // ticks between models
	delay  int     // ticks from pose to model
	period time.Duration

	tick   int
	past   []frame.Pose
	anchor mgl64.Vec3
	down   bool
	seq    uint64
	model  local.Model
}

func newWall(K, mu, reach float64, every, delay int) *wall {
	w := &wall{K: K, mu: mu, reach: reach, every: every, delay: delay, period: time.Duration(every) * time.Millisecond}
	local.Make(&w.model, 4)
	return w
}

var feet = [4]mgl64.Vec3{{0.005, 0, 0.005}, {-0.005, 0, 0.005}, {0.005, 0, -0.005}, {-0.005, 0, -0.005}}

// step takes the stylus pose of this tick and returns the newest model.
func (w *wall) step(p frame.Pose) (*local.Model, bool) {
	w.past = append(w.past, p)
	w.tick++
	if w.tick%w.every != 0 || len(w.past) <= w.delay {
		return &w.model, false
	}
	at := w.past[len(w.past)-1-w.delay]
	m := &w.model
	m.Origin, m.Rotation = at.Position, at.Rotation
	m.Period = w.period
	w.seq++
	m.Sequence = w.seq
	if at.Position.Y() > w.reach {
		m.SetN(0)
		w.down = false
		return m, true
	}
	if !w.down {
		w.anchor, w.down = at.Position, true
	}
	m.SetN(4)
	clear(m.W)
	var q [12]float64
	for i, f := range feet {
		m.Arm[i] = at.Rotation.Rotate(f)
		m.Frame[i] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
		m.Mu[i] = w.mu
		p := m.Arm[i].Add(at.Position)
		q[3*i] = p.Y()
		q[3*i+1] = p.X() - w.anchor.X() - f.X()
		q[3*i+2] = p.Z() - w.anchor.Z() - f.Z()
		for k := range 3 {
			m.W[(3*i+k)*12+3*i+k] = 1 / w.K
		}
		n := math.Max(0, -q[3*i]*w.K)
		t1, t2 := -q[3*i+1]*w.K, -q[3*i+2]*w.K
		if l := math.Hypot(t1, t2); l > w.mu*n {
			// slide: the anchor follows, as physics lets it
			s := 0.0
			if l > 0 {
				s = w.mu * n / l
			}
			t1, t2 = t1*s, t2*s
		}
		m.R[3*i], m.R[3*i+1], m.R[3*i+2] = n, t1, t2
	}
	copy(m.Free, q[:])
	m.FillRigid()
	return m, true
}

func still(p mgl64.Vec3) haptics.State { return haptics.State{Pose: frame.At(p)} }

package remote

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// A hand that nobody holds, or that has said nothing for long, is lost; its speed is that of what was said, and
// nothing allocates.
func TestHand(t *testing.T) {
	now := time.Unix(100, 0)
	d := New(frame.Identity())
	d.now = func() time.Time { return now }
	if !d.Read().Lost {
		t.Error("nobody holds it")
	}
	p := frame.Identity()
	d.Move(p, 0)
	if s := d.Read(); s.Lost || s.Velocity != (mgl64.Vec3{}) {
		t.Errorf("%+v: the first pose has no speed", s)
	}
	now = now.Add(10 * time.Millisecond)
	p.Position[1] = -0.002
	turn := d.Move(p, 1)
	var mark uint64
	if d.Answered(turn, 1, &mark) {
		t.Error("answered before it was read")
	}
	s := d.Read()
	if s.Pose != p || s.Buttons != 1 || !s.Velocity.ApproxEqualThreshold(mgl64.Vec3{0, -0.2, 0}, 1e-12) {
		t.Errorf("%+v", s)
	}
	if d.Answered(turn, 1, &mark) {
		t.Error("answered before a force was written")
	}
	if err := d.Write(mgl64.Vec3{0, 1, 0}); err != nil || d.Force()[1] != 1 || !d.Answered(turn, 1, &mark) {
		t.Error("the force is not there")
	}
	now = now.Add(Silence / 2)
	if s := d.Read(); s.Lost || s.Velocity != (mgl64.Vec3{}) {
		t.Errorf("%+v: it stands", s)
	}
	now = now.Add(Silence)
	if !d.Read().Lost {
		t.Error("silent for long, and not lost")
	}
	d.Move(p, 0)
	if d.Read().Lost {
		t.Error("it spoke again")
	}
	if d.Drop(); !d.Read().Lost {
		t.Error("dropped, and not lost")
	}
	if n := testing.AllocsPerRun(100, func() { d.Move(p, 0); d.Read(); _ = d.Write(mgl64.Vec3{}) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

package servo_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/servo"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// swing is a device whose stylus goes up and down by itself, 20 mm at 2 Hz, and keeps the
// largest force that it was given.
type swing struct {
	began time.Time
	most  atomic.Uint64 // N, bits of a float64
}

// Name implements haptics.Device.
func (d *swing) Name() string { return "swing" }

// Read implements haptics.Device.
func (d *swing) Read() haptics.State {
	const w = 2 * math.Pi * 2 // rad/s
	sin, cos := math.Sincos(w * time.Since(d.began).Seconds())
	return haptics.State{
		Pose:     frame.Pose{Position: mgl64.Vec3{0, 0.02 * cos, 0}, Rotation: mgl64.QuatIdent()},
		Velocity: mgl64.Vec3{0, -0.02 * w * sin, 0},
	}
}

// Write implements haptics.Device.
func (d *swing) Write(force mgl64.Vec3) error {
	if f := force.Len(); f > math.Float64frombits(d.most.Load()) {
		d.most.Store(math.Float64bits(f))
	}
	return nil
}

// Close implements haptics.Device.
func (d *swing) Close() error { return d.Write(mgl64.Vec3{}) }

// Limits implements haptics.Limited: what it stands.
func (d *swing) Limits() haptics.DeviceLimits {
	l := haptics.DefaultLimits()
	l.MaxForce = 2 // N
	return l
}

// After a start in free space it meets a spring of 100 N/m: it is given a force, within
// its limits.
func TestExampleDevice(t *testing.T) {
	d := &swing{began: time.Now()}
	s, err := servo.New(d, 1000)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run() }()
	felt := func() float64 { return math.Float64frombits(d.most.Load()) }
	for k := 0; k < 100 || felt() <= 0.1; k++ { // it ends: the spring is met in each swing
		m := s.Models().Back()
		m.SetN(0)
		m.Rotation = mgl64.QuatIdent()
		m.Field = local.Field{On: k > 20}
		m.Field.K[7] = 100 // along y
		s.Models().Publish()
		time.Sleep(5 * time.Millisecond)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	<-done
	if f := felt(); f > 2 {
		t.Errorf("the largest force was %g N", f)
	}
}

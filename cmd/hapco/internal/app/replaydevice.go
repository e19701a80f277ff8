package app

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// ReplayDevice is a hand that does what it did when it was recorded; it feels
// nothing. After the last tick it rests.
type ReplayDevice struct {
	Ticks []haptics.Record
	start time.Time // of the replay
	at    int
}

var (
	_ haptics.Device  = (*ReplayDevice)(nil)
	_ haptics.Limited = (*ReplayDevice)(nil)
)

// Name is "recorded hand".
func (d *ReplayDevice) Name() string { return "recorded hand" }

// Limits are generous: nothing is driven.
func (d *ReplayDevice) Limits() haptics.DeviceLimits {
	l := haptics.DefaultLimits()
	l.MaxForce, l.ContinuousForce, l.SlewRate, l.MaxSpeed = 40, 40, 5000, 10
	return l
}

// Read is where the hand was at this time of the recording.
func (d *ReplayDevice) Read() haptics.State {
	if d.start.IsZero() {
		d.start = time.Now()
	}
	return d.State(time.Since(d.start))
}

// State moves on to a time since the first tick, and never back.
func (d *ReplayDevice) State(t time.Duration) haptics.State {
	now := d.Ticks[0].Time + t.Nanoseconds()
	for d.at+1 < len(d.Ticks) && d.Ticks[d.at+1].Time <= now {
		d.at++
	}
	r := &d.Ticks[d.at]
	s := haptics.State{
		Pose:     frame.Pose{Position: r.Position, Rotation: mgl64.Quat{V: mgl64.Vec3{r.Rotation[0], r.Rotation[1], r.Rotation[2]}, W: r.Rotation[3]}},
		Velocity: r.Velocity, Buttons: r.Buttons,
		Clutched: r.Flags&haptics.Clutched != 0, Lost: r.Flags&(haptics.DeviceLost|haptics.BadInput) != 0,
	}
	if d.at+1 == len(d.Ticks) {
		s.Velocity = mgl64.Vec3{}
	}
	return s
}

// Write does nothing: the hand is gone.
func (d *ReplayDevice) Write(mgl64.Vec3) error { return nil }

// Close does nothing.
func (d *ReplayDevice) Close() error { return nil }

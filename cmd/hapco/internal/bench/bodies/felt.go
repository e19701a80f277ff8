package bodies

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/measure/bench/probing"
)

// deviceName is the simulated device by which hostile gestures are felt.
const deviceName = "desktop"

// device is the servo's own kernel, with its coupling and its whole safety chain, in simulated time.
type device struct {
	kernel *servo.Kernel
	params haptics.Params
	rec    haptics.Record
	time   int64 // ns
	last   float64
	model  *local.Model // the newest there was
	clear  local.Model  // of the start
}

const (
	deviceRate = 1000 // Hz
	fallsBy    = 3    // as fast as it rises a force may fall
)

func newDevice() *device {
	d := &device{kernel: servo.NewKernel(deviceRate, 0), params: haptics.DefaultParams(virtual.Devices[deviceName], deviceRate)}
	d.params.Budget = 0 // time is simulated
	local.Make(&d.clear, 0)
	return d
}

// feltDevice is one for probing.PlayOptions.
func feltDevice() probing.Device { return newDevice() }

// Begin starts a kernel anew: what the last gesture has left in it is forgotten.
func (d *device) Begin(at frame.Pose) {
	d.kernel.Close()
	d.kernel = servo.NewKernel(deviceRate, 0)
	d.time, d.last = 0, 0
	d.clear.Origin, d.clear.Rotation, d.clear.Period = at.Position, at.Rotation, time.Millisecond
	for range int(1.2 * d.params.Ramp.Seconds() * deviceRate) {
		d.Tick(at, &d.clear)
	}
}

// Couple turns the stylus by the coupling's spring, too.
func (d *device) Couple(lever float64) physics.Coupling {
	d.params.Turn(lever)
	return app.CouplingOf(&haptics.Sample{Stiffness: d.params.Stiffness, AngleStiffness: d.params.AngleStiffness, MaxForce: d.params.MaxForce})
}

// Tick is one of the kernel's.
func (d *device) Tick(at frame.Pose, m *local.Model) (f probing.Felt) {
	d.time += 1e9 / deviceRate
	in := haptics.Input{State: haptics.State{Pose: at}, Time: d.time}
	fresh := m != nil
	if fresh {
		d.model = m
	}
	d.kernel.Tick(&in, d.model, fresh, &d.params, &d.rec)
	f.Force, f.Raw, f.Slewed = d.rec.Force, d.rec.Raw, d.rec.Flags&haptics.Slewed != 0
	f.Torque, f.Limit, f.Stylus = mgl64.Vec3(d.rec.Torque), d.params.MaxForce, d.kernel.Tool(at)
	f.Most = d.params.Slew / deviceRate
	now := f.Force.Len()
	if now <= d.last {
		f.Most *= fallsBy
	}
	d.last = now
	if bad := d.rec.Flags & (haptics.BadInput | haptics.BadForce | haptics.BadModel | haptics.Released | haptics.DeviceLost); bad != 0 {
		f.Dropped = bad.String()
	}
	return f
}

// Close frees the kernel.
func (d *device) Close() { d.kernel.Close() }

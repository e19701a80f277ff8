package phantom

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

// The error numbers of the HDAPI, 3.0 to 3.4.
const (
	InvalidEnum             Code = 0x0100
	InvalidValue            Code = 0x0101
	InvalidOperation        Code = 0x0102
	InvalidInputType        Code = 0x0103
	BadHandle               Code = 0x0104
	WarmMotors              Code = 0x0200
	ExceededMaxForce        Code = 0x0201
	ExceededMaxForceImpulse Code = 0x0202
	ExceededMaxVelocity     Code = 0x0203
	ForceError              Code = 0x0204
	DeviceFault             Code = 0x0300
	CommError               Code = 0x0302
	CommConfigError         Code = 0x0303
	TimerError              Code = 0x0304
	IllegalBegin            Code = 0x0400
	IllegalEnd              Code = 0x0401
	FrameError              Code = 0x0402
	InvalidPriority         Code = 0x0500
	SchedulerFull           Code = 0x0501
	InvalidLicense          Code = 0x0600
)

// Each error of the library, met while a force is on.
func TestEveryError(t *testing.T) {
	type kind int
	const (
		goesOn kind = iota // force ramps in again
		waits              // no force until it has been quiet
		loses              // device closed and opened again
	)
	for code, want := range map[Code]kind{
		InvalidEnum: waits, InvalidValue: waits, InvalidOperation: waits, InvalidInputType: waits, BadHandle: loses,
		WarmMotors: waits, ExceededMaxForce: goesOn, ExceededMaxForceImpulse: goesOn, ExceededMaxVelocity: goesOn, ForceError: goesOn,
		DeviceFault: waits, DeviceAlreadyInitiated: waits, CommError: loses, CommConfigError: loses, TimerError: loses,
		IllegalBegin: waits, IllegalEnd: waits, FrameError: waits, InvalidPriority: loses, SchedulerFull: loses,
		InvalidLicense: loses, 0x0777: waits,
	} {
		t.Run(code.String(), func(t *testing.T) {
			fresh(t)
			stepping(t)
			d, told := open(t, Options{})
			push := pusher(d, mgl64.Vec3{0, 1, 0})
			push(1500)
			if math.Abs(force()[1]-1) > 1e-9 {
				t.Fatalf("force %v N before the error", force())
			}
			fake.Fault(uint32(code))
			push(2)
			if f := force().Len(); f > 1e-3 {
				t.Errorf("%v N right after the error, want (almost) none", f)
			}
			switch want {
			case goesOn:
				push(100)
				if f := force()[1]; !(f > 0.01 && f < 0.2) {
					t.Errorf("%v N after 0.1 s, want it ramping in", f)
				}
			case waits:
				push(100)
				if f := force().Len(); f != 0 {
					t.Errorf("%v N after 0.1 s, want none", f)
				}
				if fake.Get("enabled") != 0 {
					t.Error("the motors are still switched on")
				}
			case loses:
				testkit.Eventually(t, "opened again", func() bool { fake.Step(1); return fake.Get("inits") == 2 && fake.Get("running") == 1 })
				testkit.Eventually(t, "back", func() bool { fake.Step(10); return d.Status().Ready })
				if !told.has("is back") {
					t.Errorf("the operator was not told: %q", told.all)
				}
			}
			if m, ok := meanings[code]; ok {
				testkit.Eventually(t, "told", func() bool { return told.has(m.name) && told.has(m.cure) })
			} else {
				testkit.Eventually(t, "told", func() bool { return told.has("0x0777") })
			}
			push(2500)
			if math.Abs(force()[1]-1) > 1e-9 {
				t.Errorf("force %v N did not come back", force())
			}
			if fake.Get("peak_slew") > 0.02 {
				t.Errorf("force jumped up by %v N in a tick", fake.Get("peak_slew"))
			}
		})
	}
}

// A fault that goes on for a second is not waited out.
func TestLastingFaultIsALoss(t *testing.T) {
	fresh(t)
	stepping(t)
	d, told := open(t, Options{})
	fake.Step(500)
	fake.Set("keep_fault", float64(DeviceFault))
	fake.Step(1100)
	testkit.Eventually(t, "lost", func() bool { return !d.Status().Connected })
	fake.Set("keep_fault", 0)
	testkit.Eventually(t, "back", func() bool { fake.Step(10); return d.Status().Ready })
	if !told.has("HD_DEVICE_FAULT") {
		t.Errorf("told %q", told.all)
	}
}

func TestWarmMotors(t *testing.T) {
	fresh(t, "temp", 0.5)
	stepping(t)
	d, told := open(t, Options{})
	push := pusher(d, mgl64.Vec3{0, 2, 0})
	push(2000)
	if f := force()[1]; math.Abs(f-2) > 1e-9 {
		t.Fatalf("cool: %v N", f)
	}
	fake.Set("temp", 0.9) // half way from 0.8 to 1
	push(200)
	if f := force()[1]; math.Abs(f-1) > 1e-6 {
		t.Errorf("at 0.9: %v N, want half", f)
	}
	fake.Set("temp", 1.05)
	push(100)
	if f := force().Len(); f != 0 || fake.Get("enabled") != 0 {
		t.Errorf("too warm: %v N, output %v", f, fake.Get("enabled"))
	}
	testkit.Eventually(t, "told", func() bool { return told.has("HD_WARM_MOTORS") })
	if m := d.Status().Message; !strings.Contains(m, "too warm") {
		t.Errorf("status says %q", m)
	}
	fake.Set("temp", 0.85)
	push(1500)
	if force().Len() != 0 {
		t.Error("force came back before the motors were cool")
	}
	fake.Set("temp", 0.3)
	push(2500)
	if f := force()[1]; math.Abs(f-2) > 1e-9 {
		t.Errorf("cool again: %v N", f)
	}
	if fake.Get("peak_slew") > 0.02 {
		t.Errorf("force jumped up by %v N in a tick", fake.Get("peak_slew"))
	}
}

// Motors without a sensor: the mean square decides.
func TestHeatEstimate(t *testing.T) {
	fresh(t, "no_motor_temp", 1, "temp", 0.1)
	stepping(t)
	d, _ := open(t, Options{})
	if d.about.Load().info.MotorSensors != 0 {
		t.Fatal("the double still has sensors")
	}
	var early float64
	for i := range 60_000 {
		d.Write(mgl64.Vec3{0, 2.9, 0})
		fake.Step(1)
		if i == 1500 {
			early = force()[1]
		}
	}
	if math.Abs(early-2.9) > 1e-9 {
		t.Errorf("at first %v N, want 2.9", early)
	}
	if f := force()[1]; !(f > 0.8 && f < 1.05) {
		t.Errorf("after a minute %v N, want about the continuous 0.88", f)
	}
}

func TestCalibrationInTheInkwell(t *testing.T) {
	fresh(t, "calib", 2)
	stepping(t)
	d, told := open(t, Options{})
	push := pusher(d, mgl64.Vec3{0, 1, 0})
	push(1000)
	if force().Len() != 0 || d.Status().Ready || !d.Read().Lost {
		t.Errorf("not calibrated, but force %v, status %+v", force(), d.Status())
	}
	testkit.Eventually(t, "told", func() bool { return told.has("inkwell") })
	fake.Set("docked", 1)
	push(400)
	if !d.Status().Ready || !d.Extra().Inkwell {
		t.Errorf("docked, but status %+v", d.Status())
	}
	push(1200)
	if math.Abs(force()[1]-1) > 1e-9 {
		t.Errorf("force %v N", force())
	}
}

func TestCalibrationByItself(t *testing.T) {
	fresh(t, "model", 2, "calib", 1)
	stepping(t)
	d, _ := open(t, Options{})
	fake.Step(100)
	if !d.Status().Ready || fake.Get("updates") != 1 {
		t.Errorf("status %+v after %v updates", d.Status(), fake.Get("updates"))
	}
}

func TestCalibrationAtTheResetPosition(t *testing.T) {
	fresh(t, "model", 3, "calib", 1)
	stepping(t)
	d, _ := open(t, Options{})
	fake.Step(100)
	if !d.Status().Ready || fake.Get("updates") != 1 {
		t.Errorf("status %+v after %v updates", d.Status(), fake.Get("updates"))
	}
}

func TestUnplugAndReplug(t *testing.T) {
	fresh(t, "hand", 2)
	d, told := open(t, Options{})
	attach(t, d, 0, 200, 1, 0.5)
	testkit.Eventually(t, "press", func() bool { return fake.Get("fy") > 2 })
	at := d.Read().Pose
	fake.Set("unplugged", 1)
	// From the first moment at which it is lost, the status says why.
	testkit.Eventually(t, "lost", func() bool {
		for range 1000 {
			s := d.Status()
			if !s.Connected && (!strings.Contains(s.Message, "HD_COMM_ERROR") || !strings.Contains(s.Message, "cable")) {
				t.Fatalf("status says %q", s.Message)
			}
		}
		return !d.Status().Connected && fake.Get("open") == 0
	})
	if f := force().Len(); f != 0 {
		t.Errorf("%v N on a device that is gone", f)
	}
	s := d.Read()
	if !s.Lost || s.Velocity != (mgl64.Vec3{}) || s.Pose.Position.Sub(at.Position).Len() > 0.02 {
		t.Errorf("read %+v while lost", s)
	}
	if err := d.Write(mgl64.Vec3{1, 0, 0}); !errors.Is(err, errLost) {
		t.Errorf("Write: %v", err)
	}
	inits := fake.Get("inits")
	testkit.Eventually(t, "tries again", func() bool { return fake.Get("inits") > inits+2 })
	fake.Set("unplugged", 0)
	testkit.Eventually(t, "force again", func() bool { return d.Status().ForceOn && fake.Get("fy") > 2 })
	if !told.has("is back") {
		t.Errorf("told %q", told.all)
	}
	if err := d.Write(mgl64.Vec3{}); err != nil {
		t.Errorf("Write: %v", err)
	}
}

// A driver that dies without a word.
func TestServoThatStopsCalling(t *testing.T) {
	fresh(t, "hand", 2)
	d, told := open(t, Options{})
	attach(t, d, 0, 200, 1, 0.5)
	testkit.Eventually(t, "press", func() bool { return fake.Get("fy") > 2 })
	fake.Set("silent", 1)
	testkit.Eventually(t, "lost", func() bool { return !d.Status().Connected })
	testkit.Eventually(t, "told", func() bool { return told.has("no servo tick") })
	testkit.Eventually(t, "no force", func() bool { return force().Len() == 0 })
	fake.Set("silent", 0)
	testkit.Eventually(t, "back", func() bool { return d.Status().ForceOn && fake.Get("fy") > 2 })
}

// A tick that comes late trips the arm's own watchdog; it is waited out.
func TestLateTick(t *testing.T) {
	fresh(t, "hand", 2)
	d, told := open(t, Options{})
	attach(t, d, 0, 200, 1, 0.5)
	testkit.Eventually(t, "press", func() bool { return fake.Get("fy") > 2 })
	fake.Set("stall_ms", 80)
	testkit.Eventually(t, "told", func() bool { return told.has("HD_DEVICE_FAULT") })
	testkit.Eventually(t, "back", func() bool { return d.Status().ForceOn && fake.Get("fy") > 2 })
	if fake.Get("inits") != 1 {
		t.Error("the device was opened again")
	}
}

func TestAbsentDevice(t *testing.T) {
	for _, code := range []Code{DeviceFault, DeviceAlreadyInitiated, CommError, CommConfigError, InvalidLicense} {
		fresh(t, "absent", int(code))
		_, err := Open(Options{Library: libPath})
		var e *Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%v: got %v", code, err)
			continue
		}
		if s := err.Error(); !strings.Contains(s, meanings[code].cure) || strings.Contains(s, "\n") {
			t.Errorf("%v: message %q", code, s)
		}
		if _, _, err := Probe(Options{Library: libPath}); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%v: Probe got %v", code, err)
		}
	}
	// and nothing is left behind that would keep the device from opening later
	fresh(t)
	open(t, Options{})
}

func TestNames(t *testing.T) {
	fresh(t, "null_fails", 1)
	d, _ := open(t, Options{})
	if n := d.about.Load().info.Name; n != "Default Device" {
		t.Errorf("opened %q", n)
	}
	shut(t, d)
	fresh(t)
	if _, err := Open(Options{Library: libPath, Name: "Nowhere"}); err == nil || !strings.Contains(err.Error(), `"Nowhere"`) {
		t.Errorf("unknown name: %v", err)
	}
	d, _ = open(t, Options{Name: "Left"})
	if n := d.about.Load().info.Name; n != "Left" {
		t.Errorf("opened %q", n)
	}
	if _, err := Open(Options{Library: libPath}); !errors.Is(err, errBusy) {
		t.Errorf("second Open: %v", err)
	}
}

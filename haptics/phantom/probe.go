package phantom

/*
#include <stdlib.h>
#include "hd.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"runtime"
	"unsafe"

	"hapco/haptics"
)

// about is what one connection learned.
type about struct {
	info   Info
	limits haptics.DeviceLimits
}

// Info is what the device says of itself.
type Info struct {
	Name           string // configured name; "" the default
	Model, Serial  string
	LibraryVersion string
	Known          bool   // the model is one of those in the table
	MotorSensors   int    // 0: heat is estimated from the force
	Calibration    string // "automatic", "inkwell", "reset position"
}

// initAny opens the named device, or the default one under the names that libraries of different age know it by. The
// first refusal is the one to tell.
func initAny(c *C.hapco_hd, name string) (string, error) {
	if name != "" {
		cname := C.CString(name)
		defer C.free(unsafe.Pointer(cname))
		return name, initOne(c, cname, name)
	}
	first := initOne(c, nil, "")
	if first == nil {
		return "", nil
	}
	if e, ok := first.(*Error); ok && e.Code == DeviceAlreadyInitiated {
		return "", first // another name would open it a second time
	}
	for _, try := range []string{"Default Device", "Default PHANToM"} {
		cname := C.CString(try)
		err := initOne(c, cname, try)
		C.free(unsafe.Pointer(cname))
		if err == nil {
			return try, nil
		}
	}
	return "", first
}

func initOne(c *C.hapco_hd, cname *C.char, name string) error {
	var internal C.int32_t
	if code := C.hapco_hd_init(c, cname, &internal); code != 0 {
		return &Error{Code: Code(code), Internal: int32(internal), Device: name, Doing: "open"}
	}
	return nil
}

// query asks the device and fills what it does not tell from the table. It fails when the library turns out to be too
// old.
func query(c *C.hapco_hd, lib *Library, name string) (*about, C.hapco_hd_caps, error) {
	var caps C.hapco_hd_caps
	version := C.GoString(C.hapco_hd_version(lib.c))
	if err := lib.checkVersion(version); err != nil {
		return nil, caps, err
	}
	version = cmp.Or(version, lib.Version())
	C.hapco_hd_query(c, &caps)
	a := &about{info: Info{
		Name: name, Model: C.GoString(&caps.model[0]), Serial: C.GoString(&caps.serial[0]), LibraryVersion: version,
		MotorSensors: int(caps.temperatures), Calibration: styleName(int(caps.styles)),
	}}
	l, known := lookup(a.info.Model)
	a.info.Known = known
	prefer := func(to *float64, told C.double) {
		if told > 0 {
			*to = float64(told)
		}
	}
	lower := func(to *float64, told float64) {
		if told > 0 {
			*to = min(*to, told)
		}
	}
	prefer(&l.MaxForce, caps.max_force)
	prefer(&l.ContinuousForce, caps.continuous_force)
	l.ContinuousForce = min(l.ContinuousForce, l.MaxForce)
	lower(&l.MaxSpeed, float64(caps.velocity_limit)/1.5) // package haptics ends the force at 1.5 times this, before the library does
	// Stiffness and damping: the manual gives no sure unit for them, so the device's number may lower the table's but
	// not raise it.
	lower(&l.Stiffness, float64(caps.stiffness))
	lower(&l.Damping, float64(caps.damping))
	if caps.output_dof == 6 {
		l.DrivenAxes = 6
		prefer(&l.MaxTorque, caps.max_torque)
		prefer(&l.ContinuousTorque, caps.continuous_torque)
	} else {
		l.DrivenAxes, l.MaxTorque, l.ContinuousTorque = 3, 0, 0
	}
	if caps.input_dof == 3 || caps.input_dof == 6 {
		l.SensedAxes = int(caps.input_dof)
	}
	if caps.box[3] > caps.box[0] && caps.box[4] > caps.box[1] && caps.box[5] > caps.box[2] {
		for i := range 3 {
			l.Min[i], l.Max[i] = float64(caps.box[i]), float64(caps.box[i+3])
		}
	}
	a.limits = l
	return a, caps, nil
}

func styleName(styles int) string {
	switch {
	case styles&2 != 0:
		return "automatic"
	case styles&4 != 0:
		return "inkwell"
	}
	return "reset position"
}

// Probe tells whether a device answers, without starting its servo.
func Probe(opt Options) (info Info, limits haptics.DeviceLimits, err error) {
	if d := busy.Load(); d != nil {
		if a := d.about.Load(); a != nil && d.link.Load().up {
			return a.info, a.limits, nil
		}
		return info, limits, errLost
	}
	lib, err := LoadLibrary(opt.Library)
	if err != nil {
		return info, limits, err
	}
	guard := &Device{}
	if !busy.CompareAndSwap(nil, guard) {
		return info, limits, errBusy
	}
	defer busy.CompareAndSwap(guard, nil)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := C.hapco_hd_new(lib.c)
	if c == nil {
		return info, limits, errors.New("phantom: out of memory")
	}
	defer C.hapco_hd_free(c)
	name, err := initAny(c, opt.Name)
	if err != nil {
		return info, limits, err
	}
	a, _, err := query(c, lib, name)
	C.hapco_hd_release(c)
	if err != nil {
		return info, limits, err
	}
	return a.info, a.limits, nil
}

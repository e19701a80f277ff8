package phantom

import "fmt"

// Code is an error number of the HDAPI.
type Code uint32

// DeviceAlreadyInitiated says that the device is open.
const DeviceAlreadyInitiated Code = 0x0301

// silent is not a number of the library: its scheduler stopped calling.
const silent Code = 0xFFFF0001

type meaning struct{ name, what, cure string }

// meanings are those of the error numbers of the HDAPI, 3.0 to 3.4.
var meanings = map[Code]meaning{
	0x0100:                 {"HD_INVALID_ENUM", "the library does not know a quantity that was asked for", "install OpenHaptics 3.4"},
	0x0101:                 {"HD_INVALID_VALUE", "the library refuses a value", "choose a servo rate of 500, 1000 or 1600 Hz"},
	0x0102:                 {"HD_INVALID_OPERATION", "the library refuses a call in this state", "close other programs that use the device and start again"},
	0x0103:                 {"HD_INVALID_INPUT_TYPE", "the library has a quantity in another number type", "install OpenHaptics 3.4"},
	0x0104:                 {"HD_BAD_HANDLE", "the library has lost the device", "check its cable and power; it is reopened when it answers"},
	0x0200:                 {"HD_WARM_MOTORS", "the motors are too warm", "force comes back when they have cooled; lower the largest haptic force"},
	0x0201:                 {"HD_EXCEEDED_MAX_FORCE", "the force was larger than the device allows", "lower the largest haptic force"},
	0x0202:                 {"HD_EXCEEDED_MAX_FORCE_IMPULSE", "the force rose faster than the device allows", "lower the stiffness or the slew limit"},
	0x0203:                 {"HD_EXCEEDED_MAX_VELOCITY", "the stylus moved faster than the device allows", "move more slowly"},
	0x0204:                 {"HD_FORCE_ERROR", "the device could not make the force", "check its power supply"},
	0x0300:                 {"HD_DEVICE_FAULT", "the device does not answer or reports a fault", "check its cable and power, then run the vendor's set-up and diagnostic programs"},
	DeviceAlreadyInitiated: {"HD_DEVICE_ALREADY_INITIATED", "the device is already open", "close the other program that uses it"},
	0x0302:                 {"HD_COMM_ERROR", "communication with the device broke down", "check its cable and power; it is reopened when it answers"},
	0x0303:                 {"HD_COMM_CONFIG_ERROR", "no device is configured under this name, or its port may not be used", "run the vendor's set-up program, then `hapco doctor` for the rights on its port"},
	0x0304:                 {"HD_TIMER_ERROR", "the library's servo clock failed", "start again; close programs that keep all cores busy"},
	0x0400:                 {"HD_ILLEGAL_BEGIN", "a frame was begun twice", "report this as a bug"},
	0x0401:                 {"HD_ILLEGAL_END", "a frame was ended twice", "report this as a bug"},
	0x0402:                 {"HD_FRAME_ERROR", "a frame was left open or a call came outside one", "report this as a bug"},
	0x0500:                 {"HD_INVALID_PRIORITY", "the library refuses the priority of the servo", "report this as a bug"},
	0x0501:                 {"HD_SCHEDULER_FULL", "the library's servo has no room", "close other programs that use the device"},
	0x0600:                 {"HD_INVALID_LICENSE", "the library refuses its licence", "install the OpenHaptics Developer Edition, which needs none"},
	silent:                 {"no servo tick", "the library's servo stopped calling", "check the device's cable and power; it is reopened when it answers"},
}

// String is the name that the manual gives c.
func (c Code) String() string {
	if m, ok := meanings[c]; ok {
		return m.name
	}
	return fmt.Sprintf("HD error 0x%04X", uint32(c))
}

// Error is an error of the library with its cure.
type Error struct {
	Code     Code
	Internal int32  // the driver's own number, for the vendor's support
	Device   string // the configured name that was tried; "" the default
	Doing    string // what failed: "open", "start", "servo"
}

func (e *Error) Error() string {
	m, ok := meanings[e.Code]
	if !ok {
		m = meaning{e.Code.String(), "an error that the manual does not list", "note the number for the vendor's support"}
	}
	name := "the default device"
	if e.Device != "" {
		name = fmt.Sprintf("device %q", e.Device)
	}
	return fmt.Sprintf("phantom: %s %s: %s (%s, internal %d): %s", e.Doing, name, m.what, m.name, e.Internal, m.cure)
}

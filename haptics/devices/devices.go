// Package devices opens a haptic device by the word of the command line, lists what is there and why something is not,
// and gives each device the servo that fits it.
package devices

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/haply"
	"hapco/haptics/mapping"
	"hapco/haptics/phantom"
	"hapco/haptics/pointer"
	"hapco/haptics/servo"
	"hapco/haptics/spacenav"
	"hapco/haptics/virtual"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
)

// kinds are the words that Open takes.
var kinds = []string{"auto", "mouse", "phantom", "haply", "spacenav", "virtual"}

// Options of Open. The zero value opens a device where it stands; what a device has no use for is ignored.
type Options struct {
	Name     string     // of a Phantom in its set-up program, or the id of an Inverse3; "": the first
	Start    frame.Pose // of the stylus: mouse, spacenav, virtual
	RateHz   int        // of the device's own loop; 0: 1000
	MaxForce float64    // N at the device, an own limit; 0: the device's

	// The box of the scene that the hand shall reach, m. Both zero: no fitting.
	Low, High mgl64.Vec3

	Scale      float64 // scene metres a device metre; 0: fitted to the box, or 1
	ForceScale float64 // device newtons a scene newton; 0: 1
	Axes       string  // which device axis is the world's x, y, z, as in "x,z,-y"; "": as the driver has it
	Gravity    float64 // N, weight of the stylus to carry

	Spring  float64        // N/m: mouse and spacenav; 0: 200
	Virtual virtual.Config // for virtual

	// Notify receives a line when a device goes, comes back or needs something. Called from the drivers' goroutines.
	// May be nil.
	Notify func(line string)
}

// Open opens a device. The message is for the user: which device it is, and for "auto" why not a better one. Errors are
// one line with a cure.
func Open(kind string, opt Options) (dev haptics.Device, message string, err error) {
	opt.Start.Rotation, opt.Spring = cmp.Or(opt.Start.Rotation, mgl64.QuatIdent()), cmp.Or(opt.Spring, 200)
	m, err := opt.mapping()
	if err != nil {
		return nil, "", err
	}
	switch kind {
	case "auto", "":
		return openAuto(m, opt)
	case "mouse":
		return pointer.New(opt.Start, opt.Spring, 0), "mouse with a spring", nil
	case "phantom":
		dev, err = openPhantom(m, opt)
	case "haply":
		dev, err = openHaply(m, opt)
	case "spacenav":
		dev, err = openSpacenav(m, opt)
	case "virtual":
		dev, err = openVirtual(opt)
	default:
		err = fmt.Errorf("devices: %q is no device: choose %s", kind, strings.Join(kinds, ", "))
	}
	if err != nil {
		return nil, "", err
	}
	return dev, dev.Name(), nil
}

// openAuto takes the first device with motors that answers, else the mouse. A SpaceMouse is not taken unasked: many
// people have one beside their mouse for other programs.
func openAuto(m mapping.Mapping, opt Options) (haptics.Device, string, error) {
	var why []string
	for _, try := range []func(mapping.Mapping, Options) (haptics.Device, error){openPhantom, openHaply} {
		dev, err := try(m, opt)
		if err == nil {
			return dev, dev.Name(), nil
		}
		why = append(why, err.Error())
	}
	return pointer.New(opt.Start, opt.Spring, 0), "mouse with a spring, since no haptic device answers (" + strings.Join(why, "; ") + ")", nil
}

func (o *Options) mapping() (mapping.Mapping, error) {
	m := mapping.Identity()
	if o.Axes != "" {
		axes, err := mapping.ParseAxes(o.Axes)
		if err != nil {
			return m, err
		}
		m.Axes = axes
	}
	m.Scale, m.ForceScale = cmp.Or(o.Scale, m.Scale), cmp.Or(o.ForceScale, m.ForceScale)
	m.Gravity = o.Gravity
	return m, m.Validate()
}

// fitted places the device's workspace over the scene's box.
func (o *Options) fitted(m mapping.Mapping, l haptics.DeviceLimits) mapping.Mapping {
	if o.Low == o.High {
		return m
	}
	f := m.Fit(l, o.Low, o.High)
	f.Scale = cmp.Or(o.Scale, f.Scale)
	return f
}

func openPhantom(m mapping.Mapping, opt Options) (haptics.Device, error) {
	d, err := phantom.Open(phantom.Options{Name: opt.Name, RateHz: opt.RateHz, MaxForce: opt.MaxForce, Notify: opt.Notify})
	if err != nil {
		return nil, err
	}
	if err := d.SetMapping(opt.fitted(m, d.Limits())); err != nil { // still the identity: these are the device's own
		d.Close()
		return nil, err
	}
	return d, nil
}

func openHaply(m mapping.Mapping, opt Options) (haptics.Device, error) {
	o := haply.Options{DeviceID: opt.Name, RateHz: opt.RateHz, MaxForce: opt.MaxForce, Notify: opt.Notify}
	if opt.Axes != "" { // the word replaces the driver's own idea
		o.Axes, o.Home = m.Axes, haply.Home
		m.Axes = mgl64.Ident3()
	}
	d, err := haply.Open(o)
	if err != nil {
		return nil, err
	}
	w, err := mapping.Wrap(d, opt.fitted(m, d.Limits()))
	if err != nil {
		d.Close()
	}
	return w, err
}

func openSpacenav(m mapping.Mapping, opt Options) (haptics.Device, error) {
	o := spacenav.DefaultOptions()
	o.Start, o.Spring, o.Axes, o.Notify = opt.Start, opt.Spring, m.Axes, opt.Notify
	if size := opt.High.Sub(opt.Low); opt.Low != opt.High {
		// half the widest side is reached from the middle; crossing the box takes two seconds
		widest := max(size[0], size[1], size[2])
		o.Reach, o.Speed = widest, widest/2
	}
	if opt.Scale != 0 {
		o.Speed *= opt.Scale
	}
	if opt.MaxForce > 0 {
		o.Push = opt.MaxForce
	}
	return opened(spacenav.Open(o))
}

func openVirtual(opt Options) (haptics.Device, error) {
	c := opt.Virtual
	c.Start, c.Rate = cmp.Or(c.Start, opt.Start), cmp.Or(c.Rate, float64(max(0, opt.RateHz)))
	return opened(virtual.New(c))
}

// opened keeps a nil pointer from looking like a device.
func opened[D haptics.Device](d D, err error) (haptics.Device, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Servo is the servo in C for a device that Open gave: in the device's own scheduler where it has one, else on a thread
// of its own at rate, Hz (0: 1000).
func Servo(dev haptics.Device, rate float64) (haptics.Servo, error) {
	if p, ok := dev.(*phantom.Device); ok {
		t := p.Table()
		return servo.NewForeign(p, servo.Foreign{Self: t.Self, Read: t.Read, Write: t.Write, SetTick: p.SetTick}, p.Limits().RateHz)
	}
	return servo.New(dev, rate)
}

// Entry is one kind of device in the list.
type Entry struct {
	Kind    string // a word for --device
	What    string // what it stands for
	Present bool
	Detail  string // present: model and numbers; else why not, and the cure
}

// List asks every kind of device whether it is there. It may take a second or two: a device is opened and closed to
// know that it works.
func List() []Entry {
	entries := []Entry{{Kind: "phantom", What: "Phantom, Touch (OpenHaptics)"}, {Kind: "haply", What: "Haply Inverse3 (its service)"},
		{Kind: "spacenav", What: "SpaceMouse (position only)"},
		{Kind: "mouse", What: "mouse with a spring", Present: true, Detail: "always there"},
		{Kind: "virtual", What: "simulated device and hand", Present: true, Detail: "always there"}}
	results := make([]chan Entry, 3)
	for i, probe := range []func() (string, error){probePhantom, probeHaply, probeSpacenav} {
		results[i] = make(chan Entry, 1)
		e := entries[i]
		failsafe.Go(func() {
			detail, err := probe()
			e.Present, e.Detail = err == nil, detail
			if err != nil {
				e.Detail = err.Error()
			}
			results[i] <- e
		})
	}
	for i, c := range results {
		select {
		case entries[i] = <-c:
		case <-time.After(10 * time.Second): // a vendor's library may hang on a bad line
			entries[i].Detail = entries[i].Kind + ": its library does not answer: unplug the device, plug it in again and start over"
		}
	}
	return entries
}

func probePhantom() (string, error) {
	info, l, err := phantom.Probe(phantom.Options{})
	if err != nil {
		return "", err
	}
	d := fmt.Sprintf("%s, serial %s, libHD %s, force %.3g N, %.3g N for long, %d axes driven, calibration: %s",
		info.Model, cmp.Or(info.Serial, "unknown"), cmp.Or(info.LibraryVersion, "of unknown version"), l.MaxForce, l.ContinuousForce, l.DrivenAxes, info.Calibration)
	if !info.Known {
		d += " (model not in HapCo's table: the weakest limits are used where it tells none)"
	}
	return d, nil
}

func probeHaply() (string, error) {
	id, err := haply.Probe(haply.Options{})
	if err != nil {
		return "", err
	}
	return "Inverse3 " + id, nil
}

func probeSpacenav() (string, error) { return spacenav.Probe(spacenav.DefaultOptions()) }

// Print writes the list as a table.
func Print(w io.Writer, entries []Entry) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "--device\twhat\tthere\tdetail")
	for _, e := range entries {
		there := "no"
		if e.Present {
			there = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Kind, e.What, there, e.Detail)
	}
	return t.Flush()
}

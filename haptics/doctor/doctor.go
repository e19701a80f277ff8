// Package doctor looks at what HapCo needs of a machine (libraries, rights, real-time permission, clocks, display) and
// says what to do about what is missing. It changes nothing.
package doctor

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"hapco/haptics/phantom"
	"hapco/haptics/spacenav"
)

// Level is how bad a finding is.
type Level int

// OK needs nothing. Warn leaves something slower or a device out. Fail keeps the program from doing its work.
const (
	OK Level = iota
	Warn
	Fail
)

// String is the word that the table shows.
func (l Level) String() string { return [...]string{"ok", "warn", "fail"}[l] }

// Finding is the result of one check.
type Finding struct {
	Check string // what was looked at
	Level Level
	Text  string // what was found
	Cure  string // what to type or do; "" when OK
}

// System is the machine as the checks see it. Default is the real one; tests bring their own.
type System struct {
	Root      string // of the file system
	Getenv    func(string) string
	Uid       int
	Writable  func(path string) bool                                          // may the user read and write it
	Library   func(name string) error                                         // can the loader find it
	Phantom   func() (version string, err error)                              // libHD
	RealTime  func(priority int) error                                        // may a thread have SCHED_FIFO
	Limit     func(what string) (soft uint64, err error)                      // "memlock"; math.MaxUint64: no limit
	ClockStep func() (time.Duration, error)                                   // of the monotonic clock
	Late      func(n int, period time.Duration) (median, worst time.Duration) // of n sleeps
	Dial      func(network, address string) error
}

// priority is the real-time priority that the servo asks for.
const priority = 80

// Run makes all checks, in the order in which one would repair things.
func Run(s System) []Finding {
	var all []Finding
	for _, check := range []func(*System) []Finding{
		display, openGL, realTime, memory, clock, wakeUp, governor, libHD, touchRights, spaceMouse, haplyService,
	} {
		all = append(all, check(&s)...)
	}
	return all
}

// Worst is the highest level among the findings.
func Worst(all []Finding) Level {
	worst := OK
	for _, f := range all {
		worst = max(worst, f.Level)
	}
	return worst
}

// Print writes the findings as a table, each cure on a line of its own.
func Print(w io.Writer, all []Finding) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Level, f.Check, f.Text)
		if f.Cure != "" {
			fmt.Fprintf(t, "\t\tcure: %s\n", f.Cure)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (s *System) path(p string) string { return filepath.Join(s.Root, p) }

// text reads a small file; "" when it is not there.
func (s *System) text(p string) string { return text(s.path(p)) }

func text(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

const headless = "start it from a desktop session, or without a window: hapco run --headless"

func display(s *System) []Finding {
	f := Finding{Check: "display"}
	d := s.Getenv("DISPLAY")
	switch {
	case d == "" && s.Getenv("WAYLAND_DISPLAY") != "":
		f.Level, f.Text = Warn, "Wayland without an X server: the window needs one"
		f.Cure = "install and switch on Xwayland (package xwayland)"
	case d == "":
		f.Level, f.Text, f.Cure = Warn, "no DISPLAY: no window", headless
	default:
		host, number, _ := strings.Cut(d, ":")
		number, _, _ = strings.Cut(number, ".")
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			f.Level, f.Text, f.Cure = Warn, fmt.Sprintf("DISPLAY=%q is not a display", d), headless
			break
		}
		if host == "" || host == "unix" {
			// X servers listen on a socket in the file system, and some only on its abstract twin
			socket := fmt.Sprintf("/tmp/.X11-unix/X%d", n)
			if err = s.Dial("unix", s.path(socket)); err != nil {
				err = s.Dial("unix", "@"+socket)
			}
		} else {
			err = s.Dial("tcp", net.JoinHostPort(host, strconv.FormatUint(6000+n, 10)))
		}
		if err != nil {
			f.Level, f.Text, f.Cure = Warn, fmt.Sprintf("nothing answers at DISPLAY=%s", d), headless
			break
		}
		f.Text = d
	}
	return []Finding{f}
}

func openGL(s *System) []Finding {
	f := Finding{Check: "OpenGL", Text: "libGL is there"}
	if err := s.Library("libGL.so.1"); err != nil {
		f.Level, f.Text = Fail, oneLine(err)
		f.Cure = "apt-get install libgl1 libgl1-mesa-dri libglx-mesa0"
		return []Finding{f}
	}
	if _, err := os.Stat(s.path("/dev/dri")); err != nil {
		f.Text += "; no graphics card is visible, pictures are drawn by the processor"
	}
	return []Finding{f}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func realTime(s *System) []Finding {
	f := Finding{Check: "real-time priority", Text: fmt.Sprintf("SCHED_FIFO %d is granted", priority)}
	if err := s.RealTime(priority); err != nil {
		f.Level = Warn
		f.Text = fmt.Sprintf("SCHED_FIFO %d is refused (%v): ticks come late when the machine is busy", priority, err)
		f.Cure = `put the line "@audio - rtprio 95" into /etc/security/limits.d/hapco.conf, run: sudo usermod -aG audio $USER, and log in again`
		if s.Uid == 0 {
			f.Cure = "this is root, so a container or group forbids it: give it CAP_SYS_NICE and real-time budget (docker run --cap-add SYS_NICE --ulimit rtprio=95)"
		}
	}
	return []Finding{f}
}

// enough memory to lock for the servo alone, bytes; locking all takes no limit.
const enough = 64 << 20

func memory(s *System) []Finding {
	f := Finding{Check: "memory locking"}
	soft, err := s.Limit("memlock")
	switch {
	case err != nil:
		f.Level, f.Text, f.Cure = Warn, "the limit cannot be read: "+oneLine(err), "run: ulimit -l"
	case soft == ^uint64(0) || s.Uid == 0:
		f.Text = "no limit"
	case soft >= enough:
		f.Text = fmt.Sprintf("up to %d MiB: the servo's own memory can be locked", soft>>20)
	default:
		f.Level = Warn
		f.Text = fmt.Sprintf("only %d KiB may be locked: a tick may wait for the disk when memory is short", soft>>10)
		f.Cure = `put the line "@audio - memlock unlimited" into /etc/security/limits.d/hapco.conf, run: sudo usermod -aG audio $USER, and log in again`
	}
	return []Finding{f}
}

func clock(s *System) []Finding {
	f := Finding{Check: "clock"}
	step, err := s.ClockStep()
	source := s.text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	switch {
	case err != nil:
		f.Level, f.Text, f.Cure = Fail, "no monotonic clock: "+oneLine(err), "use a Linux kernel with high-resolution timers (CONFIG_HIGH_RES_TIMERS)"
	case step > time.Microsecond:
		f.Level, f.Text = Fail, fmt.Sprintf("steps of %v: too coarse for a tick of 1 ms", step)
		f.Cure = "boot a kernel with high-resolution timers (CONFIG_HIGH_RES_TIMERS, no highres=off)"
	case source == "hpet" || source == "acpi_pm" || source == "refined-jiffies" || source == "jiffies":
		f.Level, f.Text = Warn, fmt.Sprintf("clock source %s is slow to read", source)
		f.Cure = "boot with clocksource=tsc if the processor's own clock is stable"
	default:
		f.Text = fmt.Sprintf("steps of %v", step)
		if source != "" {
			f.Text += ", source " + source
		}
	}
	return []Finding{f}
}

func wakeUp(s *System) []Finding {
	median, worst := s.Late(200, time.Millisecond)
	f := Finding{Check: "wake-up", Text: fmt.Sprintf("a thread sleeping 1 ms wakes %v late at the median, %v at worst",
		median.Round(time.Microsecond), worst.Round(time.Microsecond))}
	if median > 200*time.Microsecond || worst > 5*time.Millisecond {
		f.Level = Warn
		f.Cure = "close programs that keep all cores busy; see real-time priority and governor; in a virtual machine give it whole cores"
	}
	return []Finding{f}
}

func governor(s *System) []Finding {
	f := Finding{Check: "CPU governor"}
	files, _ := filepath.Glob(s.path("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"))
	other := map[string]int{}
	for _, p := range files {
		if g := text(p); g != "performance" {
			other[g]++
		}
	}
	switch {
	case len(files) == 0:
		f.Text = "not adjustable here (a virtual machine, or fixed speed)"
	case len(other) == 0:
		f.Text = "performance on all cores"
	default:
		f.Level = Warn
		var names []string
		for _, g := range []string{"powersave", "ondemand", "conservative", "schedutil", "userspace"} {
			if n := other[g]; n > 0 {
				names = append(names, fmt.Sprintf("%s on %d", g, n))
				delete(other, g)
			}
		}
		for _, n := range other {
			names = append(names, fmt.Sprintf("another one on %d", n))
		}
		f.Text = strings.Join(names, ", ") + fmt.Sprintf(" of %d cores: a core that slept wakes slowly", len(files))
		f.Cure = "sudo cpupower frequency-set -g performance"
	}
	return []Finding{f}
}

func libHD(s *System) []Finding {
	f := Finding{Check: "OpenHaptics (libHD)"}
	version, err := s.Phantom()
	if err == nil {
		f.Text = "libHD " + version
		return []Finding{f}
	}
	f.Level, f.Text, f.Cure = Warn, "not usable: "+oneLine(err), "only needed for a Phantom: install OpenHaptics 3.4 and the Touch driver"
	var e *phantom.LibraryError
	if errors.As(err, &e) {
		f.Text, f.Cure = strings.Join(strings.Fields(e.Reason), " "), e.Cure+" (only needed for a Phantom)"
	}
	return []Finding{f}
}

// The maker's number on the USB, and the rule that opens its devices.
const (
	touchVendor = "2988"
	TouchRule   = `SUBSYSTEMS=="usb", ATTRS{idVendor}=="2988", MODE="0666"`
)

// touchRights looks for Touch devices on the USB and asks whether they may be opened.
func touchRights(s *System) []Finding {
	vendors, _ := filepath.Glob(s.path("/sys/bus/usb/devices/*/idVendor"))
	var all []Finding
	for _, p := range vendors {
		if text(p) != touchVendor {
			continue
		}
		dir := filepath.Dir(p)
		in := func(name string) string { return text(filepath.Join(dir, name)) }
		var nodes []string
		bus, err1 := strconv.Atoi(in("busnum"))
		dev, err2 := strconv.Atoi(in("devnum"))
		if err1 == nil && err2 == nil {
			nodes = append(nodes, s.path(fmt.Sprintf("/dev/bus/usb/%03d/%03d", bus, dev)))
		}
		// its serial ports and raw devices hang below it
		for _, pattern := range []string{"*/tty/tty*", "*/tty*", "*/*/hidraw/hidraw*"} {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, n := range found {
				if base := filepath.Base(n); base != "tty" {
					nodes = append(nodes, s.path("/dev/"+base))
				}
			}
		}
		product := cmp.Or(in("product"), "a device of 3D Systems")
		f := Finding{Check: "Touch on USB", Text: product + " may be opened"}
		for _, n := range nodes {
			if !s.Writable(n) {
				f.Level = Warn
				f.Text = fmt.Sprintf("%s is plugged in, but %s may not be read and written", product, strings.TrimPrefix(n, strings.TrimSuffix(s.Root, "/")))
				f.Cure = "put the line " + TouchRule + " into /etc/udev/rules.d/80-touch.rules, run: sudo udevadm control --reload, and plug it in again"
				break
			}
		}
		all = append(all, f)
	}
	return all
}

func spaceMouse(s *System) []Finding {
	var all []Finding
	for _, n := range spacenav.FindNodes(s.Root) {
		f := Finding{Check: "SpaceMouse", Text: n.Name + " may be read"}
		daemon := false
		for _, p := range spacenav.Sockets {
			daemon = daemon || s.Dial("unix", s.path(p)) == nil
		}
		switch {
		case daemon:
			f.Text = n.Name + ", through spacenavd"
		case !s.Writable(n.Path) && !readable(n.Path):
			f.Level = Warn
			f.Text = fmt.Sprintf("%s is plugged in, but %s may not be read", n.Name, strings.TrimPrefix(n.Path, strings.TrimSuffix(s.Root, "/")))
			f.Cure = "put the line " + spacenav.UdevRule + " into /etc/udev/rules.d/70-spacemouse.rules and plug it in again, or: apt-get install spacenavd"
		}
		all = append(all, f)
	}
	return all
}

func readable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

func haplyService(s *System) []Finding {
	f := Finding{Check: "Haply service", Text: "listens on port 10001"}
	if err := s.Dial("tcp", "localhost:10001"); err != nil {
		f.Level, f.Text = Warn, "does not listen on port 10001"
		f.Cure = "only needed for an Inverse3: install the Haply Inverse Service, then: sudo systemctl start haply-inverse-service"
	}
	return []Finding{f}
}

package doctor

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/haptics/phantom"
)

// healthy is a machine without anything to complain about, and without devices.
func healthy(t *testing.T) System {
	return System{
		Root:      t.TempDir(),
		Getenv:    func(k string) string { return map[string]string{"DISPLAY": ":7.0"}[k] },
		Uid:       1000,
		Writable:  func(string) bool { return true },
		Library:   func(string) error { return nil },
		Phantom:   func() (string, error) { return "3.4", nil },
		RealTime:  func(int) error { return nil },
		Limit:     func(string) (uint64, error) { return ^uint64(0), nil },
		ClockStep: func() (time.Duration, error) { return 1, nil },
		Late:      func(int, time.Duration) (time.Duration, time.Duration) { return 50_000, 400_000 },
		Dial:      func(string, string) error { return nil },
	}
}

func put(t *testing.T, s System, files map[string]string) {
	t.Helper()
	for p, text := range files {
		p = filepath.Join(s.Root, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func find(t *testing.T, all []Finding, check string) Finding {
	t.Helper()
	for _, f := range all {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding about %s", check)
	return Finding{}
}

func TestHealthy(t *testing.T) {
	s := healthy(t)
	put(t, s, map[string]string{
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "performance",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
		"/sys/bus/usb/devices/1-1/idVendor":                                "2988",
		"/sys/bus/usb/devices/1-1/product":                                 "Touch",
		"/sys/bus/usb/devices/1-1/busnum":                                  "1",
		"/sys/bus/usb/devices/1-1/devnum":                                  "12",
		"/sys/bus/usb/devices/1-2/idVendor":                                "046d",
		"/sys/class/input/event3/device/id/vendor":                         "256f",
		"/sys/class/input/event3/device/id/product":                        "c635",
		"/sys/class/input/event3/device/name":                              "3Dconnexion SpaceMouse",
	})
	all := Run(s)
	for _, f := range all {
		if f.Level != OK || f.Cure != "" || f.Text == "" {
			t.Errorf("%+v", f)
		}
	}
	if Worst(all) != OK {
		t.Error("worst is not ok")
	}
	find(t, all, "Touch on USB")
	find(t, all, "SpaceMouse")
}

func TestEachTrouble(t *testing.T) {
	no := errors.New("operation not permitted")
	for _, c := range []struct {
		name, check string
		level       Level
		text, cure  string
		spoil       func(*testing.T, *System)
	}{
		{"no display", "display", Warn, "no DISPLAY", "--headless", func(t *testing.T, s *System) { s.Getenv = func(string) string { return "" } }},
		{"wayland", "display", Warn, "Wayland", "xwayland", func(t *testing.T, s *System) {
			s.Getenv = func(k string) string { return map[string]string{"WAYLAND_DISPLAY": "wayland-0"}[k] }
		}},
		{"odd display", "display", Warn, "is not a display", "--headless", func(t *testing.T, s *System) { s.Getenv = func(string) string { return "x:y" } }},
		{"dead display", "display", Warn, "nothing answers", "--headless", func(t *testing.T, s *System) { s.Dial = func(string, string) error { return no } }},
		{"far display", "display", Warn, "nothing answers", "--headless", func(t *testing.T, s *System) {
			s.Getenv = func(string) string { return "host:2" }
			s.Dial = func(network, address string) error {
				if network == "tcp" && address == "host:6002" {
					return no
				}
				return nil
			}
		}},
		{"no libGL", "OpenGL", Fail, "cannot open", "libgl1", func(t *testing.T, s *System) {
			s.Library = func(string) error { return errors.New("libGL.so.1: cannot open shared object file") }
		}},
		{"no real time", "real-time priority", Warn, "refused", "rtprio", func(t *testing.T, s *System) { s.RealTime = func(int) error { return no } }},
		{"root without real time", "real-time priority", Warn, "refused", "SYS_NICE", func(t *testing.T, s *System) { s.Uid = 0; s.RealTime = func(int) error { return no } }},
		{"little memory", "memory locking", Warn, "8192 KiB", "memlock unlimited", func(t *testing.T, s *System) { s.Limit = func(string) (uint64, error) { return 8 << 20, nil } }},
		{"no limit to read", "memory locking", Warn, "cannot be read", "ulimit", func(t *testing.T, s *System) { s.Limit = func(string) (uint64, error) { return 0, no } }},
		{"coarse clock", "clock", Fail, "4ms", "HIGH_RES", func(t *testing.T, s *System) {
			s.ClockStep = func() (time.Duration, error) { return 4 * time.Millisecond, nil }
		}},
		{"no clock", "clock", Fail, "no monotonic", "HIGH_RES", func(t *testing.T, s *System) { s.ClockStep = func() (time.Duration, error) { return 0, no } }},
		{"slow clock", "clock", Warn, "hpet", "tsc", func(t *testing.T, s *System) {
			put(t, *s, map[string]string{"/sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet"})
		}},
		{"late", "wake-up", Warn, "9ms at worst", "cores", func(t *testing.T, s *System) {
			s.Late = func(int, time.Duration) (time.Duration, time.Duration) { return time.Millisecond, 9 * time.Millisecond }
		}},
		{"powersave", "CPU governor", Warn, "powersave on 1 of 2", "cpupower", func(t *testing.T, s *System) {
			put(t, *s, map[string]string{"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance", "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave"})
		}},
		{"no libHD", "OpenHaptics (libHD)", Warn, "No such file", "only needed", func(t *testing.T, s *System) {
			s.Phantom = func() (string, error) {
				return "", &phantom.LibraryError{Path: "libHD.so", Reason: "libHD.so: No such file", Cure: "install OpenHaptics 3.4"}
			}
		}},
		{"Touch without rights", "Touch on USB", Warn, "/dev/ttyACM0", TouchRule, func(t *testing.T, s *System) {
			put(t, *s, map[string]string{"/sys/bus/usb/devices/1-1/idVendor": "2988", "/sys/bus/usb/devices/1-1/1-1:1.0/tty/ttyACM0/dev": "166:0"})
			s.Writable = func(p string) bool { return filepath.Base(p) != "ttyACM0" }
		}},
		{"SpaceMouse without rights", "SpaceMouse", Warn, "/dev/input/event3", "uaccess", func(t *testing.T, s *System) {
			put(t, *s, map[string]string{"/sys/class/input/event3/device/id/vendor": "046d", "/sys/class/input/event3/device/id/product": "c626", "/sys/class/input/event3/device/name": "SpaceNavigator"})
			s.Writable = func(string) bool { return false }
			s.Dial = func(string, string) error { return no }
		}},
		{"no Haply service", "Haply service", Warn, "10001", "systemctl", func(t *testing.T, s *System) { s.Dial = func(string, string) error { return no } }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := healthy(t)
			c.spoil(t, &s)
			all := Run(s)
			f := find(t, all, c.check)
			if f.Level != c.level || !strings.Contains(f.Text, c.text) || !strings.Contains(f.Cure, c.cure) || f.Cure == "" {
				t.Errorf("%+v", f)
			}
			if Worst(all) < c.level {
				t.Error("the worst level is lower")
			}
			var b bytes.Buffer
			if err := Print(&b, all); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), "cure: "+f.Cure) || strings.Contains(b.String(), " \n") {
				t.Errorf("printed:\n%s", b.String())
			}
		})
	}
}

// On the machine of the test: whatever it is like, every check answers, and what
// is not well has a cure.
func TestThisMachine(t *testing.T) {
	all := Run(Default())
	if len(all) < 9 {
		t.Errorf("only %d findings", len(all))
	}
	for _, f := range all {
		if f.Text == "" || strings.Contains(f.Text+f.Cure, "\n") || (f.Level != OK) != (f.Cure != "") {
			t.Errorf("%+v", f)
		}
	}
	if Default().Library("libnothing-of-this-name.so.9") == nil {
		t.Error("a library that does not exist was found")
	}
}

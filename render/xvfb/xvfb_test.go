package xvfb

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
)

func TestStartStop(t *testing.T) {
	d, err := Start(320, 200)
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	socket := "/tmp/.X11-unix/X" + strings.TrimPrefix(d.Name, ":")
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Errorf("display %s: %v", d.Name, err)
	} else {
		c.Close()
	}
	d.Stop()
	d.Stop()
	if c, err := net.Dial("unix", socket); err == nil {
		c.Close()
		t.Errorf("display %s still answers after Stop", d.Name)
	}
}

func TestStartRefuses(t *testing.T) {
	if _, err := Start(0, 200); err == nil {
		t.Error("a screen without width was accepted")
	}
	t.Setenv("PATH", "")
	if _, err := Start(10, 10); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install xvfb") {
		t.Errorf("without Xvfb: %v", err)
	}
}

func TestSetenvRestores(t *testing.T) {
	t.Setenv("DISPLAY", ":4711")
	t.Setenv("WAYLAND_DISPLAY", "w")
	restore := (&Display{Name: ":5"}).Setenv()
	if os.Getenv("DISPLAY") != ":5" || os.Getenv("WAYLAND_DISPLAY") != "" {
		t.Error("Setenv did not point at the display")
	}
	restore()
	if os.Getenv("DISPLAY") != ":4711" || os.Getenv("WAYLAND_DISPLAY") != "w" {
		t.Error("restore did not restore")
	}
}

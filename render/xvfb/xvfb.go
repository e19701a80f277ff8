// Package xvfb starts a virtual X display (the program Xvfb of the X.Org project), for drawing on machines without a
// screen: tests, and the program's headless pictures.
package xvfb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"hapco/physics/machinery/failsafe"
)

// ErrMissing means that the program Xvfb is not installed.
var ErrMissing = errors.New("xvfb: the program Xvfb is not installed: apt-get install xvfb")

// startLimit is how long Xvfb may take to open its display.
const startLimit = 20 * time.Second

// Display is a running virtual display.
type Display struct {
	Name string // what DISPLAY has to be, e.g. ":99"

	cmd  *exec.Cmd
	keep net.Conn // the client that keeps Xvfb alive
	once sync.Once
	gone chan struct{} // closed when the process has ended
}

// Start starts Xvfb with one screen of width x height pixels and 24 bit colour on a display number that is free. It
// leaves the environment alone; see Setenv. Xvfb runs until Stop, or until this process ends however it does: it leaves
// with its last client, and one connection of ours stays until then.
func Start(width, height int) (*Display, error) {
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		return nil, ErrMissing
	}
	if width <= 0 || height <= 0 {
		return nil, fmt.Errorf("xvfb: a screen of %dx%d pixels: both sides have to be positive", width, height)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("xvfb: %w", err)
	}
	defer r.Close()
	var complaints strings.Builder
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height),
		"+extension", "GLX", "+extension", "RANDR", "+render", "-nolisten", "tcp", "-terminate")
	cmd.ExtraFiles = []*os.File{w}
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("xvfb: start %s: %w", path, err)
	}
	w.Close()
	d := &Display{cmd: cmd, gone: make(chan struct{})}
	failsafe.Go(func() {
		// The exit status says nothing that Stop or a closed pipe has not said.
		_ = cmd.Wait()
		close(d.gone)
	})

	// Xvfb writes the number of its display once it accepts clients.
	_ = r.SetReadDeadline(time.Now().Add(startLimit))
	line, err := bufio.NewReader(r).ReadString('\n')
	number, bad := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || bad != nil {
		d.Stop()
		if said := strings.TrimSpace(complaints.String()); said != "" {
			return nil, fmt.Errorf("xvfb: %s opened no display: %s", path, said)
		}
		return nil, fmt.Errorf("xvfb: %s opened no display within %v", path, startLimit)
	}
	d.Name = ":" + strconv.Itoa(number)
	if d.keep, err = connect(number); err != nil {
		d.Stop()
		return nil, fmt.Errorf("xvfb: display %s does not answer: %w", d.Name, err)
	}
	return d, nil
}

// connect becomes a client of a display: X protocol 11.0, least significant byte first, no authorisation, which Xvfb
// does not ask for from its own user.
func connect(number int) (net.Conn, error) {
	c, err := net.Dial("unix", "/tmp/.X11-unix/X"+strconv.Itoa(number))
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(startLimit))
	reply := make([]byte, 1)
	if _, err = c.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err == nil {
		_, err = io.ReadFull(c, reply)
	}
	if err == nil && reply[0] != 1 {
		err = errors.New("it refused the connection")
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Setenv points this process at the display and away from Wayland, and returns what undoes it.
func (d *Display) Setenv() (restore func()) {
	keep := func(key string) func() {
		if v, ok := os.LookupEnv(key); ok {
			return func() { os.Setenv(key, v) }
		}
		return func() { os.Unsetenv(key) }
	}
	display, wayland := keep("DISPLAY"), keep("WAYLAND_DISPLAY")
	os.Setenv("DISPLAY", d.Name)
	os.Unsetenv("WAYLAND_DISPLAY")
	return func() { display(); wayland() }
}

// Stop ends Xvfb and waits until it is gone. Further calls do nothing.
func (d *Display) Stop() {
	d.once.Do(func() {
		if d.keep != nil {
			d.keep.Close()
		}
		_ = d.cmd.Process.Signal(os.Interrupt)
		select {
		case <-d.gone:
		case <-time.After(3 * time.Second):
			_ = d.cmd.Process.Kill()
			<-d.gone
		}
	})
}

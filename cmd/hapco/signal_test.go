package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal lets the hand go while the window hangs in its display: the X server
// is stopped, so that nothing that is drawn ever ends. The second signal ends the
// program.
func TestSignalWhileTheWindowHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("opens windows")
	}
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no Xvfb")
	}
	b := &rig{bin: buildProgram(t), dir: t.TempDir()}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			x := exec.Command(path, "-displayfd", "3", "-screen", "0", "640x480x24", "+extension", "GLX", "-nolisten", "tcp")
			x.ExtraFiles = []*os.File{w}
			if err := x.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = x.Process.Kill()
				_ = x.Wait()
			}()
			w.Close()
			display, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}

			d := newHaply(t)
			env := []string{"HAPLY_URL=ws" + strings.TrimPrefix(d.URL, "http"), "DISPLAY=:" + strings.TrimSpace(display)}
			p := b.start(t, env, "run", "liver-linear", "--device", "haply", "--width", "640", "--height", "480")
			p.until("force", func() bool { f, _, _ := d.look(); return f > 0.3 })
			messages := func(n int) { // lets the service hear n more: the window draws, or hangs
				_, _, from := d.look()
				p.until("messages", func() bool { _, _, now := d.look(); return now > from+n })
			}
			messages(1000)
			if err := x.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			messages(500)
			// a machine that is busy may let the force fade for a moment; a window that hangs does not end it
			p.until("force while the window hangs", func() bool { f, _, _ := d.look(); return f > 0.1 })
			_, _, before := d.look()
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			for {
				f, _, now := d.look()
				if f == 0 {
					t.Logf("zero within %d messages", now-before)
					break
				}
				if now-before > 500 {
					t.Fatalf("%g N still, %d messages after the signal", f, now-before)
				}
				time.Sleep(time.Millisecond)
			}
			messages(200)
			if f, _, _ := d.look(); f != 0 {
				t.Errorf("%g N came back", f)
			}
			select {
			case err := <-p.done:
				t.Fatalf("the window did not hang: %v\n%s", err, p.said())
			default:
			}
			_ = p.cmd.Process.Signal(sig)
			if status := p.status(); status != exitInterrupted {
				t.Errorf("exit status %d, want %d", status, exitInterrupted)
			}
		})
	}
}

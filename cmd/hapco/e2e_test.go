package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hapco/physics/machinery/testkit"
	"hapco/render/xvfb"
)

// window is the program running in a window on a virtual display, driven by
// real X events.
type window struct {
	t      *testing.T
	cmd    *exec.Cmd
	errors bytes.Buffer
	trace  string
	env    []string
	done   chan error
}

// trace is the part of the window's trace that the tests look at.
type trace struct {
	Frame    uint64
	Scene    string
	Status   string
	Study    string
	Ready    bool
	Gallery  bool
	Brush    bool
	Holding  int
	Undos    int
	Turn     *struct{ W float64 }
	Viewport place
	Stylus   *place
	Aim      *place
	Grasp    *struct {
		From, To place
		Force    float64 `json:"force_N"`
	}
	Seconds float64
	World   float64 `json:"world_s"`
	ForceN  float64 `json:"force_N"`
	PeakN   float64 `json:"peak_force_N"`
	RawN    float64 `json:"contact_force_N"`
	Values  map[string]any
	Widgets map[string]place
}

type place struct {
	X, Y, W, H float64
	Visible    bool
}

// builds are the programs that tests have asked for, by their flags; TestMain removes them.
var builds = struct {
	sync.Mutex
	dir  string
	made map[string]string
}{made: map[string]string{}}

// buildProgram compiles hapco, once for all tests, with the race detector where asked.
func buildProgram(t *testing.T, flags ...string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := strings.Join(flags, " ")
	if bin := builds.made[key]; bin != "" {
		return bin
	}
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "hapco-test-")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir = dir
	}
	bin := filepath.Join(builds.dir, fmt.Sprint(len(builds.made)), "hapco")
	out, err := exec.Command("go", append(append([]string{"build", "-ldflags=-w", "-o", bin}, flags...), ".")...).CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	builds.made[key] = bin
	return bin
}

// openWindow starts `hapco run ARGS` on a display of its own and waits for the scene.
func openWindow(t *testing.T, bin string, args ...string) *window {
	t.Helper()
	w := startWindow(t, bin, t.TempDir(), append([]string{"run"}, args...)...)
	w.await("the scene", func(tr *trace) bool { return tr.Ready && tr.Stylus != nil })
	return w
}

// startWindow starts `hapco ARGS` on a display of its own. What it remembers and notes
// goes into the folder user.
func startWindow(t *testing.T, bin, user string, args ...string) *window {
	t.Helper()
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("xdotool is not installed (make test installs it)")
	}
	d, err := xvfb.Start(1280, 800)
	if err != nil {
		t.Skipf("no virtual display: %v", err)
	}
	t.Cleanup(d.Stop)
	w := &window{t: t, trace: filepath.Join(t.TempDir(), "trace.json"), done: make(chan error, 1)}
	w.env = append(os.Environ(), "DISPLAY="+d.Name, "WAYLAND_DISPLAY=", "HAPCO_UI_TRACE="+w.trace, "XDG_CONFIG_HOME="+user, "XDG_DATA_HOME="+user)
	w.cmd = exec.Command(bin, args...)
	w.cmd.Env, w.cmd.Stderr, w.cmd.Dir = w.env, &w.errors, user
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.done <- w.cmd.Wait() }()
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	return w
}

// frames waits until n more pictures were drawn: what was typed has been digested.
func (w *window) frames(n uint64) {
	w.t.Helper()
	from := w.await("a picture", func(*trace) bool { return true }).Frame
	w.await("pictures", func(tr *trace) bool { return tr.Frame >= from+n })
}

// await reads traces until one is as wanted.
func (w *window) await(what string, ok func(*trace) bool) *trace {
	w.t.Helper()
	tr := &trace{}
	for end := time.Now().Add(testkit.Hang); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-w.done:
			w.t.Fatalf("the program ended before %s: %v\n%s", what, err, w.errors.String())
		default:
		}
		data, err := os.ReadFile(w.trace)
		if err != nil {
			continue
		}
		*tr = trace{}
		if err := json.Unmarshal(data, tr); err != nil {
			w.t.Fatalf("trace: %v", err)
		}
		if ok(tr) {
			return tr
		}
	}
	w.t.Fatalf("no sign of %s; last trace: %+v", what, tr)
	return nil
}

// quit types Ctrl+Q, once, and fails where the program does not end, or ends badly.
func (w *window) quit() {
	w.t.Helper()
	w.x("key ctrl+q")
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Fatalf("the program ended badly: %v\n%s", err, w.errors.String())
		}
	case <-time.After(testkit.Hang):
		w.t.Fatal("the program does not end with Ctrl+Q")
	}
}

// x runs xdotool commands, one a line.
func (w *window) x(format string, args ...any) {
	w.t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(fmt.Sprintf(format, args...)), "\n") {
		cmd := exec.Command("xdotool", strings.Fields(line)...)
		cmd.Env = w.env
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("xdotool %s: %v\n%s", line, err, out)
		}
		time.Sleep(60 * time.Millisecond) // a hand takes its time, too
	}
}

// click clicks the middle of a widget, once it is in sight.
func (w *window) click(label string) {
	w.t.Helper()
	p := w.await(label, func(tr *trace) bool { return tr.Widgets[label].Visible }).Widgets[label]
	w.x("mousemove %.0f %.0f\nclick 1", p.X+p.W/2, p.Y+p.H/2)
}

// TestStylusPressesTheLiver is the first minute of a newcomer: the mouse
// pushes the stylus into the liver and drags it, a slider changes the friction
// coefficient, and the picture shows something.
func TestStylusPressesTheLiver(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	shot := filepath.Join(t.TempDir(), "window.png")
	w := openWindow(t, buildProgram(t), "liver", "--screenshot", shot)
	start := w.await("the start", func(tr *trace) bool { return true })
	if start.RawN != 0 {
		t.Errorf("a force of %g N before anything is touched", start.RawN)
	}

	w.x("mousemove %.0f %.0f", start.Stylus.X, start.Stylus.Y)
	w.x("mousedown 1")
	pressed := w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.1 })
	w.x("mousemove_relative 15 4\nmousemove_relative 15 4\nmousemove_relative 15 4")
	w.await("more force while dragging", func(tr *trace) bool { return tr.RawN > 0.1 && tr.Frame > pressed.Frame })
	w.x("mouseup 1")

	before := w.await("the panel", func(tr *trace) bool { return tr.Widgets["Friction"].W > 50 })
	f := before.Widgets["Friction"]
	w.x("mousemove %.0f %.0f\nmousedown 1\nmousemove %.0f %.0f\nmousemove %.0f %.0f\nmouseup 1",
		f.X+0.3*f.W, f.Y+f.H/2, f.X+0.5*f.W, f.Y+f.H/2, f.X+0.7*f.W, f.Y+f.H/2)
	w.await("another friction coefficient", func(tr *trace) bool {
		return tr.Values["friction"] != before.Values["friction"]
	})
	w.quit()
	checkPicture(t, shot, 1280, 800)
}

// TestSpatulaIsPushedIntoTheLiver: the held button pushes a tool that lies flat
// into the tissue under the cursor, not along its own axis past it.
func TestSpatulaIsPushedIntoTheLiver(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	w := openWindow(t, buildProgram(t), "spatula", "--device", "mouse")
	start := w.await("the start", func(tr *trace) bool { return tr.Stylus != nil })
	w.x("mousemove %.0f %.0f\nmousedown 1", start.Stylus.X, start.Stylus.Y)
	w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.3 })
	w.x("mouseup 1")
	w.await("the tool to come back", func(tr *trace) bool { return tr.RawN == 0 })
}

// checkPicture wants a picture of that size with many colours, red liver among them.
func checkPicture(t *testing.T, file string, width, height int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Errorf("picture of %dx%d, want %dx%d", b.Dx(), b.Dy(), width, height)
	}
	colours, red := map[[3]uint32]bool{}, 0
	for y := range height {
		for x := range width {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r >> 11, g >> 11, b >> 11}] = true
			if r > 2*g && r > 2*b && r > 0x4000 {
				red++
			}
		}
	}
	if len(colours) < 200 || red < width*height/50 {
		t.Errorf("%d colours, %d pixels of liver: the picture shows too little", len(colours), red)
	}
}

// TestHeadlessRun does what `make run` does without a display.
func TestHeadlessRun(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	cmd := exec.Command(buildProgram(t), "run", "--headless", "--seconds", "5",
		"--screenshot", filepath.Join(dir, "liver.png"), "--csv", filepath.Join(dir, "liver.csv"))
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "DISPLAY=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		if strings.Contains(string(out), "Xvfb") {
			t.Skipf("no virtual display: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "contact force, N") {
		t.Errorf("no summary:\n%s", out)
	}
	checkPicture(t, filepath.Join(dir, "liver.png"), 1280, 800)
	csv, err := os.ReadFile(filepath.Join(dir, "liver.csv"))
	if err != nil || bytes.Count(csv, []byte("\n")) < 10 {
		t.Errorf("liver.csv: %v, %d lines", err, bytes.Count(csv, []byte("\n")))
	}
}

// TestRaceWithMouse runs the window under the race detector with mouse events
// for HAPCO_RACE_SECONDS (make race asks for 60).
func TestRaceWithMouse(t *testing.T) {
	seconds := os.Getenv("HAPCO_RACE_SECONDS")
	if seconds == "" {
		t.Skip("HAPCO_RACE_SECONDS is not set (make race)")
	}
	w := openWindow(t, buildProgram(t, "-race"), "liver", "--seconds", seconds)
	tr := w.await("the panel", func(tr *trace) bool { return tr.Widgets["Friction"].W > 50 })
	f := tr.Widgets["Friction"]
	for i := 0; ; i++ {
		select {
		case err := <-w.done:
			if err != nil || strings.Contains(w.errors.String(), "DATA RACE") {
				t.Fatalf("%v\n%s", err, w.errors.String())
			}
			return
		default:
		}
		s := float64(i%10) / 10
		w.try("mousemove", tr.Stylus.X+20*s, tr.Stylus.Y+10*s)
		w.try("mousedown 1")
		time.Sleep(700 * time.Millisecond)
		w.try("mousemove", tr.Stylus.X+20*s+15, tr.Stylus.Y+10*s)
		w.try("mouseup 1")
		w.try("mousemove", f.X+(0.2+0.6*s)*f.W, f.Y+f.H/2)
		w.try("click 1")
		w.try("key 5") // stress colours, computed on a goroutine of their own
		w.try("mousemove", tr.Viewport.W/2, tr.Viewport.H/2)
		w.try("click 4")
	}
}

// try is x for a window that may just have closed.
func (w *window) try(command string, xy ...float64) {
	args := strings.Fields(command)
	for _, v := range xy {
		args = append(args, fmt.Sprintf("%.0f", v))
	}
	cmd := exec.Command("xdotool", args...)
	cmd.Env = w.env
	_ = cmd.Run()
	time.Sleep(40 * time.Millisecond)
}

// TestBadInput: one line that names what is wrong, and exit status 2.
func TestBadInput(t *testing.T) {
	bin := buildProgram(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	floating := write("floating.toml", "title = \"t\"\n[[body]]\nname = \"tool\"\nrole = \"driven\"\n[body.tool]\nkind = \"ball\"\nradius = 1\nlength = 3\n[[body]]\nname = \"block\"\nrole = \"fixed\"\nE = 1e4\nnu = 0.3\nclamp = \"none\"\n[body.box]\norigin = [0,0,0]\nsize = [1,1,1]\nelements = [1,1,1]\n")
	truncated := write("truncated.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n")
	flat := write("flat.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0.2 0.2 0\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n")
	empty := write("empty.msh", "")
	for _, c := range []struct {
		name string
		args []string
		want string // words that the line must hold
	}{
		{"empty mesh", []string{"trace", "liver", "--mesh", empty}, "empty"},
		{"truncated mesh", []string{"trace", "liver", "--mesh", truncated}, "truncated.msh:"},
		{"degenerate tetrahedron", []string{"trace", "liver", "--mesh", flat}, "flat"},
		{"missing mesh", []string{"trace", "liver", "--mesh", filepath.Join(dir, "none.msh")}, "none.msh"},
		{"unknown unit", []string{"trace", "liver", "--mesh", flat, "--length-unit", "furlong"}, "furlong"},
		{"floating body", []string{"trace", floating}, "float"},
		{"E <= 0", []string{"trace", "bench-a-16", "--set", "obstacle.E=-1"}, "E"},
		{"nu out of range", []string{"trace", "bench-a-16", "--set", "obstacle.nu=0.5"}, "nu"},
		{"unknown scene", []string{"trace", "livr"}, "livr"},
		{"unknown key", []string{"trace", "bench-a-16", "--set", "frction=1"}, "friction"},
		{"unknown path", []string{"trace", "bench-a-16", "--path", "sideways"}, "sideways"},
		{"unknown device", []string{"run", "--headless", "--device", "broom"}, "broom"},
		{"unknown flag", []string{"trace", "--wat"}, "wat"},
		{"unknown command", []string{"dance"}, "dance"},
		{"unknown solver", []string{"solve", "x.fc3d", "--solver", "magic"}, "magic"},
		{"missing problem", []string{"solve", filepath.Join(dir, "x.fc3d")}, "x.fc3d"},
		{"no display", []string{"run"}, "display"},
		{"negative time", []string{"run", "--seconds=-3"}, "seconds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(bin, c.args...)
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			exit, _ := err.(*exec.ExitError)
			if exit == nil || exit.Sys().(syscall.WaitStatus).ExitStatus() != 2 {
				t.Errorf("%v: %v, want exit status 2", c.args, err)
			}
			text := strings.TrimSpace(stderr.String())
			if strings.Count(text, "\n") != 0 || !strings.Contains(text, c.want) {
				t.Errorf("%v says %q, want one line with %q", c.args, text, c.want)
			}
			if stdout.Len() > 0 {
				t.Errorf("%v prints %q on standard output", c.args, stdout.String())
			}
		})
	}
}

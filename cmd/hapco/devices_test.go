package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

// TestDevices runs the whole program against doubles of the devices.
func TestDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program")
	}
	b := &rig{bin: buildProgram(t), dir: t.TempDir()}
	t.Run("phantom", b.phantom)
	t.Run("haply", b.haply)
	t.Run("spacenav", b.spacenav)
}

// rig is where the program runs with its own cache and nothing plugged in.
type rig struct {
	bin, dir string
}

// process is a running program whose words are collected.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan error
	mu   sync.Mutex
	text bytes.Buffer
	out  bytes.Buffer
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// said is what the program wrote on standard error.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (b *rig) start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(b.bin, args...), done: make(chan error, 1)}
	for _, e := range os.Environ() {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "HAPTIC_LIBHD", "HAPLY_URL", "SPNAV_SOCKET", "DISPLAY", "WAYLAND_DISPLAY", "XDG_CACHE_HOME":
		default:
			p.cmd.Env = append(p.cmd.Env, e)
		}
	}
	p.cmd.Env = append(append(p.cmd.Env, "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache")), env...)
	p.cmd.Stderr, p.cmd.Stdout = p, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// until waits for a condition while the program runs.
func (p *process) until(what string, ok func() bool) {
	p.t.Helper()
	testkit.Eventually(p.t, what, func() bool {
		select {
		case err := <-p.done:
			if !ok() {
				p.t.Fatalf("the program ended before %s: %v\n%s", what, err, p.said())
			}
			p.done <- err
			return true
		default:
			return ok()
		}
	})
}

// status waits for the end and is its exit status.
func (p *process) status() int {
	p.t.Helper()
	select {
	case err := <-p.done:
		var exit *exec.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return exit.Sys().(syscall.WaitStatus).ExitStatus()
		}
		p.t.Fatal(err)
	case <-time.After(testkit.Hang):
		p.t.Fatalf("the program does not end\n%s", p.said())
	}
	return -1
}

// interrupt is Ctrl-C.
func (p *process) interrupt() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	if status := p.status(); status != 130 {
		p.t.Errorf("after Ctrl-C: exit status %d, want 130\n%s", status, p.said())
	}
}

// refused wants exit status 2 and one line with these words. On a busy machine a
// line about a computation that takes long may stand before it.
func (b *rig) refused(t *testing.T, env []string, words string, args ...string) {
	t.Helper()
	p := b.start(t, env, args...)
	status := p.status()
	var said []string
	for line := range strings.Lines(strings.TrimSpace(p.said())) {
		if !strings.HasPrefix(line, "hapco: compliance of ") {
			said = append(said, line)
		}
	}
	text := strings.Join(said, "")
	if status != 2 || strings.Contains(text, "\n") || !strings.Contains(text, words) {
		t.Errorf("%v: exit status %d and %q, want 2 and one line with %q", args, status, text, words)
	}
}

// csvColumn is a column of a CSV file, by its name.
func csvColumn(t *testing.T, file, name string) []float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, n := range rows[0] {
		if n == name {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("%s has no column %s", file, name)
	}
	var v []float64
	for _, row := range rows[1:] {
		x, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, x)
	}
	return v
}

func largest(v []float64) float64 {
	most := math.Inf(-1)
	for _, x := range v {
		most = max(most, x)
	}
	return most
}

// page shows the double of libHD inside the program, and turns its knobs.
type page struct {
	t    *testing.T
	file string
}

const pageEntry = 32 // name, value, wanted value

func (p page) find(name string) (at int64, value float64, ok bool) {
	data, err := os.ReadFile(p.file)
	if err != nil {
		return 0, 0, false
	}
	for i := 0; i+pageEntry <= len(data); i += pageEntry {
		if strings.TrimRight(string(data[i:i+16]), "\x00") == name {
			return int64(i), math.Float64frombits(binary.NativeEndian.Uint64(data[i+16:])), true
		}
	}
	return 0, 0, false
}

// get reads a meter; NaN before the program has opened the library.
func (p page) get(name string) float64 {
	_, v, ok := p.find(name)
	if !ok {
		return math.NaN()
	}
	return v
}

func (p page) set(name string, v float64) {
	p.t.Helper()
	at, _, ok := p.find(name)
	if !ok {
		p.t.Fatalf("the double has no knob %s", name)
	}
	f, err := os.OpenFile(p.file, os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(binary.NativeEndian.AppendUint64(nil, math.Float64bits(v)), at+24); err != nil {
		p.t.Fatal(err)
	}
}

// released wants that the last frame sent nothing and the library was left in order.
func (p page) released() {
	p.t.Helper()
	for _, m := range []string{"sent", "fx", "fy", "fz", "foreign", "open", "running", "callbacks", "nan_seen"} {
		if v := p.get(m); v != 0 {
			p.t.Errorf("after the end: %s = %g, want 0", m, v)
		}
	}
}

// touchMost is nine tenths of a Touch's 3.3 N, N; touchSlew its rise in a tick at 400 N/s.
const touchMost, touchSlew = 2.97, 0.4

func (b *rig) phantom(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc for the double of libHD")
	}
	compile := func(name string, flags ...string) string {
		source := filepath.Join("..", "..", "haptics", "phantom", "internal", "fakehd", "lib", "fakehd.c")
		lib := filepath.Join(b.dir, name)
		args := append([]string{"-shared", "-fPIC", "-O1", "-Wl,-soname,libHD.so.3.4", source, "-o", lib}, flags...)
		if out, err := exec.Command("gcc", append(args, "-lm", "-lpthread")...).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, out)
		}
		return lib
	}
	lib := compile("libHD.so")
	run := func(t *testing.T, args ...string) (*process, page) {
		pg := page{t, filepath.Join(t.TempDir(), "page")}
		env := []string{"HAPTIC_LIBHD=" + lib, "FAKEHD_HAND=3", "FAKEHD_PAGE=" + pg.file}
		return b.start(t, env, append([]string{"run", "liver-linear", "--headless", "--device", "phantom"}, args...)...), pg
	}

	t.Run("press and slide, recorded and replayed", func(t *testing.T) {
		dir := t.TempDir()
		mcap, table := filepath.Join(dir, "r.mcap"), filepath.Join(dir, "run.csv")
		p, pg := run(t, "--seconds", "6", "--record", mcap, "--csv", table)
		if status := p.status(); status != 0 {
			t.Fatalf("exit status %d\n%s", status, p.said())
		}
		pg.released()
		peak, slew := pg.get("peak_force"), pg.get("peak_slew")
		if !(peak > 0.3 && peak <= touchMost*(1+1e-9)) || !(slew <= touchSlew*(1+1e-9)) {
			t.Errorf("the arm was given up to %g N, rising %g N a tick; want 0.3 to %g N, %g N", peak, slew, touchMost, touchSlew)
		}
		x := csvColumn(t, table, "stylus_x_mm")
		if way := x[len(x)-1] - x[0]; way < 20 || largest(csvColumn(t, table, "sliding")) == 0 {
			t.Errorf("the stylus slid %g mm, with %g sliding contacts at most", way, largest(csvColumn(t, table, "sliding")))
		}

		f, err := readFlight(mcap)
		if err != nil {
			t.Fatal(err)
		}
		s := f.sums()
		t.Logf("%d ticks, %.3f N at most, %.3f N in a step, %d missed", len(f.ticks), s.sent, s.jump, s.missed)
		if f.cut != "" || len(f.ticks) < 500 || math.Abs(s.sent-peak) > 1e-9 || f.notes["device"] != "Touch" || f.notes["scene"] != "liver-linear" {
			t.Errorf("the recording holds %d ticks with up to %g N (the arm: %g), notes %v, %q", len(f.ticks), s.sent, peak, f.notes, f.cut)
		}

		ticks, picture := filepath.Join(dir, "ticks.csv"), filepath.Join(dir, "r.png")
		r := b.start(t, nil, "replay", mcap, "--headless", "--csv", ticks, "--png", picture)
		if status := r.status(); status != 0 || !strings.Contains(r.out.String(), fmt.Sprintf("%.3f N", s.sent)) {
			t.Errorf("replay: exit status %d\n%s%s", status, r.out.String(), r.said())
		}
		if y := csvColumn(t, ticks, "sent_y_N"); len(y) != len(f.ticks) || largest(y) < 0.3 {
			t.Errorf("the table has %d rows with up to %g N upwards", len(y), largest(y))
		}
		file, err := os.Open(picture)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if img, err := png.Decode(file); err != nil || img.Bounds().Dx() < 500 {
			t.Errorf("the picture: %v", err)
		}

		// cut short by a crash, and no recording at all
		data, err := os.ReadFile(mcap)
		if err != nil {
			t.Fatal(err)
		}
		cut, junk := filepath.Join(dir, "cut.mcap"), filepath.Join(dir, "junk.mcap")
		if errors.Join(os.WriteFile(cut, data[:len(data)*3/4], 0o644), os.WriteFile(junk, bytes.Repeat([]byte("hapco"), 999), 0o644)) != nil {
			t.Fatal("cannot write")
		}
		r = b.start(t, nil, "replay", cut, "--headless")
		if status := r.status(); status != 0 || !strings.Contains(r.said(), "cut short") || !strings.Contains(r.out.String(), "Touch") {
			t.Errorf("a cut recording: exit status %d\n%s%s", status, r.out.String(), r.said())
		}
		for _, bad := range []string{junk, filepath.Join(dir, "none.mcap"), dir, table} {
			b.refused(t, nil, filepath.Base(bad), "replay", bad, "--headless")
		}
	})

	t.Run("unplugged, plugged in again, interrupted", func(t *testing.T) {
		p, pg := run(t, "--seconds", "600")
		p.until("force", func() bool { return pg.get("sent") > 0.3 })
		pg.set("unplugged", 1)
		p.until("word of the loss", func() bool { return strings.Contains(p.said(), "HD_COMM_ERROR") })
		p.until("rest", func() bool { return pg.get("running") == 0 && pg.get("open") == 0 })
		inits := pg.get("inits")
		p.until("a try to get it back", func() bool { return pg.get("inits") > inits })
		pg.set("unplugged", 0)
		p.until("its return", func() bool { return strings.Contains(p.said(), "is back") })
		p.until("force again", func() bool { return pg.get("sent") > 0.3 })
		p.interrupt()
		pg.released()
	})

	t.Run("warm motors, and a pose that is none", func(t *testing.T) {
		p, pg := run(t, "--seconds", "600")
		p.until("force", func() bool { return pg.get("sent") > 0.3 })
		pg.set("temp", 1.2)
		p.until("warm motors", func() bool { return strings.Contains(p.said(), "HD_WARM_MOTORS") && pg.get("fy") == 0 })
		pg.set("temp", 0.1)
		p.until("cooled", func() bool { return pg.get("fy") > 0.1 })
		pg.set("nan", 1)
		p.until("no force for a pose that is none", func() bool { return pg.get("sent") == 0 })
		pg.set("nan", 0)
		// back in the tissue force must be asked for: the main button does
		pg.set("buttons", 1)
		p.until("force by the button", func() bool { return pg.get("sent") > 0.1 })
		p.interrupt()
		pg.released()
		if slew := pg.get("peak_slew"); !(slew <= touchSlew*(1+1e-9)) {
			t.Errorf("force rose by %g N in a tick", slew)
		}
	})

	t.Run("refused", func(t *testing.T) {
		args := []string{"run", "bench-a-16", "--headless", "--seconds", "1", "--device", "phantom"}
		b.refused(t, []string{"HAPTIC_LIBHD=" + filepath.Join(b.dir, "none.so")}, "none.so", args...)
		b.refused(t, []string{"HAPTIC_LIBHD=" + lib, "FAKEHD_VERSION=2.1.0"}, "2.1.0", args...)
		b.refused(t, []string{"HAPTIC_LIBHD=" + compile("old.so", "-DFAKEHD_OLD")}, "hdSetSchedulerRate", args...)
		b.refused(t, []string{"HAPTIC_LIBHD=" + lib, "FAKEHD_ABSENT=1"}, "HD_DEVICE_FAULT", args...)
	})
}

// haplyDouble is a service with one Inverse3: a point of 0.2 kg held by a hand
// of 300 N/m that presses down and slides.
type haplyDouble struct {
	*httptest.Server
	mu      sync.Mutex
	x, v, f mgl64.Vec3
	steps   int // with a force among them
	peak    float64
	slew    float64
	conns   map[*websocket.Conn]bool
	away    bool
}

// haplyHome is the middle of the workspace, m, service axes: x right, y forth, z up.
var haplyHome = mgl64.Vec3{0, -0.12, 0.15}

func newHaply(t *testing.T) *haplyDouble {
	d := &haplyDouble{x: haplyHome.Add(mgl64.Vec3{0, 0, 0.02}), conns: map[*websocket.Conn]bool{}}
	d.Server = httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(d.Server.Close)
	return d
}

func (d *haplyDouble) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	d.mu.Lock()
	d.conns[conn] = true
	first := d.message()
	d.mu.Unlock()
	defer func() { d.mu.Lock(); delete(d.conns, conn); d.mu.Unlock() }()
	for first != "" && conn.Write(r.Context(), websocket.MessageText, []byte(first)) == nil {
		_, data, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		d.mu.Lock()
		d.step(data)
		first = d.message()
		d.mu.Unlock()
	}
}

func (d *haplyDouble) step(data []byte) {
	var m struct {
		Inverse3 []struct {
			Commands map[string]map[string]struct{ X, Y, Z float64 }
		}
	}
	if err := json.Unmarshal(data, &m); err != nil || len(m.Inverse3) != 1 {
		panic(fmt.Sprintf("the program sent %s: %v", data, err))
	}
	f := mgl64.Vec3{}
	if c, ok := m.Inverse3[0].Commands["set_cursor_force"]["vector"]; ok {
		f = mgl64.Vec3{c.X, c.Y, c.Z}
	}
	d.slew = max(d.slew, f.Len()-d.f.Len())
	d.f, d.peak = f, max(d.peak, f.Len())
	d.steps++
	const dt, mass, k, b = 1e-3, 0.2, 300, 8
	t := float64(d.steps) * dt
	want := haplyHome.Add(mgl64.Vec3{0.04 * min(1, max(0, t-3)), 0, 0.02 - 0.04*min(1, max(0, (t-1)/1.5))})
	a := f.Add(want.Sub(d.x).Mul(k)).Sub(d.v.Mul(b)).Mul(1 / mass)
	d.v = d.v.Add(a.Mul(dt))
	d.x = d.x.Add(d.v.Mul(dt))
}

func (d *haplyDouble) message() string {
	vec := func(v mgl64.Vec3) string { return fmt.Sprintf(`{"x":%v,"y":%v,"z":%v}`, v[0], v[1], v[2]) }
	if d.away {
		return `{"inverse3":[]}`
	}
	return fmt.Sprintf(`{"session_id":7,"inverse3":[{"device_id":"049D","state":{"cursor_position":%s,"cursor_velocity":%s,"current_cursor_force":%s},"status":{"calibrated":true,"power_supply":true,"ready":true}}]}`,
		vec(d.x), vec(d.v), vec(d.f))
}

func (d *haplyDouble) look() (force, peak float64, steps int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.f.Len(), d.peak, d.steps
}

func (b *rig) haply(t *testing.T) {
	d := newHaply(t)
	env := []string{"HAPLY_URL=ws" + strings.TrimPrefix(d.URL, "http")}
	p := b.start(t, env, "run", "liver-linear", "--headless", "--device", "haply", "--seconds", "600")
	p.until("force", func() bool { f, _, _ := d.look(); return f > 0.3 })
	d.mu.Lock()
	d.away = true
	d.mu.Unlock()
	p.until("word of the loss", func() bool { // on a busy machine the service may have been too slow before
		return strings.Contains(p.said(), "no longer sees the Inverse3") || strings.Contains(p.said(), "does not see an Inverse3")
	})
	d.mu.Lock()
	d.away, d.steps, d.x, d.v = false, 0, haplyHome.Add(mgl64.Vec3{0, 0, 0.02}), mgl64.Vec3{}
	d.mu.Unlock()
	p.until("its return", func() bool { return strings.Contains(p.said(), "is back") })
	p.until("force again", func() bool { f, _, steps := d.look(); return f > 0.3 && steps > 2000 })
	p.interrupt()
	force, peak, steps := d.look()
	t.Logf("%d messages, %.3f N at most, %.3f N in a step", steps, peak, d.slew)
	if force != 0 {
		t.Errorf("the last force told to the service is %g N", force)
	}
	if !(peak <= 9*(1+1e-9)) { // nine tenths of the Inverse3's 10 N
		t.Errorf("up to %g N were asked for", peak)
	}
	d.Server.Close()
	b.refused(t, env, "no service at", "run", "bench-a-16", "--headless", "--seconds", "1", "--device", "haply")
}

func (b *rig) spacenav(t *testing.T) {
	dir := t.TempDir()
	socket, table := filepath.Join(dir, "spnav.sock"), filepath.Join(dir, "run.csv")
	var push atomic.Bool
	listen := func() net.Listener {
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { // a motion record 50 times a second while the cap is held down
					defer c.Close()
					for {
						time.Sleep(20 * time.Millisecond)
						record := make([]int32, 8)
						if push.Load() {
							record[2], record[7] = -350, 20
						}
						var out bytes.Buffer
						_ = binary.Write(&out, binary.NativeEndian, record) // to memory
						if _, err := c.Write(out.Bytes()); err != nil {
							return
						}
					}
				}()
			}
		}()
		return l
	}
	l := listen()
	defer l.Close()
	env := []string{"SPNAV_SOCKET=" + socket}
	mcap := filepath.Join(dir, "r.mcap")
	p := b.start(t, env, "run", "liver-linear", "--headless", "--device", "spacenav", "--seconds", "12", "--csv", table, "--record", mcap)
	push.Store(true)
	if status := p.status(); status != 0 {
		t.Fatalf("exit status %d\n%s", status, p.said())
	}
	sent := largest(csvColumn(t, table, "sent_y_N"))
	t.Logf("%.3f N", sent)
	if !(sent > 0.3 && sent <= 3.3*(1+1e-9)) { // the scene's largest force
		t.Errorf("the cap held down pushes with %g N", sent)
	}
	f, err := readFlight(mcap)
	if err != nil || f.sums().sent < sent-1e-9 {
		t.Errorf("the recording: %v", err)
	}
	push.Store(false)
	p = b.start(t, env, "run", "liver-linear", "--headless", "--device", "spacenav", "--seconds", "600")
	p.until("the device", func() bool { return strings.Contains(p.said(), "device: ") })
	time.Sleep(200 * time.Millisecond)
	p.interrupt()
	b.refused(t, []string{"SPNAV_SOCKET=" + filepath.Join(dir, "none.sock")}, "spacenav", "run", "bench-a-16", "--headless", "--seconds", "1", "--device", "spacenav")
}

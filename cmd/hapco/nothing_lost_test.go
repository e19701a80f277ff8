package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hapco/haptics/record"
	"hapco/physics/machinery/testkit"
)

// TestOneWayToWriteAFile: what the program writes goes through package atomicfile, or through
// app.Stdout; each exception has its reason.
func TestOneWayToWriteAFile(t *testing.T) {
	exceptions := map[string]string{
		"hapco/physics/files/atomicfile os.OpenFile":  "it is the way",
		"hapco/physics/files/atomicfile os.Rename":    "it is the way",
		"hapco/physics/files/atomicfile os.Link":      "it is the way",
		"hapco/haptics/record os.OpenFile":            "a recording can be read while it grows, and survives a crash",
		"hapco/haptics/lastforce os.OpenFile":         "for tests",
		"hapco/physics/machinery/testkit os.OpenFile": "for tests",
		"hapco/cmd/hapco/internal/app os.Stdout":      "it keeps the error of a write",
		"hapco/cmd/hapco/internal/app os.Rename":      "a film, which another program writes",
		"hapco/cmd/hapco/internal/door os.Link":       "a socket, which has its name when it listens",
		"hapco/assets/gen/organs os.Stdout":           "of a generator of the sources",
		"hapco/assets/gen/organs fmt.Printf":          "of a generator of the sources",
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} {{join .CgoFiles " "}}`, "hapco/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, used := token.NewFileSet(), 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		for _, name := range words[2:] {
			file, err := parser.ParseFile(files, filepath.Join(words[1], name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := s.X.(*ast.Ident)
				if !ok {
					return true
				}
				bad := false
				switch {
				case of.Name == "os":
					switch s.Sel.Name {
					case "Create", "CreateTemp", "WriteFile", "OpenFile", "Rename", "Link", "Stdout":
						bad = true
					}
				case of.Name == "fmt":
					bad = strings.HasPrefix(s.Sel.Name, "Print")
				case of.Name == "atomicfile" || of.Name == "files":
					used++
				case of.Name == "p" && s.Sel.Name == "Save": // a plot
					bad = true
				}
				if bad && exceptions[words[0]+" "+of.Name+"."+s.Sel.Name] == "" {
					t.Errorf("%s: %s.%s (cure: package atomicfile, or app.Stdout)", files.Position(n.Pos()), of.Name, s.Sel.Name)
				}
				return true
			})
		}
	}
	if used < 20 {
		t.Errorf("package atomicfile is used %d times only", used)
	}
}

// full is a sample of everything that commands read, and the commands that write a file.
func full(t *testing.T) (dir string, commands [][]string, stdout [][]string) {
	t.Helper()
	dir, _ = meshFiles(t)
	bead := beadScene(t)
	sheet := writeFile(t, filepath.Join(dir, "beads.toml"), fmt.Sprintf("scene = %q\nseconds = 0.1\nevery = 0.05\n[grid]\nmass = [0.1, 0.2]\n", bead))
	problem := writeFile(t, filepath.Join(dir, "p.fc3d"), endlessProblem)
	table := "depth_mm,force_N\n"
	for k := range 12 {
		table += fmt.Sprintf("%g,%g\n", 0.1*float64(k), 0.02*float64(k*k))
	}
	press := writeFile(t, filepath.Join(dir, "press.csv"), table)
	tape := filepath.Join(dir, "tape.mcap")
	w, err := record.Create(tape, 0, map[string]string{"scene": bead})
	if err == nil {
		err = errors.Join(w.Write(stroke(t).ticks), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good.msh")
	trace := []string{"trace", bead, "--path", "sliding", "--seconds", "0.1", "--every", "0.05"}
	fit := []string{"fit", press, "--radius", "10mm", "--nu", "0.4", "--fine", "3"}
	solve := []string{"solve", problem, "--max-iter", "50"}
	replay := []string{"replay", tape, "--headless"}
	press2 := []string{"indent", bead, "--depth", "2 mm", "--speed", "20 mm/s", "--along", "0,-1,0"}
	asked, answers := beadStudy(t, 1)
	with := func(a []string, more ...string) []string { return append(append([]string(nil), a...), more...) }
	commands = [][]string{
		with(trace, "--csv", "--out", "OUT"), with(trace, "--npz", "OUT"), with(trace, "--vtu", "OUT"),
		{"sweep", sheet, "--out", "OUT"}, {"sweep", sheet, "--out", "OUT", "--slurm"},
		with(fit, "--plot", "OUT.png"), with(solve, "--out", "OUT"), with(replay, "--csv", "OUT"), with(replay, "--png", "OUT.png"),
		{"mesh", "convert", good, "OUT.vtu"}, {"mesh", "convert", good, "OUT.stl"}, {"mesh", "check", good, "--picture", "OUT.png"},
		{"mesh", "tetrahedralize", filepath.Join(dir, "skin.stl"), "OUT.msh", "--mesher", "builtin", "--size", "10"},
		{"docs", "--write", "OUT"}, {"bench", "solvers", dir, "--quick", "--out", "OUT"},
		{"trace", "ice-billiard", "--seconds", "0.05", "--every", "0.05", "--geojson", "OUT"},
		{"trace", "tuning-fork", "--seconds", "0.05", "--every", "0.05", "--wav", "OUT"},
		{"trace", "bench-a-16", "--steps", "1", "--path", "penetration", "--stl", "OUT"},
		{"trace", "bench-a-16", "--steps", "1", "--path", "penetration", "--dump-every", "1", "--dump-problems", "OUT"},
		with(press2, "--csv", "OUT"), with(press2, "--plot", "OUT.png"), with(replay, "--npz", "OUT"),
		{"study", asked, "--answers", answers, "--seconds", "0.05", "--out", "OUT"},
		{"run", bead, "--headless", "--seconds", "0.2", "--device", "mouse", "--csv", "OUT"},
		{"run", bead, "--headless", "--seconds", "0.2", "--device", "mouse", "--record", "OUT.mcap"},
	}
	stdout = [][]string{
		{"--help"}, {"--version"}, {"scenes"}, {"devices"}, {"doctor"}, {"docs"}, {"docs", "tutorial"}, {"solve", "--list"},
		solve, with(solve, "--json"), trace, with(trace, "--json"), fit, replay, {"mesh", "info", good}, {"mesh", "check", good, "--json"},
		{"sweep", sheet, "--out", filepath.Join(dir, "swept")},
	}
	return dir, commands, stdout
}

// A full disk: each command that writes a file ends with exit status 1 and one line. What
// was there before is as it was, and there is nothing else. The limit of a file's size
// stands for the disk.
func TestFullDisk(t *testing.T) {
	_, commands, _ := full(t)
	for _, args := range commands {
		t.Run(strings.Join(args[:1], " ")+" "+args[len(args)-2], func(t *testing.T) {
			out := t.TempDir()
			name := filepath.Join(out, "out")
			args, there := append([]string(nil), args...), ""
			for i, a := range args {
				if !strings.HasPrefix(a, "OUT") {
					continue
				}
				args[i] = name + strings.TrimPrefix(a, "OUT")
				switch args[0] + args[i-1] {
				case "trace--vtu", "sweep--out", "docs--write", "bench--out", "run--record",
					"trace--stl", "trace--dump-problems", "study--out", "replay--npz": // folders, and what replaces nothing
				default:
					there = args[i]
				}
			}
			if there != "" {
				writeFile(t, there, "old")
			}
			c := program(args...)
			c.Args = append([]string{"sh", "-c", `ulimit -f 0 && exec "$@"`, "sh"}, c.Args...)
			var err error
			if c.Path, err = exec.LookPath("sh"); err != nil {
				t.Skip("no sh")
			}
			var said bytes.Buffer
			c.Stderr = &said
			c.Env = append(c.Env, "HAPCO_NO_CACHE=1")
			_ = c.Run()
			line := said.String()
			if c.ProcessState.ExitCode() != exitFailed || !strings.Contains(line, "cure: a larger limit") || strings.Contains(line, ".hapco-") {
				t.Errorf("exit status %d, %q", c.ProcessState.ExitCode(), line)
			}
			told := 0
			for l := range strings.Lines(line) { // notes on the scene come as well
				if strings.Contains(l, "cure: a larger limit") {
					told++
				}
			}
			if told != 1 {
				t.Errorf("%d lines: %s", told, line)
			}
			_ = filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() && path != there {
					t.Errorf("%s is left", path)
				}
				return err
			})
			if text, err := os.ReadFile(there); there != "" && (err != nil || string(text) != "old") {
				t.Errorf("what was there is %q now, %v", text, err)
			}
		})
	}
}

// Standard output on a full disk gives exit status 1 and a line; one that nobody reads any
// more gives exit status 1 and none.
func TestStandardOutputFails(t *testing.T) {
	_, _, commands := full(t)
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer device.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	for _, args := range commands {
		for _, c := range []struct {
			to    *os.File
			lines int
		}{{device, 1}, {w, 0}} {
			p := program(args...)
			var said bytes.Buffer
			p.Stdout, p.Stderr = c.to, &said
			_ = p.Run()
			n := strings.Count(said.String(), "standard output")
			if p.ProcessState.ExitCode() != exitFailed || n > c.lines || c.lines > 0 && !strings.Contains(said.String(), syscall.ENOSPC.Error()) {
				t.Errorf("%v: exit status %d, %q", args, p.ProcessState.ExitCode(), said.String())
			}
		}
	}
}

// A recording that meets a full disk ends with exit status 1, is told of once, and has what
// was recorded until then.
func TestRecordingOnAFullDisk(t *testing.T) {
	testkit.Slow(t)
	name := filepath.Join(t.TempDir(), "tape.mcap")
	c := program("run", beadScene(t), "--headless", "--seconds", "6", "--device", "mouse", "--record", name)
	c.Args = append([]string{"sh", "-c", `ulimit -f 400 && exec "$@"`, "sh"}, c.Args...)
	var err error
	if c.Path, err = exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	var said bytes.Buffer
	c.Stderr = &said
	_ = c.Run()
	if c.ProcessState.ExitCode() != exitFailed || strings.Count(said.String(), "the recording has ended") != 1 {
		t.Errorf("exit status %d, %q", c.ProcessState.ExitCode(), said.String())
	}
	if ticks, _, err := record.Read(name); !errors.Is(err, record.ErrTruncated) || len(ticks) < 100 {
		t.Errorf("%d ticks, %v", len(ticks), err)
	}
}

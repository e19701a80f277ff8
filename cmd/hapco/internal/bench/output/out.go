// Package output is what measurements share: their folder, their files and their statistics.
package output

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/files/atomicfile"
	"hapco/physics/machinery/refusal"
)

// Flags are common to all measurements.
type Flags struct {
	Out   string `help:"Folder for tables and plots." default:"out" type:"path"`
	Quick bool   `help:"Fewer repetitions and cases, for a first look."`
}

// Either is less with --quick, else all.
func Either[T any](quick bool, less, all T) T {
	if quick {
		return less
	}
	return all
}

// Measure makes the output folder and then measures; what fails ends it, see package refusal.
func (f *Flags) Measure(do func()) error {
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return app.BadInput(fmt.Errorf("--out: %w (cure: a folder that may be written)", err))
	}
	_, err := refusal.Caught(func() (none struct{}) {
		do()
		return none
	})
	return err
}

// MeasureOnThread is Measure on one thread, whose clock tells the processor time.
func (f *Flags) MeasureOnThread(do func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f.Measure(do)
}

// File is DIR/name.
func (f *Flags) File(name string) string { return filepath.Join(f.Out, name) }

// WriteJSON writes DIR/name.json.
func (f *Flags) WriteJSON(name string, v any) {
	refusal.Need(app.WriteOut(f.File(name+".json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	}))
}

// WriteCSV writes DIR/name.csv.
func (f *Flags) WriteCSV(name string, rows [][]string) {
	refusal.Need(app.WriteOut(f.File(name+".csv"), func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) }))
}

// WriteAll writes DIR/name.json and DIR/name.csv.
func (f *Flags) WriteAll(name string, v any, rows [][]string) {
	f.WriteJSON(name, v)
	f.WriteCSV(name, rows)
}

// Marked is a page of which a part is made by a program: what stands between its lines <!-- mark --> and <!-- end -->.
type Marked struct{ file, before, Text, after string }

// OpenMarked reads the page; where there is no such file, what is written is all of it.
func OpenMarked(file, mark string) (Marked, error) {
	const end = "<!-- end -->"
	begin := "<!-- " + mark + " -->"
	old, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Marked{file: file}, app.MayWrite(file)
	}
	if err != nil {
		return Marked{}, err
	}
	before, rest, found := strings.Cut(string(old), begin)
	text, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return Marked{}, fmt.Errorf("%s has no lines %s and %s (cure: write them where the tables belong)", file, begin, end)
	}
	return Marked{file, before + begin + "\n", strings.TrimPrefix(text, "\n"), end + after}, app.MayWrite(file)
}

// Write puts text in the place of the old one.
func (m Marked) Write(text string) error {
	return app.WriteOut(m.file, atomicfile.Bytes([]byte(m.before+text+m.after)))
}

// Rank sorts x and takes the value at a share q of it.
func Rank(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

// LogSlope is the slope of a straight line through the logarithms, by least squares; 0 for less than two points.
func LogSlope[P any](points []P, x, y func(*P) float64) float64 {
	lx, ly := make([]float64, len(points)), make([]float64, len(points))
	var mx, my, xy, xx float64
	for i := range points {
		lx[i], ly[i] = math.Log(x(&points[i])), math.Log(y(&points[i]))
		mx += lx[i] / float64(len(points))
		my += ly[i] / float64(len(points))
	}
	for i := range points {
		xy += (lx[i] - mx) * (ly[i] - my)
		xx += (lx[i] - mx) * (lx[i] - mx)
	}
	if s := xy / xx; len(points) >= 2 && !math.IsInf(s, 0) {
		return s
	}
	return 0
}

// GeometricMean is that of ratios; 1 for none.
func GeometricMean(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(max(1, len(ratios))))
}

// Median is the median.
func Median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

// Table is a row for each of some results, under a row of names: the columns are the members of their JSON that are
// numbers or words, those of a part under its name and theirs.
func Table[T any](results []T) [][]string {
	names, _ := flat(reflect.ValueOf(new(T)).Elem(), "")
	rows := [][]string{names}
	for i := range results {
		_, row := flat(reflect.ValueOf(&results[i]).Elem(), "")
		rows = append(rows, row)
	}
	return rows
}

// flat are the names and the texts of a struct's columns.
func flat(v reflect.Value, prefix string) (names, row []string) {
	for f, x := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Struct && (f.Anonymous || name != "") {
			inner := prefix
			if !f.Anonymous {
				inner += name + "_"
			}
			n, r := flat(x, inner)
			names, row = append(names, n...), append(row, r...)
		} else if name != "" && name != "-" {
			if text, ok := cell(x); ok {
				names, row = append(names, prefix+name), append(row, text)
			}
		}
	}
	return names, row
}

// cell is a value as text: nothing for a pointer to none. ok is false for what is neither a number, a word nor words.
func cell(x reflect.Value) (text string, ok bool) {
	kind := x.Type()
	if kind.Kind() == reflect.Pointer {
		if kind = kind.Elem(); x.IsNil() {
			return "", kind.Kind() <= reflect.Float64
		}
		x = x.Elem()
	}
	switch {
	case kind.Kind() == reflect.Float64:
		return strconv.FormatFloat(x.Float(), 'g', 6, 64), true
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.String:
		return strings.Join(x.Interface().([]string), "; "), true
	}
	return fmt.Sprint(x), kind.Kind() == reflect.String || kind.Kind() <= reflect.Float64
}

// Peer is the program of another engine that a bench is compared with.
type Peer struct{ who, Folder, Program string }

// Compile builds one in a folder of its own. packages are what has it, the compiler first. The error is one line: there
// is no comparison with who, why, and the cure.
func Compile(ctx context.Context, who, packages string, source []byte, flags ...string) (p Peer, err error) {
	p.who = who
	cure := "(cure: apt-get install " + packages + ")"
	name, _, _ := strings.Cut(packages, " ")
	compiler, err := exec.LookPath(name)
	if err != nil {
		return p, errors.New("no comparison with " + who + ": no " + name + " " + cure)
	}
	if p.Folder, err = os.MkdirTemp("", "hapco-peer-"); err != nil {
		return p, fmt.Errorf("no comparison with %s: %w (cure: room for temporary files)", who, err)
	}
	p.Program = filepath.Join(p.Folder, "peer")
	at := p.Program + map[string]string{"gcc": ".c", "g++": ".cpp"}[name]
	if err = atomicfile.Write(at, atomicfile.Bytes(source)); err != nil {
		p.Remove()
		return p, fmt.Errorf("no comparison with %s: %w (cure: room for temporary files)", who, err)
	}
	args := append([]string{"-O3", "-DNDEBUG", at, "-o", p.Program}, flags...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		p.Remove()
		first, _, _ := strings.Cut(strings.ReplaceAll(string(out), p.Folder+"/", ""), "\n")
		return p, fmt.Errorf("no comparison with %s: the compiler says %q %s", who, first, cure)
	}
	return p, nil
}

// Run gives it an input and reads the JSON object that it answers.
func (p Peer) Run(ctx context.Context, in io.Reader, answer any) error {
	cmd := exec.CommandContext(ctx, p.Program)
	cmd.Stdin = in
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text[max(0, bytes.IndexByte(text, '{')):], answer)
	}
	if err != nil {
		return fmt.Errorf("no comparison with %s: %w", p.who, err)
	}
	return nil
}

// Remove removes its folder.
func (p Peer) Remove() { os.RemoveAll(p.Folder) }

package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"hapco/assets"
	"hapco/physics/files/atomicfile"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// Result is what came of a run.
type Result struct {
	Force      [3]float64 `json:"force_N"`                    // on the stylus at the last step, world, N
	ForceMax   float64    `json:"force_max_N"`                // the largest norm of all steps, N
	Iterations *int64     `json:"iterations_total,omitempty"` // of the contact solver over all steps; nil where the world counts none
	Converged  *bool      `json:"converged,omitempty"`        // all steps; nil where the world does not say
	Seconds    float64    `json:"seconds"`                    // wall time of the run, the building of its world with it
}

// Folder holds what a sweep has found: DIR/sweep.json says of what, DIR/rows has a file for each finished run. A file
// appears whole or not at all, so that a sweep that was killed goes on where it was, and many processes may work on one
// folder.
type Folder struct {
	Dir   string
	sheet *Sheet
	token string // of what the runs are made from
}

// manifest is DIR/sweep.json.
type manifest struct {
	Runs  int               `json:"runs"`
	Files map[string]string `json:"files"` // SHA-256 of each file, by the name that the sheet gives it
}

// row is one of DIR/rows.
type row struct {
	Row    int            `json:"row"`
	Inputs string         `json:"inputs"` // the manifest's hash
	Keys   map[string]any `json:"keys"`
	Result Result         `json:"result"`
}

// Open makes the folder of a sheet, or takes up one that was begun. Files are all that its runs are made from, the
// sheet among them; one that has changed since the folder was begun is an error.
func (s *Sheet) Open(dir string, files []string) (*Folder, error) {
	return refusal.Caught(func() *Folder { return s.open(dir, files) })
}

func (s *Sheet) open(dir string, files []string) *Folder {
	f := &Folder{Dir: dir, sheet: s}
	if err := os.MkdirAll(f.rows(), 0o755); err != nil {
		panic(refusal.Of("%w (cure: a folder that may be written)", err))
	}
	m := manifest{Runs: len(s.Runs), Files: map[string]string{}}
	for _, name := range files {
		_, data, err := setting.FileText(name)
		refusal.Need(err)
		sum := sha256.Sum256(data)
		m.Files[s.called(name)] = hex.EncodeToString(sum[:])
	}
	want := refusal.Must(json.MarshalIndent(&m, "", "\t"))
	sum := sha256.Sum256(want)
	f.token = hex.EncodeToString(sum[:])

	// The first writes the manifest, all others compare.
	name := filepath.Join(dir, "sweep.json")
	if err := begin(name, append(want, '\n')); !errors.Is(err, fs.ErrExist) {
		refusal.Need(err)
	}
	var began manifest
	data, err := budget.Sweep.Read(name)
	if err == nil {
		err = json.Unmarshal(data, &began)
	}
	refusal.If(err != nil, "%s: %w (cure: another folder)", name, err)
	for _, file := range files {
		was, is := began.Files[s.called(file)], m.Files[s.called(file)]
		what := "has changed since " + dir + " was begun"
		if was == "" {
			what = "is none of the files that " + dir + " was begun with"
		}
		refusal.If(was != is, "%s %s (cure: another --out, or remove that folder)", file, what)
	}
	refusal.Unless(bytes.Equal(bytes.TrimSpace(data), want),
		"%s is of another sweep (cure: another --out, or remove that folder)", dir)
	return f
}

// called is what the manifest calls a file, wherever the program was started: its place beside the sheet, or the name
// of an embedded scene.
func (s *Sheet) called(name string) string {
	if slices.Contains(assets.Scenes(), name) {
		return name
	}
	dir, err := filepath.Abs(filepath.Dir(s.File))
	at, err2 := filepath.Abs(name)
	at, err3 := filepath.Rel(dir, at)
	if errors.Join(err, err2, err3) != nil {
		return name
	}
	return filepath.ToSlash(at)
}

// begin makes a file that is not there yet.
func begin(name string, data []byte) error {
	file, err := atomicfile.Create(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer file.Discard()
	file.Lasting = true
	if _, err := file.Write(data); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, atomicfile.Cure(err))
	}
	return file.Add(name)
}

func (f *Folder) rows() string { return filepath.Join(f.Dir, "rows") }

func (f *Folder) file(n int) string { return filepath.Join(f.rows(), fmt.Sprintf("%06d.json", n)) }

// Keep keeps the result of run n. It may be called from many goroutines.
func (f *Folder) Keep(n int, r *Result) error {
	keys := map[string]any{}
	for i, c := range f.sheet.Columns {
		keys[c] = jsonCell(f.sheet.Runs[n].Values[i])
	}
	data, err := json.Marshal(&row{Row: n, Inputs: f.token, Keys: keys, Result: *r})
	if err != nil {
		return err
	}
	return atomicfile.Write(f.file(n), atomicfile.Bytes(append(data, '\n')))
}

// jsonCell is a value that JSON can hold: infinity is a word there.
func jsonCell(v any) any {
	if x, ok := v.(float64); ok && !num.Finite(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return v
}

// find is the result of run n; nil where it is not finished.
func (f *Folder) find(n int) *Result {
	data, err := budget.Sweep.Read(f.file(n))
	if err != nil {
		return nil
	}
	var r row
	if json.Unmarshal(data, &r) != nil || r.Row != n || r.Inputs != f.token {
		return nil // of a disk that lost power: it is done again
	}
	return &r.Result
}

// Results are those of all runs; nil where a run is not finished.
func (f *Folder) Results() []*Result {
	all := make([]*Result, len(f.sheet.Runs))
	for n := range all {
		all[n] = f.find(n)
	}
	return all
}

// Missing are the runs without a result.
func (f *Folder) Missing() []int {
	var out []int
	for n, r := range f.Results() {
		if r == nil {
			out = append(out, n)
		}
	}
	return out
}

// Files are the sheet and the files that its runs name, each once.
func (s *Sheet) Files() []string {
	out := []string{s.File}
	for i := range s.Runs {
		r := &s.Runs[i]
		for _, name := range []string{r.Scene, r.Mesh, r.File()} {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

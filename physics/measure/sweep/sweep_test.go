package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func sheetOf(t *testing.T, text string) *Sheet {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sheet.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The rows of a grid come in the order of nested loops, the last key innermost; keys
// keep the order of the file, whatever the alphabet says.
func TestGridInOrder(t *testing.T) {
	s := sheetOf(t, `
scene = "bench-a-16"
path = "penetration"
steps = 5
[set]
obstacle.nu = 0.4
[grid]
obstacle.E = ["6 kPa", "9 kPa"]
friction = [0, 0.3, 1]
gravity = [[0, -9.81, 0]]
`)
	if want := []string{"obstacle.E", "friction", "gravity"}; !reflect.DeepEqual(s.Columns, want) {
		t.Errorf("columns %v, want %v", s.Columns, want)
	}
	if len(s.Runs) != 6 {
		t.Fatalf("%d runs", len(s.Runs))
	}
	r := s.Runs[4]
	if want := []string{"obstacle.nu=0.4", "obstacle.E=9 kPa", "friction=0.3", "gravity=[0, -9.81, 0]"}; !reflect.DeepEqual(r.Set, want) || r.Steps != 5 || r.Path != "penetration" {
		t.Errorf("run 4: %+v, want set %v", r, want)
	}
	if got := s.Title(4); got != "obstacle.E = 9 kPa, friction = 0.3, gravity = [0, -9.81, 0]" {
		t.Errorf("title %q", got)
	}
	seen := map[any]bool{}
	for _, n := range s.Tries {
		for _, v := range s.Runs[n].Values {
			seen[v] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("the tries hold the values %v", seen)
	}
}

// A list takes each table as a run; what one leaves out is empty in its row.
func TestListOfRuns(t *testing.T) {
	s := sheetOf(t, `
scene = "bench-a-16"
[[run]]
path = "way.csv"
[[run]]
friction = 0.2
mesh = "organ.msh"
`)
	if want := []string{"path", "friction", "mesh"}; !reflect.DeepEqual(s.Columns, want) || len(s.Runs) != 2 {
		t.Fatalf("columns %v, want %v; %d runs", s.Columns, want, len(s.Runs))
	}
	if s.Runs[1].Values[0] != nil || s.Runs[1].Values[1] != 0.2 {
		t.Errorf("values %v", s.Runs[1].Values)
	}
	dir := filepath.Dir(s.File)
	if want := []string{s.File, "bench-a-16", filepath.Join(dir, "way.csv"), filepath.Join(dir, "organ.msh")}; !reflect.DeepEqual(s.Files(), want) {
		t.Errorf("files %v, want %v", s.Files(), want)
	}
}

func TestBadSheets(t *testing.T) {
	for text, says := range map[string]string{
		"scene = \"x\"":                                         "nothing varies",
		"scene = \"x\"\n[grid]":                                 "grid is empty",
		"scene = \"x\"\n[grid]\nfriction = []":                  "grid.friction is empty",
		"scene = \"x\"\n[grid]\nfriction = 0.1":                 "grid.friction is no list",
		"scene = \"x\"\nstep = 3\n[grid]\nfriction = [1]":       `unknown key "step"`,
		"scene = 3\n[grid]\nfriction = [1]":                     "scene: 3 is no name",
		"[grid]\nfriction = [1]":                                "no scene",
		"scene = \"x\"\n[grid]\nsteps = [0]":                    "grid.steps: 0 is no number of steps",
		"scene = \"x\"\n[grid]\nfriction = [1]\n[[run]]\ny = 1": "both [grid] and [[run]]",
		"scene = \"x\"\n[[run]]":                                "says nothing",
		"scene = ":                                              "not valid TOML",
		"scene = \"x\"\n[set]\npath = \"p\"\n[grid]\na = [1]":   "set.path is no key of a scene",
		"scene = \"x\"\n[grid]\na = [1979-05-27]":               "no number, word",
	} {
		_, err := parse([]byte(text), ".")
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	big := "scene = \"x\"\n[grid]\n"
	for _, k := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		big += k + " = [" + strings.Repeat("1,", 10) + "]\n"
	}
	if _, err := parse([]byte(big), "."); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("10 million runs: %v", err)
	}
}

// A folder keeps results, refuses what was made from other files, and forgets a file
// that a dying machine has left half written.
func TestFolderIsTakenUp(t *testing.T) {
	s := sheetOf(t, "scene = \"bench-a-16\"\n[grid]\nfriction = [0.1, 0.2, inf]\nkind = [\"a\"]\n")
	dir := filepath.Join(t.TempDir(), "out")
	f, err := s.Open(dir, s.Files())
	if err != nil {
		t.Fatal(err)
	}
	count, yes := int64(7), true
	for n := range 3 {
		if err := f.Keep(n, &Result{Force: [3]float64{1, 2, float64(n)}, Iterations: &count, Converged: &yes}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(f.file(1), []byte(`{"row":1,"inp`), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err = s.Open(dir, s.Files()); err != nil {
		t.Fatal(err)
	}
	if got := f.Missing(); !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("missing %v, want [1]", got)
	}
	var csv bytes.Buffer
	if err := f.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	want := "friction,kind,force_x_N,force_y_N,force_z_N,force_max_N,iterations_total,converged\n" +
		"0.1,a,1,2,0,0,7,true\n+Inf,a,1,2,2,0,7,true\n"
	if csv.String() != want {
		t.Errorf("table\n%s, want\n%s", csv.String(), want)
	}

	// A sheet of another place with the same contents is the same sweep; changed contents are not.
	again := sheetOf(t, "scene = \"bench-a-16\"\n[grid]\nfriction = [0.1, 0.2, inf]\nkind = [\"a\"]\n")
	if _, err := again.Open(dir, again.Files()); err != nil {
		t.Errorf("the same sheet elsewhere: %v", err)
	}
	other := sheetOf(t, "scene = \"bench-a-16\"\n[grid]\nfriction = [0.1, 0.4, inf]\nkind = [\"a\"]\n")
	if _, err := other.Open(dir, other.Files()); err == nil || !strings.Contains(err.Error(), "sheet.toml has changed since") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a changed sheet: %v", err)
	}
}

// The Parquet file has the columns of the table in their order, typed, null where
// nothing is known.
func TestParquetIsTheTable(t *testing.T) {
	s := sheetOf(t, "scene = \"bench-a-16\"\n[[run]]\nzeta = 0.25\n\"a,b\" = \"x\"\n[[run]]\nmixed = 1\n[[run]]\nmixed = \"two\"\n")
	f, err := s.Open(t.TempDir(), s.Files())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := f.Keep(n, &Result{ForceMax: 0.5 + float64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := f.WriteParquet(&file); err != nil {
		t.Fatal(err)
	}
	r := parquet.NewReader(bytes.NewReader(file.Bytes()))
	var names []string
	for _, field := range r.Schema().Fields() {
		names = append(names, field.Name())
	}
	if want := "zeta a_b mixed force_x_N force_y_N force_z_N force_max_N iterations_total converged"; strings.Join(names, " ") != want {
		t.Errorf("columns %v", names)
	}
	for n, want := range []string{
		`{"zeta":0.25,"a_b":"x","mixed":null,"force_max_N":0.5,"converged":null}`,
		`{"zeta":null,"a_b":null,"mixed":"1","force_max_N":1.5,"converged":null}`,
	} {
		var got struct {
			Zeta      *float64 `parquet:"zeta,optional" json:"zeta"`
			AB        *string  `parquet:"a_b,optional" json:"a_b"`
			Mixed     *string  `parquet:"mixed,optional" json:"mixed"`
			Max       *float64 `parquet:"force_max_N,optional" json:"force_max_N"`
			Converged *bool    `parquet:"converged,optional" json:"converged"`
		}
		if err := r.Read(&got); err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(&got); string(text) != want {
			t.Errorf("line %d: %s, want %s", n, text, want)
		}
	}
}

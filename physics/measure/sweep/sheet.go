// Package sweep plans many runs of one experiment and keeps what came of each: a sheet that says what varies, a folder
// that holds a file a run, and the table of them all. It knows no world: who uses it makes the runs.
package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hapco/assets"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/batch"
)

// maxRows bounds the runs of a sheet, and maxCells their settings altogether: a few lines make a grid of many.
const (
	maxRows  = 1000000
	maxCells = 4 * maxRows
)

// room refuses so many runs of so many settings each where they are too many.
func room(runs, settings int) {
	refusal.If(runs > maxCells/max(1, settings), "%d runs of %d settings each are more than %d in all (cure: fewer)", runs, settings, maxCells)
}

// Run is one run of a sheet: a row of the table.
type Run struct {
	Scene      string // an embedded scene, or a file
	Mesh       string // file in the place of the scene's obstacle; "": none
	LengthUnit string // of that file; "": guessed
	batch.Way
	batch.Clock
	Set []string // "KEY=VALUE", in the order of the sheet

	Values []any // of Sheet.Columns: float64, bool or string; nil where the run says nothing
}

// Sheet is a sweep file.
type Sheet struct {
	File    string
	Columns []string // what varies
	Runs    []Run    // in the order of the table: of a grid, the last key varies fastest
	Tries   []int    // runs that together hold each value at least once
}

// own are the keys that are no keys of a scene. What they cannot take ends the reading.
var own = map[string]func(r *Run, dir string, v any){
	"scene": func(r *Run, dir string, v any) {
		if r.Scene = word(v); !slices.Contains(assets.Scenes(), r.Scene) {
			r.Scene = beside(dir, r.Scene)
		}
	},
	"path": func(r *Run, dir string, v any) {
		if r.Path = word(v); r.File() != "" {
			r.Path = beside(dir, r.Path)
		}
	},
	"mesh":        func(r *Run, dir string, v any) { r.Mesh = beside(dir, word(v)) },
	"length_unit": func(r *Run, _ string, v any) { r.LengthUnit = word(v) },
	"steps": func(r *Run, _ string, v any) {
		n, ok := v.(int64)
		refusal.If(!ok || n < 1 || n > maxRows, "%v is no number of steps (cure: a whole number above 0)", v)
		r.Steps = int(n)
	},
	"step_mm": func(r *Run, _ string, v any) { r.StepMM = above(v) },
	"seconds": func(r *Run, _ string, v any) { r.Seconds = above(v) },
	"every":   func(r *Run, _ string, v any) { r.Every = above(v) },
}

func word(v any) string {
	s, ok := v.(string)
	refusal.If(!ok || s == "", "%v is no name (cure: quote it)", v)
	return s
}

func above(v any) float64 {
	x, err := setting.ReadNumber(v)
	refusal.If(err != nil || !(x > 0), "%v is no number above 0", v)
	return x
}

// beside is a file that the sheet names: relative to where the sheet lies.
func beside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// give gives a run one value; where says where the sheet has it.
func (r *Run) give(dir string, a Assignment, where string) {
	refusal.In(where, func() (none struct{}) {
		if set := own[a.Key]; set != nil {
			set(r, dir, a.Value)
			return none
		}
		r.Set = append(r.Set, a.Key+"="+refusal.Must(Literal(a.Value)))
		return none
	})
}

// cell is a value as the table keeps it.
func cell(v any) any {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case []any:
		s, _ := Literal(x) // it was written before
		return s
	}
	return v
}

// Read reads a sheet. The error is one line that names the file, the key and the cure.
func Read(file string) (*Sheet, error) {
	text, err := budget.Sweep.Text(file)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: name a sweep file that can be read)", err)
	}
	s, err := parse(text, filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, setting.OneLine(err.Error()))
	}
	s.File = file
	return s, nil
}

// parse reads the text of a sheet that lies in dir.
func parse(text []byte, dir string) (*Sheet, error) {
	return refusal.Caught(func() *Sheet {
		p := &parser{Tables: refusal.Must(ReadTables(text)), dir: dir}
		p.read()
		return &p.Sheet
	})
}

// parser reads a sheet that lies in dir.
type parser struct {
	*Tables
	Sheet
	base Run // what all runs share
	dir  string
}

func (p *parser) read() {
	tree := p.Root
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		v := tree[key]
		switch {
		case key == "grid" || key == "run":
		case key == "set":
			table, ok := v.(map[string]any)
			refusal.Unless(ok, "set is no table (cure: [set] with KEY = VALUE lines)")
			for _, a := range p.Flat(table, "set") {
				refusal.If(own[a.Key] != nil, "set.%s is no key of a scene (cure: write %s above the tables)", a.Key, a.Key)
				p.base.give(p.dir, a, "set."+a.Key)
			}
		case own[key] != nil:
			p.base.give(p.dir, Assignment{key, v}, key)
		default:
			panic(refusal.Of("unknown key %q (%s)", key, setting.Suggest(key, append(slices.Sorted(maps.Keys(own)), "set", "grid", "run"), "")))
		}
	}
	grid, run := tree["grid"], tree["run"]
	switch {
	case grid != nil && run != nil:
		panic(refusal.Of("both [grid] and [[run]] (cure: keep one of the two)"))
	case grid != nil:
		p.grid(grid)
	case run != nil:
		p.list(run)
	default:
		panic(refusal.Of("nothing varies (cure: a table [grid] with lists such as friction = [0.1, 0.3], or tables [[run]])"))
	}
	for i := range p.Runs {
		refusal.If(p.Runs[i].Scene == "", `no scene (cure: scene = "bench-a-16" above the tables)`)
	}
}

// grid makes a run of each combination.
func (p *parser) grid(v any) {
	table, ok := v.(map[string]any)
	refusal.Unless(ok, "grid is no table (cure: [grid] with lists such as friction = [0.1, 0.3])")
	axes := p.Flat(table, "grid")
	lists := make([][]any, len(axes))
	total, longest := 1, 0
	for i, a := range axes {
		list, ok := a.Value.([]any)
		refusal.Unless(ok, "grid.%s is no list (cure: %s = [...], or one value in [set])", a.Key, a.Key)
		refusal.If(len(list) == 0, "grid.%s is empty (cure: one value at least)", a.Key)
		refusal.If(total > maxRows/len(list), "the grid has more than %d runs (cure: fewer values)", maxRows)
		total, longest = total*len(list), max(longest, len(list))
		lists[i] = list
		p.Columns = append(p.Columns, a.Key)
	}
	refusal.If(len(axes) == 0, "grid is empty (cure: a list such as friction = [0.1, 0.3])")
	room(total, len(axes)+len(p.base.Set))
	for n := range total {
		r := p.base.clone()
		r.Values = make([]any, len(axes))
		at := make([]any, len(axes))
		for i := len(axes) - 1; i >= 0; i-- {
			at[i] = lists[i][n%len(lists[i])]
			n /= len(lists[i])
		}
		for i, a := range axes {
			r.give(p.dir, Assignment{a.Key, at[i]}, "grid."+a.Key)
			r.Values[i] = cell(at[i])
		}
		p.Runs = append(p.Runs, r)
	}
	// One after the other on a diagonal: run k holds value k of each list, or its last.
	for k := range longest {
		n := 0
		for i := range lists {
			n = n*len(lists[i]) + min(k, len(lists[i])-1)
		}
		p.Tries = append(p.Tries, n)
	}
}

// list makes a run of each table.
func (p *parser) list(v any) {
	tables, ok := v.([]map[string]any)
	refusal.If(!ok || len(tables) == 0, "run is no list of tables (cure: write [[run]] above each)")
	refusal.If(len(tables) > maxRows, "more than %d runs (cure: fewer)", maxRows)
	each := make([][]Assignment, len(tables))
	for i, t := range tables {
		each[i] = p.Flat(t, "run")
		for _, a := range each[i] {
			if !slices.Contains(p.Columns, a.Key) {
				p.Columns = append(p.Columns, a.Key)
			}
		}
	}
	refusal.If(len(p.Columns) == 0, "[[run]] says nothing (cure: KEY = VALUE lines under it)")
	slices.SortStableFunc(p.Columns, func(a, b string) int { return p.order[setting.Join("run", a)] - p.order[setting.Join("run", b)] })
	room(len(tables), len(p.Columns)+len(p.base.Set))
	for i := range each {
		r := p.base.clone()
		r.Values = make([]any, len(p.Columns))
		for _, a := range each[i] {
			r.give(p.dir, a, fmt.Sprintf("run %d: %s", i, a.Key))
			r.Values[slices.Index(p.Columns, a.Key)] = cell(a.Value)
		}
		p.Runs, p.Tries = append(p.Runs, r), append(p.Tries, i)
	}
}

func (r *Run) clone() Run {
	c := *r
	c.Set = slices.Clone(r.Set)
	return c
}

// text is a cell of the table in words.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return x
	}
	data, _ := json.Marshal(v) // a truth value
	return string(data)
}

// Title says which run of a sheet this is: "friction = 0.3, path = sliding".
func (s *Sheet) Title(row int) string {
	var parts []string
	for i, c := range s.Columns {
		if v := s.Runs[row].Values[i]; v != nil {
			parts = append(parts, c+" = "+text(v))
		}
	}
	return strings.Join(parts, ", ")
}

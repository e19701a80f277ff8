// Package sweep plans many runs of one experiment and keeps what came of each: a sheet that says what varies, a folder
// that holds a file a run, and the table of them all. It knows no world: who uses it makes the runs.
package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hapco/assets"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/measure/batch"
)

// maxRows bounds the runs of a sheet, and maxCells their settings altogether: a few lines make a grid of many.
const (
	maxRows  = 1000000
	maxCells = 4 * maxRows
)

// room tells whether so many runs may have so many settings each.
func room(runs, settings int) error {
	if runs > maxCells/max(1, settings) {
		return fmt.Errorf("%d runs of %d settings each are more than %d in all (cure: fewer)", runs, settings, maxCells)
	}
	return nil
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

// own are the keys that are no keys of a scene.
var own = map[string]func(r *Run, dir string, v any) error{
	"scene": func(r *Run, dir string, v any) error {
		name, err := word(v)
		if err == nil && !slices.Contains(assets.Scenes(), name) {
			name = beside(dir, name)
		}
		r.Scene = name
		return err
	},
	"path": func(r *Run, dir string, v any) error {
		name, err := word(v)
		if r.Path = name; r.File() != "" {
			r.Path = beside(dir, name)
		}
		return err
	},
	"mesh": func(r *Run, dir string, v any) error {
		name, err := word(v)
		r.Mesh = beside(dir, name)
		return err
	},
	"length_unit": func(r *Run, _ string, v any) (err error) { r.LengthUnit, err = word(v); return },
	"steps": func(r *Run, _ string, v any) error {
		n, ok := v.(int64)
		if r.Steps = int(n); !ok || n < 1 || n > maxRows {
			return fmt.Errorf("%v is no number of steps (cure: a whole number above 0)", v)
		}
		return nil
	},
	"step_mm": func(r *Run, _ string, v any) (err error) { r.StepMM, err = above(v); return },
	"seconds": func(r *Run, _ string, v any) (err error) { r.Seconds, err = above(v); return },
	"every":   func(r *Run, _ string, v any) (err error) { r.Every, err = above(v); return },
}

func word(v any) (string, error) {
	s, ok := v.(string)
	if !ok || s == "" {
		return "", fmt.Errorf("%v is no name (cure: quote it)", v)
	}
	return s, nil
}

func above(v any) (float64, error) {
	x, err := setting.ReadNumber(v)
	if err != nil || !(x > 0) {
		return 0, fmt.Errorf("%v is no number above 0", v)
	}
	return x, nil
}

// beside is a file that the sheet names: relative to where the sheet lies.
func beside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// give gives a run one value.
func (r *Run) give(dir string, a Assignment) error {
	if set := own[a.Key]; set != nil {
		return set(r, dir, a.Value)
	}
	text, err := Literal(a.Value)
	r.Set = append(r.Set, a.Key+"="+text)
	return err
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
	tables, err := ReadTables(text)
	if err != nil {
		return nil, err
	}
	p, tree := parser{tables, dir}, tables.Root
	var base Run
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		v := tree[key]
		switch {
		case key == "grid" || key == "run":
		case key == "set":
			table, ok := v.(map[string]any)
			if !ok {
				return nil, errors.New("set is no table (cure: [set] with KEY = VALUE lines)")
			}
			for _, a := range p.Flat(table, "set") {
				if own[a.Key] != nil {
					return nil, fmt.Errorf("set.%s is no key of a scene (cure: write %s above the tables)", a.Key, a.Key)
				}
				if err := base.give(dir, a); err != nil {
					return nil, fmt.Errorf("set.%s: %w", a.Key, err)
				}
			}
		case own[key] != nil:
			if err := base.give(dir, Assignment{key, v}); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		default:
			return nil, fmt.Errorf("unknown key %q (%s)", key, setting.Suggest(key, append(slices.Sorted(maps.Keys(own)), "set", "grid", "run"), ""))
		}
	}
	grid, run := tree["grid"], tree["run"]
	s := &Sheet{}
	switch {
	case grid != nil && run != nil:
		return nil, errors.New("both [grid] and [[run]] (cure: keep one of the two)")
	case grid != nil:
		err = p.grid(s, base, grid)
	case run != nil:
		err = p.list(s, base, run)
	default:
		return nil, errors.New(`nothing varies (cure: a table [grid] with lists such as friction = [0.1, 0.3], or tables [[run]])`)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.Runs {
		if s.Runs[i].Scene == "" {
			return nil, errors.New(`no scene (cure: scene = "bench-a-16" above the tables)`)
		}
	}
	return s, nil
}

// parser reads a sheet that lies in dir.
type parser struct {
	*Tables
	dir string
}

// grid makes a run of each combination.
func (p *parser) grid(s *Sheet, base Run, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("grid is no table (cure: [grid] with lists such as friction = [0.1, 0.3])")
	}
	axes := p.Flat(table, "grid")
	lists := make([][]any, len(axes))
	total, longest := 1, 0
	for i, a := range axes {
		list, ok := a.Value.([]any)
		switch {
		case !ok:
			return fmt.Errorf("grid.%s is no list (cure: %s = [...], or one value in [set])", a.Key, a.Key)
		case len(list) == 0:
			return fmt.Errorf("grid.%s is empty (cure: one value at least)", a.Key)
		case total > maxRows/len(list):
			return fmt.Errorf("the grid has more than %d runs (cure: fewer values)", maxRows)
		}
		total, longest = total*len(list), max(longest, len(list))
		lists[i] = list
		s.Columns = append(s.Columns, a.Key)
	}
	if len(axes) == 0 {
		return errors.New("grid is empty (cure: a list such as friction = [0.1, 0.3])")
	}
	if err := room(total, len(axes)+len(base.Set)); err != nil {
		return err
	}
	for n := range total {
		r := base.clone()
		rest := n
		at := make([]any, len(axes))
		for i := len(axes) - 1; i >= 0; i-- {
			at[i] = lists[i][rest%len(lists[i])]
			rest /= len(lists[i])
		}
		for i, a := range axes {
			if err := r.give(p.dir, Assignment{a.Key, at[i]}); err != nil {
				return fmt.Errorf("grid.%s: %w", a.Key, err)
			}
			r.Values = append(r.Values, cell(at[i]))
		}
		s.Runs = append(s.Runs, r)
	}
	// One after the other on a diagonal: run k holds value k of each list, or its last.
	for k := range longest {
		n := 0
		for i := range lists {
			n = n*len(lists[i]) + min(k, len(lists[i])-1)
		}
		s.Tries = append(s.Tries, n)
	}
	return nil
}

// list makes a run of each table.
func (p *parser) list(s *Sheet, base Run, v any) error {
	tables, ok := v.([]map[string]any)
	if !ok || len(tables) == 0 {
		return errors.New("run is no list of tables (cure: write [[run]] above each)")
	}
	if len(tables) > maxRows {
		return fmt.Errorf("more than %d runs (cure: fewer)", maxRows)
	}
	each := make([][]Assignment, len(tables))
	place := map[string]int{}
	for i, t := range tables {
		each[i] = p.Flat(t, "run")
		for _, a := range each[i] {
			if _, known := place[a.Key]; !known {
				place[a.Key] = 0
				s.Columns = append(s.Columns, a.Key)
			}
		}
	}
	if len(s.Columns) == 0 {
		return errors.New("[[run]] says nothing (cure: KEY = VALUE lines under it)")
	}
	slices.SortStableFunc(s.Columns, func(a, b string) int { return p.order[setting.Join("run", a)] - p.order[setting.Join("run", b)] })
	for i, c := range s.Columns {
		place[c] = i
	}
	if err := room(len(tables), len(s.Columns)+len(base.Set)); err != nil {
		return err
	}
	for i := range each {
		r := base.clone()
		r.Values = make([]any, len(s.Columns))
		for _, a := range each[i] {
			if err := r.give(p.dir, a); err != nil {
				return fmt.Errorf("run %d: %s: %w", i, a.Key, err)
			}
			r.Values[place[a.Key]] = cell(a.Value)
		}
		s.Runs, s.Tries = append(s.Runs, r), append(s.Tries, i)
	}
	return nil
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

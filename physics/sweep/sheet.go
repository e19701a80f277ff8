// Package sweep plans many runs of one experiment and keeps what came of each: a sheet
// that says what varies, a folder that holds a file a run, and the table of them all. It
// knows no world: who uses it makes the runs.
package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"hapco/assets"
	"hapco/physics/setting"
	"hapco/physics/walk"
)

// maxRows bounds the runs of a sheet.
const maxRows = 1000000

// Run is one run of a sheet: a row of the table.
type Run struct {
	Scene      string // an embedded scene, or a file
	Mesh       string // file in the place of the scene's obstacle; "": none
	LengthUnit string // of that file; "": guessed
	walk.Way
	walk.Clock
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

// assignment is a key and its value.
type assignment struct {
	key   string
	value any
}

// give gives a run one value.
func (r *Run) give(dir string, a assignment) error {
	if set := own[a.key]; set != nil {
		return set(r, dir, a.value)
	}
	text, err := literal(a.value)
	r.Set = append(r.Set, a.key+"="+text)
	return err
}

// literal writes a value as --set takes it.
func literal(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		s := strconv.FormatFloat(x, 'g', -1, 64)
		if setting.Finite(x) && !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return strings.TrimPrefix(strings.ToLower(s), "+"), nil
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			if s, ok := x[i].(string); ok {
				parts[i] = strconv.Quote(s)
				continue
			}
			var err error
			if parts[i], err = literal(x[i]); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	}
	return "", errors.New("it is no number, word, true, false or list of these")
}

// cell is a value as the table keeps it.
func cell(v any) any {
	switch x := v.(type) {
	case int64:
		return float64(x)
	case []any:
		s, _ := literal(x) // it was written before
		return s
	}
	return v
}

// Read reads a sheet. The error is one line that names the file, the key and the cure.
func Read(file string) (*Sheet, error) {
	text, err := os.ReadFile(file)
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
	var tree map[string]any
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&tree)
	if err != nil {
		return nil, fmt.Errorf("not valid TOML: %w", err)
	}
	p := parser{dir: dir, order: map[string]int{}}
	for i, k := range meta.Keys() {
		if name := strings.Join(k, "."); p.order[name] == 0 {
			p.order[name] = i + 1
		}
	}
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
			for _, a := range p.flat(table, "set") {
				if own[a.key] != nil {
					return nil, fmt.Errorf("set.%s is no key of a scene (cure: write %s above the tables)", a.key, a.key)
				}
				if err := base.give(dir, a); err != nil {
					return nil, fmt.Errorf("set.%s: %w", a.key, err)
				}
			}
		case own[key] != nil:
			if err := base.give(dir, assignment{key, v}); err != nil {
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

// parser knows the order in which a file names its keys.
type parser struct {
	dir   string
	order map[string]int
}

// flat are a table's values in the order of the file; obstacle.E = 1 and
// "obstacle.E" = 1 are the same. Tables of a list share their names, and so the order
// of the first that has a key.
func (p *parser) flat(table map[string]any, path string) []assignment {
	var out []assignment
	var fill func(table map[string]any, prefix string)
	fill = func(table map[string]any, prefix string) {
		for k, v := range table {
			name := setting.Join(prefix, k)
			if inner, ok := v.(map[string]any); ok {
				fill(inner, name)
				continue
			}
			out = append(out, assignment{name, v})
		}
	}
	fill(table, "")
	slices.SortFunc(out, func(a, b assignment) int {
		return cmp.Or(p.order[setting.Join(path, a.key)]-p.order[setting.Join(path, b.key)], strings.Compare(a.key, b.key))
	})
	return out
}

// grid makes a run of each combination.
func (p *parser) grid(s *Sheet, base Run, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("grid is no table (cure: [grid] with lists such as friction = [0.1, 0.3])")
	}
	axes := p.flat(table, "grid")
	lists := make([][]any, len(axes))
	total, longest := 1, 0
	for i, a := range axes {
		list, ok := a.value.([]any)
		switch {
		case !ok:
			return fmt.Errorf("grid.%s is no list (cure: %s = [...], or one value in [set])", a.key, a.key)
		case len(list) == 0:
			return fmt.Errorf("grid.%s is empty (cure: one value at least)", a.key)
		case total > maxRows/len(list):
			return fmt.Errorf("the grid has more than %d runs (cure: fewer values)", maxRows)
		}
		total, longest = total*len(list), max(longest, len(list))
		lists[i] = list
		s.Columns = append(s.Columns, a.key)
	}
	if len(axes) == 0 {
		return errors.New("grid is empty (cure: a list such as friction = [0.1, 0.3])")
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
			if err := r.give(p.dir, assignment{a.key, at[i]}); err != nil {
				return fmt.Errorf("grid.%s: %w", a.key, err)
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
	each := make([][]assignment, len(tables))
	for i, t := range tables {
		each[i] = p.flat(t, "run")
		for _, a := range each[i] {
			if !slices.Contains(s.Columns, a.key) {
				s.Columns = append(s.Columns, a.key)
			}
		}
	}
	if len(s.Columns) == 0 {
		return errors.New("[[run]] says nothing (cure: KEY = VALUE lines under it)")
	}
	slices.SortStableFunc(s.Columns, func(a, b string) int { return p.order[setting.Join("run", a)] - p.order[setting.Join("run", b)] })
	for i := range each {
		r := base.clone()
		r.Values = make([]any, len(s.Columns))
		for _, a := range each[i] {
			if err := r.give(p.dir, a); err != nil {
				return fmt.Errorf("run %d: %s: %w", i, a.key, err)
			}
			r.Values[slices.Index(s.Columns, a.key)] = cell(a.value)
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

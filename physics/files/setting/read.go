package setting

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"hapco/assets"
	"hapco/physics/machinery/budget"
)

// Read fills a scene from the text of a file. What the file does not give keeps its value. More, where it is not nil,
// reads the tables named in others; check says what is wrong with the whole. The error names the file, the line and the
// cure.
func Read[T any](name string, data []byte, t *T, fields []Field[T], s *Setting, others []string, more func(r *Reader, tree map[string]any), check func() *Error) error {
	var tree map[string]any
	if _, err := Decode(string(data), &tree); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return &Error{At: fmt.Sprintf("%s:%d", name, max(1, parse.Position.Line)), What: "not valid TOML: " + parse.Message, Cure: badTOML}
		}
		return &Error{At: name + ":1", What: "not valid TOML: " + err.Error(), Cure: badTOML}
	}
	r := Reader{lines: keyLines(string(data))}
	s.Name = name
	Fill(&r, t, fields, tree, "", s, slices.Concat(arrayTables, others))
	s.readPaths(&r, tree)
	if more != nil {
		more(&r, tree)
	}
	err := r.first()
	if err == nil {
		err = s.Check()
	}
	if err == nil && check != nil {
		err = check()
	}
	if err != nil {
		err.At = fmt.Sprintf("%s:%d", name, r.line(err.Key))
		return err
	}
	return nil
}

// badTOML is the cure of what is no TOML.
const badTOML = "correct that line; see docs/scene-format.md"

// FileText is the text of an embedded scene, or of a file, and the name that errors call it.
func FileText(nameOrFile string) (name string, data []byte, err error) {
	if slices.Contains(assets.Scenes(), nameOrFile) {
		data, err = assets.Scene(nameOrFile)
		return nameOrFile + ".toml", data, err
	}
	data, err = budget.Scene.Text(nameOrFile)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = &Error{What: fmt.Sprintf("there is no scene %q", nameOrFile),
			Cure: "give a .toml file or one of " + strings.Join(assets.Scenes(), ", ")}
	case err != nil:
		err = &Error{At: nameOrFile, What: err.Error(), Cure: "give a .toml file that can be read"}
	}
	return nameOrFile, data, err
}

// KindOf is the kind of world that a scene file's text describes: DefaultKind where it names none, also where it is no
// TOML, which that kind's reader will say.
func KindOf(data []byte) string {
	var f struct{ Kind string }
	if _, err := Decode(string(data), &f); err != nil || f.Kind == "" {
		return DefaultKind
	}
	return f.Kind
}

// arrayTables are the keys of every scene that hold tables with names.
var arrayTables = []string{"path"}

// Assign changes one value, written as on the command line: "friction=0.3", "grain.radius=2 mm". Set makes the change
// in a copy and keeps that if it is valid. The keys are those of the file; known names them all for the cure.
func Assign(assignment string, set func(key string, v any) *Error) error {
	fail := func(err *Error) error {
		err.At = "--set " + assignment
		return err
	}
	key, value, ok := strings.Cut(assignment, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return fail(Fault("", "write KEY=VALUE, such as friction=0.3", "no value is given"))
	}
	if strings.HasPrefix(key, "units.") || key == "kind" {
		return fail(Fault(key, "write it in the scene file", "the units and the kind of a scene cannot be changed from outside"))
	}
	if err := set(key, CommandLineValue(strings.TrimSpace(value))); err != nil {
		return fail(err)
	}
	return nil
}

// AssignTo is Assign for a scene whose keys are those of one table of fields. T must not share memory between copies
// that a field changes.
func AssignTo[T any, P interface {
	*T
	Common() *Setting
}](t P, fields []Field[T], assignment string, check func(P) *Error) error {
	return Assign(assignment, func(key string, v any) *Error {
		f := Find(fields, key)
		if f == nil {
			return Fault(key, Suggest(key, Names(fields), ""), "unknown key %q", key)
		}
		next := *t
		if err := f.Set(&next, v, t.Common().Units); err != nil {
			return err
		}
		if err := P(&next).Common().Check(); err != nil {
			return err
		}
		if err := check(&next); err != nil {
			return err
		}
		*t = next
		return nil
	})
}

// Echo tells in which unit Assign takes the number of an assignment that names none, such as "liver.E = 6 MPa"; ""
// where there is nothing to tell.
func Echo(assignment string, quantity func(key string) Quantity, u Units) string {
	key, value, _ := strings.Cut(assignment, "=")
	key = strings.TrimSpace(key)
	v := CommandLineValue(strings.TrimSpace(value))
	if x, err := ReadNumber(v); err == nil && math.IsInf(x, 0) {
		return ""
	}
	unit := u.name(quantity(key))
	if _, named := v.(string); named || unit == "" {
		return ""
	}
	return fmt.Sprintf("%s = %s %s", key, strings.TrimSpace(value), unit)
}

// EchoOf is Echo for a scene whose keys are those of one table of fields.
func EchoOf[T any](fields []Field[T], u Units, assignment string) string {
	return Echo(assignment, func(key string) Quantity {
		if f := Find(fields, key); f != nil {
			return f.Unit
		}
		return Pure
	}, u)
}

// Reader collects what is wrong while it fills a scene.
type Reader struct {
	lines  map[string]int
	faults []*Error
}

// Fail notes what is wrong.
func (r *Reader) Fail(err *Error) { r.faults = append(r.faults, err) }

// first is the fault with the least line, or nil.
func (r *Reader) first() *Error {
	var best *Error
	for _, e := range r.faults {
		if best == nil || r.line(e.Key) < r.line(best.Key) {
			best = e
		}
	}
	return best
}

// line finds a key's line, or that of the nearest table around it.
func (r *Reader) line(key string) int {
	for {
		if n, ok := r.lines[key]; ok {
			return n
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return 1
		}
		key = key[:i]
	}
}

// Fill sets the fields of t from a table and refuses keys that no field has. units belongs to the scene, so that
// [units] counts from where it is read.
func Fill[T any](r *Reader, t *T, fields []Field[T], table map[string]any, path string, s *Setting, others []string) {
	for i := range fields {
		f := &fields[i]
		v, ok := lookUp(table, f.Name)
		if !ok {
			continue
		}
		if err := f.Set(t, v, s.Units); err != nil {
			err.Key = Join(Join(path, f.Name), err.Key)
			err.Key = strings.TrimSuffix(err.Key, ".")
			err.What = f.Name + ": " + err.What
			r.Fail(err)
		}
	}
	refuseUnknown(r, Names(fields), others, table, path, "")
}

// lookUp follows a dotted key into nested tables.
func lookUp(table map[string]any, key string) (any, bool) {
	for {
		first, rest, dotted := strings.Cut(key, ".")
		v, ok := table[first]
		if !ok || !dotted {
			return v, ok
		}
		if table, ok = v.(map[string]any); !ok {
			return nil, false
		}
		key = rest
	}
}

// refuseUnknown reports keys below table that are neither known nor others.
func refuseUnknown(r *Reader, known, others []string, table map[string]any, path, prefix string) {
	for k, v := range table {
		name := Join(prefix, k)
		if slices.Contains(known, name) || slices.Contains(others, name) {
			continue
		}
		group := slices.ContainsFunc(known, func(s string) bool { return strings.HasPrefix(s, name+".") })
		t, isTable := v.(map[string]any)
		switch {
		case group && isTable:
			refuseUnknown(r, known, others, t, path, name)
		case group:
			r.Fail(Fault(Join(path, name), "write ["+strings.TrimPrefix(name, ".")+"] and its keys", "%s is a table", name))
		default:
			r.Fail(Fault(Join(path, name), Suggest(name, slices.Concat(known, groups(known), others), ""), "unknown key %q", name))
		}
	}
}

// groups lists the tables that dotted keys belong to.
func groups(known []string) []string {
	var out []string
	for _, k := range known {
		if group, _, dotted := strings.Cut(k, "."); dotted && !slices.Contains(out, group) {
			out = append(out, group)
		}
	}
	return out
}

// Tables returns an array of tables, or of inline tables.
func (r *Reader) Tables(tree map[string]any, key, header string) []map[string]any {
	switch v := tree[key].(type) {
	case nil:
	case []map[string]any:
		return v
	case []any:
		var out []map[string]any
		for _, e := range v {
			t, ok := e.(map[string]any)
			if !ok {
				r.Fail(Fault(key, "write "+header+" before each", "%s: %s does not fit", key, describe(e)))
				return nil
			}
			out = append(out, t)
		}
		return out
	default:
		r.Fail(Fault(key, "write "+header+" before each", "%s is a list of tables, not %s", key, describe(v)))
	}
	return nil
}

// Rows reads an array of tables, [[key]]. Each row begins as start says, and must have the keys that are required.
func Rows[T any](r *Reader, tree map[string]any, key string, fields []Field[T], s *Setting, start func(i int) T,
	required ...string) (rows []T) {
	for i, t := range r.Tables(tree, key, "[["+key+"]]") {
		row, path := start(i), Join(key, strconv.Itoa(i))
		Fill(r, &row, fields, t, path, s, nil)
		r.Require(t, path, required...)
		rows = append(rows, row)
	}
	return rows
}

// Keys lists the names in a table of tables, ascending.
func (r *Reader) Keys(tree map[string]any, key string) []string {
	v, ok := tree[key]
	if !ok {
		return nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		r.Fail(Fault(key, "see docs/scene-format.md", "%s is a table, not %s", key, describe(v)))
		return nil
	}
	return slices.Sorted(maps.Keys(t))
}

// Require reports the first of the keys that a table lacks.
func (r *Reader) Require(t map[string]any, path string, keys ...string) {
	for _, k := range keys {
		if _, ok := t[k]; !ok {
			r.Fail(Fault(path, "add "+k, "%s has no %s", path, k))
			return
		}
	}
}

// CommandLineValue reads a value as TOML does, and takes what is not TOML as text, so that a word needs no quotes.
func CommandLineValue(s string) any {
	var v struct{ V any }
	if _, err := Decode("V = "+s+"\n", &v); err != nil || v.V == nil || strings.ContainsAny(s, "\r\n") {
		return s
	}
	return v.V
}

// Decode reads TOML as toml.Decode does, but for what is nested deeper than anything of ours.
func Decode(text string, into any) (toml.MetaData, error) {
	if line := tooNested(text); line > 0 {
		return toml.MetaData{}, toml.ParseError{Message: fmt.Sprintf("nested more than %d deep", mostNested), Position: toml.Position{Line: line}}
	}
	return toml.Decode(text, into)
}

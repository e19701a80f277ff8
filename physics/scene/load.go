package scene

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"hapco/assets"
)

// assetPrefix marks a file that the program carries.
const assetPrefix = "asset:"

// Load reads a scene by the name of an embedded one, or from a file.
func Load(nameOrFile string) (*Scene, error) {
	if slices.Contains(assets.Scenes(), nameOrFile) {
		data, err := assets.Scene(nameOrFile)
		if err != nil {
			return nil, err
		}
		s, err := Parse(nameOrFile+".toml", data)
		if err != nil {
			return nil, err
		}
		s.Name = nameOrFile
		return s, nil
	}
	data, err := os.ReadFile(nameOrFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &Error{What: fmt.Sprintf("there is no scene %q", nameOrFile),
			Cure: "give a .toml file or one of " + strings.Join(assets.Scenes(), ", ")}
	}
	if err != nil {
		return nil, &Error{At: nameOrFile, What: err.Error(), Cure: "give a .toml file that can be read"}
	}
	return Parse(nameOrFile, data)
}

// Listing names an embedded scene.
type Listing struct {
	Name  string // what Load takes
	Title string
	About string // one line
}

// List are the embedded scenes, the default one first.
func List() ([]Listing, error) {
	var out []Listing
	for _, name := range assets.Scenes() {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Listing{Name: name, Title: s.Title, About: s.About})
	}
	return out, nil
}

// Parse reads the text of a scene file. Files that it names are taken from the
// folder of name; they are not opened yet, see Solid.
func Parse(name string, data []byte) (*Scene, error) {
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, &Error{At: fmt.Sprintf("%s:%d", name, max(1, parse.Position.Line)), What: "not valid TOML: " + parse.Message}
		}
		return nil, &Error{At: name + ":1", What: "not valid TOML: " + err.Error()}
	}
	r := reader{lines: keyLines(string(data))}
	s := Default()
	s.Name = name
	r.scene(&s, tree)
	err := r.first()
	if err == nil {
		err = s.validate()
	}
	if err != nil {
		err.At = fmt.Sprintf("%s:%d", name, r.line(err.Key))
		return nil, err
	}
	for i := range s.Bodies {
		if f := &s.Bodies[i].Shape.File; *f != "" && !strings.HasPrefix(*f, assetPrefix) && !filepath.IsAbs(*f) {
			*f = filepath.Join(filepath.Dir(name), *f)
		}
	}
	return &s, nil
}

// arrayTables are the keys of a scene that hold tables with names or in a row.
var arrayTables = []string{"body", "pair", "probes", "path"}

// reader collects what is wrong while it fills a scene.
type reader struct {
	lines  map[string]int
	faults []*Error
}

func (r *reader) fail(err *Error) { r.faults = append(r.faults, err) }

// first is the fault with the least line, or nil.
func (r *reader) first() *Error {
	var best *Error
	for _, e := range r.faults {
		if best == nil || r.line(e.Key) < r.line(best.Key) {
			best = e
		}
	}
	return best
}

// line finds a key's line, or that of the nearest table around it.
func (r *reader) line(key string) int {
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

func (r *reader) scene(s *Scene, tree map[string]any) {
	fill(r, s, sceneFields, tree, "", s, arrayTables)

	for i, t := range r.tables(tree, "body", "[[body]]") {
		path := join("body", strconv.Itoa(i))
		role := Fixed
		if t["role"] == "driven" {
			role = Driven
		}
		b := DefaultBody(role)
		fill(r, &b, bodyFields, t, path, s, nil)
		r.oneShape(t, path)
		s.Bodies = append(s.Bodies, b)
	}
	for i, t := range r.tables(tree, "pair", "[[pair]]") {
		p := Pair{Friction: math.NaN()}
		path := join("pair", strconv.Itoa(i))
		fill(r, &p, pairFields, t, path, s, nil)
		r.require(t, path, "bodies")
		s.Pairs = append(s.Pairs, p)
	}
	for _, name := range r.keys(tree, "probes") {
		path := join("probes", name)
		t, ok := tree["probes"].(map[string]any)[name].(map[string]any)
		if !ok {
			r.fail(fault(path, `write NAME = { body = "obstacle", at = [x, y, z] }`, "a probe is a table"))
			continue
		}
		p := Probe{Name: name}
		fill(r, &p, probeFields, t, path, s, nil)
		r.require(t, path, "body", "at")
		s.Probes = append(s.Probes, p)
	}
	for _, name := range r.keys(tree, "path") {
		p := Path{Name: name}
		base := join("path", name)
		for i, t := range r.tables(tree["path"].(map[string]any), name, "[[path."+name+"]]") {
			var m Move
			path := join(base, strconv.Itoa(i))
			fill(r, &m, moveFields, t, path, s, nil)
			r.require(t, path, "direction", "steps", "step")
			p.Moves = append(p.Moves, m)
		}
		s.Paths = append(s.Paths, p)
	}
}

// fill sets the fields of t from a table and refuses keys that no field has.
// units belongs to the scene, so that [units] counts from where it is read.
func fill[T any](r *reader, t *T, fields []field[T], table map[string]any, path string, s *Scene, others []string) {
	for i := range fields {
		f := &fields[i]
		v, ok := lookUp(table, f.name)
		if !ok {
			continue
		}
		if err := f.set(t, v, s.Units); err != nil {
			err.Key = join(join(path, f.name), err.Key)
			err.Key = strings.TrimSuffix(err.Key, ".")
			err.What = f.name + ": " + err.What
			r.fail(err)
		}
	}
	refuseUnknown(r, names(fields), others, table, path, "")
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
func refuseUnknown(r *reader, known, others []string, table map[string]any, path, prefix string) {
	for k, v := range table {
		name := join(prefix, k)
		if slices.Contains(known, name) || slices.Contains(others, name) {
			continue
		}
		group := slices.ContainsFunc(known, func(s string) bool { return strings.HasPrefix(s, name+".") })
		t, isTable := v.(map[string]any)
		switch {
		case group && isTable:
			refuseUnknown(r, known, others, t, path, name)
		case group:
			r.fail(fault(join(path, name), "write ["+strings.TrimPrefix(name, ".")+"] and its keys", "%s is a table", name))
		default:
			r.fail(fault(join(path, name), suggest(name, slices.Concat(known, groups(known), others), ""), "unknown key %q", name))
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

// tables returns an array of tables, or of inline tables.
func (r *reader) tables(tree map[string]any, key, header string) []map[string]any {
	switch v := tree[key].(type) {
	case nil:
	case []map[string]any:
		return v
	case []any:
		var out []map[string]any
		for _, e := range v {
			t, ok := e.(map[string]any)
			if !ok {
				r.fail(fault(key, "write "+header+" before each", "%s: %s does not fit", key, describe(e)))
				return nil
			}
			out = append(out, t)
		}
		return out
	default:
		r.fail(fault(key, "write "+header+" before each", "%s is a list of tables, not %s", key, describe(v)))
	}
	return nil
}

// keys lists the names in a table of tables, ascending.
func (r *reader) keys(tree map[string]any, key string) []string {
	v, ok := tree[key]
	if !ok {
		return nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		r.fail(fault(key, "see docs/scene-format.md", "%s is a table, not %s", key, describe(v)))
		return nil
	}
	var out []string
	for k := range t {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// require reports the first of the keys that a table lacks.
func (r *reader) require(t map[string]any, path string, keys ...string) {
	for _, k := range keys {
		if _, ok := t[k]; !ok {
			r.fail(fault(path, "add "+k, "%s has no %s", path, k))
			return
		}
	}
}

// oneShape refuses a body with two shapes.
func (r *reader) oneShape(t map[string]any, path string) {
	first := ""
	for _, k := range []string{"mesh", "object", "box", "tool"} {
		if _, ok := t[k]; !ok {
			continue
		}
		if first != "" {
			r.fail(fault(join(path, k), "keep one", "a body has one shape, this one has %s and %s", first, k))
			return
		}
		first = k
	}
}

// commandLineValue reads a value as TOML does, and takes what is not TOML as text,
// so that a word needs no quotes.
func commandLineValue(s string) any {
	var v struct{ V any }
	if _, err := toml.Decode("V = "+s+"\n", &v); err != nil || v.V == nil || strings.ContainsAny(s, "\r\n") {
		return s
	}
	return v.V
}

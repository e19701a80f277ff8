package scene

import (
	"math"
	"strconv"

	"hapco/physics/files/setting"
)

// Load reads a scene by the name of an embedded one, or from a file.
func Load(nameOrFile string) (*Scene, error) {
	name, data, err := setting.FileText(nameOrFile)
	if err != nil {
		return nil, err
	}
	s, err := Parse(name, data)
	if err == nil && name != nameOrFile {
		s.Name = nameOrFile
	}
	return s, err
}

// Parse reads the text of a scene file. Files that it names are taken from the folder of name; they are not opened yet,
// see Solid.
func Parse(name string, data []byte) (*Scene, error) {
	s := Default()
	err := setting.Read(name, data, &s, sceneFields, &s.Setting, arrayTables, s.readTables, s.check)
	if err != nil {
		return nil, err
	}
	for i := range s.Bodies {
		f := &s.Bodies[i].Shape.File
		*f = setting.Beside(name, *f)
	}
	return &s, nil
}

// arrayTables are the keys of a scene that hold tables with names or in a row.
var arrayTables = []string{"body", "pair", "probes"}

func (s *Scene) readTables(r *setting.Reader, tree map[string]any) {
	for i, t := range r.Tables(tree, "body", "[[body]]") {
		path := setting.Join("body", strconv.Itoa(i))
		role := Fixed
		if t["role"] == "driven" {
			role = Driven
		}
		b := DefaultBody(role)
		setting.Fill(r, &b, bodyFields, t, path, &s.Setting, nil)
		oneShape(r, t, path)
		s.Bodies = append(s.Bodies, b)
	}
	s.Pairs = ReadPairs(r, tree, &s.Setting)
	for _, name := range r.Keys(tree, "probes") {
		path := setting.Join("probes", name)
		t, ok := tree["probes"].(map[string]any)[name].(map[string]any)
		if !ok {
			r.Fail(setting.Fault(path, `write NAME = { body = "obstacle", at = [x, y, z] }`, "a probe is a table"))
			continue
		}
		p := Probe{Name: name}
		setting.Fill(r, &p, probeFields, t, path, &s.Setting, nil)
		r.Require(t, path, "body", "at")
		s.Probes = append(s.Probes, p)
	}
}

// ReadPairs reads what bodies do where they meet, [[pair]].
func ReadPairs(r *setting.Reader, tree map[string]any, s *setting.Setting) []Pair {
	return setting.Rows(r, tree, "pair", pairFields, s, func(int) Pair { return Pair{Friction: math.NaN()} }, "bodies")
}

// oneShape refuses a body with two shapes.
func oneShape(r *setting.Reader, t map[string]any, path string) {
	first := ""
	for _, k := range []string{"mesh", "object", "box", "tool"} {
		if _, ok := t[k]; !ok {
			continue
		}
		if first != "" {
			r.Fail(setting.Fault(setting.Join(path, k), "keep one", "a body has one shape, this one has %s and %s", first, k))
			return
		}
		first = k
	}
}

// Files are the mesh and object files that the bodies are made from.
func (s *Scene) Files() (files []string) {
	for i := range s.Bodies {
		if f := s.Bodies[i].Shape.File; f != "" && !setting.Carried(f) {
			files = append(files, f)
		}
	}
	return files
}

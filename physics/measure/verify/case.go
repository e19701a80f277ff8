package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
)

// Case is one reference experiment as its file states it.
type Case struct {
	Name  string
	World string // kind of world
	Kind  string // sort of experiment
	Input Input

	Expected  map[string]any // nil: the case is run and not judged
	Tolerance any            // a number, an object of numbers by name, or nil

	runner Runner
}

// Input is what an experiment starts from. It holds nothing of the expected results.
type Input struct {
	File    string // where it was read; other files that it names lie beside this one
	members map[string]any
	path    string // where the members lie in the file: "input", or "" at the top
}

// Decode fills the struct that v points to with the input, see Decode of the package.
func (in *Input) Decode(v any) error { return Decode(in.members, v, in.path) }

// Of is the input as a T; what does not fit ends the runner.
func Of[T any](in *Input) (v T) {
	refusal.Need(in.Decode(&v))
	return v
}

// members that every case may have: those that the package reads, and remarks.
var (
	common  = []string{"world", "kind", "name", "id", "input", "expected", "tolerance", "suggested_tolerance"}
	remarks = []string{"title", "description", "source", "evidence", "note", "notes", "remarks", "reference",
		"closed_form", "conventions", "schema", "format", "units", "accuracy"}
)

// largestFile bounds what is read of one file, after decompression, in bytes.
const largestFile = 256 << 20

// Load reads the case of a file, gzipped or not. Errors are one line that names the file, the place in it and the cure.
func Load(file string) (*Case, error) {
	f, err := budget.Case.Open(file)
	if err != nil {
		return nil, fmt.Errorf("verify: %w (cure: the name of a case file)", err)
	}
	defer f.Close()
	c, err := Read(f, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Read reads a case; file is where it comes from.
func Read(r io.Reader, file string) (*Case, error) {
	return refusal.Caught(func() *Case { return build(object(readAll(r)), file) })
}

func readAll(r io.Reader) []byte {
	in := bufio.NewReader(r)
	r = in
	if head, _ := in.Peek(2); budget.IsGzip(head) {
		z, err := budget.Gunzip(in)
		if err != nil {
			panic(refusal.Of("%w (cure: a whole .gz file)", err))
		}
		defer z.Close()
		r = z
	}
	data, err := io.ReadAll(io.LimitReader(r, largestFile+1))
	if err != nil {
		panic(refusal.Of("%w (cure: a whole file)", err))
	}
	refusal.If(len(data) > largestFile, "more than %d MB (cure: a smaller case)", largestFile>>20)
	return refusal.Must(budget.Unmarked(data))
}

// object is what a JSON text holds.
func object(data []byte) map[string]any {
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		panic(refusal.Of("%s (cure: a whole JSON file; numbers are finite, NaN is none)", syntax(data, err)))
	}
	members, ok := root.(map[string]any)
	refusal.Unless(ok, "%s where an object with kind and input belongs (cure: one case a file)", what(root))
	return members
}

// syntax names the line of a JSON error.
func syntax(data []byte, err error) string {
	at := int64(len(data))
	var s *json.SyntaxError
	var u *json.UnmarshalTypeError
	switch {
	case errors.As(err, &s):
		at = min(at, s.Offset)
	case errors.As(err, &u):
		at = min(at, u.Offset)
	}
	return fmt.Sprintf("line %d: %s", 1+bytes.Count(data[:at], []byte("\n")), strings.TrimPrefix(err.Error(), "json: "))
}

// build finds the runner of a case and sorts the members.
func build(members map[string]any, file string) *Case {
	c := &Case{Input: Input{File: file}}
	if _, ok := members["kind"]; !ok {
		members = adopted(members)
	}
	for _, name := range []struct {
		to  *string
		key string
	}{{&c.World, "world"}, {&c.Kind, "kind"}, {&c.Name, "id"}, {&c.Name, "name"}} {
		if v, ok := members[name.key]; ok {
			*name.to, ok = v.(string)
			refusal.Unless(ok, "%s: %s where a word belongs (cure: a string)", name.key, what(v))
		}
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".json")
	}
	if c.World == "" { // kind may say both: "grain.table"
		c.World, c.Kind, _ = strings.Cut(c.Kind, ".")
	} else {
		c.Kind = strings.TrimPrefix(c.Kind, c.World+".")
	}
	var ok bool
	c.runner, ok = runners[c.World+"."+c.Kind]
	refusal.Unless(ok, "kind %q of world %q is unknown (cure: %s)", c.Kind, c.World, strings.Join(kinds(), ", "))
	if c.runner.Restate != nil {
		members = c.runner.Restate(members)
	}
	c.Expected, ok = members["expected"].(map[string]any)
	refusal.If(!ok && members["expected"] != nil, "expected: %s where an object of results belongs", what(members["expected"]))
	refusal.If(ok && len(c.Expected) == 0, "expected is empty (cure: name a result, or leave expected out)")
	c.Tolerance = tolerance(members)
	rest := map[string]any{}
	for key, v := range members {
		if !slices.Contains(common, key) && !slices.Contains(remarks, key) && !slices.Contains(c.runner.Remarks, key) {
			rest[key] = v
		}
	}
	c.Input.members = rest
	if v, ok := members["input"]; ok {
		c.Input.members, ok = v.(map[string]any)
		refusal.Unless(ok, "input: %s where an object belongs", what(v))
		c.Input.path = "input"
		if keys := sorted(rest); len(keys) > 0 {
			panic(refusal.Of("%s is not understood (cure: a member of input, or a remark: %s)", keys[0], strings.Join(remarks, ", ")))
		}
	}
	return c
}

// adopted is a case of an older form in the present one.
func adopted(members map[string]any) map[string]any {
	for _, key := range kinds() {
		if adopt := runners[key].Adopt; adopt != nil {
			if m := adopt(members); m != nil {
				return m
			}
		}
	}
	panic(refusal.Of("kind is missing (cure: world and kind say which experiment this is)"))
}

// tolerance reads and checks the tolerances: numbers above 0. Words beside them are remarks.
func tolerance(members map[string]any) any {
	key := "tolerance"
	v, ok := members[key]
	if !ok {
		key = "suggested_tolerance"
		v = members[key]
	}
	above := func(at string, x float64) { refusal.Unless(x > 0, "%s: %g (cure: a number above 0)", at, x) }
	switch v := v.(type) {
	case nil:
	case float64:
		above(key, v)
	case map[string]any:
		for _, name := range sorted(v) {
			switch x := v[name].(type) {
			case float64:
				above(key+"."+name, x)
			case string, nil: // null: no tolerance of that name
			default:
				panic(refusal.Of("%s.%s: %s where a number belongs", key, name, what(x)))
			}
		}
	default:
		panic(refusal.Of("%s: %s where a number or an object of numbers belongs", key, what(v)))
	}
	return v
}

// Want reads a member of what is expected; there is false where the case has none.
func (c *Case) Want(name string, to any) (there bool) {
	v := c.Expected[name]
	if v != nil {
		refusal.Need(Decode(v, to, "expected."+name))
	}
	return v != nil
}

// Tol is the tolerance called name, the only one where the case states a single number, or usual where it states none.
func (c *Case) Tol(name string, usual float64) float64 {
	switch v := c.Tolerance.(type) {
	case float64:
		return v
	case map[string]any:
		if x, ok := v[name].(float64); ok {
			return x
		}
	}
	return usual
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hapco/physics/files/setting"
	"hapco/physics/numerics/num"
)

// Tables are those of a TOML file, with the order in which it names its keys: of two keys of a scene the later one may
// change what the earlier one did.
type Tables struct {
	Root  map[string]any
	order map[string]int
}

// Assignment is a key and its value.
type Assignment struct {
	Key   string
	Value any
}

// ReadTables reads the text of a file.
func ReadTables(text []byte) (*Tables, error) {
	t := &Tables{order: map[string]int{}}
	meta, err := setting.Decode(string(text), &t.Root)
	if err != nil {
		return nil, fmt.Errorf("not valid TOML: %w", err)
	}
	for i, k := range meta.Keys() {
		if name := strings.Join(k, "."); t.order[name] == 0 {
			t.order[name] = i + 1
		}
	}
	return t, nil
}

// Flat are a table's values in the order of the file; obstacle.E = 1 and "obstacle.E" = 1 are the same. Tables of a
// list share their names, and so the order of the first that has a key.
func (t *Tables) Flat(table map[string]any, path string) []Assignment {
	var out []Assignment
	var fill func(table map[string]any, prefix string)
	fill = func(table map[string]any, prefix string) {
		for k, v := range table {
			name := setting.Join(prefix, k)
			if inner, ok := v.(map[string]any); ok {
				fill(inner, name)
				continue
			}
			out = append(out, Assignment{name, v})
		}
	}
	fill(table, "")
	slices.SortFunc(out, func(a, b Assignment) int {
		return cmp.Or(t.order[setting.Join(path, a.Key)]-t.order[setting.Join(path, b.Key)], strings.Compare(a.Key, b.Key))
	})
	return out
}

// Literal writes a value as --set takes it.
func Literal(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		s := strconv.FormatFloat(x, 'g', -1, 64)
		if num.Finite(x) && !strings.ContainsAny(s, ".e") {
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
			if parts[i], err = Literal(x[i]); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	}
	return "", errors.New("it is no number, word, true, false or list of these")
}

package scene

import (
	"maps"
	"slices"
	"strings"

	"hapco/physics/files/setting"
)

var sideWords = []string{"left", "right", "bottom", "top", "back", "front", "end"}
var sideValues = []Side{Left, Right, Bottom, Top, Back, Front, Left}

// String is the word of the scene file.
func (s Side) String() string {
	if int(s) < 6 {
		return sideWords[s]
	}
	return "unknown"
}

// selector reads a side, "default", "all", "none" or the name of a node set; or a table with one of side, set, nodes,
// or min and max.
func selector(v any, u setting.Units) (Selector, *setting.Error) {
	const want = `"bottom" or another side, "default", the name of a node set, or { min = [x, y, z], max = [x, y, z] }`
	if s, ok := v.(string); ok {
		if i := slices.Index(sideWords, s); i >= 0 {
			return Selector{Kind: SelectSide, Side: sideValues[i]}, nil
		}
		switch s {
		case "none":
			return Selector{Kind: SelectNone}, nil
		case "all":
			return Selector{Kind: SelectAll}, nil
		case "default":
			return Selector{Kind: SelectDefault}, nil
		case "":
			return Selector{}, setting.Fault("", want, "the name is empty")
		}
		return Selector{Kind: SelectSet, Set: s}, nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		return Selector{}, setting.WrongType(v, want)
	}
	for k := range t {
		if !slices.Contains([]string{"side", "set", "nodes", "min", "max"}, k) {
			return Selector{}, setting.Fault(k, "it has side, set, nodes, or min and max", "unknown key %q", k)
		}
	}
	var out Selector
	var err *setting.Error
	switch strings.Join(slices.Sorted(maps.Keys(t)), " ") {
	case "max min":
		out.Kind = SelectBox
		if out.Min, err = setting.ReadVector(t["min"], u.ToSI(setting.Length)); err == nil {
			out.Max, err = setting.ReadVector(t["max"], u.ToSI(setting.Length))
		}
	case "side":
		out.Kind = SelectSide
		out.Side, err = setting.ReadWord(t["side"], sideWords, sideValues)
	case "set":
		out.Kind = SelectSet
		if out.Set, err = setting.ReadText(t["set"]); err == nil && out.Set == "" {
			err = setting.Fault("", "give the name of a node set", "the name is empty")
		}
	case "nodes":
		out.Kind = SelectNodes
		out.Nodes, err = nodeNumbers(t["nodes"])
	default:
		err = setting.Fault("", "side, set or nodes alone, or min and max together", "a selection needs one way to select")
	}
	return out, err
}

// nodeNumbers reads a list of them, ascending.
func nodeNumbers(v any) (nodes []int32, err *setting.Error) {
	l, err := setting.ReadList(v, -1, "a list of node numbers")
	for _, n := range l {
		id, err := setting.ReadInteger(n)
		if err != nil {
			return nil, err
		}
		if id < 0 {
			return nil, setting.Fault("", "numbers start at 0", "node %d does not exist", id)
		}
		nodes = append(nodes, int32(id))
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), err
}

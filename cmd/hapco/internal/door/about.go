package door

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/internal/stepped"
	"hapco/physics"
)

// About is what does not change about a world.
type About struct {
	Version  int            `json:"version"`
	Live     bool           `json:"live"` // it runs in real time; else by the steps of who holds the stylus
	Kind     string         `json:"kind"`
	Title    string         `json:"title"`
	Notes    string         `json:"notes"`
	Start    [7]float64     `json:"start"`
	Timed    bool           `json:"timed"`
	Surfaces []aboutSurface `json:"surfaces"`
	Shapes   int            `json:"shapes"`
	Solids   int            `json:"solids"`
	Fields   [][2]string    `json:"fields"`  // name, unit
	Numbers  []string       `json:"numbers"` // names
	Keys     []aboutKey     `json:"keys"`    // the array has least, most, and usual value of each
}

type aboutSurface struct {
	Name   string `json:"name"`
	Driven bool   `json:"driven"`
	Rigid  bool   `json:"rigid"`
}

type aboutKey struct {
	Name  string   `json:"name"`
	Label string   `json:"label"`
	Unit  string   `json:"unit"`
	Help  string   `json:"help"`
	Words []string `json:"words"`
}

// told is what who says hello is told of a world.
type told struct {
	about *About
	ends  []Array
}

// About tells about the world.
func (t *told) About() (any, []Array) { return t.about, t.ends }

// aboutOf tells about a world.
func aboutOf(s physics.Scene, info *physics.Info, keys []physics.Key, notes string) told {
	c := s.Common()
	a := &About{Version: Version, Kind: c.Kind, Title: c.Title, Notes: notes, Start: stepped.PoseRow(&info.Start), Timed: info.Advances, Shapes: len(info.Shapes),
		Surfaces: []aboutSurface{}, Fields: [][2]string{}, Numbers: []string{}, Keys: []aboutKey{}}
	for _, u := range info.Surfaces {
		a.Surfaces = append(a.Surfaces, aboutSurface{u.Name, u.Driven || u.Second, u.Rigid})
	}
	for _, f := range info.Fields {
		a.Fields = append(a.Fields, [2]string{f.Name, f.Unit})
	}
	for i := range info.Numbers {
		a.Numbers = append(a.Numbers, info.Numbers[i].Name)
	}
	var ends []float64
	for i := range keys {
		k := &keys[i]
		a.Keys = append(a.Keys, aboutKey{k.Name, k.Label, k.Unit, k.Help, stepped.Words(k)})
		least, most := stepped.Ends(k)
		ends = append(ends, least, most, k.Default)
	}
	return told{a, []Array{{Type: "f8", Shape: []int{len(keys), 3}, bytes: array("f8", ends).bytes}}}
}

// floats is an array of numbers.
func floats(x ...float64) []Array { return []Array{array("f8", x)} }

// shape is an array of points, and of triangles where they are asked for.
func shapeOf(points []mgl64.Vec3, triangles [][3]int32) []Array {
	return []Array{array("f8", points, 3), array("i4", triangles, 3)}
}

// seen answers what both kinds of world show of a frame; known is false for another op.
func seen(q *Request, info *physics.Info, f *physics.Frame) (arrays []Array, known bool, err error) {
	switch q.Op {
	case "contacts":
		return []Array{array("contact", stepped.ContactsOf(nil, f))}, true, nil
	case "bodies":
		return []Array{array("body", stepped.BodiesOf(nil, f))}, true, nil
	case "points":
		return []Array{array("point", f.Points)}, true, nil
	case "numbers":
		return floats(f.Numbers...), true, nil
	case "surface":
		if q.Index < 0 || q.Index >= int64(len(info.Surfaces)) {
			return nil, true, stepped.Beyond("surface", q.Index, len(info.Surfaces))
		}
		return shapeOf(f.Surfaces[q.Index].Vertices, info.Surfaces[q.Index].Triangles), true, nil
	case "shape":
		if q.Index < 0 || q.Index >= int64(len(info.Shapes)) {
			return nil, true, stepped.Beyond("shape", q.Index, len(info.Shapes))
		}
		return shapeOf(info.Shapes[q.Index].Vertices, info.Shapes[q.Index].Triangles), true, nil
	}
	return nil, false, nil
}

package mesh

import (
	"bytes"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

var writers = map[string]func(m *Mesh, w io.Writer) error{
	"gmsh": func(m *Mesh, w io.Writer) error { return m.WriteGmsh(w) },
	"inp":  func(m *Mesh, w io.Writer) error { return m.WriteINP(w) },
	"vtu":  func(m *Mesh, w io.Writer) error { return m.WriteVTU(w) },
}

// same compares what must survive a round trip, to the bit; but for the digits of
// inp files, which hold 20 characters a number.
func same(t *testing.T, format string, got, want *Mesh) {
	t.Helper()
	if !slices.EqualFunc(got.Nodes, want.Nodes, func(a, b mgl64.Vec3) bool {
		return a == b || format == "inp" && a.Sub(b).Len() <= 5e-13*b.Len()
	}) {
		t.Error("nodes differ")
	}
	if !slices.EqualFunc(got.Blocks, want.Blocks, func(a, b Block) bool { return a.Type == b.Type && slices.Equal(a.Nodes, b.Nodes) }) {
		t.Error("elements differ")
	}
	if !maps.EqualFunc(got.NodeSets, want.NodeSets, slices.Equal[[]int32]) {
		t.Errorf("node sets differ: %v, want %v", sortedNames(got.NodeSets), sortedNames(want.NodeSets))
	}
	if !maps.EqualFunc(got.ElementSets, want.ElementSets, slices.Equal[[]int32]) {
		t.Errorf("element sets differ: %v, want %v", sortedNames(got.ElementSets), sortedNames(want.ElementSets))
	}
	if want.NodeNumbers != nil && (!slices.Equal(got.NodeNumbers, want.NodeNumbers) || !slices.Equal(got.ElementNumbers, want.ElementNumbers)) {
		t.Error("numbers differ")
	}
}

// mixed is a mesh of all element types, parts side by side, with sets that
// overlap, awkward names, numbers of its own, and digits that need all 17.
func mixed() *Mesh {
	m := &Mesh{NodeSets: map[string][]int32{}, ElementSets: map[string][]int32{}}
	all := oneOfEach()
	for typ := Tet4; int(typ) < len(shapes); typ++ {
		part := all[typ]
		base := int32(len(m.Nodes))
		var conn []int32
		for i, x := range part.Nodes {
			m.Nodes = append(m.Nodes, x.Add(mgl64.Vec3{3 * float64(typ), math.Sqrt2, -1e-7 / 3}))
			conn = append(conn, base+int32(i))
		}
		m.Blocks = append(m.Blocks, Block{Type: typ, Nodes: conn})
		m.ElementNumbers = append(m.ElementNumbers, 100+7*int64(typ))
	}
	for n := range m.Nodes {
		m.NodeNumbers = append(m.NodeNumbers, 5000-int64(n))
	}
	m.NodeSets["held"] = []int32{0, 1, 2, 40}
	m.NodeSets["also held"] = []int32{2, 3, 40, 41}
	m.ElementSets["bone"] = []int32{0, 2, 3}
	m.ElementSets["soft"] = []int32{2, 5}
	for name, set := range m.ElementSets {
		m.NodeSets[name] = m.nodesOf(set, make([]bool, len(m.Nodes)))
	}
	// A node set and an element set of one name that have nothing to do with each other.
	m.ElementSets["both"] = []int32{6}
	m.NodeSets["both"] = []int32{1, 5}
	return m
}

func TestRoundTrips(t *testing.T) {
	box := testBox(t, [3]int{3, 2, 2})
	meshes := map[string]*Mesh{"box": box, "mixed": mixed()}
	for name, text := range map[string]string{"gmsh1": gmsh1Text, "gmsh2": gmsh2Text, "gmsh4": gmsh4Text} {
		m, err := Decode(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		meshes[name] = m
	}
	for name, m := range meshes {
		for format, write := range writers {
			t.Run(name+"/"+format, func(t *testing.T) {
				var out bytes.Buffer
				if err := write(m, &out); err != nil {
					t.Fatal(err)
				}
				got, err := Decode("x", out.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				same(t, format, got, m)
				if len(got.Notes) != 0 {
					t.Errorf("notes %v", got.Notes)
				}
				// Written again it is the same file.
				var again bytes.Buffer
				if err := write(got, &again); err != nil {
					t.Fatal(err)
				}
				if m.NodeNumbers != nil && !bytes.Equal(again.Bytes(), out.Bytes()) {
					t.Error("the second file differs from the first")
				}
			})
		}
	}
}

func TestRoundTripsOfShared(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(testkit.Shared(t, "data", "meshes"), "*"))
	for _, file := range files {
		m, err := Load(file)
		if err != nil {
			continue
		}
		for format, write := range writers {
			t.Run(filepath.Base(file)+"/"+format, func(t *testing.T) {
				var out bytes.Buffer
				if err := write(m, &out); err != nil {
					t.Fatal(err)
				}
				got, err := Decode("x", out.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				want := *m
				if m.NodeNumbers[0] == 0 {
					want.NodeNumbers, want.ElementNumbers = nil, nil // formats that count from 1
				}
				same(t, format, got, &want)
			})
		}
	}
}

// TestINPNumbers: 20 characters at most, which must read as the same number to 13 digits.
func TestINPNumbers(t *testing.T) {
	for _, x := range []float64{0, 1, -1.5, 0.1, -0.012345678901234567, 1.2345678901234567e-5, -1.2345678901234567e-5, -math.MaxFloat64, -math.SmallestNonzeroFloat64, math.Pi * 1e-300, 123456789012345678} {
		s := inpNumber(x)
		back, err := strconv.ParseFloat(s, 64)
		if err != nil || len(s) > 20 || math.Abs(back-x) > 5e-13*math.Abs(x) {
			t.Errorf("%v is written %q", x, s)
		}
	}
}

// TestSTLRoundTrip: triangles come back in order with 7 digits.
func TestSTLRoundTrip(t *testing.T) {
	s := testBox(t, [3]int{2, 1, 3}).Triangles()
	var out bytes.Buffer
	if err := s.WriteSTL(&out); err != nil {
		t.Fatal(err)
	}
	got, err := DecodeSurface("x", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Triangles) != len(s.Triangles) || len(got.Nodes) != len(s.Nodes) {
		t.Fatalf("%d triangles on %d nodes", len(got.Triangles), len(got.Nodes))
	}
	for i, tri := range s.Triangles {
		for c := range tri {
			if d := s.Nodes[tri[c]].Sub(got.Nodes[got.Triangles[i][c]]).Len(); !(d < 1e-6) {
				t.Fatalf("triangle %d corner %d is off by %g", i, c, d)
			}
		}
	}
	if math.Abs(got.Volume()-140) > 1e-4 {
		t.Errorf("volume %g", got.Volume())
	}
}

func TestWriteVTUFields(t *testing.T) {
	m := testBox(t, [3]int{1, 1, 1})
	u := make([]float64, 24)
	for i := range u {
		u[i] = math.Sqrt(float64(i))
	}
	var out bytes.Buffer
	if err := m.WriteVTU(&out, Field{Name: "displacement <m>", Components: 3, Values: u}, Field{Name: "stress", Components: 1, Values: []float64{7}, OnElements: true}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), []byte("displacement &lt;m&gt;")) {
		t.Error("the field's name is not escaped")
	}
	if _, err := Decode("x", out.Bytes()); err != nil {
		t.Error(err)
	}
	if err := m.WriteVTU(io.Discard, Field{Name: "short", Components: 3, Values: u[:5]}); err == nil {
		t.Error("a short field is accepted")
	}
}

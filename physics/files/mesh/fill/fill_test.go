package fill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/mesh/doctor"
	"hapco/physics/machinery/testkit"
)

// globe is a sphere of triangles, n rings.
func globe(n int, radius float64, centre mgl64.Vec3) *mesh.Triangles {
	s := &mesh.Triangles{File: "globe.stl", Nodes: []mgl64.Vec3{{0, 0, radius}}}
	for i := 1; i < n; i++ {
		for j := range 2 * n {
			a, b := math.Pi*float64(i)/float64(n), math.Pi*float64(j)/float64(n)
			s.Nodes = append(s.Nodes, mgl64.Vec3{math.Sin(a) * math.Cos(b), math.Sin(a) * math.Sin(b), math.Cos(a)}.Mul(radius))
		}
	}
	s.Nodes = append(s.Nodes, mgl64.Vec3{0, 0, -radius})
	at := func(i, j int) int32 {
		switch i {
		case 0:
			return 0
		case n:
			return int32(len(s.Nodes) - 1)
		}
		return int32(1 + (i-1)*2*n + j%(2*n))
	}
	for i := range n {
		for j := range 2 * n {
			if i > 0 {
				s.Triangles = append(s.Triangles, [3]int32{at(i, j), at(i+1, j), at(i, j+1)})
			}
			if i < n-1 {
				s.Triangles = append(s.Triangles, [3]int32{at(i, j+1), at(i+1, j), at(i+1, j+1)})
			}
		}
	}
	for i := range s.Nodes {
		s.Nodes[i] = s.Nodes[i].Add(centre)
	}
	return s
}

// ring is a torus.
func ring(n int, big, small float64) *mesh.Triangles {
	s := &mesh.Triangles{File: "ring.stl"}
	for i := range n {
		for j := range n {
			a, b := 2*math.Pi*float64(i)/float64(n), 2*math.Pi*float64(j)/float64(n)
			r := big + small*math.Cos(b)
			s.Nodes = append(s.Nodes, mgl64.Vec3{r * math.Cos(a), small * math.Sin(b), r * math.Sin(a)})
			p := func(i, j int) int32 { return int32(i%n*n + j%n) }
			s.Triangles = append(s.Triangles, [3]int32{p(i, j), p(i, j+1), p(i+1, j)}, [3]int32{p(i+1, j), p(i, j+1), p(i+1, j+1)})
		}
	}
	return s
}

func joined(parts ...*mesh.Triangles) *mesh.Triangles {
	out := &mesh.Triangles{File: "joined.stl"}
	for _, s := range parts {
		base := int32(len(out.Nodes))
		out.Nodes = append(out.Nodes, s.Nodes...)
		for _, t := range s.Triangles {
			out.Triangles = append(out.Triangles, [3]int32{base + t[0], base + t[1], base + t[2]})
		}
	}
	return out
}

func cuboid(t testing.TB) *mesh.Triangles {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{4, 2, 3}, [3]int{4, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Triangles()
	s.File = "cuboid.stl"
	return s
}

// laws checks what every filling must keep, and returns its share of the volume.
func laws(t *testing.T, m *mesh.Mesh, volume float64) float64 {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if r := doctor.Examine(m, ""); !r.Fine() {
		t.Errorf("%s", r.Text())
	}
	// Were elements on top of each other, they would fill more than their boundary encloses.
	if filled, enclosed := m.Volume(), m.Triangles().Volume(); math.Abs(filled-enclosed) > 1e-9*enclosed {
		t.Errorf("the tetrahedra fill %g, their boundary encloses %g", filled, enclosed)
	}
	if set := m.NodeSets[SupportSet]; !m.Spans(set) {
		t.Errorf("the support %v lets the body turn", set)
	}
	return m.Volume() / volume
}

// TestBuiltIn: bodies with a ball's, a torus's, a box's and a hollow shape are
// filled with well shaped tetrahedra that come nearer to the body as the size falls.
func TestBuiltIn(t *testing.T) {
	for name, c := range map[string]struct {
		s      *mesh.Triangles
		sizes  []float64
		pieces int
	}{
		"ball":   {globe(24, 1, mgl64.Vec3{}), []float64{0.4, 0.2, 0.1}, 1},
		"ring":   {ring(40, 1, 0.4), []float64{0.2, 0.15, 0.08}, 1},
		"box":    {cuboid(t), []float64{0.9, 0.5, 0.25}, 1},
		"hollow": {joined(globe(24, 1, mgl64.Vec3{}), globe(12, 0.5, mgl64.Vec3{0.1, 0, 0})), []float64{0.2, 0.1}, 1},
		"two":    {joined(globe(12, 1, mgl64.Vec3{}), globe(12, 0.7, mgl64.Vec3{3, 0, 0})), []float64{0.3, 0.15}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			want := 0.0
			for _, solid := range solids(c.s) {
				want += solid.Volume()
			}
			last := 1.0
			if testkit.Race {
				c.sizes = c.sizes[:1]
			}
			for _, size := range c.sizes {
				m, err := Fill(context.Background(), c.s, Options{Size: size, Method: BuiltIn})
				if err != nil {
					t.Fatal(err)
				}
				if _, pieces := m.Components(); pieces != c.pieces {
					t.Errorf("size %g: %d pieces", size, pieces)
				}
				var share float64
				if c.pieces == 1 {
					share = laws(t, m, want)
				} else {
					share = m.Volume() / want
				}
				if off := math.Abs(1 - share); !(off < last) {
					t.Errorf("size %g: off by %g of the volume, before %g", size, off, last)
				} else {
					last = off
				}
				shapes(t, m)
				if edge := meanEdge(m); !(edge > 0.7*size && edge < 1.2*size) {
					t.Errorf("size %g: the mean edge is %g", size, edge)
				}
			}
			if !testkit.Race && !(last < 0.05) {
				t.Errorf("at the last size %g of the volume is missing", last)
			}
		})
	}
}

// shapes: the angles that the method promises.
func shapes(t *testing.T, m *mesh.Mesh) {
	t.Helper()
	b := &m.Blocks[0]
	low, high := 180.0, 0.0
	for e := range b.Len() {
		n := b.Element(e)
		l, h := mesh.DihedralAngles(mesh.Tet4, []mgl64.Vec3{m.Nodes[n[0]], m.Nodes[n[1]], m.Nodes[n[2]], m.Nodes[n[3]]})
		low, high = math.Min(low, l), math.Max(high, h)
	}
	if !(low > 10 && high < 165) {
		t.Errorf("angles between faces from %g to %g degrees", low, high)
	}
}

func meanEdge(m *mesh.Mesh) float64 {
	sum, count := 0.0, 0
	b := &m.Blocks[0]
	for e := range b.Len() {
		n := b.Element(e)
		for i := range n {
			for j := range i {
				sum += m.Nodes[n[i]].Sub(m.Nodes[n[j]]).Len()
				count++
			}
		}
	}
	return sum / float64(count)
}

// TestBoundaryLiesOnTheSurface: the built-in mesher's boundary nodes are on it.
func TestBoundaryLiesOnTheSurface(t *testing.T) {
	s := cuboid(t)
	m, err := Fill(context.Background(), s, Options{Size: 0.4, Method: BuiltIn})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Triangles().Nodes {
		off := math.Inf(1)
		for k, length := range []float64{4, 2, 3} {
			off = math.Min(off, math.Min(math.Abs(x[k]), math.Abs(x[k]-length)))
		}
		if off > 1e-9 {
			t.Fatalf("a boundary node at %v is %g off the box", x, off)
		}
	}
}

// TestSameTwice: the result does not depend on the order of maps.
func TestSameTwice(t *testing.T) {
	s := ring(30, 1, 0.2)
	var first *mesh.Mesh
	for range 3 {
		m, err := Fill(context.Background(), s, Options{Size: 0.25, Method: BuiltIn})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		} else if !slices.Equal(m.Nodes, first.Nodes) || !slices.Equal(m.Blocks[0].Nodes, first.Blocks[0].Nodes) {
			t.Fatal("the same surface is filled otherwise")
		}
	}
}

// TestRandomBodies: whatever the closed surface and the size, what comes out is
// sound, or nothing fits in.
func TestRandomBodies(t *testing.T) {
	rounds := 60
	if testkit.Race || testing.Short() {
		rounds = 10
	}
	r := rand.New(rand.NewPCG(1, 2))
	filled := 0
	for range rounds {
		s := globe(4+r.IntN(12), 1, mgl64.Vec3{})
		for i, x := range s.Nodes {
			s.Nodes[i] = mgl64.Vec3{x[0] * (0.2 + r.Float64()), x[1], x[2]}.Mul(0.4 + r.Float64())
		}
		m, err := Fill(context.Background(), s, Options{Size: 0.08 + 0.5*r.Float64(), Method: BuiltIn})
		if err != nil {
			if !strings.Contains(err.Error(), "smaller size") {
				t.Fatal(err)
			}
			continue
		}
		filled++
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		rep := doctor.Examine(m, "")
		if rep.Find("non-manifold") != nil || rep.Find("hinge") != nil || rep.Find("inverted") != nil {
			t.Fatal(rep.Text())
		}
		shapes(t, m)
	}
	if filled < rounds/2 {
		t.Errorf("only %d of %d bodies were filled", filled, rounds)
	}
}

// TestAlignedBoxes: the lattice's rays run through nodes and along edges of no box.
func TestAlignedBoxes(t *testing.T) {
	for _, n := range []int{3, 5, 8} {
		if testkit.Race && n > 3 {
			break
		}
		s := cuboid(t)
		size := 1 / float64(n)
		for shift := range 3 {
			for i := range s.Nodes {
				s.Nodes[i][0] += float64(shift) * size / 2
			}
			m, err := stuff(s, size*(6+4*math.Sqrt(3))/14)
			if err != nil {
				t.Fatal(err)
			}
			if v := m.Volume(); !(v > 24*0.8 && v <= 24*(1+1e-9)) {
				t.Errorf("edge 1/%d, shift %d: volume %g of 24", n, shift, v)
			}
		}
	}
}

// TestSolids: shells within shells are cavities, and bodies again within those.
func TestSolids(t *testing.T) {
	inward := globe(8, 3, mgl64.Vec3{})
	for i, n := range inward.Triangles {
		inward.Triangles[i] = [3]int32{n[0], n[2], n[1]}
	}
	s := joined(globe(8, 1, mgl64.Vec3{}), inward, globe(8, 2, mgl64.Vec3{}), globe(8, 1, mgl64.Vec3{10, 0, 0}))
	unit := globe(8, 1, mgl64.Vec3{}).Volume()
	var got []float64
	for _, solid := range solids(s) {
		got = append(got, math.Round(1e6*solid.Volume()/unit)/1e6)
	}
	slices.Sort(got)
	if !slices.Equal(got, []float64{1, 1, 27 - 8}) {
		t.Errorf("volumes %v balls, want 1, 1, 19", got)
	}
}

func TestRefusals(t *testing.T) {
	open := cuboid(t)
	open.Triangles = open.Triangles[1:]
	for name, c := range map[string]struct {
		s    *mesh.Triangles
		o    Options
		says string
	}{
		"open":      {open, Options{}, "cuboid.stl: the surface is open: 3 edges"},
		"below 0":   {cuboid(t), Options{Size: -1}, "size -1"},
		"NaN":       {cuboid(t), Options{Size: math.NaN()}, "size NaN"},
		"infinite":  {cuboid(t), Options{Size: math.Inf(1)}, "size +Inf"},
		"too large": {cuboid(t), Options{Size: 6}, "larger than the body"},
		"too small": {cuboid(t), Options{Size: 1e-3}, "use a larger size"},
		"vanishing": {cuboid(t), Options{Size: 1e-200}, "use a larger size"},
		"mesher":    {cuboid(t), Options{Method: "tetgen"}, `mesher "tetgen" is unknown`},
	} {
		m, err := Fill(context.Background(), c.s, c.o)
		var refusal *Refusal
		if m != nil || !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The body is thinner than the lattice.
	if _, err := Fill(context.Background(), globe(8, 0.1, mgl64.Vec3{}), Options{Size: 0.3, Method: BuiltIn}); err == nil || !strings.Contains(err.Error(), "smaller size") {
		t.Errorf("a ball of one edge: %v", err)
	}
}

// program puts a shell script in the place of gmsh.
func program(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	if text != "" {
		if err := os.WriteFile(filepath.Join(dir, "gmsh"), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		dir += string(os.PathListSeparator) + "/bin" + string(os.PathListSeparator) + "/usr/bin"
	}
	t.Setenv("PATH", dir)
}

// TestGmshFailures: a program that is absent, fails, hangs or writes nonsense gives
// one clear line, and auto goes on with the built-in mesher.
func TestGmshFailures(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"absent":   {"", "not installed"},
		"fails":    {"echo 'Error   : PLC broken'; exit 1", "PLC broken"},
		"crashes":  {"echo oops; exit 3", "oops"},
		"nothing":  {"exit 0", "volume0.msh"},
		"nonsense": {"for k in 0 1 2; do echo rubbish > volume$k.msh; done", "no mesh format"},
		"hangs":    {"exec sleep 3600", "stopped after"},
	} {
		t.Run(name, func(t *testing.T) {
			program(t, c.script)
			o := Options{Size: 0.5, Method: Gmsh, TimeLimit: 300 * time.Millisecond}
			if name != "hangs" {
				o.TimeLimit = 0
			}
			_, err := Fill(context.Background(), cuboid(t), o)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("gmsh: %v", err)
			}
			var refusal *Refusal
			if errors.As(err, &refusal) {
				t.Error("it counts as bad input")
			}
			o.Method = Auto
			m, err := Fill(context.Background(), cuboid(t), o)
			if err != nil || len(m.Notes) == 0 || !strings.Contains(m.Notes[0], c.says) {
				t.Errorf("auto: %v", err)
			}
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		begun := filepath.Join(t.TempDir(), "begun")
		program(t, "touch "+begun+"; exec sleep 3600")
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			defer cancel()
			testkit.Eventually(t, "gmsh", func() bool { _, err := os.Stat(begun); return err == nil })
		}()
		if _, err := Fill(ctx, cuboid(t), Options{Size: 0.5}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// TestGmsh: the real program, on a ball, a hollow ball and two balls.
func TestGmsh(t *testing.T) {
	if _, err := exec.LookPath("gmsh"); err != nil {
		t.Skip("the gmsh program is not installed")
	}
	if testing.Short() || testkit.Race {
		t.Skip("starts another program")
	}
	for name, c := range map[string]struct {
		s     *mesh.Triangles
		parts int
	}{
		"ball":   {globe(16, 1, mgl64.Vec3{}), 1},
		"hollow": {joined(globe(16, 1, mgl64.Vec3{}), globe(12, 0.5, mgl64.Vec3{0.1, 0, 0})), 1},
		"two":    {joined(globe(12, 1, mgl64.Vec3{}), globe(12, 0.7, mgl64.Vec3{3, 0, 0})), 2},
	} {
		want := 0.0
		for _, solid := range solids(c.s) {
			want += solid.Volume()
		}
		m, err := Fill(context.Background(), c.s, Options{Size: 0.25, Method: Gmsh})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, parts := m.Components(); parts != c.parts {
			t.Errorf("%s: %d parts", name, parts)
		}
		if share := m.Volume() / want; !(share > 0.9 && share < 1.01) {
			t.Errorf("%s: %g of the volume", name, share)
		}
		if edge := meanEdge(m); !(edge > 0.1 && edge < 0.35) {
			t.Errorf("%s: the mean edge is %g", name, edge)
		}
	}
}

// TestSharedSurfaces: every sample surface is filled both ways, or refused with
// the true reason.
func TestSharedSurfaces(t *testing.T) {
	dir := testkit.Shared(t, "data", "meshes")
	_, noGmsh := exec.LookPath("gmsh")
	for name, refused := range map[string]map[Method]string{
		"Bunny.stl":                   {},
		"malleus.obj":                 {},
		"liver.vtk":                   {},
		"liver-smooth.obj":            {Gmsh: "the surface passes through itself: 8 triangles cross another"},
		"dental_instrument_light.obj": {Gmsh: "the surface is open: 16 edges", BuiltIn: "the surface is open: 16 edges"},
	} {
		for _, method := range []Method{BuiltIn, Gmsh} {
			if method == Gmsh && (noGmsh != nil || testing.Short() || testkit.Race) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, method), func(t *testing.T) {
				s, err := mesh.LoadSurface(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				m, err := Fill(context.Background(), s, Options{Method: method})
				if says := refused[method]; says != "" {
					if err == nil || !strings.Contains(err.Error(), says) {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if share := laws(t, m, math.Abs(s.Volume())); !(share > 0.85 && share < 1.02) {
					t.Errorf("%g of the volume", share)
				}
			})
		}
	}
}

// A mesh that the memory does not hold is refused before it is made, with a size that would do.
func TestFillKeepsToTheMemory(t *testing.T) {
	defer func(was func() (uint64, bool)) { free = was }(free)
	s := cuboid(t)
	low, high := s.Bounds()
	size := high.Sub(low).Len() / 10
	free = func() (uint64, bool) { return 20_000, true }
	_, err := Fill(t.Context(), s, Options{Method: BuiltIn, Size: size})
	var refusal *Refusal
	if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "GB are free (use a size above ") {
		t.Fatal(err)
	}
	var cure float64
	if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "above"):], "above %g", &cure); err != nil || !(cure > size) {
		t.Fatal(err, cure)
	}
	for _, known := range []bool{true, false} {
		free = func() (uint64, bool) { return 1 << 40, known }
		if m, err := Fill(t.Context(), s, Options{Method: BuiltIn, Size: size}); err != nil || m.Elements() == 0 {
			t.Error(err)
		}
	}
}

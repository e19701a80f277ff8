package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
)

// What CalculiX's result files allow: 7 digits of displacements in the .dat file,
// 6 of stresses in the .frd file. It extrapolates the stresses of hexahedra from
// the quadrature points with weights that it knows to 4 digits.
const (
	displacementTolerance = 1e-6 // of the greatest displacement
	tetrahedronTolerance  = 1e-5 // of the greatest von Mises stress
	hexahedronTolerance   = 1e-4
)

// TestCalculiX compares displacements and von Mises stresses with CalculiX (Debian
// package calculix-ccx) on the same mesh, supports and loads. The mesh goes through
// `hapco mesh convert`. -v prints what docs/measurements.md sums up.
//
// C3D4 has one integration point; C3D8 has 2x2x2 and no cure of locking (C3D8I has
// incompatible modes, C3D8R one point), so that both are our elements.
func TestCalculiX(t *testing.T) {
	program, err := exec.LookPath("ccx")
	if err != nil {
		t.Skip("the ccx program is not installed (apt-get install calculix-ccx)")
	}
	if testing.Short() {
		t.Skip("starts another program")
	}
	cases := map[string]*mesh.Mesh{}
	block, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.08, 0.025, 0.035}, [3]int{10, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	cases["box of hexahedra"] = block
	cases["box of skewed hexahedra"] = skewed(block)
	if dir, ok := testkit.SharedFile("data", "meshes"); ok {
		for _, name := range []string{"liver.msh", "liver2.msh", "truthcylinder1.msh"} {
			m, err := mesh.Load(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			m.Scale(1e-2)
			cases[name+", tetrahedra"] = m
			cases[name+", hexahedra"] = quartered(m)
		}
	} else {
		t.Log("the sample meshes are absent (HAPCO_SHARED): boxes only")
	}
	for name, m := range cases {
		t.Run(name, func(t *testing.T) { compareWithCalculiX(t, program, m) })
	}
}

// skewed moves the nodes of a box about: the elements become general hexahedra.
func skewed(m *mesh.Mesh) *mesh.Mesh {
	s := *m
	s.Nodes = nil
	for i, x := range m.Nodes {
		w := float64(i)
		s.Nodes = append(s.Nodes, x.Add(mgl64.Vec3{math.Sin(7 * w), math.Sin(11 * w), math.Sin(13 * w)}.Mul(8e-4)))
	}
	return &s
}

// quartered splits every tetrahedron into four hexahedra, one at each corner.
func quartered(m *mesh.Mesh) *mesh.Mesh {
	out := &mesh.Mesh{Nodes: append([]mgl64.Vec3(nil), m.Nodes...), Blocks: []mesh.Block{{Type: mesh.Hex8}}}
	middles := map[[4]int32]int32{}
	middle := func(n ...int32) int32 {
		key := [4]int32{-1, -1, -1, -1}
		copy(key[:], n)
		for i := range key { // sorted: at most four
			for j := range i {
				if key[i] < key[j] {
					key[i], key[j] = key[j], key[i]
				}
			}
		}
		if id, ok := middles[key]; ok {
			return id
		}
		var sum mgl64.Vec3
		for _, k := range n {
			sum = sum.Add(m.Nodes[k])
		}
		middles[key] = int32(len(out.Nodes))
		out.Nodes = append(out.Nodes, sum.Mul(1/float64(len(n))))
		return middles[key]
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range b.Len() {
			n := b.Element(e)
			for _, p := range [4][4]int{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}} { // even: the sense stays
				a, b, c, d := n[p[0]], n[p[1]], n[p[2]], n[p[3]]
				out.Blocks[0].Nodes = append(out.Blocks[0].Nodes,
					a, middle(a, b), middle(a, b, c), middle(a, c), middle(a, d), middle(a, b, d), middle(a, b, c, d), middle(a, c, d))
			}
		}
	}
	return out
}

// compareWithCalculiX solves one mesh with both.
func compareWithCalculiX(t *testing.T, program string, m *mesh.Mesh) {
	dir := t.TempDir()
	material := fem.Material{Young: 1.2345e8, Poisson: 0.4}
	m.NodeNumbers, m.ElementNumbers = nil, nil // both number from 1
	fixed, _ := mesh.DefaultSupport(m)
	load := testLoad(m)

	source := filepath.Join(dir, "mesh.msh")
	if err := app.WriteOut(source, m.WriteGmsh); err != nil {
		t.Fatal(err)
	}
	if status := run(context.Background(), []string{"mesh", "convert", source, filepath.Join(dir, "mesh.inp")}); status != 0 {
		t.Fatalf("mesh convert: status %d", status)
	}
	if err := app.WriteOut(filepath.Join(dir, "job.inp"), func(w io.Writer) error { return writeJob(w, m, material, fixed, load) }); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-i", "job")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	if said, err := cmd.CombinedOutput(); err != nil || bytes.Contains(said, []byte("*ERROR")) {
		t.Fatalf("ccx: %v\n%s", err, said)
	}
	theirs := readDisplacements(t, filepath.Join(dir, "job.dat"), len(m.Nodes))
	theirStress := readVonMises(t, filepath.Join(dir, "job.frd"), len(m.Nodes))

	factor, err := flex.Factorize(m, fixed, material.Poisson)
	if err != nil {
		t.Fatal(err)
	}
	defer factor.Close()
	u := make([]float64, 3*len(m.Nodes))
	factor.Solve(u, load)
	for i := range u {
		u[i] /= material.Young
	}
	stress := make([]float64, len(m.Nodes))
	fem.VonMises(stress, m, material, u)

	uMax, uOff := worst(u, theirs)
	sMax, sOff := worst(stress, theirStress)
	t.Logf("%d nodes, %d elements: greatest displacement %.6g m, off by %.1e of it; greatest von Mises stress %.6g Pa, off by %.1e of it",
		len(m.Nodes), m.Elements(), uMax, uOff, sMax, sOff)
	stressTolerance := tetrahedronTolerance
	if m.Blocks[0].Type == mesh.Hex8 {
		stressTolerance = hexahedronTolerance
	}
	if !(uOff <= displacementTolerance) || !(sOff <= stressTolerance) || !(uMax > 0) || !(sMax > 0) {
		t.Errorf("displacements off by %g (%g allowed), stresses by %g (%g allowed)", uOff, displacementTolerance, sOff, stressTolerance)
	}
}

// worst is the greatest magnitude in a, and the greatest difference to b as a share of it.
func worst(a, b []float64) (greatest, off float64) {
	for i := range a {
		greatest = math.Max(greatest, math.Abs(a[i]))
		off = math.Max(off, math.Abs(a[i]-b[i]))
	}
	return greatest, off / greatest
}

// testLoad pushes the upper nodes down and aside, each a little differently. N.
func testLoad(m *mesh.Mesh) []float64 {
	low, high := m.Bounds()
	load := make([]float64, 3*len(m.Nodes))
	for n, x := range m.Nodes {
		if x[1] > high[1]-0.3*(high[1]-low[1]) {
			w := float64(n)
			load[3*n], load[3*n+1], load[3*n+2] = 0.01*math.Sin(w), -0.02-0.01*math.Cos(3*w), 0.01*math.Sin(5*w)
		}
		// Few digits: what is written is what is solved.
		for k := range 3 {
			load[3*n+k] = math.Round(load[3*n+k]*1e9) / 1e9
		}
	}
	return load
}

// writeJob writes a static job around the converted mesh.
func writeJob(w io.Writer, m *mesh.Mesh, material fem.Material, fixed []int32, load []float64) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "*INCLUDE, INPUT=mesh.inp\n*ELSET, ELSET=BODY, GENERATE\n1, %d\n*NSET, NSET=ALL, GENERATE\n1, %d\n", m.Elements(), len(m.Nodes))
	fmt.Fprintf(out, "*MATERIAL, NAME=TISSUE\n*ELASTIC\n%v, %v\n*SOLID SECTION, ELSET=BODY, MATERIAL=TISSUE\n*BOUNDARY\n", material.Young, material.Poisson)
	for _, n := range fixed {
		fmt.Fprintf(out, "%d, 1, 3\n", n+1)
	}
	fmt.Fprint(out, "*STEP\n*STATIC\n*CLOAD\n")
	for i, f := range load {
		if f != 0 {
			fmt.Fprintf(out, "%d, %d, %v\n", i/3+1, i%3+1, f)
		}
	}
	fmt.Fprint(out, "*NODE PRINT, NSET=ALL\nU\n*EL FILE\nS\n*END STEP\n")
	return out.Flush()
}

// readDisplacements reads the table of a .dat file: node, ux, uy, uz.
func readDisplacements(t *testing.T, name string, nodes int) []float64 {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 3*nodes)
	count := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil || n < 1 || n > nodes {
			continue // a headline
		}
		for k := range 3 {
			if u[3*(n-1)+k], err = strconv.ParseFloat(f[k+1], 64); err != nil {
				t.Fatalf("%s: %q", name, line)
			}
		}
		count++
	}
	if count != nodes {
		t.Fatalf("%s holds %d of %d nodes", name, count, nodes)
	}
	return u
}

// readVonMises reads the stress tensors of a .frd file (columns of 12 characters
// from the 14th on) and makes von Mises stresses of them.
func readVonMises(t *testing.T, name string, nodes int) []float64 {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stress := make([]float64, nodes)
	count, inside := 0, false
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, " -4  STRESS"):
			inside = true
		case strings.HasPrefix(line, " -3"):
			inside = false
		case inside && strings.HasPrefix(line, " -1"):
			n, err := strconv.Atoi(strings.TrimSpace(line[3:13]))
			if err != nil || n < 1 || n > nodes {
				t.Fatalf("%s: %q", name, line)
			}
			var s [6]float64 // xx yy zz xy yz zx
			for k := range s {
				if s[k], err = strconv.ParseFloat(strings.TrimSpace(line[13+12*k:25+12*k]), 64); err != nil {
					t.Fatalf("%s: %q", name, line)
				}
			}
			d := [3]float64{s[0] - s[1], s[1] - s[2], s[2] - s[0]}
			stress[n-1] = math.Sqrt((d[0]*d[0]+d[1]*d[1]+d[2]*d[2])/2 + 3*(s[3]*s[3]+s[4]*s[4]+s[5]*s[5]))
			count++
		}
	}
	if count != nodes {
		t.Fatalf("%s holds the stress of %d of %d nodes", name, count, nodes)
	}
	return stress
}

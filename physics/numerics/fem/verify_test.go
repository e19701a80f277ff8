package fem_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
)

// verify.json holds the results of an independent implementation, in mm, N and
// MPa. Lengths here are in mm too and E in MPa, so its numbers apply as they are:
// nothing in the package depends on the units as long as they agree.
func verify(t testing.TB) map[string]map[string]any {
	data, err := os.ReadFile("testdata/verify.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]any{}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// near fails unless got is within tolerance, relative.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g to %g", what, got, want, tolerance)
	}
}

func box(t testing.TB, size mgl64.Vec3, n [3]int) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Box(mgl64.Vec3{}, size, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func stiffness(t testing.TB, m *mesh.Mesh, nu float64) []float64 {
	t.Helper()
	b := &m.Blocks[0]
	x := make([]mgl64.Vec3, b.Type.NodeCount())
	for i, n := range b.Element(0) {
		x[i] = m.Nodes[n]
	}
	ke := make([]float64, 9*len(x)*len(x))
	if err := fem.Stiffness(ke, b.Type, x, nu); err != nil {
		t.Fatal(err)
	}
	return ke
}

func TestElementNumbers(t *testing.T) {
	cases := verify(t)
	for name, c := range map[string]struct {
		size  mgl64.Vec3
		e, nu float64
	}{
		"ke_unit":  {mgl64.Vec3{1, 1, 1}, 1, 0.3},
		"ke_brick": {mgl64.Vec3{8, 5, 3.5}, 0.02, 0.4}, // an element of the bench A obstacle
	} {
		ke := stiffness(t, box(t, c.size, [3]int{1, 1, 1}), c.nu)
		want := func(key string) float64 { return cases[name][key].(float64) }
		trace, fro := 0.0, 0.0
		for i := range 24 {
			trace += c.e * ke[25*i]
		}
		for _, v := range ke {
			fro += c.e * c.e * v * v
		}
		near(t, name+" k00", c.e*ke[0], want("k00"), 1e-12)
		near(t, name+" k01", c.e*ke[1], want("k01"), 1e-12)
		near(t, name+" k03", c.e*ke[3], want("k03"), 1e-12)
		near(t, name+" k0,18", c.e*ke[18], want("k0_18"), 1e-12)
		near(t, name+" trace", trace, want("trace"), 1e-12)
		near(t, name+" norm", math.Sqrt(fro), want("fro"), 1e-12)
		eig := eigenvalues(ke, 24)
		zero := 0
		for _, v := range eig {
			if math.Abs(v) < 1e-12*eig[23] {
				zero++
			}
		}
		near(t, name+" zero modes", float64(zero), want("zero_modes"), 0)
		near(t, name+" seventh eigenvalue", c.e*eig[6], want("eig7"), 1e-10)
		near(t, name+" largest eigenvalue", c.e*eig[23], want("eig_max"), 1e-12)
	}
}

// tipLoad gives the consistent nodal loads of a traction on the face X = L,
// bilinear in each quadrangle, integrated with 2x2 Gauss points.
func tipLoad(m *mesh.Mesh, size mgl64.Vec3, n [3]int, traction func(y float64) mgl64.Vec3) []float64 {
	load := make([]float64, 3*len(m.Nodes))
	hy, hz := size[1]/float64(n[1]), size[2]/float64(n[2])
	g := 1 / math.Sqrt(3)
	for j := range n[1] {
		for k := range n[2] {
			for q := range 4 {
				gy, gz := g*float64(2*(q&1)-1), g*float64(q&2-1)
				f := traction((float64(j) + 0.5 + gy/2) * hy)
				for c := range 4 {
					dj, dk := c&1, c>>1
					w := (1 + gy*float64(2*dj-1)) * (1 + gz*float64(2*dk-1)) / 4 * hy * hz / 4
					id := n[0] + (n[0]+1)*(j+dj+(n[1]+1)*(k+dk))
					for axis := range 3 {
						load[3*id+axis] += w * f[axis]
					}
				}
			}
		}
	}
	return load
}

// solve finds K u = load with the dofs where held is true at their value in u,
// by conjugate gradients: slow, and independent of the factorisation.
func solve(t testing.TB, m *mesh.Mesh, e, nu float64, held []bool, load, u []float64) {
	t.Helper()
	k, err := fem.Assemble(m, nil, nu)
	if err != nil {
		t.Fatal(err)
	}
	n := len(u)
	r, p, q := make([]float64, n), make([]float64, n), make([]float64, n)
	k.MulVec(q, u)
	rr := 0.0
	scale := 0.0
	for i := range r {
		q[i] *= e
		scale += load[i]*load[i] + q[i]*q[i]
		if !held[i] {
			r[i] = load[i] - q[i]
		}
		p[i] = r[i]
		rr += r[i] * r[i]
	}
	for iteration := 0; rr > 1e-28*scale; iteration++ {
		if iteration > 20*n {
			t.Fatalf("conjugate gradients stalled at %g of %g", rr, scale)
		}
		k.MulVec(q, p)
		pq := 0.0
		for i := range q {
			if q[i] *= e; held[i] {
				q[i] = 0
			}
			pq += p[i] * q[i]
		}
		alpha, old := rr/pq, rr
		rr = 0
		for i := range r {
			u[i] += alpha * p[i]
			r[i] -= alpha * q[i]
			rr += r[i] * r[i]
		}
		for i := range p {
			p[i] = r[i] + rr/old*p[i]
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// beams of verify.json: the size and the elements are in the case's name.
var beams = map[string]struct {
	size  mgl64.Vec3
	n     [3]int
	e, nu float64
}{
	"obstacle_80x25x35_10x5x10": {mgl64.Vec3{80, 25, 35}, [3]int{10, 5, 10}, 0.02, 0.4},
	"slender_100x10x10_10x2x2":  {mgl64.Vec3{100, 10, 10}, [3]int{10, 2, 2}, 210000, 0.3},
	"slender_100x10x10_20x4x4":  {mgl64.Vec3{100, 10, 10}, [3]int{20, 4, 4}, 210000, 0.3},
	"slender_100x10x10_40x4x4":  {mgl64.Vec3{100, 10, 10}, [3]int{40, 4, 4}, 210000, 0.3},
	"slender_100x10x10_80x8x8":  {mgl64.Vec3{100, 10, 10}, [3]int{80, 8, 8}, 210000, 0.3},
}

// TestCantilever: clamped at X = 0, shear traction of 1 N in all on the far face.
func TestCantilever(t *testing.T) {
	for name, want := range verify(t) {
		name, ok := strings.CutPrefix(name, "cantilever_")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := beams[name]
			if c.n[0] >= 80 && testing.Short() || c.n[0] >= 20 && testkit.Race {
				t.Skip("many unknowns for conjugate gradients")
			}
			m := box(t, c.size, c.n)
			load := tipLoad(m, c.size, c.n, func(float64) mgl64.Vec3 { return mgl64.Vec3{0, -1 / (c.size[1] * c.size[2]), 0} })
			u := make([]float64, len(load))
			held := make([]bool, len(load))
			for _, n := range m.NodeSets["end"] {
				held[3*n], held[3*n+1], held[3*n+2] = true, true, true
			}
			solve(t, m, c.e, c.nu, held, load, u)
			tip := c.n[0] + (c.n[0]+1)*(c.n[1]/2+(c.n[1]+1)*(c.n[2]/2))
			near(t, "deflection at the tip's centre", u[3*tip+1], want["tip_centre_uy"].(float64), 1e-8)
			near(t, "energy", dot(u, load)/2, want["energy"].(float64), 1e-8)
			reaction := forces(t, m, c.nu, u)
			sum := 0.0
			for _, n := range m.NodeSets["end"] {
				sum += c.e * reaction[3*n+1]
			}
			near(t, "reaction", sum, 1, 1e-8)
		})
	}
}

// TestBending: pure bending by 1 N mm. At X = 0 the section stays plane and may
// otherwise deform freely.
func TestBending(t *testing.T) {
	for name, want := range verify(t) {
		name, ok := strings.CutPrefix(name, "bending_")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := beams[name]
			if c.n[0] >= 80 && testing.Short() || c.n[0] >= 20 && testkit.Race {
				t.Skip("many unknowns for conjugate gradients")
			}
			m := box(t, c.size, c.n)
			inertia := c.size[2] * math.Pow(c.size[1], 3) / 12
			load := tipLoad(m, c.size, c.n, func(y float64) mgl64.Vec3 { return mgl64.Vec3{-(y - c.size[1]/2) / inertia, 0, 0} })
			u := make([]float64, len(load))
			held := make([]bool, len(load))
			for _, n := range m.NodeSets["left"] {
				held[3*n] = true
			}
			held[1], held[2] = true, true
			held[3*((c.n[0]+1)*c.n[1])+2] = true // turning about X
			solve(t, m, c.e, c.nu, held, load, u)
			tip := c.n[0] + (c.n[0]+1)*(c.n[1]/2+(c.n[1]+1)*(c.n[2]/2))
			base := tip - c.n[0]
			near(t, "deflection of the tip's centre", u[3*tip+1]-u[3*base+1], want["tip_uy"].(float64), 1e-8)
			near(t, "energy", dot(u, load)/2, want["energy"].(float64), 1e-8)
		})
	}
}

// TestCompression: a cube of tissue, 10 mm, pressed by 0.25 mm between smooth plates.
func TestCompression(t *testing.T) {
	want := verify(t)["compression"]
	m := box(t, mgl64.Vec3{10, 10, 10}, [3]int{3, 4, 2})
	u := make([]float64, 3*len(m.Nodes))
	held := make([]bool, len(u))
	for _, n := range m.NodeSets["bottom"] {
		held[3*n+1] = true
	}
	for _, n := range m.NodeSets["top"] {
		held[3*n+1], u[3*n+1] = true, -0.25
	}
	for _, n := range m.NodeSets["left"] {
		held[3*n] = true
	}
	for _, n := range m.NodeSets["back"] {
		held[3*n+2] = true
	}
	solve(t, m, 0.02, 0.4, held, make([]float64, len(u)), u)
	f := forces(t, m, 0.4, u)
	sum := 0.0
	for _, n := range m.NodeSets["top"] {
		sum += 0.02 * f[3*n+1]
	}
	near(t, "force", sum, want["exact"].(float64), 1e-10)
	near(t, "bulge", u[3*m.NodeSets["right"][0]], want["exact_ux"].(float64), 1e-10)
}

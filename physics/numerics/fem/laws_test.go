package fem_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
)

// eigenvalues of a symmetric n x n matrix, ascending.
func eigenvalues(a []float64, n int) []float64 {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a[i*n+j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return []float64{math.NaN()}
	}
	return e.Values(nil)
}

// meshes is a distorted block of each element type, whose inner nodes are moved
// so that no element is a brick, and the two types side by side.
func meshes(t testing.TB) map[string]*mesh.Mesh {
	hex := box(t, mgl64.Vec3{1.2, 0.9, 1.1}, [3]int{3, 3, 3})
	rng := rand.New(rand.NewPCG(7, 11))
	low, high := hex.Bounds()
	for i, x := range hex.Nodes {
		inside := true
		for k := range 3 {
			inside = inside && x[k] > low[k]+1e-9 && x[k] < high[k]-1e-9
		}
		for k := range 3 {
			if inside {
				hex.Nodes[i][k] += 0.06 * (rng.Float64() - 0.5)
			}
		}
	}
	// Six tetrahedra around the diagonal of each cube fit those of the neighbours.
	tet := &mesh.Mesh{Nodes: hex.Nodes, NodeSets: hex.NodeSets}
	var conn []int32
	b := &hex.Blocks[0]
	for e := range b.Len() {
		n := b.Element(e)
		ring := []int32{n[1], n[2], n[3], n[7], n[4], n[5], n[1]}
		for k := range 6 {
			conn = append(conn, n[0], ring[k], ring[k+1], n[6])
		}
	}
	tet.Blocks = []mesh.Block{{Type: mesh.Tet4, Nodes: conn}}
	for name, m := range map[string]*mesh.Mesh{"hex": hex, "tet": tet} {
		if err := m.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return map[string]*mesh.Mesh{"hex": hex, "tet": tet}
}

// affine is a displacement field with a full, unsymmetric gradient.
func affine(x mgl64.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{
		1e-3 * (0.3 + 1.0*x[0] + 0.4*x[1] - 0.7*x[2]),
		1e-3 * (-0.2 + 0.5*x[0] - 0.8*x[1] + 0.3*x[2]),
		1e-3 * (0.1 - 0.6*x[0] + 0.2*x[1] + 0.9*x[2]),
	}
}

func field(m *mesh.Mesh, f func(mgl64.Vec3) mgl64.Vec3) []float64 {
	u := make([]float64, 3*len(m.Nodes))
	for i, x := range m.Nodes {
		v := f(x)
		copy(u[3*i:], v[:])
	}
	return u
}

func largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = math.Max(most, math.Abs(x))
	}
	return most
}

// forces are K u element by element over all nodes, fixed ones included, at E = 1 Pa: at fixed nodes these are the
// reactions. u is flat, 3 a node, in m; they are in N.
func forces(t *testing.T, m *mesh.Mesh, nu float64, u []float64) []float64 {
	t.Helper()
	all := make([]float64, len(u))
	for i := range m.Blocks {
		b := &m.Blocks[i]
		n := b.Type.NodeCount()
		x, ke := make([]mgl64.Vec3, n), make([]float64, 9*n*n)
		for e := range b.Len() {
			nodes := b.Element(e)
			for a, id := range nodes {
				x[a] = m.Nodes[id]
			}
			if err := fem.Stiffness(ke, b.Type, x, nu); err != nil {
				t.Fatal(err)
			}
			for r := range 3 * n {
				for c := range 3 * n {
					all[3*int(nodes[r/3])+r%3] += ke[r*3*n+c] * u[3*int(nodes[c/3])+c%3]
				}
			}
		}
	}
	return all
}

// TestPatch: with the sides of the block displaced by an affine field, the inner
// nodes follow it exactly and are in balance, whatever the elements' shapes.
func TestPatch(t *testing.T) {
	for name, m := range meshes(t) {
		t.Run(name, func(t *testing.T) {
			want := field(m, affine)
			f := forces(t, m, 0.3, want)
			held := make([]bool, len(want))
			on := m.Surface().Index
			inner := 0.0
			u := make([]float64, len(want))
			for i := range u {
				if held[i] = on[i/3] >= 0; held[i] {
					u[i] = want[i]
				} else {
					inner = math.Max(inner, math.Abs(f[i]))
				}
			}
			if !(inner <= 1e-12*largest(f)) {
				t.Errorf("inner nodes out of balance by %g, sides carry %g", inner, largest(f))
			}
			solve(t, m, 1, 0.3, held, make([]float64, len(u)), u)
			worst := 0.0
			for i := range u {
				worst = math.Max(worst, math.Abs(u[i]-want[i]))
			}
			if !(worst <= 1e-12*largest(want)) {
				t.Errorf("inner displacements off by %g of %g", worst, largest(want))
			}
		})
	}
}

// TestPatchEnergy: the energy of an affine field is its density times the volume.
func TestPatchEnergy(t *testing.T) {
	lambda, mu := 0.3/(1.3*0.4), 1/2.6
	g := [3][3]float64{{1.0, 0.4, -0.7}, {0.5, -0.8, 0.3}, {-0.6, 0.2, 0.9}}
	trace, square := 0.0, 0.0
	for i := range 3 {
		trace += 1e-3 * g[i][i]
		for j := range 3 {
			e := 1e-3 * (g[i][j] + g[j][i]) / 2
			square += e * e
		}
	}
	density := lambda*trace*trace/2 + mu*square
	for name, m := range meshes(t) {
		u := field(m, affine)
		f := forces(t, m, 0.3, u)
		near(t, name+": energy", dot(u, f)/2, density*m.Volume(), 1e-12)
		near(t, name+": volume", m.Volume(), 1.2*0.9*1.1, 1e-12)
	}
}

// TestRigidMotion: translations and infinitesimal rotations cause no force.
func TestRigidMotion(t *testing.T) {
	for name, m := range meshes(t) {
		k, err := fem.Assemble(m, nil, 0.45)
		if err != nil {
			t.Fatal(err)
		}
		scale := largest(k.Value)
		for axis := range 3 {
			var e mgl64.Vec3
			e[axis] = 1
			for motion, move := range map[string]func(mgl64.Vec3) mgl64.Vec3{
				"translation": func(mgl64.Vec3) mgl64.Vec3 { return e },
				"rotation":    func(x mgl64.Vec3) mgl64.Vec3 { return e.Cross(x) },
			} {
				u := field(m, move)
				f := make([]float64, len(u))
				k.MulVec(f, u)
				if worst := largest(f); !(worst <= 1e-12*scale) {
					t.Errorf("%s: %s along axis %d gives a force of %g, entries of K reach %g", name, motion, axis, worst, scale)
				}
			}
		}
	}
}

// TestElementLaws: symmetric, positive semidefinite, six motions without force,
// and rows that sum to zero, on distorted elements and at extreme nu.
func TestElementLaws(t *testing.T) {
	for name, m := range meshes(t) {
		b := &m.Blocks[0]
		n := b.Type.NodeCount()
		x := make([]mgl64.Vec3, n)
		ke := make([]float64, 9*n*n)
		for e := 0; e < b.Len(); e += 5 {
			for i, id := range b.Element(e) {
				x[i] = m.Nodes[id]
			}
			for _, nu := range []float64{-0.9, -0.3, 0, 0.3, 0.49} {
				if err := fem.Stiffness(ke, b.Type, x, nu); err != nil {
					t.Fatal(err)
				}
				most := largest(ke)
				for i := range 3 * n {
					for j := range i {
						if !(math.Abs(ke[i*3*n+j]-ke[j*3*n+i]) <= 1e-14*most) {
							t.Fatalf("%s %d: not symmetric at %d, %d", name, e, i, j)
						}
					}
				}
				eig := eigenvalues(ke, 3*n)
				top := eig[3*n-1]
				for i, v := range eig {
					if i < 6 && !(math.Abs(v) <= 1e-13*top) {
						t.Errorf("%s %d, nu %g: eigenvalue %d = %g of %g is not zero", name, e, nu, i, v, top)
					}
					if i >= 6 && !(v > 1e-8*top) {
						t.Errorf("%s %d, nu %g: eigenvalue %d = %g of %g is not positive", name, e, nu, i, v, top)
					}
				}
			}
		}
	}
}

// TestTetrahedronClosedForm: of the tetrahedron 0, a ex, b ey, c ez the gradients
// are 1/a, 1/b, 1/c and minus their sum, and K_ab = V (...) with V = abc/6.
func TestTetrahedronClosedForm(t *testing.T) {
	a, b, c, nu := 2.0, 3.0, 5.0, 0.35
	lambda, mu := nu/((1+nu)*(1-2*nu)), 1/(2*(1+nu))
	v := a * b * c / 6
	ke := make([]float64, 144)
	if err := fem.Stiffness(ke, mesh.Tet4, []mgl64.Vec3{{}, {a, 0, 0}, {0, b, 0}, {0, 0, c}}, nu); err != nil {
		t.Fatal(err)
	}
	at := func(p, i, q, j int) float64 { return ke[(3*p+i)*12+3*q+j] }
	m := lambda + 2*mu
	for _, entry := range []struct {
		what      string
		got, want float64
	}{
		{"1x 1x", at(1, 0, 1, 0), v * m / (a * a)},
		{"1y 1y", at(1, 1, 1, 1), v * mu / (a * a)},
		{"2y 2y", at(2, 1, 2, 1), v * m / (b * b)},
		{"3z 3z", at(3, 2, 3, 2), v * m / (c * c)},
		{"1x 2y", at(1, 0, 2, 1), v * lambda / (a * b)},
		{"1y 2x", at(1, 1, 2, 0), v * mu / (a * b)},
		{"2z 3y", at(2, 2, 3, 1), v * mu / (b * c)},
		{"0x 0x", at(0, 0, 0, 0), v * (m/(a*a) + mu/(b*b) + mu/(c*c))},
		{"0x 0y", at(0, 0, 0, 1), v * (lambda + mu) / (a * b)},
		{"0x 1x", at(0, 0, 1, 0), -v * m / (a * a)},
	} {
		near(t, entry.what, entry.got, entry.want, 1e-13)
	}
	if got := at(1, 0, 2, 0); got != 0 {
		t.Errorf("1x 2x = %g, want 0", got)
	}
}

// TestAssembleFixed: fixing nodes takes out rows and columns and nothing else.
func TestAssembleFixed(t *testing.T) {
	for name, m := range meshes(t) {
		fixed := m.NodeSets["end"]
		k, err := fem.Assemble(m, fixed, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		if k.N != 3*(len(m.Nodes)-len(fixed)) || len(k.FreeNode) != len(m.Nodes)-len(fixed) {
			t.Fatalf("%s: %d unknowns with %d of %d nodes fixed", name, k.N, len(fixed), len(m.Nodes))
		}
		rng := rand.New(rand.NewPCG(3, 5))
		u := make([]float64, k.N)
		full := make([]float64, 3*len(m.Nodes))
		for i, n := range k.FreeNode {
			for c := range 3 {
				u[3*i+c] = rng.NormFloat64()
				full[3*int(n)+c] = u[3*i+c]
			}
		}
		got, want := make([]float64, k.N), forces(t, m, 0.3, full)
		k.MulVec(got, u)
		for i, n := range k.FreeNode {
			for c := range 3 {
				if !(math.Abs(got[3*i+c]-want[3*int(n)+c]) <= 1e-12*largest(want)) {
					t.Fatalf("%s: node %d axis %d: %g, want %g", name, n, c, got[3*i+c], want[3*int(n)+c])
				}
			}
		}
		for col := range k.N {
			for at := k.ColPtr[col]; at < k.ColPtr[col+1]; at++ {
				if k.Row[at] > int64(col) || at > k.ColPtr[col] && k.Row[at] <= k.Row[at-1] {
					t.Fatalf("%s: column %d is not the upper triangle in ascending order", name, col)
				}
			}
		}
	}
}

// TestBodyForce: the nodal loads sum to the weight and act at the centre of mass.
func TestBodyForce(t *testing.T) {
	for name, m := range meshes(t) {
		f := make([]float64, 3*len(m.Nodes))
		g := mgl64.Vec3{0.5, -9.81, 2}.Mul(1060)
		fem.BodyForce(f, m, g)
		var sum, moment mgl64.Vec3
		for i, x := range m.Nodes {
			v := mgl64.Vec3{f[3*i], f[3*i+1], f[3*i+2]}
			sum = sum.Add(v)
			moment = moment.Add(x.Cross(v))
		}
		volume := 1.2 * 0.9 * 1.1
		want := mgl64.Vec3{0.6, 0.45, 0.55}.Cross(g).Mul(volume)
		for k := range 3 {
			near(t, name+": force", sum[k], volume*g[k], 1e-12)
			near(t, name+": moment", moment[k], want[k], 1e-9)
		}
	}
}

// TestVonMises: uniaxial tension gives E times strain, shear sqrt(3) tau, pressure
// and rotation none, at every node.
func TestVonMises(t *testing.T) {
	material := fem.Material{Young: 3e5, Poisson: 0.3}
	shear := 3e5 / 2.6
	for name, m := range meshes(t) {
		s := fem.NewStress(m)
		got := make([]float64, len(m.Nodes))
		for _, c := range []struct {
			what string
			move func(x mgl64.Vec3) mgl64.Vec3
			want float64
		}{
			{"tension", func(x mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{1e-3 * x[0], -0.3e-3 * x[1], -0.3e-3 * x[2]} }, 300},
			{"shear", func(x mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{1e-3 * x[1], 0, 0} }, math.Sqrt(3) * shear * 1e-3},
			{"pressure", func(x mgl64.Vec3) mgl64.Vec3 { return x.Mul(-1e-3) }, 0},
			{"rotation", func(x mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{0, 0, 1e-3}.Cross(x) }, 0},
		} {
			s.VonMises(got, material, field(m, c.move))
			for n, v := range got {
				if !(math.Abs(v-c.want) <= 1e-9*300) {
					t.Fatalf("%s: %s at node %d: %g Pa, want %g", name, c.what, n, v, c.want)
				}
			}
		}
		u := field(m, affine)
		if !testkit.Race {
			if n := testing.AllocsPerRun(20, func() { s.VonMises(got, material, u) }); n != 0 {
				t.Errorf("%s: VonMises allocates %g times", name, n)
			}
		}
	}
}

// TestVonMisesAveragesComponents: two layers sheared in opposite senses, u_x = |y|:
// where they meet the shear stresses cancel, elsewhere they stand.
func TestVonMisesAveragesComponents(t *testing.T) {
	m := box(t, mgl64.Vec3{1, 2, 1}, [3]int{1, 2, 1})
	u := field(m, func(x mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{1e-3 * math.Abs(x[1]-1), 0, 0} })
	got := make([]float64, len(m.Nodes))
	fem.VonMises(got, m, fem.Material{Young: 3e5, Poisson: 0.3}, u)
	for n, x := range m.Nodes {
		want := math.Sqrt(3) * 3e5 / 2.6 * 1e-3
		if x[1] == 1 {
			want = 0
		}
		if !(math.Abs(got[n]-want) <= 1e-9*300) {
			t.Errorf("node at %v: %g Pa, want %g", x, got[n], want)
		}
	}
}

func TestMaterials(t *testing.T) {
	for _, p := range fem.Presets() {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if got, err := fem.Preset(p.Name); err != nil || got != p {
			t.Errorf("Preset(%q) = %v, %v", p.Name, got, err)
		}
	}
	if _, err := fem.Preset("jelly"); err == nil || !strings.Contains(err.Error(), "tissue") {
		t.Errorf("an unknown material gives %v", err)
	}
	nan := math.NaN()
	good := fem.Material{Young: 1, Poisson: 0.3}
	for what, m := range map[string]fem.Material{
		"E 0": {Young: 0, Poisson: 0.3}, "E below 0": {Young: -1, Poisson: 0.3}, "E NaN": {Young: nan, Poisson: 0.3}, "E infinite": {Young: math.Inf(1), Poisson: 0.3},
		"nu 0.5": {Young: 1, Poisson: 0.5}, "nu -1": {Young: 1, Poisson: -1}, "nu NaN": {Young: 1, Poisson: nan},
		"density below 0": {Young: 1, Poisson: 0.3, Density: -1}, "density NaN": {Young: 1, Poisson: 0.3, Density: nan},
	} {
		if m.Validate() == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

func TestAssembleRefuses(t *testing.T) {
	m := box(t, mgl64.Vec3{1, 1, 1}, [3]int{1, 1, 1})
	if _, err := fem.Assemble(m, nil, 0.5); err == nil {
		t.Error("nu = 0.5 is accepted")
	}
	if _, err := fem.Assemble(m, []int32{8}, 0.3); err == nil {
		t.Error("fixed node 8 of 8 is accepted")
	}
	m.Nodes[6] = mgl64.Vec3{-1, -1, -1}
	if _, err := fem.Assemble(m, nil, 0.3); err == nil || !strings.Contains(err.Error(), "inverted") {
		t.Errorf("an inverted element gives %v", err)
	}
}

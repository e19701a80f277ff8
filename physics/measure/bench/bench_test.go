package bench

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/contact"
)

// trajectory is a file of reference results, see physics/worlds/tissue/testdata; lengths in
// mm, forces in N.
type trajectory struct {
	Bench, Pair, Clamp, Path string
	Mu                       float64
	NamedNodes               map[string]struct{ Surf int } `json:"named_nodes"`
	Increments               []struct {
		Force  [3]float64
		N      int
		RNorm  float64
		RhoMin float64 `json:"rho_min"`
		TrW    float64
		SumQ   float64 `json:"sum_q"`
		U      map[string][3]float64
		Flag   string
		P, Tri []int
		R      []float64
	}
}

func (ref *trajectory) named() Case {
	return Case{ref.Bench, ref.Pair, ref.Clamp, ref.Path, ref.Mu}
}

// trajectories reads the reference results whose names match pattern.
func trajectories(t testing.TB, pattern string) []*trajectory {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "worlds", "tissue", "testdata", "trajectories", pattern+".json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectory matches %s (%v)", pattern, err)
	}
	var all []*trajectory
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		ref := new(trajectory)
		if err := json.NewDecoder(z).Decode(ref); err != nil {
			t.Fatal(err)
		}
		f.Close()
		all = append(all, ref)
	}
	return all
}

// runs keeps the condensed blocks of the tests.
var runs = map[string]*Run{}

func newRun(t testing.TB, c Case) *Run {
	t.Helper()
	key := c.Bench + c.Pair + c.Clamp
	if runs[key] == nil {
		run, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		runs[key] = run
	}
	run := runs[key]
	if err := run.SetPath(c.Path); err != nil {
		t.Fatal(err)
	}
	run.Restart(c.Mu)
	return run
}

// exactly solves the present increment to 1e-12 from the guess r.
func exactly(t testing.TB, run *Run, r []float64) {
	t.Helper()
	s, err := contact.New("nsgs-newton")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance = contact.NaturalMap, 1e-12
	if res := s.Solve(&run.Problem, r, &opt); !res.Converged {
		t.Fatalf("%v: no exact solution (e = %.2g, e_s = %.2g)", run.Case, res.NaturalError, res.ScaledError)
	}
}

// Every increment of every reference trajectory is met: contacts, triangles,
// trace of W, q, forces and displacements. After an increment with a flag, of
// which there are several solutions, a trajectory goes its own way.
func TestTrajectories(t *testing.T) {
	pattern := "*"
	if brief() {
		pattern = "A36_*_end_*_mu0.3"
	}
	worst, met := map[string]float64{}, 0
	for _, ref := range trajectories(t, pattern) {
		met += follow(t, newRun(t, ref.named()), ref, worst)
	}
	t.Logf("%d increments, largest relative differences %v", met, worst)
}

func follow(t *testing.T, run *Run, ref *trajectory, worst map[string]float64) (met int) {
	t.Helper()
	if len(run.path) != len(ref.Increments) {
		t.Fatalf("%v: %d increments, the reference has %d", run.Case, len(run.path), len(ref.Increments))
	}
	near := func(k int, what string, got, want, scale float64) {
		d := math.Abs(got-want) / scale
		worst[what] = max(worst[what], d)
		if !(d <= 1e-6) {
			t.Errorf("%v increment %d: %s %.15g, the reference has %.15g", run.Case, k, what, got, want)
		}
	}
	for k := range ref.Increments {
		in := &ref.Increments[k]
		if in.Flag != "" {
			return met
		}
		if !run.Next() {
			t.Fatal("the path ends early")
		}
		if len(run.Contacts) != in.N {
			t.Fatalf("%v increment %d: %d contacts, the reference has %d", run.Case, k, len(run.Contacts), in.N)
		}
		for a, c := range run.Contacts {
			if c.P != in.P[a] || c.Triangle != in.Tri[a] {
				t.Fatalf("%v increment %d contact %d: node %d on triangle %d, the reference has %d on %d", run.Case, k, a, c.P, c.Triangle, in.P[a], in.Tri[a])
			}
		}
		n := 3 * in.N
		trace, sum := 0.0, 0.0
		for i := range n {
			trace += run.Problem.W[i*n+i]
			sum += run.Problem.Q[i]
		}
		near(k, "trace of W", trace*1e3, in.TrW, in.TrW)
		near(k, "rho_min", run.Problem.RhoMin()*1e-3, in.RhoMin, in.RhoMin)
		near(k, "sum of q", sum*1e3, in.SumQ, math.Abs(in.SumQ))
		r := append([]float64(nil), in.R...)
		exactly(t, run, r)
		near(k, "forces", distance(r, in.R), 0, 1)
		var f vec // the resultant on the impactor
		for a := range run.Contacts {
			f = f.Add(run.world(r, a))
		}
		run.Accept(r)
		size, largest := norm3(in.Force), 0.0
		for _, u := range in.U {
			largest = max(largest, norm3(u))
		}
		for i := range 3 {
			near(k, "resultant", f[i], in.Force[i], size)
			for name, u := range in.U {
				near(k, "displacement", run.Top(ref.NamedNodes[name].Surf)[i]*1e3, u[i], largest)
			}
		}
		met++
	}
	return met
}

func norm3(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

func TestRefusals(t *testing.T) {
	good := Case{"A16", "alu-tissue", "end", "pen", 0.3}
	for what, c := range map[string]Case{
		"bench":    {"D9", good.Pair, good.Clamp, good.Path, 0.3},
		"pair":     {good.Bench, "alu-wood", good.Clamp, good.Path, 0.3},
		"half":     {good.Bench, "alu", good.Clamp, good.Path, 0.3},
		"clamp":    {good.Bench, good.Pair, "side", good.Path, 0.3},
		"path":     {good.Bench, good.Pair, good.Clamp, "up", 0.3},
		"friction": {good.Bench, good.Pair, good.Clamp, good.Path, math.NaN()},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: %v is taken", what, c)
		} else if s := err.Error(); strings.Contains(s, "\n") || !strings.HasPrefix(s, "bench: ") {
			t.Errorf("%s: %q is not one line of this package", what, s)
		}
	}
	run := newRun(t, good)
	if err := run.SetPath("up"); err == nil {
		t.Error("path up is taken")
	}
	if s := good.String(); s != "A16_alu-tissue_end_pen_mu0.3" {
		t.Errorf("the case goes by %s", s)
	}
	box, err := mesh.Box(vec{}, vec{1, 1, 1}, [3]int{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewElastic(box, nil, elasticity{1, 0.3}, vec{}); err == nil {
		t.Error("a floating body is taken")
	}
	if _, err := NewElastic(box, box.NodeSets["end"], elasticity{0, 0.3}, vec{}); err == nil {
		t.Error("E = 0 is taken")
	}
	if _, err := NewSprings(vec{}, 0, [3]int{1, 1, 1}, 1); err == nil {
		t.Error("cells of no size are taken")
	}
}

// brief says whether the tests that walk many paths keep to a few.
func brief() bool { return testing.Short() || raced }

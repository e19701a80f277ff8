package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"hapco/physics/numerics/contact"
)

// meanSweeps are the mean sweeps at tolerance 1e-4 on bench A36, end clamp,
// that an independent implementation of the thesis's algorithms counted, at
// friction 0.1/0.3/0.5/0.7: one problem per increment of the exact trajectory,
// r = 0 at the start, stop by (2.72), at most 5000 sweeps. "D7" says that 7
// problems did not converge, "D" that the first three did not and the rest was
// left out. Gauss-Seidel with an exact local solve, NSGS in that count, is
// newton-local here.
var meanSweeps = map[string]map[string]string{
	"alu-tissue pen": {
		"uzawa":                 "172/169/169/262",
		"uzawa-star":            "130/140/144/249",
		"uzawa-star-consistent": "110/129/138/223",
		"uzawa-local":           "96/88/88/133",
		"uzawa-local-signorini": "88/67/83/127",
		"newton-local":          "105/105/105/143",
	},
	"alu-tissue slide": {
		"uzawa":                 "197/204/232/278",
		"uzawa-star":            "107/120/134/195",
		"uzawa-star-consistent": "116/125/133/153",
		"uzawa-local":           "102/103/107/103",
		"uzawa-local-signorini": "83/84/94/89",
		"newton-local":          "120/129/126/130",
	},
	"alu-rubber pen": {
		"uzawa":                 "100/139/157/162",
		"uzawa-star":            "45/111/126/128",
		"uzawa-star-consistent": "44/110/123/124",
		"uzawa-local":           "41/111/121/121",
		"uzawa-local-signorini": "41/111/120/121",
		"newton-local":          "42/111/121/121",
	},
	"alu-rubber slide": {
		"uzawa":                 "129/154/186/240",
		"uzawa-star":            "66/89/131/154",
		"uzawa-star-consistent": "68/93/133/169",
		"uzawa-local":           "64/91/128/158",
		"uzawa-local-signorini": "63/84/125/D2",
		"newton-local":          "67/92/138/179",
	},
	"tissue-tissue pen": {
		"uzawa":                 "275/679/1009/1148",
		"uzawa-star":            "338/D/D/D",
		"uzawa-star-consistent": "332/735/1094/1185",
		"uzawa-local":           "338/D/D/D",
		"uzawa-local-signorini": "338/D/D/D",
		"newton-local":          "328/D/D/D",
	},
	"tissue-tissue slide": {
		"uzawa":                 "252/397/727/844",
		"uzawa-star":            "192/D12/D3/D3",
		"uzawa-star-consistent": "204/373/D2/885",
		"uzawa-local":           "215/D1/D9/D",
		"uzawa-local-signorini": "215/D1/D8/D",
		"newton-local":          "219/D1/D8/D",
	},
}

// count is what one solver needed along a path.
type count struct {
	problems, sweeps, diverged int
	stopped                    bool // left out after the first three, as a bare D
}

func (c *count) add(res contact.Result, opt *contact.Options) {
	c.problems++
	c.sweeps += res.Iterations
	if !(res.RelativeChange <= opt.Tolerance) {
		c.diverged++
	}
	c.stopped = c.problems == 3 && c.diverged >= 2
}

func (c *count) mean() float64 { return float64(c.sweeps) / float64(c.problems) }

func (c *count) String() string {
	switch {
	case c.stopped:
		return "D"
	case c.diverged > 0:
		return fmt.Sprintf("D%d", c.diverged)
	}
	return fmt.Sprintf("%.1f", c.mean())
}

// divergenceSlack is by how many problems a number of divergences may differ.
// Where a method cycles, whether it finds a way out within 5000 sweeps hangs on
// the rounding of the trajectory: with two solvers that agree to 1e-10 the cell
// of tissue on tissue, slide, mu 0.5, Uzawa local changed from 12 to 13 of 20 (9
// in the table). All but 4 of the 144 cells agree without any slack.
const divergenceSlack = 5

// agrees compares with a cell of the table: means to 2 % and the rounding of
// the print, divergences to divergenceSlack.
func (c *count) agrees(cell string) bool {
	if cell == "D" {
		return c.stopped
	}
	if k, found := strings.CutPrefix(cell, "D"); found {
		want, _ := strconv.Atoi(k)
		return !c.stopped && c.diverged > 0 && max(c.diverged-want, want-c.diverged) <= divergenceSlack
	}
	want, _ := strconv.ParseFloat(cell, 64)
	return c.diverged == 0 && math.Abs(c.mean()-want) <= 0.02*want+0.5
}

func TestSweepsOfTheThesis(t *testing.T) {
	frictions := []float64{0.1, 0.3, 0.5, 0.7}
	for _, pair := range []string{"alu-tissue", "alu-rubber", "tissue-tissue"} {
		for _, path := range []string{"pen", "slide"} {
			row := meanSweeps[pair+" "+path]
			for i, mu := range frictions {
				if brief() && (mu != 0.3 || pair == "tissue-tissue") {
					continue
				}
				counts := countSweeps(t, Case{"A36", pair, "end", path, mu}, row)
				for name, c := range counts {
					cell := strings.Split(row[name], "/")[i]
					if !c.agrees(cell) {
						t.Errorf("%s %s mu %g %s: %v sweeps, the table says %s", pair, path, mu, name, c, cell)
					}
					t.Logf("%s %s mu %g %s: %v (%s)", pair, path, mu, name, c, cell)
				}
			}
		}
	}
}

// countSweeps walks along the exact trajectory; of a slide path it leaves out
// the presses.
func countSweeps(t *testing.T, c Case, names map[string]string) map[string]*count {
	t.Helper()
	opt := contact.DefaultOptions()
	counts, solvers := map[string]*count{}, map[string]contact.Solver{}
	for name := range names {
		counts[name], solvers[name] = new(count), newSolver(t, name)
	}
	walk(t, c, func(p *contact.Problem, _ []float64) {
		for name, s := range solvers {
			if !counts[name].stopped {
				counts[name].add(s.Solve(p, make([]float64, 3*p.N), &opt), &opt)
			}
		}
	})
	return counts
}

// walk calls visit with the problem of each increment and its exact solution.
func walk(t *testing.T, c Case, visit func(p *contact.Problem, exact []float64)) {
	t.Helper()
	run := newRun(t, c)
	for run.Next() {
		r := make([]float64, 3*run.Problem.N)
		exactly(t, run, r)
		if !run.Press {
			visit(&run.Problem, r)
		}
		run.Accept(r)
	}
}

func newSolver(t testing.TB, name string) contact.Solver {
	t.Helper()
	s, err := contact.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Tolerance 1e-8, aluminium on tissue, mu 0.3, penetration and sliding: mean
// sweeps for factors on rho (section 3.5), by the same independent count.
func TestRhoFactors(t *testing.T) {
	table := []struct {
		name   string
		factor float64
		sweeps [2]float64
	}{
		{"uzawa", 1, [2]float64{696, 890}},
		{"uzawa", 0.5, [2]float64{1493, 2063}},
		{"uzawa", 2, [2]float64{276, 294}},
		{"uzawa", 2.2, [2]float64{231, 248}},
		{"uzawa-star", 1, [2]float64{388, 355}},
		{"uzawa-star", 1.5, [2]float64{171, 184}},
	}
	for i, path := range []string{"pen", "slide"} {
		counts := make([]count, len(table))
		walk(t, Case{"A36", "alu-tissue", "end", path, 0.3}, func(p *contact.Problem, _ []float64) {
			for k, row := range table {
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.MaxIterations, opt.RhoFactor = 1e-8, 10000, row.factor
				counts[k].add(newSolver(t, row.name).Solve(p, make([]float64, 3*p.N), &opt), &opt)
			}
		})
		for k, row := range table {
			t.Logf("%s %s x%g: %.1f sweeps (%g)", path, row.name, row.factor, counts[k].mean(), row.sweeps[i])
			if want := row.sweeps[i]; counts[k].diverged > 0 || !(math.Abs(counts[k].mean()-want) <= 0.02*want+0.5) {
				t.Errorf("%s %s x%g: %.1f sweeps, %d diverged; the count to meet is %g", path, row.name, row.factor, counts[k].mean(), counts[k].diverged, want)
			}
		}
	}
}

// x3 diverges, as section 3.5 says, and on tissue against tissue x2 already does.
func TestRhoTooLarge(t *testing.T) {
	for _, x := range []struct {
		pair, path string
		mu, factor float64
	}{{"alu-tissue", "pen", 0.3, 3}, {"alu-tissue", "slide", 0.3, 3}, {"tissue-tissue", "pen", 0.5, 2}, {"tissue-tissue", "slide", 0.5, 2}} {
		c := Case{"A36", x.pair, "end", x.path, x.mu}
		failed, problems := 0, 0
		walk(t, c, func(p *contact.Problem, _ []float64) {
			opt := contact.DefaultOptions()
			opt.RhoFactor = x.factor
			res := newSolver(t, "uzawa").Solve(p, make([]float64, 3*p.N), &opt)
			problems++
			if !res.Converged {
				failed++
			}
		})
		t.Logf("%v x%g: %d of %d fail", c, x.factor, failed, problems)
		if failed == 0 {
			t.Errorf("%v x%g: converges on all %d problems", c, x.factor, problems)
		}
	}
}

// The printed sign of (2.44) fails on 14 of 15 and 18 of 20 problems with 9359
// and 9026 mean sweeps; the right one converges on all.
func TestPrintedSign(t *testing.T) {
	want := map[string]count{"pen": {problems: 15, diverged: 14, sweeps: 9359 * 15}, "slide": {problems: 20, diverged: 18, sweeps: 9026 * 20}}
	for path, w := range want {
		var printed, right count
		walk(t, Case{"A36", "alu-tissue", "end", path, 0.3}, func(p *contact.Problem, _ []float64) {
			opt := contact.DefaultOptions()
			opt.Tolerance, opt.MaxIterations = 1e-8, 10000
			printed.add(newSolver(t, "pseudo-printed").Solve(p, make([]float64, 3*p.N), &opt), &opt)
			right.add(newSolver(t, "pseudo").Solve(p, make([]float64, 3*p.N), &opt), &opt)
		})
		t.Logf("%s: printed %d of %d diverge, mean %.0f; right %d, mean %.0f", path, printed.diverged, printed.problems, printed.mean(), right.diverged, right.mean())
		if printed.diverged != w.diverged || !(math.Abs(printed.mean()-w.mean()) <= 0.02*w.mean()) {
			t.Errorf("%s: the printed sign diverges on %d of %d with %.0f mean sweeps, %d and %.0f to meet", path, printed.diverged, printed.problems, printed.mean(), w.diverged, w.mean())
		}
		if right.diverged != 0 {
			t.Errorf("%s: the right sign diverges on %d problems", path, right.diverged)
		}
	}
}

// Uzawa global* converges to a wrong answer where rho_n and rho_t differ: its
// sliding contacts have x_n = mu |x_t| (rho_t/rho_n - 1). It must not be called
// converged there; the consistent form is right.
func TestStarIsInconsistent(t *testing.T) {
	for path, want := range map[string]float64{"pen": 0.09, "slide": 0.24} {
		sum, problems := 0.0, 0
		walk(t, Case{"A36", "alu-tissue", "end", path, 0.3}, func(p *contact.Problem, exact []float64) {
			opt := contact.DefaultOptions()
			opt.Tolerance, opt.MaxIterations = 1e-8, 10000
			r, s, x := make([]float64, 3*p.N), make([]float64, 3*p.N), make([]float64, 3*p.N)
			res := newSolver(t, "uzawa-star").Solve(p, r, &opt)
			d := distance(r, exact)
			sum += d
			problems++
			if d > 1e-3 && res.Converged {
				t.Errorf("%s: forces are off by %.2g and called converged", path, d)
			}
			p.Displacements(x, r)
			for c := range p.N {
				rhoN, rhoT := p.LocalStiffness(c)
				rt, xt := math.Hypot(r[3*c+1], r[3*c+2]), math.Hypot(x[3*c+1], x[3*c+2])
				if !(r[3*c] > 0 && rt > 0.999999*p.Mu[c]*r[3*c] && xt > 1e-5) {
					continue
				}
				if law := p.Mu[c] * xt * (rhoT/rhoN - 1); !(math.Abs(x[3*c]-law) <= 1e-3*xt) {
					t.Errorf("%s: a sliding contact has x_n = %.4g m, the fixed point says %.4g", path, x[3*c], law)
				}
			}
			if res := newSolver(t, "uzawa-star-consistent").Solve(p, s, &opt); !res.Converged {
				t.Errorf("%s: the consistent form does not converge (e = %.2g, e_s = %.2g)", path, res.NaturalError, res.ScaledError)
			}
		})
		mean := sum / float64(problems)
		t.Logf("%s: mean error of the forces %.3f", path, mean)
		if !(math.Abs(mean-want) <= 0.02) {
			t.Errorf("%s: mean error of the forces %.3f, %.2f to meet", path, mean, want)
		}
	}
}

package thesis

import (
	"fmt"
	"strings"
)

func (r *Results) rhoHalf() Finding {
	f := Finding{ID: "rho-half", Where: "3.5", Claim: "Half of rho doubles time and sweeps, in Uzawa global and global*"}
	return r.factorFinding(f, paths[:1], func(m Method) (Method, func(ms, sweeps float64) bool) {
		return fine(m.Solver, 0.5), func(ms, sweeps float64) bool { return sweeps > 1.6 && sweeps < 2.6 && ms > 1.4 && ms < 3 }
	}, "uzawa", "uzawa-star")
}

func (r *Results) rhoTwice() Finding {
	f := Finding{ID: "rho-twice", Where: "3.5", Claim: "Twice rho_min halves time and sweeps of Uzawa global, which then beats global*"}
	f = r.factorFinding(f, paths, func(m Method) (Method, func(ms, sweeps float64) bool) {
		return fine(m.Solver, 2), func(ms, sweeps float64) bool { return sweeps < 0.6 && ms < 0.7 }
	}, "uzawa")
	for _, path := range paths {
		c := bench36("alu-tissue", path, usual)
		twice, star := r.run(c, fine("uzawa", 2)), r.run(c, reference)
		if !have(twice, star) {
			continue
		}
		ms, _ := ratio(twice, star)
		f.check(twice.meanSweeps() < star.meanSweeps())
		f.Measured += fmt.Sprintf("; against global*, %s: time × %.2f, sweeps %.0f against %.0f", pathNames[path], ms, twice.meanSweeps(), star.meanSweeps())
	}
	return f
}

// factorFinding compares methods with a factor on rho to those without.
func (r *Results) factorFinding(f Finding, on []string, with func(Method) (Method, func(ms, sweeps float64) bool), solvers ...string) Finding {
	var parts []string
	for _, path := range on {
		for _, s := range solvers {
			c := bench36("alu-tissue", path, usual)
			plain := fine(s, 1)
			changed, ok := with(plain)
			a, b := r.run(c, changed), r.run(c, plain)
			if !have(a, b) {
				continue
			}
			ms, count := ratio(a, b)
			f.check(ok(ms, count))
			f.number(path+" "+s+" time ratio", ms)
			f.number(path+" "+s+" sweeps ratio", count)
			parts = append(parts, fmt.Sprintf("%s, %s: time × %.2f, sweeps × %.2f", pathNames[path], changed.title(), ms, count))
		}
	}
	f.Measured = strings.Join(parts, "; ")
	return f
}

func (r *Results) rhoLimits() Finding {
	f := Finding{ID: "rho-limits", Where: "3.5", Claim: "rho_min × 2.2 and rho* × 1.5 are the limits: they converge, more is unstable (rho* × 2; rho_min × 3)"}
	within := []Method{fine("uzawa", 2.2), fine("uzawa-star", 1.5)}
	beyond := []Method{fine("uzawa", 3), fine("uzawa-star", 2)}
	var parts []string
	for _, path := range paths {
		c := bench36("alu-tissue", path, usual)
		var words []string
		for _, m := range append(append(append([]Method{}, within...), fine("uzawa", 2.5)), beyond...) {
			if run := r.run(c, m); have(run) {
				words = append(words, fmt.Sprintf("%s %d of %d diverge", m.title(), run.diverged(), run.total()))
			}
		}
		for _, m := range within {
			if run := r.run(c, m); have(run) {
				f.check(run.diverged() == 0)
			}
		}
		for _, m := range beyond {
			if run := r.run(c, m); have(run) {
				f.check(run.diverged() > 0)
				f.number(path+" "+m.title(), float64(run.diverged()))
			}
		}
		parts = append(parts, pathNames[path]+": "+strings.Join(words, ", "))
	}
	f.Measured = strings.Join(parts, "; ")
	return f
}

func (r *Results) rhoNotAlways() Finding {
	f := Finding{ID: "rho-not-always", Where: "3.10", Claim: "Raising rho speeds up in some cases only; it depends on the stiffnesses of the pair"}
	gains, losses := 0, 0
	var parts []string
	for _, pair := range pairs {
		for _, path := range paths {
			c := bench36(pair, path, usual)
			twice, g := r.run(c, fine("uzawa", 2)), r.run(c, fine("uzawa", 1))
			if !have(twice, g) {
				continue
			}
			_, count := ratio(twice, g)
			if twice.diverged() > 0 || count >= 1 {
				losses++
			} else {
				gains++
			}
			f.number(pair+" "+path+" sweeps ratio", count)
			words := fmt.Sprintf("sweeps × %.2f", count)
			if d := twice.diverged(); d > 0 {
				words = fmt.Sprintf("%d of %d diverge", d, twice.total())
			}
			parts = append(parts, fmt.Sprintf("%s, %s: %s", pairNames[pair], pathNames[path], words))
		}
	}
	if len(parts) > 1 {
		f.check(gains > 0 && losses > 0)
	}
	f.Measured = "rho_min × 2: " + strings.Join(parts, "; ")
	return f
}

func (r *Results) rhoSameForces() Finding {
	f := Finding{ID: "rho-same-forces", Where: "3.5", Claim: "The factor does not change the forces (global* × 0.5 deviates by 1e-40 %), no contact sticks; global × 2 is 5.07 % from global*"}
	c := bench36("alu-tissue", "pen", usual)
	half, twice := r.run(c, fine("uzawa-star", 0.5)), r.run(c, fine("uzawa", 2))
	if !have(half, twice) {
		return f
	}
	sticking := half.most(func(a *Answer) float64 { return float64(a.Sticking) })
	f.check(half.most(deviationOf) < 1e-2)
	f.check(sticking == 0)
	f.check(twice.deviation() > 2.5 && twice.deviation() < 10)
	f.number("half %", half.deviation())
	f.number("twice %", twice.deviation())
	f.Measured = fmt.Sprintf("global* × 0.5: %.1g %%; sticking contacts: %.0f; global × 2: mean %.1f %% from global*, %.1g %% from the exact solution", half.deviation(), sticking, twice.deviation(), twice.meanError())
	return f
}

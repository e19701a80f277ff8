package thesis

import (
	"fmt"
	"strings"

	"hapco/physics/measure/bench"
)

func (r *Results) rhoHalf(f *Finding) {
	halved := func(ms, sweeps float64) bool { return sweeps > 1.6 && sweeps < 2.6 && ms > 1.4 && ms < 3 }
	r.factorFinding(f, on36("alu-tissue")[:1], 0.5, halved, "uzawa", "uzawa-star")
}

func (r *Results) rhoTwice(f *Finding) {
	r.factorFinding(f, on36("alu-tissue"), 2, func(ms, sweeps float64) bool { return sweeps < 0.6 && ms < 0.7 }, "uzawa")
	for c, of := range r.having(on36("alu-tissue"), fine("uzawa", 2), reference) {
		ms, _ := ratio(of[0], of[1])
		f.check(of[0].meanSweeps() < of[1].meanSweeps())
		f.say("against global*, %s: time × %.2f, sweeps %.0f against %.0f", pathNames[c.Path], ms, of[0].meanSweeps(), of[1].meanSweeps())
	}
}

// factorFinding compares methods with a factor on rho to those without; ok judges the ratios of time and sweeps.
func (r *Results) factorFinding(f *Finding, on []bench.Case, factor float64, ok func(ms, sweeps float64) bool, solvers ...string) {
	for _, c := range on {
		for _, s := range solvers {
			changed, plain := fine(s, factor), fine(s, 1)
			a, b := r.run(c, changed), r.run(c, plain)
			if !have(a, b) {
				continue
			}
			ms, count := ratio(a, b)
			f.check(ok(ms, count))
			f.number(c.Path+" "+s+" time ratio", ms)
			f.number(c.Path+" "+s+" sweeps ratio", count)
			f.say("%s, %s: time × %.2f, sweeps × %.2f", pathNames[c.Path], changed.title(), ms, count)
		}
	}
}

func (r *Results) rhoLimits(f *Finding) {
	methods := []struct {
		Method
		within, beyond bool // the limits of the thesis
	}{
		{fine("uzawa", 2.2), true, false}, {fine("uzawa-star", 1.5), true, false}, {fine("uzawa", 2.5), false, false},
		{fine("uzawa", 3), false, true}, {fine("uzawa-star", 2), false, true},
	}
	for _, c := range on36("alu-tissue") {
		var words []string
		for _, m := range methods {
			run := r.run(c, m.Method)
			if !have(run) {
				continue
			}
			words = append(words, fmt.Sprintf("%s %d of %d diverge", m.title(), run.diverged(), run.total()))
			if m.within {
				f.check(run.diverged() == 0)
			}
			if m.beyond {
				f.check(run.diverged() > 0)
				f.number(c.Path+" "+m.title(), float64(run.diverged()))
			}
		}
		f.say("%s: %s", pathNames[c.Path], strings.Join(words, ", "))
	}
}

func (r *Results) rhoNotAlways(f *Finding) {
	f.Measured = "rho_min × 2: "
	gains, losses := 0, 0
	for c, of := range r.having(on36(pairs...), fine("uzawa", 2), fine("uzawa", 1)) {
		twice := of[0]
		_, count := ratio(twice, of[1])
		if twice.diverged() > 0 || count >= 1 {
			losses++
		} else {
			gains++
		}
		f.number(c.Pair+" "+c.Path+" sweeps ratio", count)
		words := fmt.Sprintf("sweeps × %.2f", count)
		if d := twice.diverged(); d > 0 {
			words = fmt.Sprintf("%d of %d diverge", d, twice.total())
		}
		f.say("%s, %s: %s", pairNames[c.Pair], pathNames[c.Path], words)
	}
	if gains+losses > 1 {
		f.check(gains > 0 && losses > 0)
	}
}

func (r *Results) rhoSameForces(f *Finding) {
	for _, of := range r.having(on36("alu-tissue")[:1], fine("uzawa-star", 0.5), fine("uzawa", 2)) {
		half, twice := of[0], of[1]
		sticking := half.most(func(a *Answer) float64 { return float64(a.Sticking) })
		f.check(half.most(deviationOf) < 1e-2)
		f.check(sticking == 0)
		f.check(twice.deviation() > 2.5 && twice.deviation() < 10)
		f.number("half %", half.deviation())
		f.number("twice %", twice.deviation())
		f.say("global* × 0.5: %.1g %%", half.deviation())
		f.say("sticking contacts: %.0f", sticking)
		f.say("global × 2: mean %.1f %% from global*, %.1g %% from the exact solution", twice.deviation(), twice.meanError())
	}
}

package thesis

import (
	"fmt"
	"math"
	"strings"

	"hapco/physics/measure/bench"
)

// twins pairs the solvers with rho_min and those with (rho_n, rho_t).
var twins = [][2]string{{"uzawa", "uzawa-star"}, {"uzawa-local", "uzawa-local-star"}, {"uzawa-local-signorini", "uzawa-local-signorini-star"}}

func (r *Results) starRhoFaster(f *Finding) { r.compare(f, []string{"alu-tissue"}, twins[:2]) }

func (r *Results) localNoGain(f *Finding) {
	r.compare(f, pairs, [][2]string{{"uzawa-local", "uzawa"}, {"uzawa-local-star", "uzawa-star"}})
}

func (r *Results) signoriniNoGain(f *Finding) {
	r.compare(f, []string{"alu-tissue"}, [][2]string{{"uzawa-local-signorini", "uzawa"}, {"uzawa-local-signorini-star", "uzawa-star"}})
}

// compare checks that the second solver of each couple takes less time than the first, at mu = 0.3, on both paths.
func (r *Results) compare(f *Finding, on []string, couples [][2]string) {
	fewer := 0
	for _, s := range couples {
		low, high := math.Inf(1), 0.0
		for c, of := range r.having(on36(on...), coarse(s[1]), coarse(s[0])) {
			ms, count := ratio(of[0], of[1])
			f.check(ms < 1)
			f.number(c.Pair+" "+c.Path+" "+s[1]+" time ratio", ms)
			if count < 1 {
				fewer++
			}
			low, high = min(low, ms), max(high, ms)
		}
		if high > 0 {
			f.say("time of %s over %s: %.2g to %.2g", styles[s[1]].name, styles[s[0]].name, low, high)
		}
	}
	f.say("less time on %d, fewer sweeps on %d of %d", f.Passed, fewer, f.Checks)
}

// deviationByRho compares means of the global and local solvers with (rho_n, rho_t) and of those with rho_min.
func (r *Results) deviationByRho(f *Finding) {
	global, local := twins[0], twins[1]
	for c, of := range r.having(on36(pairs[:2]...), coarse(global[0]), coarse(global[1]), coarse(local[0]), coarse(local[1])) {
		plain, star := of[0].deviation()/2+of[2].deviation()/2, of[1].deviation()/2+of[3].deviation()/2
		plainError, starError := of[0].meanError()/2+of[2].meanError()/2, of[1].meanError()/2+of[3].meanError()/2
		f.check(star < plain)
		f.number(c.Pair+" "+c.Path+" star %", star)
		f.number(c.Pair+" "+c.Path+" rho_min %", plain)
		p := deviations[c.Pair][c.Path]
		f.say("%s, %s: %.2g and %.2g %% (thesis %.2g and %.2g), from the exact solution %.2g and %.2g %%",
			pairNames[c.Pair], pathNames[c.Path], star, plain, p[0], p[1], starError, plainError)
	}
}

func (r *Results) rubberGlobal(f *Finding) {
	for c, of := range r.having(on36("alu-rubber"), coarse("uzawa-star"), coarse("uzawa")) {
		best := r.fastest(c)
		if best == "" {
			continue
		}
		ms, count := ratio(of[0], of[1])
		f.check(best == "uzawa")
		f.number(c.Path+" time ratio", ms)
		f.say("%s: %s is the fastest, global* over global: time × %.2f, sweeps × %.2f", pathNames[c.Path], styles[best].name, ms, count)
	}
}

// fastest names the converging solver with the least mean time; "" where none is.
func (r *Results) fastest(c bench.Case) string {
	best, least := "", 0.0
	for _, s := range uzawas {
		run := r.run(c, coarse(s))
		if !have(run) || run.diverged() > 0 {
			continue
		}
		if ms := run.meanMS(); best == "" || ms < least {
			best, least = s, ms
		}
	}
	return best
}

func (r *Results) tissueDiverges(f *Finding) {
	for _, c := range on36("tissue-tissue") {
		var words []string
		for _, t := range twins {
			plain, star := r.run(c, coarse(t[0])), r.run(c, coarse(t[1]))
			if !have(plain, star) {
				continue
			}
			f.check(plain.diverged() == 0)
			f.check(star.diverged() > 0)
			f.number(c.Path+" "+t[0], float64(plain.diverged()))
			f.number(c.Path+" "+t[1], float64(star.diverged()))
			words = append(words, fmt.Sprintf("%s %d, %s %d", styles[t[0]].name, plain.diverged(), styles[t[1]].name, star.diverged()))
		}
		if run := r.run(c, reference); have(run) {
			f.say("%s, diverged of %d: %s", pathNames[c.Path], run.total(), strings.Join(words, ", "))
		}
	}
}

func (r *Results) tissueDeviation(f *Finding) {
	for c, of := range r.having(on36("tissue-tissue"), append(coarseUzawas(), reference)...) {
		sum, exact, n := 0.0, 0.0, len(uzawas)
		for _, run := range of[:n] {
			sum += run.deviation()
			exact += run.meanError()
		}
		star := of[n]
		mean := f.number(c.Path+" %", sum/float64(n))
		f.check(mean < 2*deviationsSoft[c.Path])
		f.say("%s: %.1f %% from global*, which itself diverges on %d of %d, %.1f %% from the exact solution", pathNames[c.Path], mean, star.diverged(), star.total(), exact/float64(n))
	}
}

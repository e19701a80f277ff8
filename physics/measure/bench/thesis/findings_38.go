package thesis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// eachTable calls visit for every column of the tables over friction: one pair, one path, one mu.
func eachTable(visit func(table *timeTable, k int)) {
	for i := range timeTables {
		if t := &timeTables[i]; len(t.mu) > 1 {
			for k := range t.mu {
				visit(t, k)
			}
		}
	}
}

func (r *Results) fastestSolvers(f *Finding) {
	wanted := map[string][]string{"alu-tissue": {"uzawa-star"}, "alu-rubber": {"uzawa", "uzawa-star"}, "tissue-tissue": {"uzawa"}}
	same := 0
	counts := map[string]int{}
	eachTable(func(table *timeTable, k int) {
		best := r.fastest(bench36(table.pair, table.path, table.mu[k]))
		if best == "" {
			return
		}
		f.check(slices.Contains(wanted[table.pair], best))
		counts[table.pair+" "+best]++
		theirs := slices.MinFunc(table.rows, func(a, b timeRow) int { return cmp.Compare(a.cells[k].ms, b.cells[k].ms) })
		if theirs.solver == best {
			same++
		}
	})
	f.Measured = "fastest of the columns of 3.36 to 3.41: "
	for _, pair := range pairs {
		var words []string
		for _, s := range uzawas {
			if n := counts[pair+" "+s]; n > 0 {
				words = append(words, fmt.Sprintf("%s %d", styles[s].name, n))
				f.number(pair+" "+s, float64(n))
			}
		}
		if len(words) > 0 {
			f.say("%s: %s", pairNames[pair], strings.Join(words, ", "))
		}
	}
	f.say("the thesis's fastest solver is ours in %d of %d columns", same, f.Checks)
}

func (r *Results) divergences(f *Finding) {
	theirs, both, ours := 0, 0, 0
	eachTable(func(table *timeTable, k int) {
		for _, row := range table.rows {
			run := r.run(bench36(table.pair, table.path, table.mu[k]), coarse(row.solver))
			if !have(run) {
				continue
			}
			a, b := row.cells[k].diverges, run.diverged() > 0
			f.check(a == b)
			if a {
				theirs++
			}
			if b {
				ours++
			}
			if a && b {
				both++
			}
		}
	})
	f.number("agree", float64(f.Passed))
	f.say("%d of %d cells agree", f.Passed, f.Checks)
	f.say("the thesis marks %d, here %d diverge on an increment or more, %d are common", theirs, ours, both)
}

func (r *Results) frictionSlows(f *Finding) {
	theirs := 0
	eachTable(func(table *timeTable, last int) {
		if last != len(table.mu)-1 {
			return
		}
		for _, row := range table.rows {
			a := r.run(bench36(table.pair, table.path, table.mu[0]), coarse(row.solver))
			b := r.run(bench36(table.pair, table.path, table.mu[last]), coarse(row.solver))
			if !have(a, b) || a.diverged() > 0 || b.diverged() > 0 {
				continue
			}
			f.check(b.meanMS() > a.meanMS())
			if row.cells[last].ms > row.cells[0].ms {
				theirs++
			}
		}
	})
	f.number("grow", float64(f.Passed))
	f.say("from mu = 0.1 to 0.7 the time grows for %d of %d converging solvers, in the thesis for %d of the same", f.Passed, f.Checks, theirs)
}

func (r *Results) frictionNorm(f *Finding) {
	f.Measured = "mean for mu = 0.1, 0.3, 0.5, 0.7, global*, "
	for _, path := range paths {
		var values, exact []string
		before := 0.0
		for _, mu := range frictions {
			run := r.run(bench36("alu-tissue", path, mu), coarse("uzawa-star"))
			if !have(run) {
				continue
			}
			n := f.number(fmt.Sprintf("%s %g", path, mu), run.meanNorm())
			if len(values) > 0 {
				f.check(n > before)
			}
			before = n
			values = append(values, fmt.Sprintf("%.3f", n))
			exact = append(exact, fmt.Sprintf("%.3f", r.run(run.Case, coarse("uzawa")).meanNorm()))
		}
		f.say("%s: %s N (Uzawa global %s N)", pathNames[path], strings.Join(values, ", "), strings.Join(exact, ", "))
	}
}

func (r *Results) globalRobust(f *Finding) {
	diverged, of := map[string]int{}, map[string]int{}
	for _, run := range r.Runs {
		if run.Method == coarse(run.Method.Solver) && len(run.Answers) > 0 {
			diverged[run.Method.Solver] += run.diverged()
			of[run.Method.Solver] += run.total()
			if run.Method.Solver == "uzawa" {
				f.check(run.diverged() == 0)
			}
		}
	}
	var words []string
	for _, s := range uzawas {
		if of[s] > 0 {
			f.number(s, float64(diverged[s]))
			words = append(words, fmt.Sprintf("%s %d of %d", styles[s].name, diverged[s], of[s]))
		}
	}
	f.say("diverged increments at 1e-4: %s", strings.Join(words, ", "))
}

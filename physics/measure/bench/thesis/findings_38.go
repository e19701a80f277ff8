package thesis

import (
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

func (r *Results) fastestSolvers() Finding {
	f := Finding{ID: "fastest-solvers", Where: "3.8", Claim: "The fastest solver: global* on aluminium/soft tissue, global or global* on aluminium/rubber, global on soft tissue/soft tissue"}
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
		rows := slices.Clone(table.rows)
		slices.SortFunc(rows, func(a, b timeRow) int { return sign(a.cells[k].ms - b.cells[k].ms) })
		if rows[0].solver == best {
			same++
		}
	})
	var parts []string
	for _, pair := range pairs {
		var words []string
		for _, s := range uzawas {
			if n := counts[pair+" "+s]; n > 0 {
				words = append(words, fmt.Sprintf("%s %d", names[s], n))
				f.number(pair+" "+s, float64(n))
			}
		}
		if len(words) > 0 {
			parts = append(parts, pairNames[pair]+": "+strings.Join(words, ", "))
		}
	}
	f.Measured = fmt.Sprintf("fastest of the columns of 3.36 to 3.41: %s; the thesis's fastest solver is ours in %d of %d columns", strings.Join(parts, "; "), same, f.Checks)
	return f
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

func (r *Results) divergences() Finding {
	f := Finding{ID: "divergences", Where: "3.8", Claim: "Which solvers diverge where (3.36 to 3.41, 144 cells)"}
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
	f.Measured = fmt.Sprintf("%d of %d cells agree; the thesis marks %d, here %d diverge on an increment or more, %d are common", f.Passed, f.Checks, theirs, ours, both)
	return f
}

func (r *Results) frictionSlows() Finding {
	f := Finding{ID: "friction-slows", Where: "3.8", Claim: "Times grow with the friction coefficient"}
	theirs, of := 0, 0
	for i := range timeTables {
		table := &timeTables[i]
		if len(table.mu) < 2 {
			continue
		}
		last := len(table.mu) - 1
		for _, row := range table.rows {
			a := r.run(bench36(table.pair, table.path, table.mu[0]), coarse(row.solver))
			b := r.run(bench36(table.pair, table.path, table.mu[last]), coarse(row.solver))
			if !have(a, b) || a.diverged() > 0 || b.diverged() > 0 {
				continue
			}
			f.check(b.meanMS() > a.meanMS())
			of++
			if row.cells[last].ms > row.cells[0].ms {
				theirs++
			}
		}
	}
	f.number("grow", float64(f.Passed))
	f.Measured = fmt.Sprintf("from mu = 0.1 to 0.7 the time grows for %d of %d converging solvers, in the thesis for %d of the same", f.Passed, of, theirs)
	return f
}

func (r *Results) frictionNorm() Finding {
	f := Finding{ID: "friction-norm", Where: "3.8", Claim: "The norm of the forces grows with the friction coefficient"}
	var parts []string
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
		parts = append(parts, fmt.Sprintf("%s: %s N (Uzawa global %s N)", pathNames[path], strings.Join(values, ", "), strings.Join(exact, ", ")))
	}
	f.Measured = "mean for mu = 0.1, 0.3, 0.5, 0.7, global*, " + strings.Join(parts, "; ")
	return f
}

func (r *Results) globalRobust() Finding {
	f := Finding{ID: "global-robust", Where: "3.10", Claim: "Uzawa global with rho_min is the most robust: it converges in all cases"}
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
	var parts []string
	for _, s := range uzawas {
		if of[s] > 0 {
			f.number(s, float64(diverged[s]))
			parts = append(parts, fmt.Sprintf("%s %d of %d", names[s], diverged[s], of[s]))
		}
	}
	f.Measured = "diverged increments at 1e-4: " + strings.Join(parts, ", ")
	return f
}

package thesis

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"hapco/physics/numerics/contact"
)

// The transcribed tables are consistent in themselves.
func TestTimeTables(t *testing.T) {
	single := map[string]*timeTable{}
	for i := range timeTables {
		table := &timeTables[i]
		var seen []string
		for _, row := range table.rows {
			if _, err := contact.New(row.solver); err != nil {
				t.Errorf("%s: %v", table.id, err)
			}
			if slices.Contains(seen, row.solver) || !slices.Contains(uzawas, row.solver) {
				t.Errorf("%s: solver %s is twice in it or none of the six", table.id, row.solver)
			}
			seen = append(seen, row.solver)
			if len(row.cells) != len(table.mu) {
				t.Errorf("%s %s: %d cells for %d friction coefficients", table.id, row.solver, len(row.cells), len(table.mu))
			}
			for _, c := range row.cells {
				if !(c.ms > 1 && c.ms < 1000) {
					t.Errorf("%s %s: %g ms", table.id, row.solver, c.ms)
				}
			}
		}
		if len(seen) != len(uzawas) {
			t.Errorf("%s: %d solvers, not six", table.id, len(seen))
		}
		if len(table.mu) == 1 {
			single[table.pair+table.path] = table
			if !slices.IsSortedFunc(table.rows, func(a, b timeRow) int { return cmp.Compare(a.cells[0].ms, b.cells[0].ms) }) {
				t.Errorf("%s: the thesis sorts it by time", table.id)
			}
		}
	}
	// 3.36 to 3.41 repeat 3.20 to 3.33 at mu = 0.3, rounded here and there
	repeated := 0
	eachTable(func(table *timeTable, k int) {
		if table.mu[k] != usual {
			return
		}
		for _, row := range table.rows {
			for _, same := range single[table.pair+table.path].rows {
				if same.solver != row.solver {
					continue
				}
				a, b := row.cells[k], same.cells[0]
				if math.Abs(a.ms-b.ms) > 1e-3*b.ms || a.diverges != b.diverges {
					t.Errorf("%s %s: %v, %v in the table at mu = 0.3", table.id, row.solver, a, b)
				}
				repeated++
			}
		}
	})
	if repeated != 36 {
		t.Errorf("%d repeated cells, 36 expected", repeated)
	}
}

func TestOtherTables(t *testing.T) {
	for i := 1; i < len(table319); i++ {
		a, b := table319[i-1], table319[i]
		if a.solver == b.solver && !(b.factor > a.factor && b.slide < a.slide && b.pen < a.pen) {
			t.Errorf("3.19: %v after %v: a larger factor takes less time", b, a)
		}
	}
	for _, table := range couplingTables {
		for _, pair := range pairs {
			for _, side := range []map[string][3]float64{table.with, table.without} {
				if x := side[pair]; math.Abs(x[0]+x[1]-x[2]) > 0.1 {
					t.Errorf("%s %s: R %g and U %g do not make %g", table.id, pair, x[0], x[1], x[2])
				}
			}
			if x := table.without[pair][0] / table.with[pair][0]; x < 2.9 || x > 3.4 {
				t.Errorf("%s %s: without takes %.2f times as long, about 3 says the text", table.id, pair, x)
			}
		}
	}
}

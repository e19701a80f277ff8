package thesis

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// orderSlack is how far an exponent may be off.
const orderSlack = 0.35

// order judges the exponent of the time over the number of contacts, all pairs and paths together, those on which the
// solver diverges left out.
func (r *Results) order(family, solver string) Finding {
	thesis := orders[family][solver]
	f := Finding{ID: fmt.Sprintf("order-%s-%s", family, solver), Where: "3.9",
		Claim: fmt.Sprintf("Time of %s grows as n^%g (bench %s)", names[solver], thesis, family)}
	var xs, ys, zs [][]float64
	var parts []string
	for _, pair := range pairs {
		var px, py [][]float64
		for _, path := range paths {
			s := r.growth(family, pair, path, solver)
			if len(s.X) < 2 || slices.Contains(s.Marks, diverges) {
				continue
			}
			work := make([]float64, len(s.X)) // sweeps n^2: what a time without overheads follows
			for k, x := range s.X {
				work[k] = r.run(sized(family, int(x), pair, path), coarse(solver)).meanSweeps() * x * x
			}
			xs, ys, zs = append(xs, s.X), append(ys, s.Y), append(zs, work)
			px, py = append(px, s.X), append(py, s.Y)
		}
		if order, ok := slopes(px, py); ok {
			parts = append(parts, fmt.Sprintf("%s %.2f", pairNames[pair], order))
			f.number(pair, order)
		}
	}
	order, ok := slopes(xs, ys)
	if !ok {
		return f
	}
	work, _ := slopes(xs, zs)
	f.number("order", order)
	f.number("order of sweeps n^2", work)
	f.check(math.Abs(order-thesis) <= orderSlack)
	f.Measured = fmt.Sprintf("n^%.2f over 16, 36 and 66 contacts (%s); sweeps × n² grow as n^%.2f", order, strings.Join(parts, ", "), work)
	return f
}

func (r *Results) sameWithout() Finding {
	f := Finding{ID: "same-without-delassus", Where: "4.2.2", Claim: "With and without Delassus: the same forces, sweeps and statuses"}
	most, increments := 0.0, 0
	for _, c := range r.Couplers {
		for k := range c.Without {
			a, b := &c.With[k], &c.Without[k]
			most = math.Max(most, b.Deviation)
			f.check(b.Deviation <= 1e-8 && a.Sweeps == b.Sweeps && a.Sliding == b.Sliding && a.Sticking == b.Sticking)
			increments++
		}
	}
	f.number("most %", most)
	f.Measured = fmt.Sprintf("sweeps and statuses agree on %d of %d increments, forces to %.1g %%", f.Passed, increments, most)
	return f
}

func (r *Results) withoutSlower() Finding {
	f := Finding{ID: "without-slower", Where: "4.2.2", Claim: "Without Delassus the contact forces take three times as long; the displacements take the same"}
	var parts []string
	for i := range couplingTables {
		table := &couplingTables[i]
		for _, pair := range pairs {
			with, without := r.both(table.bench, pair)
			if len(with) == 0 {
				continue
			}
			x := f.number(table.bench+" "+pair, meanOf(without, timeR)/meanOf(with, timeR))
			f.check(x > 2 && x < 4.5)
			parts = append(parts, fmt.Sprintf("%s, %d contacts: × %.1f (thesis × %.1f)", pairNames[pair], table.contacts, x, table.without[pair][0]/table.with[pair][0]))
		}
	}
	f.Measured = strings.Join(parts, "; ") + "; here a sweep over W runs on vector instructions, the bodies answer point by point"
	return f
}

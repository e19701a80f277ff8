package thesis

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// orderSlack is how far an exponent may be off.
const orderSlack = 0.35

// order is the claim of an exponent of the time over the number of contacts, all pairs and paths together, those on
// which the solver diverges left out.
func order(family, solver string) claim {
	thesis := orders[family][solver]
	text := fmt.Sprintf("Time of %s grows as n^%g (bench %s)", styles[solver].name, thesis, family)
	return claim{"order-" + family + "-" + solver, "3.9", text, func(r *Results, f *Finding) { r.order(f, family, solver, thesis) }}
}

func (r *Results) order(f *Finding, family, solver string, thesis float64) {
	var xs, ys, zs [][]float64
	var parts []string
	for _, pair := range pairs {
		first := len(xs)
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
		}
		if order, ok := slopes(xs[first:], ys[first:]); ok {
			parts = append(parts, fmt.Sprintf("%s %.2f", pairNames[pair], order))
			f.number(pair, order)
		}
	}
	order, ok := slopes(xs, ys)
	if !ok {
		return
	}
	work, _ := slopes(xs, zs)
	f.number("order", order)
	f.number("order of sweeps n^2", work)
	f.check(math.Abs(order-thesis) <= orderSlack)
	f.say("n^%.2f over 16, 36 and 66 contacts (%s)", order, strings.Join(parts, ", "))
	f.say("sweeps × n² grow as n^%.2f", work)
}

func (r *Results) sameWithout(f *Finding) {
	most := 0.0
	for _, c := range r.Couplers {
		for k := range c.Without {
			a, b := &c.With[k], &c.Without[k]
			most = math.Max(most, b.Deviation)
			f.check(b.Deviation <= 1e-8 && a.Sweeps == b.Sweeps && a.Sliding == b.Sliding && a.Sticking == b.Sticking)
		}
	}
	f.number("most %", most)
	f.say("sweeps and statuses agree on %d of %d increments, forces to %.1g %%", f.Passed, f.Checks, most)
}

func (r *Results) withoutSlower(f *Finding) {
	for i := range couplingTables {
		table := &couplingTables[i]
		for _, pair := range pairs {
			with, without := r.both(table.bench, pair)
			if len(with) == 0 {
				continue
			}
			x := f.number(table.bench+" "+pair, meanOf(without, timeR)/meanOf(with, timeR))
			f.check(x > 2 && x < 4.5)
			f.say("%s, %d contacts: × %.1f (thesis × %.1f)", pairNames[pair], table.contacts, x, table.without[pair][0]/table.with[pair][0])
		}
	}
	f.say("here a sweep over W runs on vector instructions, the bodies answer point by point")
}

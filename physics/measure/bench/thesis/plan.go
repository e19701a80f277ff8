package thesis

import (
	"slices"

	"hapco/physics/measure/bench"
)

var (
	pairs     = []string{"alu-tissue", "alu-rubber", "tissue-tissue"}
	paths     = []string{"pen", "slide"}
	frictions = []float64{0.1, 0.3, 0.5, 0.7}
	benches   = []string{"A16", "A36", "A66", "B16", "B36", "B66"}
)

// usual is the thesis's usual friction coefficient.
const usual = 0.3

// uzawas are the six solvers of sections 3.6 to 3.8.
var uzawas = []string{"uzawa-star", "uzawa-local-star", "uzawa", "uzawa-local", "uzawa-local-signorini", "uzawa-local-signorini-star"}

// fine are the settings of sections 3.4 and 3.5, coarse those from 3.6 on.
func fine(solver string, factor float64) Method { return Method{solver, 1e-8, 10000, factor} }
func coarse(solver string) Method               { return Method{solver, 1e-4, 5000, 1} }

// coarseUzawas are the six at those.
func coarseUzawas() (methods []Method) {
	for _, s := range uzawas {
		methods = append(methods, coarse(s))
	}
	return methods
}

// bench36 is the case that most of the thesis is about.
func bench36(pair, path string, mu float64) bench.Case {
	return bench.Case{Bench: "A36", Pair: pair, Clamp: "end", Path: path, Mu: mu}
}

// on36 are that case's both paths, for each pair of materials, at the usual friction.
func on36(pairs ...string) (cases []bench.Case) {
	for _, pair := range pairs {
		for _, path := range paths {
			cases = append(cases, bench36(pair, path, usual))
		}
	}
	return cases
}

// bench16 is that of the penetration in section 3.4.
var bench16 = bench.Case{Bench: "A16", Pair: "alu-tissue", Clamp: "end", Path: "pen", Mu: usual}

// Factors on rho that section 3.5 speaks of, and beyond its limits of x2.2 and x1.5.
var (
	factors     = []float64{0.5, 1, 1.5, 2, 2.2, 2.5, 3}
	factorsStar = []float64{0.5, 1, 1.5, 2}
)

// walk is a path and the methods to try along it, the reference first.
type walk struct {
	c       bench.Case
	methods []Method
}

func (w *walk) add(ms ...Method) {
	for _, m := range ms {
		if !slices.Contains(w.methods, m) {
			w.methods = append(w.methods, m)
		}
	}
}

// formulations are the methods of section 3.4, and the consistent ones.
func formulations() []Method {
	return []Method{reference, fine("uzawa", 1), fine("pseudo-printed", 1), fine("pseudo", 1), fine("uzawa-star-consistent", 1)}
}

// plan lists the paths of chapter 3; those on the same blocks follow each other.
func plan() []walk {
	var ws []walk
	for _, b := range benches {
		for _, pair := range pairs {
			for _, path := range paths {
				for _, mu := range frictions {
					w := walk{c: bench.Case{Bench: b, Pair: pair, Clamp: clampOf(b), Path: path, Mu: mu}}
					w.add(reference)
					w.fill()
					if len(w.methods) > 1 {
						ws = append(ws, w)
					}
				}
			}
		}
	}
	return ws
}

// clampOf is the face that is held: the end on bench A (figure 3.2), the bottom on bench B, whose blocked nodes "are no
// longer the same" (3.9).
func clampOf(b string) string {
	if b[0] == 'A' {
		return "end"
	}
	return "bottom"
}

// fill adds what the sections ask for.
func (w *walk) fill() {
	c := w.c
	if c == bench16 { // 3.4
		w.add(formulations()...)
	}
	if c.Mu == usual { // 3.9
		w.add(coarse("uzawa-star"), coarse("uzawa"))
	}
	if c.Bench != "A36" {
		return
	}
	w.add(coarseUzawas()...) // 3.7, 3.8
	if c.Mu != usual {
		return
	}
	w.add(formulations()...)    // 3.4, 3.10
	w.add(fine("uzawa", 2))     // 3.10: not in all cases
	if c.Pair == "alu-tissue" { // 3.5
		w.add(factorMethods()...)
	}
}

// couplings lists the cases of section 4.2.2.
func couplings() []bench.Case {
	var cs []bench.Case
	for _, b := range []string{"C36", "C16"} {
		for _, pair := range pairs {
			for _, path := range paths {
				cs = append(cs, coupledCase(b, pair, path))
			}
		}
	}
	return cs
}

package bench

import (
	"fmt"
	"strings"

	"hapco/physics/machinery/refusal"
)

// Case names one run: a bench, a pair of materials, a clamp, a path and a friction coefficient.
type Case struct {
	Bench string  `json:"bench"` // A16, A36, A66, B16, B36, B66, C16 or C36: the bench and its contacts
	Pair  string  `json:"pair"`  // impactor-obstacle, of alu, rubber and tissue: "alu-tissue"
	Clamp string  `json:"clamp"` // face of the obstacle that is held: end (X = 0) or bottom (Y = 0)
	Path  string  `json:"path"`  // pen: presses; slide: presses, then drags along X
	Mu    float64 `json:"mu"`    // friction coefficient, -
}

// String is the name that the case goes by, such as A36_alu-tissue_end_pen_mu0.3.
func (c Case) String() string {
	return fmt.Sprintf("%s_%s_%s_%s_mu%g", c.Bench, c.Pair, c.Clamp, c.Path, c.Mu)
}

// elasticity is a linear elastic one.
type elasticity struct {
	Young   float64 // E, Pa
	Poisson float64 // nu, -
}

// materials are those of section 3.7. The thesis does not print Poisson's ratio of rubber; 0.45 is usual.
var materials = map[string]elasticity{
	"alu":    {69000e6, 0.33},
	"tissue": {0.02e6, 0.40},
	"rubber": {2350e6, 0.45},
}

// grid is a box and its division into elements.
type grid struct {
	origin vec    // m
	size   vec    // m
	n      [3]int // elements
}

// layout is a bench: the two blocks and the lengths of the paths.
type layout struct {
	impactor, obstacle grid
	presses            int // increments of the pen path
	depth              int // presses before the drag of the slide path
}

// drags is the number of increments along X of every slide path; step is the length of an increment, m.
const (
	drags = 20
	step  = 1e-3
)

func layoutOf(bench string) (l layout) {
	switch bench {
	case "A36", "A16", "A66": // figure 3.2
		l = layout{presses: 15, depth: 5}
		l.obstacle.size, l.impactor.size = vec{80e-3, 25e-3, 35e-3}, vec{10e-3, 40e-3, 10e-3}
	case "B66", "B36", "B16": // figure 3.46
		l = layout{presses: 15, depth: 5}
		l.obstacle.size, l.impactor.size = vec{50e-3, 25e-3, 32e-3}, vec{14.25e-3, 24e-3, 14.25e-3}
	case "C36", "C16": // figure 4.3
		l = layout{presses: 5, depth: 2}
		l.obstacle.size, l.impactor.size = vec{67e-3, 15e-3, 67e-3}, vec{14.25e-3, 24e-3, 14.25e-3}
	default:
		panic(refusal.Of("bench: no bench %q (choose A16, A36, A66, B16, B36, B66, C16 or C36)", bench))
	}
	l.obstacle.n = [3]int{10, 5, 10}
	l.impactor.n = map[string][3]int{"36": {5, 8, 5}, "16": {3, 10, 3}, "66": {5, 10, 10}}[bench[1:]]
	o, i := l.obstacle.size, l.impactor.size
	l.impactor.origin = vec{(o[0] - i[0]) / 2, o[1], (o[2] - i[2]) / 2}
	return l
}

func (c Case) pair() (impactor, obstacle elasticity) {
	a, b, _ := strings.Cut(c.Pair, "-")
	impactor, okA := materials[a]
	obstacle, okB := materials[b]
	refusal.Unless(okA && okB, "bench: no pair %q (name impactor and obstacle, of alu, rubber and tissue: alu-tissue)", c.Pair)
	return impactor, obstacle
}

// path lists the positions of the impactor's frame, m.
func (c Case) path(l layout) (d []vec) {
	down, along := l.presses, 0
	switch c.Path {
	case "pen":
	case "slide":
		down, along = l.depth, drags
	default:
		panic(refusal.Of("bench: no path %q (choose pen or slide)", c.Path))
	}
	for i := range down {
		d = append(d, vec{0, -float64(i+1) * step, 0})
	}
	for i := range along {
		d = append(d, vec{float64(i+1) * step, -float64(down) * step, 0})
	}
	return d
}

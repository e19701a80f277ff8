package probing

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hapco/physics/numerics/contact"
)

// Gesture is what a hostile hand does once: from where, with what, which way. All lengths are whole micrometres and all
// angles whole degrees, so that settings say the same numbers.
type Gesture struct {
	Kind     string  // what it is, a word
	At       vec     // where the stylus starts, world, m
	Rotation vec     // how the tool is held, about the fixed axes x, then y, then z, degrees
	Friction float64 // -
	Solver   string  // a name that contact.New knows
	Moves    []Move  // one after the other; the lift that ends every gesture is not among them
	Drift    vec     // how far the lift strays to the side, m a metre
}

// Move is a straight way, or a screw: circles about a vertical axis while it goes.
type Move struct {
	Way    vec     // m
	Row    float64 // length of a row, m
	Radius float64 // of the circles, m; 0: none
	Turns  float64 // of them, either way round
}

// Every gesture ends with a lift.
const (
	leastLift = 60e-3  // m
	liftRow   = 0.5e-3 // m
	clearance = 40e-3  // of the tool's lowest point over the highest of tissue at rest, m: nothing may hold on to it there; more where tissue reaches farther
	overshoot = 5e-3   // and this much farther, m
	waitRows  = 60     // at the end, ms: longer than what may take 50 ms to heal
)

// rows are where the stylus goes, from At, m: one a millisecond. Those from cleared on are room over everything, m. low
// is how far the tool reaches below the stylus, and top is where tissue at rest ends, m.
func (g *Gesture) rows(low, top, room float64) (rows []vec, cleared int) {
	at := vec{}
	for i := range g.Moves {
		m := &g.Moves[i]
		length := math.Hypot(m.Way.Len(), 2*math.Pi*m.Radius*m.Turns)
		n := int(math.Ceil(length/m.Row - 1e-9))
		for k := 1; k <= n; k++ {
			s := float64(k) / float64(n)
			p := at.Add(m.Way.Mul(s))
			if m.Radius > 0 {
				sin, cos := math.Sincos(2 * math.Pi * m.Turns * s)
				p = p.Add(vec{cos - 1, 0, sin}.Mul(m.Radius))
			}
			rows = append(rows, micrometres(p))
		}
		if n > 0 {
			at = rows[len(rows)-1]
		}
	}
	over := top + low + room - g.At[1] // the offset from which on the tool is clear
	lift := max(leastLift, over+overshoot-at[1])
	n := int(math.Ceil(lift / liftRow))
	cleared = -1
	for k := 1; k <= n+waitRows; k++ {
		s := lift * min(1, float64(k)/float64(n))
		rows = append(rows, micrometres(at.Add(vec{0, s, 0}).Add(g.Drift.Mul(s))))
		if cleared < 0 && rows[len(rows)-1][1] >= over {
			cleared = len(rows) - 1
		}
	}
	return rows, cleared
}

// micrometres rounds to whole ones, so that three decimals of a millimetre say it exactly.
func micrometres(p vec) vec {
	for k := range p {
		p[k] = math.Round(p[k]*1e6) / 1e3 / 1e3
	}
	return p
}

// exactSolvers call themselves exact.
var exactSolvers = func() (names []string) {
	for _, name := range contact.Names() {
		if contact.Describe(name).Family == contact.FamilyExact {
			names = append(names, name)
		}
	}
	return names
}()

// kinds are what a hostile hand may do, and how often.
var kinds = []struct {
	name string
	of20 int
	make func(h *hostile) Gesture
}{
	{"press-slide-lift", 7, (*hostile).pressSlideLift},
	{"press", 2, (*hostile).press},
	{"drag", 3, (*hostile).drag},
	{"sweep", 3, (*hostile).sweep},
	{"circles", 1, (*hostile).circles},
	{"shaft", 2, (*hostile).shaft},
	{"restless", 2, (*hostile).restless},
}

// hostile makes gestures over an arena.
type hostile struct {
	*rand.Rand
	a *Arena
}

// Gesture is the nth of a seed, the same whatever was made before.
func (a *Arena) Gesture(seed, n uint64) Gesture {
	h := &hostile{rand.New(rand.NewPCG(seed, n)), a}
	pick := h.IntN(20)
	for _, k := range kinds {
		if pick -= k.of20; pick < 0 {
			g := k.make(h)
			g.Kind = k.name
			return g
		}
	}
	panic("probing: the kinds of gestures are not 20 in 20")
}

func (h *hostile) between(low, high float64) float64 { return low + (high-low)*h.Float64() }

// begin is a gesture without moves: in five of ten with the friction that tissue has, else anything; seven of ten with
// the solver that scenes have.
func (h *hostile) begin() Gesture {
	g := Gesture{Friction: 0.3, Solver: "auto"}
	switch pick := h.IntN(10); {
	case pick < 1:
		g.Friction = 0
	case pick < 2:
		g.Friction = 1
	case pick < 5:
		g.Friction = math.Round(100*h.Float64()) / 100
	}
	if h.IntN(10) >= 7 {
		g.Solver = exactSolvers[h.IntN(len(exactSolvers))]
	}
	if h.IntN(4) == 0 {
		angle := h.between(0, 2*math.Pi)
		g.Drift = vec{math.Cos(angle), 0, math.Sin(angle)}.Mul(h.between(0.05, 0.4))
	}
	return g
}

// row is how far the hand comes in a millisecond: 0.25 to 1 m/s on an organ.
func (h *hostile) row() float64 {
	return h.a.scale * []float64{0.25e-3, 0.5e-3, 1e-3}[h.IntN(3)]
}

// tilt is how the tool is held, degrees: as the scene has it, then tilted from there.
func (h *hostile) tilt(most float64) vec {
	t := h.a.held
	for k := 0; k < 3; k += 2 {
		t[k] = math.Round(t[k] + h.between(-most, most))
	}
	return t
}

// over puts the stylus over a random place of the tissue and tells the way down to it, m, and how thick the tissue is
// there.
func (h *hostile) over(g *Gesture) (touch, thick float64) {
	low, lowest := h.a.reach(g.Rotation)
	for range 1000 {
		x, z := h.between(h.a.low[0], h.a.high[0]), h.between(h.a.low[2], h.a.high[2])
		g.At = micrometres(vec{x, h.a.high[1] + lowest + h.a.scale*6e-3, z})
		y, at := h.a.touch(low, g.At)
		if math.IsInf(y, 0) {
			continue
		}
		return y, h.a.top.thick(at[0], at[2])
	}
	panic("probing: no tissue beneath anything") // NewArena has seen some
}

func (h *hostile) aside(least, most float64) vec {
	angle, way := h.between(0, 2*math.Pi), h.between(least, most)
	return micrometres(vec{way * math.Cos(angle), 0, way * math.Sin(angle)})
}

func down(way float64) vec { return micrometres(vec{0, -way, 0}) }

// pressSlideLift presses 10 to 32 mm, slides once to three times 10 to 45 mm and lifts, all on an organ's scale; every
// other time from where the scene starts.
func (h *hostile) pressSlideLift() Gesture {
	g := h.begin()
	g.Rotation = h.a.held
	depth, row := micrometres(vec{0, h.a.scale * h.between(10e-3, 32e-3), 0})[1], h.a.scale*0.5e-3
	if h.IntN(2) == 0 {
		g.At = h.a.start
		low, _ := h.a.reach(g.Rotation)
		if y, _ := h.a.touch(low, g.At); y < h.a.scale*20e-3 && y > 0 {
			depth += y
		}
	} else {
		touch, _ := h.over(&g)
		depth += touch
	}
	g.Moves = append(g.Moves, Move{Way: down(depth), Row: row})
	for range 1 + h.IntN(3) {
		g.Moves = append(g.Moves, Move{Way: h.aside(h.a.scale*10e-3, h.a.scale*45e-3), Row: row})
	}
	return g
}

// in puts the tool into the tissue at a random place, from least to most of its thickness there.
func (h *hostile) in(tilt, least, most float64) Gesture {
	g := h.begin()
	g.Rotation = h.a.held
	if tilt > 0 {
		g.Rotation = h.tilt(tilt)
	}
	touch, thick := h.over(&g)
	g.Moves = append(g.Moves, Move{Way: down(touch + thick*h.between(least, most)), Row: h.row()})
	return g
}

func (h *hostile) press() Gesture {
	return h.in(30, 0.3, deepest)
}

// deepest is how deep a hostile hand presses, of the tissue's thickness.
const deepest = 0.6

func (h *hostile) drag() Gesture {
	g := h.in(30, 0.2, deepest)
	row := h.row()
	for range 1 + h.IntN(4) {
		way := h.aside(h.a.scale*10e-3, h.a.scale*45e-3)
		if h.IntN(3) == 0 {
			way[1] = micrometres(vec{0, way.Len() * h.between(-0.3, 0.3), 0})[1]
		}
		g.Moves = append(g.Moves, Move{Way: way, Row: row})
	}
	return g
}

// sweep goes through at 1 m/s: from beside the tissue, or from where it has pressed.
func (h *hostile) sweep() Gesture {
	g := h.begin()
	g.Rotation = h.tilt(20)
	size := h.a.box.size()
	across := size[0] + size[2]
	row := h.a.scale * 1e-3
	touch, thick := h.over(&g)
	way := h.aside(across/2, across)
	if h.IntN(2) == 0 {
		g.Moves = []Move{{Way: down(touch + thick*h.between(0.2, deepest)), Row: row}, {Way: way, Row: row}}
		return g
	}
	// down beside the tissue, then through it where the other sort presses
	back := way.Normalize().Mul(-across)
	side := micrometres(back)
	g.At = micrometres(g.At.Add(side))
	g.Moves = []Move{
		{Way: down(touch + thick*h.between(0.1, deepest)), Row: row},
		{Way: micrometres(back.Mul(-2)), Row: row},
	}
	return g
}

func (h *hostile) circles() Gesture {
	g := h.in(30, 0.2, deepest)
	turns := h.between(0.5, 3)
	if h.IntN(2) == 0 {
		turns = -turns
	}
	g.Moves = append(g.Moves, Move{
		Way: down(h.a.scale * h.between(-3e-3, 3e-3)), Row: h.row(), Radius: h.a.scale * h.between(4e-3, 15e-3), Turns: turns,
	})
	return g
}

// shaft lays the tool on its side, so that the shaft comes first.
func (h *hostile) shaft() Gesture {
	g := h.begin()
	g.Rotation = h.a.held
	angle := h.between(60, 100)
	if h.IntN(2) == 0 {
		angle = -angle
	}
	g.Rotation[2*h.IntN(2)] = math.Round(angle)
	touch, thick := h.over(&g)
	g.Moves = append(g.Moves, Move{Way: down(touch + thick*h.between(0.2, deepest)), Row: h.row()})
	for range 1 + h.IntN(2) {
		g.Moves = append(g.Moves, Move{Way: h.aside(h.a.scale*10e-3, h.a.scale*45e-3), Row: h.row()})
	}
	return g
}

// restless presses, drags and lifts as it comes to mind.
func (h *hostile) restless() Gesture {
	g := h.in(45, 0.1, 0.4)
	for range 4 + h.IntN(6) {
		way := h.aside(0, h.a.scale*20e-3)
		way[1] = h.a.scale * h.between(-8e-3, 8e-3)
		if h.IntN(4) == 0 {
			way[1] = h.a.scale * h.between(5e-3, 40e-3)
		}
		g.Moves = append(g.Moves, Move{Way: micrometres(way), Row: h.row()})
	}
	return g
}

// String is one line of what the hand does.
func (g *Gesture) String() string {
	text := fmt.Sprintf("%s, friction %g, %s:", g.Kind, g.Friction, g.Solver)
	for i := range g.Moves {
		m := &g.Moves[i]
		text += fmt.Sprintf(" (%.1f %.1f %.1f)", 1e3*m.Way[0], 1e3*m.Way[1], 1e3*m.Way[2])
		if m.Radius > 0 {
			text += fmt.Sprintf(" %.1f turns of %.1f", m.Turns, 1e3*m.Radius)
		}
	}
	return text + " mm, lift"
}

package probing

import (
	"context"
	"math"
	"slices"
)

// Shrink makes a failing gesture short, as long as it still fails by the same cause: fewer moves, shorter ones, as the
// scene has it. It tries so often at most.
func (a *Arena) Shrink(ctx context.Context, g Gesture, cause Cause, tries int, o JudgeOptions) (Gesture, *Verdict, error) {
	var best *Verdict
	for progress := true; progress; {
		progress = false
		for _, c := range simpler(a, &g) {
			if tries--; tries < 0 {
				return g, best, nil
			}
			v, err := a.Judge(ctx, &c, o)
			if err != nil {
				if ctx.Err() != nil {
					return g, best, err
				}
				continue // a gesture that passes over nothing
			}
			if v.has(cause) {
				g, best, progress = c, v, true
				break
			}
		}
	}
	return g, best, nil
}

// simpler are gestures that say less, the greatest savings first.
func simpler(a *Arena, g *Gesture) (out []Gesture) {
	try := func(change func(c *Gesture)) {
		c := *g
		c.Moves = slices.Clone(g.Moves)
		change(&c)
		out = append(out, c)
	}
	for i := range g.Moves { // the later ones first
		i := len(g.Moves) - 1 - i
		if len(g.Moves) > 1 {
			try(func(c *Gesture) { c.Moves = slices.Delete(c.Moves, i, i+1) })
		}
	}
	if g.Drift != (vec{}) {
		try(func(c *Gesture) { c.Drift = vec{} })
	}
	if g.Solver != "auto" {
		try(func(c *Gesture) { c.Solver = "auto" })
	}
	for _, mu := range []float64{0.3, 0, 0.5, 1} {
		if g.Friction == mu {
			break
		}
		try(func(c *Gesture) { c.Friction = mu })
	}
	if g.Rotation != a.held {
		try(func(c *Gesture) { c.Rotation = a.held })
	}
	const coarse, short = 2e-3, 3e-3 // m
	for i := range g.Moves {
		m := &g.Moves[i]
		if m.Radius > 0 {
			try(func(c *Gesture) { c.Moves[i].Radius, c.Moves[i].Turns = 0, 0 })
			if math.Abs(m.Turns) > 0.5 {
				try(func(c *Gesture) { c.Moves[i].Turns /= 2 })
			}
		}
		for _, share := range []float64{0.5, 0.8} {
			if m.Way.Len()*(1-share) > a.scale*short {
				try(func(c *Gesture) { c.Moves[i].Way = micrometres(m.Way.Mul(share)) })
			}
		}
		round := m.Way
		for k := range round {
			round[k] = math.Round(round[k]/coarse) * coarse
		}
		if round = micrometres(round); a.scale > 0.5 && round != m.Way {
			try(func(c *Gesture) { c.Moves[i].Way = round })
		}
	}
	return out
}

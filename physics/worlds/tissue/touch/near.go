package touch

import (
	"cmp"
	"math"
	"slices"

	"hapco/collision"
)

// Near is a node that the tool may come to.
type Near struct {
	Surface, Node int32
	Gap           float64 // m; where the tool is a surface, to a feature of it, and no more than it is
}

// NearTool appends the nodes closer than reach to the tool, each once, the nearest first. Of a tool that is a surface
// they are among those of the last Collect.
func (s *Set) NearTool(dst []Near, reach float64) []Near {
	first := len(dst)
	core := &s.Tool.core
	if !s.covers || s.strayed() > s.margin/2 {
		s.fit()
	}
	for k := range s.Pairings {
		if s.Pairings[k].B >= 0 {
			continue
		}
		f := s.Surfaces[s.Pairings[k].A]
		clear(f.stray) // those that have been looked at
		s.swept = s.searchTool(s.swept[:0], k, f.X, core, reach)
		for i := range s.swept {
			for _, n := range f.Triangles[s.swept[i].a] {
				if f.stray[n] {
					continue
				}
				f.stray[n] = true
				_, _, d2 := collision.ClosestSegments(f.X[n], f.X[n], core[0], core[1])
				dst = s.near(dst, Near{s.swept[i].s, n, math.Sqrt(d2) - s.Tool.Round}, reach)
			}
		}
	}
	for i := range s.pairs {
		c := &s.pairs[i]
		if s.Surfaces[c.s].Tool == s.Surfaces[c.o].Tool {
			continue
		}
		surface := c.s
		nodes, others := s.nodes(&c.pair)
		if s.Surfaces[c.s].Tool {
			surface, nodes = c.o, others
		}
		gap := c.apart - s.wayOf(&c.pair)
		for _, n := range nodes {
			dst = s.near(dst, Near{surface, n, gap}, reach)
		}
	}
	found := dst[first:]
	slices.SortFunc(found, func(a, b Near) int {
		return cmp.Or(cmp.Compare(a.Surface, b.Surface), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Gap, b.Gap))
	})
	found = slices.CompactFunc(found, func(a, b Near) bool { return a.Surface == b.Surface && a.Node == b.Node })
	slices.SortStableFunc(found, func(a, b Near) int { return cmp.Compare(a.Gap, b.Gap) })
	return dst[:first+len(found)]
}

func (s *Set) near(dst []Near, n Near, reach float64) []Near {
	if n.Gap < reach {
		dst = append(dst, n)
	}
	return dst
}

// Crosses tells whether surfaces go through each other where they are now, or the tool through one, by exact predicates:
// the tool's core by its distances. Where some did from the start nothing is told of surfaces.
func (s *Set) Crosses() bool {
	s.fit()
	for _, p := range s.Pairings {
		f := s.Surfaces[p.A]
		switch {
		case p.B >= 0:
			if !s.crossed && len(f.shape.Cuts(nil, s.Surfaces[p.B].shape)) > 0 {
				return true
			}
		case s.Tool.Round > 0:
			for t := range f.Triangles {
				if _, _, d2 := s.faceToCore(f, int32(t)); d2 < s.Tool.Round*s.Tool.Round {
					return true
				}
			}
		}
	}
	return false
}

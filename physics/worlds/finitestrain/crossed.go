package finitestrain

import (
	"slices"

	"hapco/collision"
)

// crossed tells whether a body's surface goes through itself deeper than may be shown. Rows hold what comes near in a
// correction. But a crease that snaps moves by whole cells at once, and may come to stand through itself where there is
// no row. Such a state is not shown: of 180 hostile gestures on block-neo-hookean and organs 7 showed triangles turned
// over where it was, none do now. Rows that hold from then on what has gone through bought nothing more.
func (l *Live) crossed() bool {
	for i := range l.itself {
		s := &l.itself[i]
		if !s.any { // no part is near another
			continue
		}
		if s.place(l); s.crossed(tooDeep * l.Options.Reach) {
			return true
		}
	}
	return false
}

// crossed tells whether an edge goes through a triangle by more than most, m.
func (s *itself) crossed(most float64) bool {
	s.fit()
	s.near = s.tree.Near(s.near[:0], s.at, s.tree, s.at, 0)
	for _, pair := range s.near {
		for k, t := range pair {
			for _, e := range s.owned[pair[1-k]] {
				if e >= 0 && s.through(e, t, most) {
					return true
				}
			}
		}
	}
	return false
}

// through tells whether an edge goes through a triangle by more than most, m: its node that is behind is so far from
// all triangles there, and it is so far from the triangle's sides.
func (s *itself) through(e, triangle int32, most float64) bool {
	t, x := &s.triangles[triangle], &s.edges[e].Node
	if slices.Contains(t[:], x[0]) || slices.Contains(t[:], x[1]) {
		return false
	}
	a, p, q := s.at[t[0]], s.at[x[0]], s.at[x[1]]
	normal := s.at[t[1]].Sub(a).Cross(s.at[t[2]].Sub(a))
	first, second := p.Sub(a).Dot(normal), q.Sub(a).Dot(normal)
	if !(first*second < 0) || -min(first, second) <= most*normal.Len() {
		return false
	}
	at := p.Add(q.Sub(p).Mul(first / (first - second)))
	for k := range 3 {
		from, to := s.at[t[k]], s.at[t[(k+1)%3]]
		if to.Sub(from).Cross(at.Sub(from)).Dot(normal) <= 0 {
			return false
		}
		if i, j, ok := collision.Crossing(p, q, from, to); ok && p.Add(q.Sub(p).Mul(i)).Sub(from.Add(to.Sub(from).Mul(j))).LenSqr() <= most*most {
			return false
		}
	}
	behind := x[0]
	if second < 0 {
		behind = x[1]
	}
	for _, corner := range t {
		for _, i := range s.around[corner] {
			o := &s.triangles[i]
			if slices.Contains(o[:], behind) {
				continue
			}
			if _, d2 := collision.ClosestOnTriangle(s.at[behind], s.at[o[0]], s.at[o[1]], s.at[o[2]]); d2 <= most*most {
				return false
			}
		}
	}
	return true
}

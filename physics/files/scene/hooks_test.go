// What only tests ask.

package scene

import "math"

// PairFriction returns the friction coefficient of two bodies.
func (s *Scene) PairFriction(a, b string) float64 {
	if p := s.Pair(a, b); p != nil && !math.IsNaN(p.Friction) {
		return p.Friction
	}
	return s.Friction
}

package collision

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Sweep finds the pairs of boxes that overlap among many that move little from call to call: sweep and prune (Ericson,
// section 7.5). The boxes are kept in the order of their lower ends along one axis; an insertion sort mends the order
// in a time that follows what changed. The axis is the one along which the boxes' centres spread the most, looked at
// now and then.
//
// One goroutine uses it at a time.
type Sweep struct {
	boxes []box
	quiet []bool // of each box: see Quiet
	order []int32
	axis  int
	calls int
	pairs [][2]int32
}

// NewSweep makes room for n boxes, all at the origin.
func NewSweep(n int) *Sweep {
	s := &Sweep{boxes: make([]box, n), quiet: make([]bool, n), order: make([]int32, n), pairs: make([][2]int32, 0, 4*n)}
	for i := range s.order {
		s.order[i] = int32(i)
	}
	return s
}

// Set places box i. A bound may be infinite, not NaN.
func (s *Sweep) Set(i int, lo, hi mgl64.Vec3) { s.boxes[i] = box{lo, hi} }

// Quiet tells whether pairs of box i with others that are quiet, too, are left out from now on.
func (s *Sweep) Quiet(i int, quiet bool) { s.quiet[i] = quiet }

// Overlaps gives the pairs i < j of boxes that overlap when each is widened by margin/2 on all sides, touching
// included; ascending. The slice is valid until the next call.
func (s *Sweep) Overlaps(margin float64) [][2]int32 {
	if s.calls%axisEvery == 0 {
		s.choose()
	}
	s.calls++
	axis, order := s.axis, s.order
	for k := 1; k < len(order); k++ {
		id := order[k]
		at, j := s.boxes[id].lo[axis], k
		for j > 0 && s.boxes[order[j-1]].lo[axis] > at {
			order[j] = order[j-1]
			j--
		}
		order[j] = id
	}
	s.pairs = s.pairs[:0]
	for k, i := range order {
		a, quiet := &s.boxes[i], s.quiet[i]
		end := a.hi[axis] + margin
		for _, j := range order[k+1:] {
			b := &s.boxes[j]
			if b.lo[axis] > end {
				break
			}
			if quiet && s.quiet[j] || a.apart(b, margin) {
				continue
			}
			s.pairs = append(s.pairs, [2]int32{min(i, j), max(i, j)})
		}
	}
	slices.SortFunc(s.pairs, func(a, b [2]int32) int {
		if a[0] != b[0] {
			return int(a[0] - b[0])
		}
		return int(a[1] - b[1])
	})
	return s.pairs
}

// apart tells whether some axis has more than margin between two boxes.
func (b *box) apart(c *box, margin float64) bool {
	for k := range 3 {
		if b.lo[k] > c.hi[k]+margin || c.lo[k] > b.hi[k]+margin {
			return true
		}
	}
	return false
}

// choose takes the axis with the greatest variance of the centres, which leaves the fewest boxes side by side. Infinite
// boxes do not count.
func (s *Sweep) choose() {
	var sum, squares mgl64.Vec3
	n := 0.0
	for i := range s.boxes {
		c := s.boxes[i].lo.Add(s.boxes[i].hi)
		if d := c.Dot(c); !(d-d == 0) {
			continue
		}
		n++
		for k := range 3 {
			sum[k] += c[k]
			squares[k] += c[k] * c[k]
		}
	}
	best := -1.0
	for k := range 3 {
		if v := squares[k] - sum[k]*sum[k]/max(1, n); v > best {
			best, s.axis = v, k
		}
	}
}

package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Orient tells on which side of the plane through a, b and c a point d lies, exactly: 1 where a, b and c run clockwise
// seen from d, -1 where they run counter-clockwise, 0 where the four lie in a plane. It is the sign of the determinant
// of a-d, b-d, c-d.
//
// Rounding is bounded first (Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
// predicates, 1997, sections 4.3 and 2); where it may decide, the determinant is summed without any. Coordinates are
// finite, and 0 or from 1e-90 to 1e100 in size.
func Orient(a, b, c, d mgl64.Vec3) int {
	adx, ady, adz := a[0]-d[0], a[1]-d[1], a[2]-d[2]
	bdx, bdy, bdz := b[0]-d[0], b[1]-d[1], b[2]-d[2]
	cdx, cdy, cdz := c[0]-d[0], c[1]-d[1], c[2]-d[2]
	bc, cb := bdx*cdy, cdx*bdy
	ca, ac := cdx*ady, adx*cdy
	ab, ba := adx*bdy, bdx*ady
	det := adz*(bc-cb) + bdz*(ca-ac) + cdz*(ab-ba)
	size := (math.Abs(bc)+math.Abs(cb))*math.Abs(adz) +
		(math.Abs(ca)+math.Abs(ac))*math.Abs(bdz) +
		(math.Abs(ab)+math.Abs(ba))*math.Abs(cdz)
	const unit = 1. / (1 << 53)
	if least := (7 + 56*unit) * unit * size; det > least || size == 0 || -det > least {
		return sign(det)
	}
	u, v, w := minus(a, d), minus(b, d), minus(c, d)
	var e expansion
	for k := range 3 {
		l, m := (k+1)%3, (k+2)%3
		e.addProducts(&u[m], &v[k], &w[l], 1)
		e.addProducts(&u[m], &w[k], &v[l], -1)
	}
	return e.sign()
}

// orient2 is the same in a plane of two axes: 1 where a, b and c run counter-clockwise, 0 where they lie on a line.
func orient2(a, b, c *mgl64.Vec3, i, j int) int {
	left, right := (a[i]-c[i])*(b[j]-c[j]), (a[j]-c[j])*(b[i]-c[i])
	det := left - right
	const unit = 1. / (1 << 53)
	size := math.Abs(left) + math.Abs(right)
	if least := (3 + 16*unit) * unit * size; det > least || size == 0 || -det > least {
		return sign(det)
	}
	u, v := minus(*a, *c), minus(*b, *c)
	var e expansion
	one := pair{1, 0}
	e.addProducts(&u[i], &v[j], &one, 1)
	e.addProducts(&u[j], &v[i], &one, -1)
	return e.sign()
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// pair is a number as the sum of two floats, the second one what rounding has taken from the first.
type pair [2]float64

// minus is a-b without rounding.
func minus(a, b mgl64.Vec3) (d [3]pair) {
	for k := range 3 {
		d[k][0], d[k][1] = twoSum(a[k], -b[k])
	}
	return d
}

// twoSum is a+b, rounded, and what that leaves out (Knuth).
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	b1 := sum - a
	return sum, (a - (sum - b1)) + (b - b1)
}

// twoProduct is a*b, rounded, and what that leaves out.
func twoProduct(a, b float64) (product, rest float64) {
	product = float64(a * b) // never fused with what follows
	return product, math.FMA(a, b, -product)
}

// expansion is a sum of floats that do not overlap, in ascending order: a number without rounding (Shewchuk, section
// 2.4). Its room is that of a determinant of three by three differences: 6 products of 8 of 4 terms.
type expansion struct {
	term [192]float64
	n    int
}

func (e *expansion) add(x float64) {
	kept := 0
	for _, t := range e.term[:e.n] {
		var rest float64
		if x, rest = twoSum(x, t); rest != 0 {
			e.term[kept] = rest
			kept++
		}
	}
	if x != 0 {
		e.term[kept] = x
		kept++
	}
	e.n = kept
}

// addProducts adds the product of three pairs and a sign.
func (e *expansion) addProducts(a, b, c *pair, sign float64) {
	for _, x := range a {
		for _, y := range b {
			if x == 0 || y == 0 {
				continue
			}
			xy, xyRest := twoProduct(sign*x, y)
			for _, z := range c {
				if z == 0 {
					continue
				}
				p, pRest := twoProduct(xy, z)
				q, qRest := twoProduct(xyRest, z)
				e.add(qRest)
				e.add(q)
				e.add(pRest)
				e.add(p)
			}
		}
	}
}

// sign is that of the largest term: the others do not add up to as much.
func (e *expansion) sign() int {
	if e.n == 0 {
		return 0
	}
	return sign(e.term[e.n-1])
}

// Relation tells how two features lie.
type Relation uint8

const (
	Clear   Relation = iota // without a common point
	Touches                 // with one, but none through the other: at an end or an edge, or in one plane
	Crosses                 // one goes through the inside of the other
)

// SegmentTriangle tells how a segment pq lies to a triangle abc, exactly; for coordinates see Orient. Either may be
// degenerate.
func SegmentTriangle(p, q, a, b, c mgl64.Vec3) Relation {
	above, below := Orient(a, b, c, p), Orient(a, b, c, q)
	if above*below > 0 {
		return Clear
	}
	if above == 0 && below == 0 {
		return flat(&p, &q, &a, &b, &c)
	}
	// the line through p and q meets the plane at a point; these tell on which side of each edge that is
	x, y, z := Orient(p, q, a, b), Orient(p, q, b, c), Orient(p, q, c, a)
	switch {
	case min(x, y, z) < 0 && max(x, y, z) > 0:
		return Clear
	case above*below < 0 && x == y && y == z:
		return Crosses
	}
	return Touches
}

// axes are the planes that points are projected on. Points of one plane have a common point if they have one in each of
// the projections: in one of them nothing falls together that is not the same.
var axes = [3][2]int{{0, 1}, {1, 2}, {2, 0}}

// flat is SegmentTriangle where all lies in one plane, or the triangle on a line.
func flat(p, q, a, b, c *mgl64.Vec3) Relation {
	if segmentsMeet(p, q, a, b) || segmentsMeet(p, q, b, c) || segmentsMeet(p, q, c, a) {
		return Touches
	}
	area, inside := false, true
	for _, k := range axes {
		area = area || orient2(a, b, c, k[0], k[1]) != 0
		x, y, z := orient2(a, b, p, k[0], k[1]), orient2(b, c, p, k[0], k[1]), orient2(c, a, p, k[0], k[1])
		inside = inside && !(min(x, y, z) < 0 && max(x, y, z) > 0)
	}
	if area && inside {
		return Touches
	}
	return Clear
}

// segmentsMeet tells exactly whether two segments have a common point.
func segmentsMeet(p, q, a, b *mgl64.Vec3) bool {
	if Orient(*p, *q, *a, *b) != 0 {
		return false
	}
	for _, k := range axes {
		i, j := k[0], k[1]
		for _, m := range k {
			if max(p[m], q[m]) < min(a[m], b[m]) || max(a[m], b[m]) < min(p[m], q[m]) {
				return false
			}
		}
		if orient2(p, q, a, i, j)*orient2(p, q, b, i, j) > 0 || orient2(a, b, p, i, j)*orient2(a, b, q, i, j) > 0 {
			return false
		}
	}
	return true
}

package bench

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

const (
	// tie is how much larger, m^2, a squared distance may be than the least one and still tie with it; the lowest
	// triangle then wins. The benches need it: some nodes stand exactly above grid lines.
	tie = 1e-18
	// overhangLength, m, is how far beside the edge of the top face a point may lie before it counts as hanging over.
	overhangLength = 1e-9
	// overhangWeight is the barycentric weight below which a node does not carry.
	overhangWeight = 1e-6
)

// foot is the closest point of a triangle: its barycentrics and squared distance.
type foot struct {
	b      [3]float64
	dist2  float64
	inside bool // the orthogonal projection lies in the triangle
}

func closest(p, a, b, c vec) foot {
	u, v, w := b.Sub(a), c.Sub(a), p.Sub(a)
	uu, uv, vv := u.Dot(u), u.Dot(v), v.Dot(v)
	wu, wv := w.Dot(u), w.Dot(v)
	det := uu*vv - uv*uv
	s, t := (vv*wu-uv*wv)/det, (uu*wv-uv*wu)/det
	if s >= 0 && t >= 0 && 1-s-t >= 0 {
		f := foot{b: [3]float64{1 - s - t, s, t}, inside: true}
		f.dist2 = p.Sub(point(f.b, a, b, c)).LenSqr()
		return f
	}
	best := foot{dist2: math.Inf(1)}
	corner := [3]vec{a, b, c}
	for e := range 3 {
		from, to := corner[e], corner[(e+1)%3]
		d := to.Sub(from)
		x := mgl64.Clamp(p.Sub(from).Dot(d)/d.LenSqr(), 0, 1)
		if d2 := p.Sub(from.Add(d.Mul(x))).LenSqr(); d2 < best.dist2 {
			best = foot{dist2: d2}
			best.b[e], best.b[(e+1)%3] = 1-x, x
		}
	}
	return best
}

func point(b [3]float64, x0, x1, x2 vec) vec {
	return x0.Mul(b[0]).Add(x1.Mul(b[1])).Add(x2.Mul(b[2]))
}

// frame is the contact frame (n, t1, t2) of a triangle: n = (C-A)x(B-A) normalised, +Y when undeformed; t1 is X made
// orthogonal to n; t2 = n x t1.
func frame(a, b, c vec) [3]vec {
	n := c.Sub(a).Cross(b.Sub(a)).Normalize()
	ex := vec{1, 0, 0}
	t1 := ex.Sub(n.Mul(ex.Dot(n))).Normalize()
	return [3]vec{n, t1, n.Cross(t1)}
}

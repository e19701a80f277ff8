package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// turned returns the columns of a random rotation.
func turned(r *rand.Rand) [3]mgl64.Vec3 {
	q := mgl64.Quat{W: r.NormFloat64(), V: mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}}.Normalize()
	var e [3]mgl64.Vec3
	for k := range e {
		e[k][k] = 1
		e[k] = q.Rotate(e[k])
	}
	return e
}

// convexes are the kinds of body, about the origin, with axes e.
var convexes = map[string]func(e [3]mgl64.Vec3, r *rand.Rand) Convex{
	"box": func(e [3]mgl64.Vec3, r *rand.Rand) Convex {
		return Convex{Count: 3, Segments: [3]mgl64.Vec3{e[0].Mul(width(r)), e[1].Mul(width(r)), e[2].Mul(width(r))}}
	},
	"cylinder": func(e [3]mgl64.Vec3, r *rand.Rand) Convex {
		a := width(r)
		return Convex{Count: 1, Segments: [3]mgl64.Vec3{e[1].Mul(width(r))}, Axes: 2, Oval: [3]mgl64.Vec3{e[0].Mul(a), e[2].Mul(a)}}
	},
	"capsule": func(e [3]mgl64.Vec3, r *rand.Rand) Convex {
		return Convex{Count: 1, Segments: [3]mgl64.Vec3{e[1].Mul(width(r))}, Round: width(r)}
	},
	"ellipsoid": func(e [3]mgl64.Vec3, r *rand.Rand) Convex {
		return Convex{Axes: 3, Oval: [3]mgl64.Vec3{e[0].Mul(width(r)), e[1].Mul(width(r)), e[2].Mul(width(r))}}
	},
	"ball": func(_ [3]mgl64.Vec3, r *rand.Rand) Convex { return Convex{Round: width(r)} },
	"segment": func(e [3]mgl64.Vec3, r *rand.Rand) Convex {
		return Convex{Count: 1, Segments: [3]mgl64.Vec3{e[1].Mul(width(r))}}
	},
}

var convexNames = []string{"ball", "box", "capsule", "cylinder", "ellipsoid", "segment"}

func width(r *rand.Rand) float64 { return math.Exp(1.5 * (r.Float64() - 0.5)) }

// slab is what Separate finds, by trying directions everywhere and mending the best.
func slab(a, b *Convex) float64 {
	s := func(n mgl64.Vec3) float64 {
		n = n.Normalize()
		return b.Support(n.Mul(-1)).Sub(a.Support(n)).Dot(n)
	}
	type start struct {
		n mgl64.Vec3
		s float64
	}
	var best [12]start
	for i := range best {
		best[i].s = math.Inf(-1)
	}
	const count = 3000
	for i := range count {
		y := 1 - 2*(float64(i)+0.5)/count
		r, phi := math.Sqrt(1-y*y), float64(i)*math.Pi*(3-math.Sqrt(5))
		n := mgl64.Vec3{r * math.Cos(phi), y, r * math.Sin(phi)}
		v := s(n)
		for k := range best {
			if v > best[k].s {
				copy(best[k+1:], best[k:])
				best[k] = start{n, v}
				break
			}
		}
	}
	top := math.Inf(-1)
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, b := range best {
		n, v := b.n, b.s
		for step, miss := 0.03, 0; step > 1e-10; {
			t := n.Add(mgl64.Vec3{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}.Mul(step)).Normalize()
			if w := s(t); w > v {
				n, v, miss = t, w, 0
				step *= 1.5
			} else if miss++; miss > 12 {
				step, miss = step/2, 0
			}
		}
		top = max(top, v)
	}
	return top
}

// Bodies of all kinds in random places: the gap is that of a search over all directions,
// apart and in each other; points, normal and gap agree; the same the other way round, in
// other units, and nearby after a small motion.
func TestSeparate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 3
	if !testing.Short() {
		rounds = 12
	}
	worst := 0.0
	for _, first := range convexNames {
		for _, second := range convexNames {
			for range rounds {
				a, b := convexes[first](turned(r), r), convexes[second](turned(r), r)
				b.Centre = mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize().Mul((a.Radius() + b.Radius()) * (0.05 + r.Float64()))
				size := a.Radius() + b.Radius()
				var sep Separation
				if !Separate(&a, &b, math.Inf(1), &sep) {
					t.Fatalf("%s, %s: nothing", first, second)
				}
				want := slab(&a, &b)
				worst = max(worst, (want-sep.Gap)/size)
				there := b.Support(sep.Normal.Mul(-1)).Sub(a.Support(sep.Normal)).Dot(sep.Normal)
				if sep.Gap < want-1e-9*size || math.Abs(sep.Gap-there) > 1e-13*size {
					t.Errorf("%s, %s: gap %.9g, %.9g by search, %.9g by support\n%+v\n%+v", first, second, sep.Gap, want, there, a, b)
				}
				if d := sep.B.Sub(sep.A).Sub(sep.Normal.Mul(sep.Gap)); sep.Gap > 0 && d.Len() > 1e-9*size {
					t.Errorf("%s, %s: points are %v apart, normal %v, gap %.9g", first, second, sep.B.Sub(sep.A), sep.Normal, sep.Gap)
				}
				var back Separation
				Separate(&b, &a, math.Inf(1), &back)
				if math.Abs(back.Gap-sep.Gap) > 1e-9*size {
					t.Errorf("%s, %s: gap %.12g, the other way round %.12g", first, second, sep.Gap, back.Gap)
				}
				moved := b
				moved.Centre = b.Centre.Add(mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize().Mul(1e-6 * size))
				Separate(&a, &moved, math.Inf(1), &back)
				if math.Abs(back.Gap-sep.Gap) > 1.01e-6*size {
					t.Errorf("%s, %s: the gap goes from %.9g to %.9g in a motion of %.2g", first, second, sep.Gap, back.Gap, 1e-6*size)
				}
			}
		}
	}
	t.Logf("below the search by %.2g of the bodies' size at most", worst)
}

func BenchmarkSeparate(b *testing.B) {
	for _, pair := range [][2]string{{"box", "box"}, {"box", "cylinder"}, {"cylinder", "cylinder"}, {"ellipsoid", "ellipsoid"}, {"box", "ellipsoid"}, {"capsule", "box"}} {
		b.Run(pair[0]+"/"+pair[1], func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 4))
			var all [64][2]Convex
			for i := range all {
				p, q := convexes[pair[0]](turned(r), r), convexes[pair[1]](turned(r), r)
				q.Centre = mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize().Mul((p.Radius() + q.Radius()) * (0.3 + r.Float64()))
				all[i] = [2]Convex{p, q}
			}
			var sep Separation
			for i := range b.N {
				Separate(&all[i%64][0], &all[i%64][1], math.Inf(1), &sep)
			}
		})
	}
}

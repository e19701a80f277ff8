package collision

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// exactDist2 is the squared distance from p to triangle abc in exact arithmetic,
// rounded once.
func exactDist2(p, a, b, c mgl64.Vec3) float64 {
	vec := func(x, y mgl64.Vec3) (d [3]*big.Rat) { // x - y
		for k := range 3 {
			d[k] = new(big.Rat).SetFloat64(x[k])
			d[k].Sub(d[k], new(big.Rat).SetFloat64(y[k]))
		}
		return d
	}
	dot := func(x, y [3]*big.Rat) *big.Rat {
		s := new(big.Rat)
		for k := range 3 {
			s.Add(s, new(big.Rat).Mul(x[k], y[k]))
		}
		return s
	}
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	sub := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
	one := big.NewRat(1, 1)

	ab, ac, ap := vec(b, a), vec(c, a), vec(p, a)
	d00, d01, d11, d20, d21, pp := dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, ab), dot(ap, ac), dot(ap, ap)
	det := sub(mul(d00, d11), mul(d01, d01))
	if det.Sign() > 0 {
		v := sub(mul(d11, d20), mul(d01, d21))
		w := sub(mul(d00, d21), mul(d01, d20))
		if v.Sign() >= 0 && w.Sign() >= 0 && new(big.Rat).Add(v, w).Cmp(det) <= 0 {
			// |ap|^2 less the part of it in the plane
			in := new(big.Rat).Add(mul(v, d20), mul(w, d21))
			d, _ := sub(pp, in.Quo(in, det)).Float64()
			return d
		}
	}
	var best *big.Rat
	for _, e := range [][2]mgl64.Vec3{{a, b}, {b, c}, {c, a}} {
		along, from := vec(e[1], e[0]), vec(p, e[0])
		s, l := dot(from, along), dot(along, along)
		if s.Sign() <= 0 || l.Sign() == 0 {
			s = new(big.Rat)
		} else if s.Quo(s, l).Cmp(one) > 0 {
			s = one
		}
		for k := range 3 {
			from[k] = sub(from[k], mul(s, along[k]))
		}
		if d := dot(from, from); best == nil || d.Cmp(best) < 0 {
			best = d
		}
	}
	d, _ := best.Float64()
	return d
}

// nastyTriangle is one of a kind that makes trouble, of about unit size.
func nastyTriangle(rng *rand.Rand) (kind string, a, b, c mgl64.Vec3) {
	vec := func() mgl64.Vec3 { return mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	thin := math.Pow(10, -16*rng.Float64())
	a, b, c = vec(), vec(), vec()
	switch rng.IntN(8) {
	case 0:
		kind = "any"
	case 1:
		kind, c = "needle", b.Add(vec().Mul(thin)) // two corners close together
	case 2:
		kind, c = "sliver", a.Add(b.Sub(a).Mul(rng.Float64())).Add(vec().Mul(thin)) // one corner almost on the far edge
	case 3:
		kind, c = "segment", a.Add(b.Sub(a).Mul(2*rng.Float64()-0.5))
	case 4:
		kind, c = "two corners the same", b
	case 5:
		kind, b, c = "point", a, a
	case 6:
		kind, c = "a thin corner at a", a.Add(b.Sub(a).Mul(0.5+rng.Float64())).Add(vec().Mul(thin))
	default:
		kind, b, c = "small", a.Add(b.Mul(thin)), a.Add(c.Mul(thin))
	}
	switch rng.IntN(3) { // whichever corner is the first
	case 0:
		a, b, c = b, c, a
	case 1:
		a, b, c = c, a, b
	}
	return kind, a, b, c
}

// The distance is that of exact arithmetic for triangles of any shape and at any
// scale, and the weights are those of a point at that distance.
func TestClosestOnTriangleAgreesWithExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 5))
	cases := 6000
	if testing.Short() {
		cases = 1500
	}
	for range cases {
		kind, a, b, c := nastyTriangle(rng)
		p := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		switch rng.IntN(3) {
		case 0: // on the triangle or next to it
			u, v := rng.Float64(), rng.Float64()
			p = a.Mul(1 - u).Add(b.Mul(u * (1 - v))).Add(c.Mul(u * v)).Add(p.Mul(math.Pow(10, -14*rng.Float64())))
		case 1:
			p = p.Mul(100)
		}
		scale := math.Pow(10, 24*rng.Float64()-12)
		a, b, c, p = a.Mul(scale), b.Mul(scale), c.Mul(scale), p.Mul(scale)

		w, d2 := ClosestOnTriangle(p, a, b, c)
		size := max(a.Len(), b.Len(), c.Len(), p.Len())
		want, got := math.Sqrt(exactDist2(p, a, b, c)), math.Sqrt(d2)
		if !(math.Abs(got-want) <= 1e-9*size) || got < want-1e-14*size {
			t.Fatalf("%s: distance %g, exactly %g, of size %g: p %v, triangle %v %v %v", kind, got, want, size, p, a, b, c)
		}
		if !(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && math.Abs(w[0]+w[1]+w[2]-1) <= 1e-12) {
			t.Fatalf("%s: weights %v", kind, w)
		}
		if q := a.Mul(w[0]).Add(b.Mul(w[1])).Add(c.Mul(w[2])); !(math.Abs(q.Sub(p).Len()-got) <= 1e-12*size) {
			t.Fatalf("%s: the point of weights %v is %g away, not %g", kind, w, q.Sub(p).Len(), got)
		}
	}
}

// nastySurface is a surface with everything that real ones should not have:
// triangles of all degenerate kinds, doubles of others, nodes in the same place,
// nodes that no triangle has, a scale far from one and a place far from the origin.
func nastySurface(rng *rand.Rand) (tri [][3]int32, pos []mgl64.Vec3, size float64) {
	if rng.IntN(2) == 0 {
		tri, pos = bumpyGrid(1+rng.IntN(12), 0.2)
	}
	for range rng.IntN(40) {
		_, a, b, c := nastyTriangle(rng)
		n := int32(len(pos))
		pos = append(pos, a, b, c)
		tri = append(tri, [3]int32{n, n + 1, n + 2})
	}
	for range rng.IntN(10) { // any three nodes, the same ones too
		if len(pos) > 0 {
			n := len(pos)
			tri = append(tri, [3]int32{int32(rng.IntN(n)), int32(rng.IntN(n)), int32(rng.IntN(n))})
		}
	}
	for range rng.IntN(10) { // doubles, turned and not
		if len(tri) > 0 {
			x := tri[rng.IntN(len(tri))]
			tri = append(tri, [3]int32{x[1], x[2], x[0]}, [3]int32{x[1], x[0], x[2]})
		}
	}
	for range rng.IntN(10) { // other nodes, same places
		if len(tri) > 0 {
			x := tri[rng.IntN(len(tri))]
			n := int32(len(pos))
			pos = append(pos, pos[x[0]], pos[x[1]], pos[x[2]])
			tri = append(tri, [3]int32{n, n + 1, n + 2})
		}
	}
	pos = append(pos, mgl64.Vec3{})
	rng.Shuffle(len(tri), func(i, j int) { tri[i], tri[j] = tri[j], tri[i] })
	size = math.Pow(10, 12*rng.Float64()-6)
	var offset mgl64.Vec3
	if rng.IntN(3) == 0 {
		offset = mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(1e3 * size)
	}
	for i := range pos {
		pos[i] = pos[i].Mul(size).Add(offset)
	}
	return tri, pos, size
}

// deform moves all nodes or those in a ball, by no more than the returned bound.
func deform(rng *rand.Rand, pos []mgl64.Vec3, size float64) (most float64) {
	step := size * math.Pow(10, -6*rng.Float64())
	centre, radius := pos[rng.IntN(len(pos))], math.Inf(1)
	if rng.IntN(2) == 0 {
		radius = size * rng.Float64()
	}
	shift := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(0.2 * step)
	if rng.IntN(2) == 0 { // all by nearly the bound, and far: what counts on less is caught
		shift, step = shift.Mul(0.5*size/shift.Len()), 1e-3*size
	}
	for i, x := range pos {
		if x.Sub(centre).Len() > radius {
			continue
		}
		d := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		pos[i] = x.Add(d.Mul(0.5 * step * rng.Float64() / d.Len())).Add(shift)
		most = max(most, pos[i].Sub(x).Len())
	}
	return most * (1 + 1e-12)
}

// queryPoint is on the surface, near it, or far.
func queryPoint(rng *rand.Rand, tri [][3]int32, pos []mgl64.Vec3, size float64) mgl64.Vec3 {
	d := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(size)
	if len(tri) == 0 {
		return d
	}
	t := tri[rng.IntN(len(tri))]
	at := pos[t[0]].Add(pos[t[1]]).Add(pos[t[2]]).Mul(1.0 / 3)
	return at.Add(d.Mul([]float64{0, 1e-9, 1e-3, 0.1, 1, 30}[rng.IntN(6)]))
}

// found is what the answers of a query are judged by: the distance by trying all
// triangles. Values that are no numbers never count.
func found(tri [][3]int32, pos []mgl64.Vec3, p mgl64.Vec3, maxDist float64, except []int32) (best float64, ok bool) {
	for id, t := range tri {
		if slices.Contains(except, int32(id)) {
			continue
		}
		if _, d := ClosestOnTriangle(p, pos[t[0]], pos[t[1]], pos[t[2]]); d <= maxDist*maxDist && (!ok || d < best) {
			best, ok = d, true
		}
	}
	return best, ok
}

// judge compares an answer with that of trying all triangles. Boxes and triangles
// are known to rounding, so that of two triangles that are as close but for
// rounding either may come out; where rounding is nothing beside the tie
// tolerance, the lowest.
func judge(tri [][3]int32, pos []mgl64.Vec3, p mgl64.Vec3, maxDist float64, except []int32, hit Hit, ok bool) error {
	want, wantOK := found(tri, pos, p, maxDist, except)
	magnitude := p.Len()
	for _, x := range pos {
		if l := x.Len(); l > magnitude && !math.IsInf(l, 0) {
			magnitude = l
		}
	}
	// the distance is right to rounding of coordinates, d2 - want to twice that times the distance
	rounding := 1e-14 * magnitude
	slack := 1e-11*want + 2*math.Sqrt(want)*rounding + rounding*rounding
	if ok != wantOK {
		if wantOK && maxDist*maxDist-want <= slack {
			return nil // as far as the limit
		}
		return fmt.Errorf("found %v, want %v at %g", ok, wantOK, want)
	}
	if !ok {
		return nil
	}
	if slices.Contains(except, hit.Triangle) {
		return fmt.Errorf("triangle %d is left out", hit.Triangle)
	}
	t := tri[hit.Triangle]
	if w, d := ClosestOnTriangle(p, pos[t[0]], pos[t[1]], pos[t[2]]); w != hit.Weights || d != hit.Dist2 {
		return fmt.Errorf("triangle %d: weights %v and %g, in fact %v and %g", hit.Triangle, hit.Weights, hit.Dist2, w, d)
	}
	tie := NewTree(tri, pos).tie // that of the tree is of the surface as it was when built
	if !(hit.Dist2 <= want+4*tie+slack) {
		return fmt.Errorf("squared distance %g, want %g", hit.Dist2, want)
	}
	for id := range tri[:hit.Triangle] {
		if slices.Contains(except, int32(id)) {
			continue
		}
		t := tri[id]
		if _, d := ClosestOnTriangle(p, pos[t[0]], pos[t[1]], pos[t[2]]); d <= want && d <= maxDist*maxDist && hit.Dist2-d < tie/4 && slack < 0.01*tie {
			return fmt.Errorf("triangle %d, and %d is as close", hit.Triangle, id)
		}
	}
	return nil
}

// Trees, moving and not, agree with trying all triangles, on surfaces that are
// bad in every way and after any local and global deformations.
func TestQueriesAgreeWithAllPairsOnNastySurfaces(t *testing.T) {
	surfaces := 150
	if testing.Short() {
		surfaces = 30
	}
	rng := rand.New(rand.NewPCG(33, 1))
	for n := range surfaces {
		tri, now, size := nastySurface(rng)
		known := slices.Clone(now)
		stamp, state := make([]int, len(now)), 0
		moving := NewMoving(tri, known, func(node int32) {
			if stamp[node] != state {
				stamp[node], known[node] = state, now[node]
			}
		})
		tree := NewTree(tri, now)
		margin, drift := 0.0, 0.0
		hint := int32(-1)
		for step := range 30 {
			most := deform(rng, now, size)
			state++
			moving.Drift(most)
			if drift += most; drift > margin {
				drift, margin = 0, size*math.Pow(10, -4*rng.Float64())
				tree.Refit(now, margin)
			}
			if rng.IntN(10) == 0 {
				copy(known, now)
				for i := range stamp {
					stamp[i] = state
				}
				moving.Refit(known)
			}
			for range rng.IntN(5) {
				p := queryPoint(rng, tri, now, size)
				maxDist := math.Inf(1)
				if rng.IntN(2) == 0 {
					maxDist = size * math.Pow(10, -3*rng.Float64())
				}
				var except []int32
				if rng.IntN(2) == 0 && len(tri) > 0 {
					for range rng.IntN(8) {
						except = append(except, int32(rng.IntN(len(tri))))
					}
					slices.Sort(except)
					except = slices.Compact(except)
				}
				switch rng.IntN(3) {
				case 0:
					hint = -1
				case 1:
					if len(tri) > 0 {
						hint = int32(rng.IntN(len(tri)))
					}
				}
				if slices.Contains(except, hint) {
					hint = -1
				}
				fail := func(what string, err error) {
					t.Fatalf("surface %d of %d triangles, step %d, %s: %v (p %v, reach %g, hint %d, except %v)", n, len(tri), step, what, err, p, maxDist, hint, except)
				}
				hit, ok := tree.ClosestExcept(now, p, maxDist, hint, except)
				if err := judge(tri, now, p, maxDist, except, hit, ok); err != nil {
					fail("tree", err)
				}
				hit, ok = moving.Closest(known, p, maxDist, hint, Except{triangles: except})
				if err := judge(tri, now, p, maxDist, except, hit, ok); err != nil {
					fail("moving", err)
				}
				if ok {
					hint = hit.Triangle
				}
				least, some := found(tri, now, p, math.Inf(1), nil)
				enough := size * math.Pow(10, -3*rng.Float64())
				apart := moving.Apart(p, enough)
				if some && apart > math.Sqrt(least)*(1+1e-11)+1e-14*(p.Len()+size) {
					fail("apart", fmt.Errorf("at least %g, in fact %g", apart, math.Sqrt(least)))
				}
				if !some && len(tri) == 0 && !math.IsInf(apart, 1) {
					fail("apart", fmt.Errorf("%g from nothing", apart))
				}
				if !(apart == 0 || apart > enough*(1-1e-11)) {
					fail("apart", fmt.Errorf("%g, no more than enough %g", apart, enough))
				}
			}
		}
	}
}

// Positions that are no numbers, or infinite, or too large to square: no query
// hangs, panics or answers with something that is no number, and triangles whose
// corners are all right are found all the same.
func TestPositionsThatAreNoNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 2))
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200, -1e160, math.MaxFloat64, 5e-324}
	limits := []float64{math.Inf(1), 1, 1e-3, 0, -1, math.NaN()}
	for range 600 {
		tri, pos, size := nastySurface(rng)
		for i := range pos {
			pos[i] = pos[i].Mul(1 / size)
		}
		whole := slices.Clone(pos)
		spoil := func() {
			for range 1 + rng.IntN(4) {
				pos[rng.IntN(len(pos))][rng.IntN(3)] = bad[rng.IntN(len(bad))]
			}
		}
		before := rng.IntN(2) == 0
		if before {
			spoil()
		}
		tree := NewTree(tri, pos)
		moving := NewMoving(tri, pos, func(int32) {})
		if !before {
			spoil()
			tree.Refit(pos, 0)
			if rng.IntN(2) == 0 {
				moving.Refit(pos)
			} else {
				moving.Drift(math.Inf(1))
			}
		}
		fine := slices.Clone(tri)
		ok3 := func(x mgl64.Vec3) bool { l := x.Dot(x); return l < 1e100 }
		fine = slices.DeleteFunc(fine, func(t [3]int32) bool { return !ok3(pos[t[0]]) || !ok3(pos[t[1]]) || !ok3(pos[t[2]]) })
		for range 5 {
			p := queryPoint(rng, tri, whole, 1)
			if rng.IntN(4) == 0 {
				p[rng.IntN(3)] = bad[rng.IntN(len(bad))]
			}
			reach := limits[rng.IntN(len(limits))]
			hint := int32(rng.IntN(len(tri)+1)) - 1
			least, some := found(fine, pos, p, reach, nil)
			for what, closest := range map[string]func() (Hit, bool){
				"tree":   func() (Hit, bool) { return tree.Closest(pos, p, reach, hint) },
				"moving": func() (Hit, bool) { return moving.Closest(pos, p, reach, hint, Except{}) },
			} {
				hit, ok := closest()
				if ok && (hit.Dist2 != hit.Dist2 || !(hit.Dist2 <= reach*reach)) {
					t.Fatalf("%s: squared distance %g within %g", what, hit.Dist2, reach)
				}
				if some && ok3(p) && (!ok || !(hit.Dist2 <= least*(1+1e-10)+1e-14)) {
					t.Fatalf("%s: found %v at %g, a sound triangle is at %g (p %v)", what, ok, hit.Dist2, least, p)
				}
			}
			if d := moving.Apart(p, 0.1); d != d {
				t.Fatalf("apart by %g", d)
			}
		}
	}
}

// Normals against the definition: unit normals of the faces around, weighted by
// their angles at the node.
func TestNormalsAgreeWithTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 3))
	for range 200 {
		tri, pos, _ := nastySurface(rng)
		for node := range pos {
			var around []int32
			var sum mgl64.Vec3
			for id, x := range tri {
				k := slices.Index(x[:], int32(node))
				if k < 0 {
					continue
				}
				around = append(around, int32(id))
				n := FaceNormal(pos[x[0]], pos[x[1]], pos[x[2]])
				if l := n.Len(); n != (mgl64.Vec3{}) && !(math.Abs(l-1) < 1e-12) {
					t.Fatalf("a face normal of length %g", l)
				}
				e, f := pos[x[(k+1)%3]].Sub(pos[x[k]]), pos[x[(k+2)%3]].Sub(pos[x[k]])
				if c := e.Cross(f); c.Len() > 0 {
					sum = sum.Add(c.Normalize().Mul(math.Acos(max(-1, min(1, e.Dot(f)/(e.Len()*f.Len()))))))
				}
			}
			got := VertexNormal(int32(node), around, tri, pos)
			if l := got.Len(); got != (mgl64.Vec3{}) && !(math.Abs(l-1) < 1e-12) {
				t.Fatalf("a normal of length %g", l)
			}
			// where faces cancel out, rounding has the last word; so has acos in needles
			if l := sum.Len(); l > 1e-3 && got.Sub(sum.Mul(1/l)).Len() > 1e-7/l {
				t.Fatalf("node %d: normal %v, by definition %v", node, got, sum.Mul(1/l))
			}
		}
	}
}

// Open edges against counting, for each edge of each triangle, all others.
func TestOpenEdgesAgreeWithCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 4))
	for range 200 {
		tri, _, _ := nastySurface(rng)
		same := func(a, b, c, d int32) bool { return a == c && b == d || a == d && b == c }
		var want [][2]int32
		for _, x := range tri {
			for k := range 3 {
				i, j, uses := x[k], x[(k+1)%3], 0
				for _, y := range tri {
					for m := range 3 {
						if same(i, j, y[m], y[(m+1)%3]) {
							uses++
						}
					}
				}
				if uses == 1 {
					want = append(want, [2]int32{i, j})
				}
			}
		}
		if got := OpenEdges(tri); !slices.Equal(got, want) {
			t.Fatalf("open edges %v, counted %v", got, want)
		}
	}
}

package floe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hapco/physics/numerics/num"
)

// Field states a random field of convex floes in a rectangle: the cells of a power diagram, a Voronoi diagram with a
// weight for each seed, shrunk until the floes cover the wanted share of the sea.
type Field struct {
	Floes    int
	Lo, Hi   Vec2       // corners of the rectangle, m
	Cover    float64    // share of the area that floes cover, above 0 to 0.98
	Exponent float64    // sizes: the number of floes of a radius above r falls like r^-Exponent; 0: all alike
	Spread   float64    // largest radius over the smallest; 0: 10
	Thick    [2]float64 // thickness, uniform between the two, m
	Density  float64    // kg/m^3; 0: 917
	Seed     uint64
}

// Make makes the floes. The same Field gives the same floes.
func (f *Field) Make() ([]Floe, error) {
	w, h := f.Hi[0]-f.Lo[0], f.Hi[1]-f.Lo[1]
	switch {
	case f.Floes < 1 || f.Floes > maxFloes:
		return nil, fmt.Errorf("floe: a field of %d floes (cure: 1 to %d)", f.Floes, maxFloes)
	case !num.Positive(w) || !num.Positive(h) || !num.AllFinite(f.Lo[0], f.Lo[1]):
		return nil, fmt.Errorf("floe: a field of %g m by %g m (cure: both above 0)", w, h)
	case !(f.Cover > 0 && f.Cover <= 0.98):
		return nil, fmt.Errorf("floe: floes that cover a share of %g (cure: above 0, at most 0.98)", f.Cover)
	case !(f.Exponent >= 0 && f.Exponent <= 10) || !(f.Spread == 0 || f.Spread >= 1 && f.Spread <= 1000):
		return nil, fmt.Errorf("floe: size exponent %g and spread %g (cure: 0 to 10, and 1 to 1000)", f.Exponent, f.Spread)
	case !num.Positive(f.Thick[0]) || !(f.Thick[1] >= f.Thick[0]) || !num.Finite(f.Thick[1]) || !(f.Density >= 0):
		return nil, fmt.Errorf("floe: thickness %g to %g m, density %g kg/m^3 (cure: above 0, in order)", f.Thick[0], f.Thick[1], f.Density)
	}
	density := cmp.Or(f.Density, iceDensity)
	random := rand.New(rand.NewPCG(f.Seed, 0xf10e))
	seeds := f.seeds(random, w, h)
	g := newSeedGrid(seeds, f.Lo, w, h)
	floes := make([]Floe, 0, len(seeds))
	area := 0.0
	for i := range seeds {
		cell := g.cell(i, f.Lo, f.Hi)
		thick := f.Thick[0] + (f.Thick[1]-f.Thick[0])*random.Float64()
		if len(cell) < 3 {
			continue // a weight so small that the cell is empty
		}
		outline, _, err := Outline(cell)
		if err != nil {
			continue // a sliver
		}
		s := SectionOf(outline)
		if s.Area < 1e-3*math.Pi*seeds[i].r*seeds[i].r {
			continue
		}
		centre(outline, s.Centroid)
		area += s.Area
		floes = append(floes, Floe{Outline: outline, Thickness: thick, Density: density, Position: s.Centroid})
	}
	if len(floes) == 0 {
		return nil, errors.New("floe: no floes came out (cure: a larger field)")
	}
	// A convex cell shrunk about its centroid stays inside itself: nothing overlaps.
	shrink := min(math.Sqrt(f.Cover*w*h/area), 1-1e-4)
	for i := range floes {
		for k := range floes[i].Outline {
			floes[i].Outline[k] = floes[i].Outline[k].Mul(shrink)
		}
	}
	return floes, nil
}

// seed of a cell: its place, and the radius whose square is its weight.
type seed struct {
	p Vec2
	r float64
}

// seeds draws radii and places. Large ones come first and keep their distance, as far as that can be had in a few
// tries.
func (f *Field) seeds(random *rand.Rand, w, h float64) []seed {
	out := make([]seed, f.Floes)
	sum := 0.0
	spread := cmp.Or(f.Spread, 10)
	for i := range out {
		r := 1.0
		if f.Exponent > 0 { // the inverse of the distribution between 1 and spread
			r = math.Pow(1-random.Float64()*(1-math.Pow(spread, -f.Exponent)), -1/f.Exponent)
		}
		out[i].r = r
		sum += math.Pi * r * r
	}
	slices.SortFunc(out, func(a, b seed) int { return cmp.Compare(b.r, a.r) })
	scale := math.Sqrt(0.8 * w * h / sum)
	cell := max(2*out[0].r*scale, max(w, h)/4096) // a field that is long and thin has no more
	nx, ny := max(1, int(w/cell)), max(1, int(h/cell))
	// In the cells of the largest there may be many small ones: finer cells for them would help, more than a few tries
	// do not.
	grid := make([][]int32, nx*ny)
	at := func(p Vec2) (int, int) {
		return min(int((p[0]-f.Lo[0])/w*float64(nx)), nx-1), min(int((p[1]-f.Lo[1])/h*float64(ny)), ny-1)
	}
	for i := range out {
		out[i].r *= scale
		best, room := Vec2{}, math.Inf(-1)
		for range 12 {
			p := Vec2{f.Lo[0] + w*random.Float64(), f.Lo[1] + h*random.Float64()}
			x, y := at(p)
			free := math.Inf(1)
			for yy := max(y-1, 0); yy <= min(y+1, ny-1); yy++ {
				for xx := max(x-1, 0); xx <= min(x+1, nx-1); xx++ {
					for _, j := range grid[yy*nx+xx] {
						free = min(free, (out[j].p.Sub(p).Len()-out[j].r)/out[i].r)
					}
				}
			}
			if free > room {
				best, room = p, free
			}
			if free >= 1 {
				break
			}
		}
		out[i].p = best
		x, y := at(best)
		grid[y*nx+x] = append(grid[y*nx+x], int32(i))
	}
	return out
}

// squares divide a rectangle; each lists what lies in it.
type squares struct {
	lo     Vec2
	size   float64
	nx, ny int
	cells  [][]int32
}

func newSquares(lo, wide Vec2, size float64) squares {
	s := squares{lo: lo, size: size, nx: int(wide[0]/size) + 1, ny: int(wide[1]/size) + 1}
	s.cells = make([][]int32, s.nx*s.ny)
	return s
}

// at is the square of a place, or the nearest.
func (s *squares) at(p Vec2) (int, int) {
	x, y := math.Floor((p[0]-s.lo[0])/s.size), math.Floor((p[1]-s.lo[1])/s.size)
	return int(min(max(x, 0), float64(s.nx-1))), int(min(max(y, 0), float64(s.ny-1)))
}

func (s *squares) put(x, y int, i int32) { s.cells[y*s.nx+x] = append(s.cells[y*s.nx+x], i) }

// seedGrid finds the seeds round a seed, ring by ring of squares.
type seedGrid struct {
	seeds []seed
	squares
	most float64 // largest radius
}

func newSeedGrid(seeds []seed, lo Vec2, w, h float64) *seedGrid {
	g := &seedGrid{seeds: seeds, squares: newSquares(lo, Vec2{w, h}, max(math.Sqrt(w*h/float64(len(seeds))), max(w, h)/4096))}
	for i, s := range seeds {
		x, y := g.at(s.p)
		g.put(x, y, int32(i))
		g.most = max(g.most, s.r)
	}
	return g
}

// cell is the power cell of seed i within a rectangle: the points x with
// |x - p_i|^2 - r_i^2 at most that of any other seed.
func (g *seedGrid) cell(i int, lo, hi Vec2) []Vec2 {
	s := g.seeds[i]
	poly := []Vec2{lo, {hi[0], lo[1]}, hi, {lo[0], hi[1]}}
	var next []Vec2
	x, y := g.at(s.p)
	for ring := 0; ring <= max(g.nx, g.ny); ring++ {
		// A seed at distance d cuts at (d^2 + r_i^2 - r_j^2)/(2d) from p_i.
		far := 0.0
		for _, p := range poly {
			far = max(far, p.Sub(s.p).Len())
		}
		if d := float64(ring-1) * g.size; d > 0 && d > g.most && (d*d+s.r*s.r-g.most*g.most)/(2*d) > far {
			break
		}
		for yy := max(y-ring, 0); yy <= min(y+ring, g.ny-1); yy++ {
			for xx := max(x-ring, 0); xx <= min(x+ring, g.nx-1); xx++ {
				if max(xx-x, x-xx, yy-y, y-yy) != ring {
					continue
				}
				for _, j := range g.cells[yy*g.nx+xx] {
					if int(j) == i {
						continue
					}
					o := g.seeds[j]
					d := o.p.Sub(s.p)
					limit := (d.Dot(d) + s.r*s.r - o.r*o.r) / 2 // of d.(x - p_i)
					next = next[:0]
					for k, a := range poly {
						b := poly[(k+1)%len(poly)]
						ha, hb := d.Dot(a.Sub(s.p))-limit, d.Dot(b.Sub(s.p))-limit
						if ha <= 0 {
							next = append(next, a)
						}
						if (ha < 0) != (hb < 0) && ha != hb && ha != 0 && hb != 0 {
							next = append(next, a.Add(b.Sub(a).Mul(ha/(ha-hb))))
						}
					}
					poly, next = next, poly
					if len(poly) < 3 {
						return nil
					}
				}
			}
		}
	}
	return slices.Clone(poly)
}

// Banks are four fixed walls round a rectangle, thick m thick, d outside of it.
func Banks(lo, hi Vec2, thick, d float64) []Floe {
	box := func(a, b Vec2) Floe {
		half := b.Sub(a).Mul(0.5)
		return Floe{Outline: rectangle(half), Position: a.Add(half), Thickness: 1, Density: iceDensity, Fixed: true}
	}
	a, b := lo.Sub(Vec2{d, d}), hi.Add(Vec2{d, d})
	return []Floe{
		box(Vec2{a[0] - thick, a[1] - thick}, Vec2{b[0] + thick, a[1]}),
		box(Vec2{a[0] - thick, b[1]}, Vec2{b[0] + thick, b[1] + thick}),
		box(Vec2{a[0] - thick, a[1]}, Vec2{a[0], b[1]}),
		box(Vec2{b[0], a[1]}, Vec2{b[0] + thick, b[1]}),
	}
}

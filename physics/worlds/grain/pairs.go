package grain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg grain

type coreCount struct{ core, near int }

// pairs adds the pair forces of a task's grains. The inner loop knows the law from sigma on. Closer pairs, which are
// rare, it treats as if they were sigma apart along their offset; it notes their grains, and mend puts the difference
// right.
func (w *World) pairs(t *task) {
	t.found = coreCount{}
	from, soon := &t.soon, (*lists)(nil)
	if w.listing.sift {
		from, soon = &t.lists, &t.soon
	}
	noted := pairLoop(w.pos, w.force, int(t.lo), from, &w.kernel.law, t.close, t.fence, soon)
	for _, g := range t.close[:noted] {
		w.mend(t, int(g))
	}
}

// mend replaces the inner loop's force between a task's grain g and its neighbours in the core by the true one.
func (w *World) mend(t *task, g int) {
	begin := int32(0)
	if g > 0 {
		begin = t.soon.ends[g-1]
	}
	i := 4 * (int(t.lo) + g)
	for _, j := range t.soon.list[begin:t.soon.ends[g]] {
		e := mgl64.Vec3(w.pos[j:][:3]).Sub(mgl64.Vec3(w.pos[i:][:3]))
		r := e.Len()
		if !(r < w.model.Sigma) {
			continue
		}
		t.found.core++
		if r == 0 {
			continue // no direction
		}
		f := e.Mul(w.model.Force(r)/r + w.kernel.law[8] + w.kernel.law[16])
		for k := range 3 {
			w.force[i+k] += f[k]
			w.force[int(j)+k] -= f[k]
		}
		v := mgl64.Vec3(w.vel[j:][:3]).Sub(mgl64.Vec3(w.vel[i:][:3]))
		m := w.vel[i+3] * w.vel[j+3] / (w.vel[i+3] + w.vel[j+3])
		if m/2*v.LenSqr()+w.model.Potential(r) > w.model.Barrier()/2 {
			t.found.near++
		}
	}
}

// pairLoopGo adds the force of each pair of the grains from first on to both and returns how many grains it noted in
// close because they have a neighbour within sigma. law holds sigma^2, reach^2, k, 2 k, the jump and the square of how
// near neighbours are that go to soon, unless it is nil; four times each.
func pairLoopGo(pos, force []float64, first int, from *lists, law *[24]float64, close []int32, fence int32, soon *lists) (noted int) {
	sigma2, reach2, k, k2, jump, soon2 := law[0], law[4], law[8], law[12], law[16], law[20]
	at, kept := int32(0), 0
	for i, end := range from.ends {
		me := 4 * (first + i)
		x, y, z := pos[me], pos[me+1], pos[me+2]
		least := reach2
		var fx, fy, fz float64
		for _, j := range from.list[at:end] {
			p := pos[j : j+3 : j+3]
			dx, dy, dz := p[0]-x, p[1]-y, p[2]-z
			r2 := dx*dx + dy*dy + dz*dz
			if soon != nil && r2 <= soon2 {
				soon.list[kept] = j
				kept++
			}
			if !(r2 <= reach2) {
				continue
			}
			least = min(least, r2)
			s := sigma2 / max(r2, sigma2)
			s3 := s * s * s
			c := s3 * s * (k - k2*s3)
			if jump != 0 {
				c -= jump * math.Sqrt(s)
			}
			dx, dy, dz = c*dx, c*dy, c*dz
			fx += dx
			fy += dy
			fz += dz
			f := force[j : j+3 : j+3]
			f[0] -= dx
			f[1] -= dy
			f[2] -= dz
		}
		force[me] += fx
		force[me+1] += fy
		force[me+2] += fz
		if least < sigma2 {
			close[noted] = int32(i)
			noted++
		}
		at = end
		if soon != nil {
			for ; kept%4 != 0; kept++ {
				soon.list[kept] = fence
			}
			soon.ends[i] = int32(kept)
		}
	}
	return noted
}

// neighbours lists which other grains are near those of task i.
func (w *World) neighbours(i int) {
	t := &w.tasks[i]
	if t.move {
		return
	}
	g := &w.sorting.grid
	reach := CutOff*w.model.Sigma + w.listing.skin
	t.list, t.ends = t.list[:0], t.ends[:0]
	t.fence = int32(4 * (len(w.id) + i*fenceApart%fences))
	var ranges [10][2]int32
	for row := w.schedule.rows[i][0]; row < w.schedule.rows[i][1]; row++ {
		y, z := int(row)%g.n[1], int(row)/g.n[1]
		for x := range g.n[0] {
			c := int(row)*g.n[0] + x
			first, last := g.start[c], g.start[c+1]
			if first == last {
				continue
			}
			near := g.around(x, y, z, &ranges)
			room := 8
			for _, r := range near {
				room += int(r[1] - r[0])
			}
			for j := first; j < last; j++ {
				begin := len(t.list)
				if cap(t.list)-begin < room {
					t.list = slices.Grow(t.list, room+cap(t.list)) // seldom again
				}
				list := t.list[:cap(t.list)]
				k := begin
				for n, r := range near {
					if n == 0 {
						r[0] = j + 1
					}
					k += listWithin(&w.listing.at, int(r[0]), int(r[1]), int(j), reach*reach, list[k:])
				}
				for (k-begin)%4 != 0 {
					list[k] = t.fence
					k++
				}
				t.list = list[:k]
				t.ends = append(t.ends, int32(k))
			}
		}
	}
	if n := int(t.hi - t.lo); len(t.close) < n {
		t.close = make([]int32, 2*n)
	}
	t.soon.ends = num.Grow(t.soon.ends, len(t.ends))
	t.soon.list = num.Grow(t.soon.list, len(t.list)+4)
}

// withinGo writes 4 times the indices from lo to hi of the grains closer to grain i than the square root of reach2 to
// list, and returns their number.
func withinGo(at *[3][]float64, lo, hi, i int, reach2 float64, list []int32) int {
	x, y, z := at[0][i], at[1][i], at[2][i]
	xs, ys, zs := at[0][lo:hi], at[1][lo:hi], at[2][lo:hi]
	n := 0
	for k := range xs {
		dx, dy, dz := xs[k]-x, ys[k]-y, zs[k]-z
		list[n] = int32(4 * (lo + k))
		if dx*dx+dy*dy+dz*dz <= reach2 {
			n++
		}
	}
	return n
}

// nearObstacles lists the grains of task i that an obstacle may act on before grains are listed anew: while each is
// within half the skin of where it was listed. A grain that is faster than that in a step is looked for as far as it
// may come. A few grains at a time, which lie near each other, are first looked at as one ball.
func (w *World) nearObstacles(i int) {
	t := &w.tasks[i]
	t.near = t.near[:0]
	if !t.move || len(w.obstacles) == 0 {
		return
	}
	var maybe [64]int32
	var least [64]float64
	var at [few]mgl64.Vec3
	var reach, off [few]float64 // off the middle of the ball
	for first := t.lo; first < t.hi; first += few {
		last := min(first+few, t.hi)
		var mean mgl64.Vec3
		for k := range last - first {
			i := first + k
			at[k] = mgl64.Vec3{w.listing.at[0][i], w.listing.at[1][i], w.listing.at[2][i]}
			reach[k] = w.listing.skin/2 + max(CutOff*w.model.Sigma, w.model.Sigma+w.dt*mgl64.Vec3(w.vel[4*i:][:3]).Len())
			mean = mean.Add(at[k])
		}
		mean = mean.Mul(1 / float64(last-first))
		wide := 0.0
		for k := range last - first {
			off[k] = at[k].Sub(mean).Len() * (1 + 1e-9)
			wide = max(wide, reach[k]+off[k])
		}
		for o := 0; o < len(w.obstacles); {
			n := 0
			for ; o < len(w.obstacles) && n < len(maybe); o++ {
				if d := atLeast(w.obstacles[o], mean); !(d > wide+w.mover.slackOf(o)) {
					maybe[n], least[n] = int32(o), d
					n++
				}
			}
			for k := range last - first {
				for j, o := range maybe[:n] {
					beyond := least[j] - off[k] - reach[k]
					if !(beyond > 0) {
						if q, ok := w.obstacles[o].Closest(at[k]); ok {
							beyond = q.Sub(at[k]).Len() - reach[k]
						}
					}
					if beyond > w.mover.slackOf(int(o)) {
						continue
					}
					if len(t.near) == cap(t.near) {
						t.near = slices.Grow(t.near, 64+cap(t.near))
					}
					t.near = append(t.near, nearObstacle{first + k, o, beyond})
				}
			}
		}
	}
}

// overlap finds two grains that are inside each other's core.
func (w *World) overlap() (i, j int, ok bool) {
	w.forces()
	for k := range w.tasks {
		t := &w.tasks[k]
		if t.found.core == 0 {
			continue
		}
		for a, list := range t.neighboursOf() {
			for _, b := range list {
				if d := mgl64.Vec3(w.pos[b:][:3]).Sub(mgl64.Vec3(w.pos[4*a:][:3])).Len(); d < w.model.Sigma {
					return int(w.id[a]), int(w.id[b/4]), true
				}
			}
		}
	}
	return 0, 0, false
}

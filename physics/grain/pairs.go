package grain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg grain

// coreRoom is how many pairs inside each other's core the inner loop notes
// before it stops to have them looked after.
const coreRoom = 256

type coreCount struct{ core, near int }

// pairs adds the pair forces of a task's grains. The inner loop knows the law
// from sigma on; closer pairs, which are rare, it treats as if they were sigma
// apart along their offset and notes them, and mend puts the difference right.
func (w *World) pairs(t *task) {
	t.found = coreCount{}
	n := int(t.hi - t.lo)
	for from := 0; from < n; {
		noted := 0
		from, noted = pairLoop(w.pos, w.force, int(t.lo), from, n, t.ends, t.list, &w.pull, t.cores)
		for k := 0; k < noted; k += 2 {
			w.mend(t, int(t.cores[k]), int(t.cores[k+1]))
		}
	}
}

// mend replaces the inner loop's force of a pair in the core by the true one. i
// and j are four times the indices of the grains.
func (w *World) mend(t *task, i, j int) {
	e := mgl64.Vec3(w.pos[j:][:3]).Sub(mgl64.Vec3(w.pos[i:][:3]))
	r := e.Len()
	if r == 0 {
		return // no direction
	}
	f := e.Mul(w.model.Force(r)/r + w.pull[2] + w.pull[4])
	for k := range 3 {
		w.force[i+k] += f[k]
		w.force[j+k] -= f[k]
	}
	t.found.core++
	v := mgl64.Vec3(w.vel[j:][:3]).Sub(mgl64.Vec3(w.vel[i:][:3]))
	m := w.vel[i+3] * w.vel[j+3] / (w.vel[i+3] + w.vel[j+3])
	if m/2*v.LenSqr()+w.model.Potential(r) > w.model.Barrier()/2 {
		t.found.near++
	}
}

// pairLoopGo adds the force of each pair of grains from+first to last+first to
// both. It stops where the room for pairs in the core, cores, runs out, and
// returns the next grain and how many numbers it noted there.
func pairLoopGo(pos, force []float64, first, from, last int, ends, list []int32, pull *[8]float64, cores []int32) (next, noted int) {
	sigma2, reach2, k, k2, shift := pull[0], pull[1], pull[2], pull[3], pull[4]
	at := 0
	if from > 0 {
		at = int(ends[from-1])
	}
	for i := from; i < last; i++ {
		end := int(ends[i])
		if noted+2*(end-at) > len(cores) {
			return i, noted
		}
		me := 4 * (first + i)
		x, y, z := pos[me], pos[me+1], pos[me+2]
		var fx, fy, fz float64
		for _, j := range list[at:end] {
			p := pos[j : j+3 : j+3]
			dx, dy, dz := p[0]-x, p[1]-y, p[2]-z
			r2 := dx*dx + dy*dy + dz*dz
			if r2 > reach2 || r2 == 0 {
				continue
			}
			if r2 < sigma2 {
				cores[noted], cores[noted+1] = int32(me), j
				noted += 2
			}
			s := sigma2 / max(r2, sigma2)
			s3 := s * s * s
			c := s3 * s * (k - k2*s3)
			if shift != 0 {
				c -= shift * math.Sqrt(s)
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
		at = end
	}
	return last, noted
}

// neighbours lists who is near the grains of task i: other grains, or obstacles.
func (w *World) neighbours(i int) {
	t := &w.tasks[i]
	if t.move {
		w.nearObstacles(t)
		return
	}
	g := &w.grid
	reach := CutOff*w.model.Sigma + w.skin
	t.list, t.ends = t.list[:0], t.ends[:0]
	most := 0
	var ranges [10][2]int32
	for row := w.rows[i][0]; row < w.rows[i][1]; row++ {
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
					k += within(&w.listed, int(r[0]), int(r[1]), int(j), reach*reach, list[k:])
				}
				for (k-begin)%4 != 0 {
					list[k] = 4 * j
					k++
				}
				t.list = list[:k]
				t.ends = append(t.ends, int32(k))
				most = max(most, k-begin)
			}
		}
	}
	if room := 2*most + coreRoom; len(t.cores) < room {
		t.cores = make([]int32, 2*room)
	}
}

// withinGo writes 4 times the indices from lo to hi of the grains closer to grain
// i than the square root of reach2 to list, and returns their number.
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

// nearObstacles lists the grains of a task that an obstacle may touch before
// somebody has moved half the skin.
func (w *World) nearObstacles(t *task) {
	t.near = t.near[:0]
	reach := CutOff*w.model.Sigma + w.skin
	for i := t.lo; i < t.hi; i++ {
		p := mgl64.Vec3(w.pos[4*i:][:3])
		for o, s := range w.obstacles {
			if k, ok := s.Closest(p); !ok || !(k.Sub(p).Len() > reach) {
				if len(t.near) == cap(t.near) {
					t.near = slices.Grow(t.near, 64+cap(t.near))
				}
				t.near = append(t.near, nearObstacle{i, int32(o)})
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
		at := 0
		for me, end := range t.ends {
			a := t.lo + int32(me)
			for _, b := range t.list[at:end] {
				if d := mgl64.Vec3(w.pos[b:][:3]).Sub(mgl64.Vec3(w.pos[4*a:][:3])).Len(); b != 4*a && d < w.model.Sigma {
					return int(w.id[a]), int(w.id[b/4]), true
				}
			}
			at = int(end)
		}
	}
	return 0, 0, false
}

package grain

import (
	"iter"
	"slices"
	"sync/atomic"

	"hapco/physics/machinery/team"
	"hapco/physics/numerics/num"
)

// A step is a list of tasks. The cells are cut into blocks: some rows of one layer of cells, whose grains lie next to
// each other in memory. Each block has two tasks: pairs adds the forces between its grains and those of the next rows
// and layer, once per pair, and move pushes its grains on.
//
// Two tasks that write the forces of the same grains, or read what the other moves, are done in the order of the list,
// whoever does them: a task waits for the ones before it that it touches. So every sum has its order, and results do
// not depend on the number of threads. Even layers come before the odd ones between them, and even blocks of a layer
// before odd ones, so that many tasks can be done at a time; layers are taken a few at a time, so that their grains are
// moved while they are still in the cache.
type task struct {
	move   bool
	lo, hi int32         // its grains
	after  []int32       // tasks that must be done before
	done   atomic.Uint32 // the epoch that it has been done in

	// of pairs:
	lists         // of all neighbours
	soon  lists   // of those that may act before they are sifted again
	fence int32   // what pads them
	close []int32 // grains with a neighbour in their core, as the inner loop finds them
	found coreCount

	// of move:
	near   []nearObstacle
	before []nearSurface // of these, those that might come to the surface in the step
	sums   moveSums
}

// lists are the neighbours of some grains.
type lists struct {
	ends []int32 // where those of each grain end
	list []int32 // 4 times the index of each; those of a grain padded to a multiple of 4
}

// nearObstacle is a grain that an obstacle may touch before the lists are made anew.
type nearObstacle struct {
	grain, obstacle int32
	beyond          float64 // how far the obstacle has to move before it can, at least, m
}

// neighboursOf lists the grains of a task, each with 4 times the indices of its neighbours.
func (t *task) neighboursOf() iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		begin := int32(0)
		for me, end := range t.ends {
			if !yield(t.lo+int32(me), t.list[begin:end]) {
				return
			}
			begin = end
		}
	}
}

// near are the grains that an obstacle may act on now.
func (w *World) near(obstacle int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		w.listNear()
		for i := range w.tasks {
			for _, at := range w.tasks[i].near {
				if int(at.obstacle) == obstacle && w.tasks[i].move && at.beyond <= w.mover.way() && !yield(at.grain) {
					return
				}
			}
		}
	}
}

// plan makes the tasks of a grid, from the memory of the last ones: where grains come and
// go the grid changes again and again.
func (w *World) plan() {
	g := &w.sorting.grid
	ny, nz := g.n[1], g.n[2]
	wide := 2 // rows of a block; two blocks apart never touch
	blocks := max(1, ny/wide)
	w.tasks = slices.Grow(w.tasks[:0], 2*blocks*nz)
	s := &w.schedule
	s.rows = s.rows[:0]
	s.pairOf, s.moved = num.Grow(s.pairOf, blocks*nz), num.Grow(s.moved, blocks*nz)
	pairs, moved := s.pairOf, s.moved
	clear(moved)
	touches := func(a, z int, each func(task int32)) {
		for _, dz := range [2]int{nz - 1, 0} {
			for _, da := range [3]int{blocks - 1, 0, 1} {
				each(pairs[(z+dz)%nz*blocks+(a+da)%blocks])
			}
		}
	}
	add := func(a, z int, move bool) int32 {
		first, last := a*wide, a*wide+wide
		if a == blocks-1 {
			last = ny
		}
		w.tasks = w.tasks[:len(w.tasks)+1]
		t := &w.tasks[len(w.tasks)-1]
		*t = task{move: move, after: t.after[:0], lists: lists{t.ends[:0], t.list[:0]}, soon: t.soon, close: t.close, near: t.near[:0], sums: moveSums{obstacle: t.sums.obstacle}}
		s.rows = append(s.rows, [2]int32{int32(z*ny + first), int32(z*ny + last)})
		return int32(len(w.tasks) - 1)
	}
	const later = -1
	for i := range pairs {
		pairs[i] = later
	}
	window := max(1, (parallel+blocks-1)/blocks) // even layers at a time
	for z0 := 0; z0 < nz; z0 += 2 * window {
		end := min(z0+2*window, nz)
		for odd := range 2 {
			from, to := max(z0-odd, 0), end // the odd layer below the first even one waited for it
			if end < nz {
				to -= odd
			}
			for colour := range 2 {
				for z := from; z < to; z++ {
					if z%2 != odd {
						continue
					}
					for a := colour; a < blocks; a += 2 {
						if pairs[z*blocks+a] == later {
							pairs[z*blocks+a] = add(a, z, false)
						}
					}
				}
			}
		}
		for z := range end {
			for a := range blocks {
				ready := !moved[z*blocks+a]
				touches(a, z, func(t int32) { ready = ready && t != later })
				if ready {
					moved[z*blocks+a] = true
					t := add(a, z, true)
					touches(a, z, func(p int32) { w.tasks[t].after = append(w.tasks[t].after, p) })
				}
			}
		}
	}
	// Pairs of neighbouring blocks write the same grains.
	for z := range nz {
		for a := range blocks {
			t := pairs[z*blocks+a]
			for _, dz := range [3]int{nz - 1, 0, 1} {
				for _, da := range [3]int{blocks - 1, 0, 1} {
					if o := pairs[(z+dz)%nz*blocks+(a+da)%blocks]; o < t {
						w.tasks[t].after = append(w.tasks[t].after, o)
					}
				}
			}
		}
	}
	for i := range w.tasks {
		t := &w.tasks[i]
		slices.Sort(t.after)
		t.after = slices.Compact(t.after)
		if len(t.sums.obstacle) != len(w.obstacles) {
			t.sums.obstacle = make([]push, len(w.obstacles))
		}
	}
	s.epoch = 0
}

// bound gives each task the grains of its cells.
func (w *World) bound() {
	nx := int32(w.sorting.grid.n[0])
	for i := range w.tasks {
		w.tasks[i].lo = w.sorting.grid.start[w.schedule.rows[i][0]*nx]
		w.tasks[i].hi = w.sorting.grid.start[w.schedule.rows[i][1]*nx]
	}
}

// await returns when the tasks before have been done in this pass.
func (w *World) await(after []int32) {
	for _, d := range after {
		for i := 0; w.tasks[d].done.Load() != w.schedule.epoch; i++ {
			team.Pause(i)
		}
	}
}

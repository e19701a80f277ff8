package flex

/*
#include "factor.h"
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"hapco/physics/machinery/failsafe"
)

// Compliance is the inverse stiffness matrix restricted to some nodes: the displacements of those nodes under forces on
// them, at E = 1 Pa.
type Compliance struct {
	N int // nodes

	// (3N)x(3N), row-major, dof 3*node+axis, m/N; symmetric; zero rows and columns
	// at fixed nodes. One of the two is nil: Single takes half the memory.
	C      []float64
	Single []float32

	other source // not stored as one matrix: condensed, or on the way to another
}

// EstimateBytes is the memory that a Compliance of n nodes takes in double precision; half of it in single.
func EstimateBytes(n int) int64 { return 9 * 8 * int64(n) * int64(n) }

// Compliance computes K^-1 restricted to the given nodes (mesh node ids, each once), in their order, at E = 1 Pa.
// progress, unless nil, is called now and then from one goroutine at a time with the finished share, 1 at the end. It
// returns ctx's error when ctx is done first, and refuses to allocate more than MemoryLimit. One goroutine at a time;
// inside it uses all processors. Its bits do not depend on how many there are.
func (f *Factor) Compliance(ctx context.Context, nodes []int32, progress func(fraction float64)) (*Compliance, error) {
	return f.ComplianceIn(ctx, nodes, false, progress)
}

// ComplianceIn is Compliance in a chosen precision. Single takes half the memory; its entries are those of double
// precision, rounded.
func (f *Factor) ComplianceIn(ctx context.Context, nodes []int32, single bool, progress func(fraction float64)) (*Compliance, error) {
	if f.nodes == 0 {
		return nil, errClosed
	}
	limit := f.MemoryLimit
	if limit == 0 {
		limit = DefaultMemoryLimit
	}
	workers := f.workers()
	size := EstimateBytes(len(nodes))
	if single {
		size /= 2
	}
	need := size + int64(workers)*int64(len(f.b)+3*len(nodes))*C.HAPCO_PANEL*8
	if need > limit {
		return nil, fmt.Errorf("flex: the compliance of %d nodes takes %.3g GB, the limit is %.3g GB (name the part that is touched, contact_surface, or use a coarser mesh)",
			len(nodes), float64(need)/1e9, float64(limit)/1e9)
	}
	places, err := f.places(nodes)
	if err != nil {
		return nil, err
	}
	c := &Compliance{N: len(nodes)}
	if single {
		c.Single = make([]float32, 9*len(nodes)*len(nodes))
	} else {
		c.C = make([]float64, 9*len(nodes)*len(nodes))
	}
	if f.tail(ctx, c, places, workers) {
		if progress != nil {
			progress(1)
		}
		return c, ctx.Err()
	}
	if len(places) > 0 {
		if err := f.panels(ctx, c, places, workers, progress); err != nil {
			return nil, err
		}
	}
	c.mirror(places, workers)
	if progress != nil {
		progress(1)
	}
	return c, nil
}

// maxWorkers bounds the workspace of a computation.
const maxWorkers = 8

// place is one wanted unknown: where it stands in the elimination order and in the result.
type place struct{ order, slot int64 }

// places lists the free unknowns of nodes in the elimination order.
func (f *Factor) places(nodes []int32) ([]place, error) {
	seen := make([]bool, f.nodes)
	places := make([]place, 0, 3*len(nodes))
	for i, n := range nodes {
		if n < 0 || int(n) >= f.nodes {
			return nil, fmt.Errorf("flex: node %d does not exist: the mesh has nodes 0 to %d (correct the list)", n, f.nodes-1)
		}
		if seen[n] {
			return nil, fmt.Errorf("flex: node %d is listed twice (list every node once)", n)
		}
		seen[n] = true
		free := f.index[n]
		if free < 0 {
			continue
		}
		for c := range 3 {
			places = append(places, place{order: f.position[3*int(free)+c], slot: int64(3*i + c)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return int(a.order - b.order) })
	return places, nil
}

// tail computes the compliance of unknowns that are about the last of the elimination order, all at once, unless ctx
// ends; it is false where they are not.
func (f *Factor) tail(ctx context.Context, c *Compliance, places []place, workers int) bool {
	if len(places) == 0 {
		return false
	}
	first, n := places[0].order, 3*c.N
	size := len(f.b) - int(first)
	if size > len(places)+len(places)/8+48 || n < 48 {
		return false
	}
	dense := make([]float64, size*size)
	var status C.int
	oneThread()
	defer manyThreads()
	whileLive(ctx, func(flag *C.int32_t) {
		status = C.hapco_tail(f.f, C.int64_t(first), (*C.double)(&dense[0]), C.int(workers), flag)
	})
	if status != C.HAPCO_OK {
		return status == C.HAPCO_STOPPED
	}
	runtime.KeepAlive(f)
	var next atomic.Int64
	var wait failsafe.Group
	for range workers {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(places) {
					return
				}
				at, column := int(places[i].slot)*n, dense[int(places[i].order-first)*size:][:size]
				if c.C != nil {
					scatter(c.C[at:at+n], column, places[i:], first)
				} else {
					scatter(c.Single[at:at+n], column, places[i:], first)
				}
			}
		})
	}
	wait.Wait()
	c.mirror(places, workers)
	return true
}

// scatter writes what lies below the diagonal of a column to a row of the result.
func scatter[T float32 | float64](row []T, column []float64, places []place, first int64) {
	for _, p := range places {
		row[p.slot] = T(column[p.order-first])
	}
}

// panels fills, for each wanted unknown, its row of c at the unknowns that come no earlier in the elimination order.
func (f *Factor) panels(ctx context.Context, c *Compliance, places []place, workers int, progress func(float64)) error {
	order := make([]int64, len(places))
	slot := make([]int64, len(places))
	for i, p := range places {
		order[i], slot[i] = p.order, p.slot
	}
	double, float := c.stored()
	count := (len(places) + C.HAPCO_PANEL - 1) / C.HAPCO_PANEL
	whileLive(ctx, func(flag *C.int32_t) {
		var next, done atomic.Int64
		var report sync.Mutex
		var wait failsafe.Group
		for range min(workers, count) {
			wait.Go(func() {
				work := make([]float64, len(f.b)*C.HAPCO_PANEL)
				mark := make([]byte, int(C.hapco_supernodes(f.f)))
				slab := make([]float64, C.HAPCO_PANEL*3*c.N)
				for ctx.Err() == nil {
					k := int(next.Add(1)) - 1
					if k >= count {
						return
					}
					first := k * C.HAPCO_PANEL
					columns := min(C.HAPCO_PANEL, len(places)-first)
					if C.hapco_panel(f.f, C.int(columns), (*C.int64_t)(&order[first]),
						C.int64_t(len(places)-first), (*C.int64_t)(&order[first]), (*C.int64_t)(&slot[first]),
						(*C.double)(&slab[0]), (*C.double)(&work[0]), (*C.uchar)(&mark[0]), flag) == 0 {
						return
					}
					C.hapco_rows((*C.double)(&slab[0]), C.int64_t(3*c.N), C.int(columns), (*C.int64_t)(&slot[first]), double, float)
					if n := done.Add(1); progress != nil {
						report.Lock()
						progress(float64(n) / float64(count+1))
						report.Unlock()
					}
				}
			})
		}
		wait.Wait()
	})
	runtime.KeepAlive(f)
	return ctx.Err()
}

// mirror makes the matrix symmetric: row i is right at the unknowns that come no earlier than i in the elimination
// order, and holds leftovers elsewhere. It goes by tiles, so that rows and columns both stay in cache.
func (c *Compliance) mirror(places []place, workers int) {
	const tile = 64
	n := 3 * c.N
	order := make([]int64, n) // of each row; rows of fixed nodes are zero throughout
	for _, p := range places {
		order[p.slot] = p.order + 1
	}
	var next atomic.Int64
	var wait failsafe.Group
	for range workers {
		wait.Go(func() {
			for {
				top := int(next.Add(1)-1) * tile
				if top >= n {
					return
				}
				for left := 0; left <= top; left += tile {
					if c.C != nil {
						mirrorTile(c.C, n, order, top, left, tile)
					} else {
						mirrorTile(c.Single, n, order, top, left, tile)
					}
				}
			}
		})
	}
	wait.Wait()
}

func mirrorTile[T float32 | float64](c []T, n int, order []int64, top, left, tile int) {
	for i := top; i < min(top+tile, n); i++ {
		for j := left; j < min(left+tile, i); j++ {
			if order[i] < order[j] {
				c[j*n+i] = c[i*n+j]
			} else {
				c[i*n+j] = c[j*n+i]
			}
		}
	}
}

// Block is the 3x3 compliance between two nodes, row-major: displacement of a under a force on b, m/N at E = 1 Pa.
func (c *Compliance) Block(a, b int32) (block [9]float64) {
	if c.other != nil {
		return c.other.block(a, b)
	}
	for r := range 3 {
		at := (3*int(a)+r)*3*c.N + 3*int(b)
		if c.C != nil {
			copy(block[3*r:3*r+3], c.C[at:])
			continue
		}
		for k, x := range c.Single[at : at+3] {
			block[3*r+k] = float64(x)
		}
	}
	return block
}

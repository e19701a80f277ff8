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
)

// RowNodes is the number of nodes whose rows are computed at once: asking for fewer takes as long.
const RowNodes = C.HAPCO_PANEL / 3

// Rows computes rows of K^-1 in any order. Each serves one goroutine; any number of them, and Compliance, may work on
// one factor at the same time.
type Rows struct {
	f          *Factor
	work, slab []float64
	mark       []byte
}

// NewRows makes a computer of rows; its memory is some 400 bytes an unknown.
func (f *Factor) NewRows() *Rows {
	if f.f == nil {
		return &Rows{f: f} // all nodes are fixed
	}
	return &Rows{f: f, work: make([]float64, len(f.b)*C.HAPCO_PANEL), mark: make([]byte, int(C.hapco_supernodes(f.f)))}
}

// Compute writes K^-1 between nodes, RowNodes at most, and at, mesh nodes both, each once in its list:
// dst[(3i+r)*3*len(at)+3j+s] is the displacement r of nodes[i] under a force s on at[j], m/N at E = 1 Pa. It fails for
// nodes that the mesh does not have and after Close. When ctx ends it returns ctx's error soon; the Rows are then good
// for nothing.
func (w *Rows) Compute(ctx context.Context, dst []float64, nodes, at []int32) error {
	f := w.f
	if f.nodes == 0 {
		return errClosed
	}
	if len(nodes) > RowNodes || len(dst) != 9*len(nodes)*len(at) {
		panic("flex: Rows: too many nodes or a result of another size")
	}
	clear(dst)
	columns, err := f.places(nodes)
	if err != nil {
		return err
	}
	wants, err := f.places(at)
	if err != nil {
		return err
	}
	if len(columns) == 0 || len(wants) == 0 {
		return nil
	}
	order := func(list []place) (o []int64) {
		for _, p := range list {
			o = append(o, p.order)
		}
		return o
	}
	column, want, slot := order(columns), order(wants), make([]int64, len(wants))
	for i := range slot {
		slot[i] = int64(i)
	}
	w.slab = slices.Grow(w.slab[:0], C.HAPCO_PANEL*len(wants))[:C.HAPCO_PANEL*len(wants)]
	whole := C.int(0)
	whileLive(ctx, func(flag *C.int32_t) {
		whole = C.hapco_panel(f.f, C.int(len(columns)), (*C.int64_t)(&column[0]),
			C.int64_t(len(wants)), (*C.int64_t)(&want[0]), (*C.int64_t)(&slot[0]),
			(*C.double)(&w.slab[0]), (*C.double)(&w.work[0]), (*C.uchar)(&w.mark[0]), flag)
	})
	runtime.KeepAlive(f)
	if whole == 0 {
		return ctx.Err()
	}
	for j, p := range wants {
		for k, c := range columns {
			dst[int(c.slot)*3*len(at)+int(p.slot)] = w.slab[j*C.HAPCO_PANEL+k]
		}
	}
	return nil
}

// Order is the place of a node in the elimination, -1 for a fixed one. Rows of nodes late in it, at nodes as late, take
// the least time.
func (f *Factor) Order(node int32) int64 {
	if node < 0 || int(node) >= len(f.index) {
		panic(fmt.Sprintf("flex: node %d does not exist", node))
	}
	free := f.index[node]
	if free < 0 {
		return -1
	}
	return f.position[3*int(free)]
}

package flex

/*
#cgo CFLAGS: -O3 -Wall
#cgo LDFLAGS: -lcholmod -llapack -lblas -lpthread -lm
#include "factor.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// DefaultMemoryLimit is the most memory that a compliance may take unless Factor.MemoryLimit says otherwise, in bytes.
const DefaultMemoryLimit = 4 << 30

// errClosed is returned by a Factor after Close.
var errClosed = errors.New("flex: the factor is closed (factorise again)")

// Factor is the factorised stiffness matrix of one body, at E = 1 Pa. Its memory is CHOLMOD's: Close frees it, and so
// does the collector when it is dropped. A Factor serves one goroutine; different Factors are independent.
type Factor struct {
	MemoryLimit int64 // most bytes that Compliance may allocate; 0: DefaultMemoryLimit
	// Compliance leaves one processor to others, such as a simulation that goes on. Threads of lower priority would not
	// do: one that the system does not let run holds up Go's scheduler and collector, and with them everybody.
	Yields bool

	f        *C.hapco_factor
	nodes    int
	freeNode []int32 // mesh node of each free node
	index    []int32 // free node of each mesh node, -1 when fixed
	position []int64 // place of each free dof in the elimination order
	b, x     []float64

	pattern *fem.Matrix // whose values Refactorize replaces; nil: never
	broken  int32       // mesh node at which the last matrix was found not to be positive definite; -1: not known
	filled  bool        // Refactorize has left numbers
	single  bool        // RefactorizeSingle has
}

// Plan is what is known of a factorisation before it is done: what it takes.
type Plan struct {
	Cost   Cost
	Yields bool // as that of the Factor, which takes it over

	mesh *mesh.Mesh
	f    *Factor
}

// Cost is what a factorisation, and the compliance of the nodes that it was planned for, will take.
type Cost struct {
	FactorBytes     int64   // of the factorised matrix
	ComplianceBytes int64   // of the result, in double precision
	Operations      float64 // of floating point
}

// Bytes is the memory of it all.
func (c Cost) Bytes() int64 { return c.FactorBytes + c.ComplianceBytes }

// Seconds is about how long it takes on this machine's processors, as far as that can be told from their number: within
// a factor of three or so.
func (c Cost) Seconds() float64 {
	const pace = 6e9 // operations a second of one processor
	return c.Operations / (pace * float64(runtime.GOMAXPROCS(0)))
}

// NewPlan assembles the stiffness matrix of a mesh whose fixed nodes do not move, at E = 1 Pa, and orders its
// elimination. The unknowns of wanted, mesh nodes, are eliminated last where that pays: the compliance of a region that
// is small beside the body then takes a small part of the time that it takes otherwise, and the factor is somewhat
// larger. It fails with a clear message when part of the body would float.
func NewPlan(m *mesh.Mesh, fixed []int32, nu float64, wanted []int32) (*Plan, error) {
	if len(m.Nodes) == 0 {
		return nil, errors.New("flex: the mesh has no node (load another)")
	}
	k, err := fem.Assemble(m, fixed, nu)
	if err != nil {
		return nil, err
	}
	if err := checkSupport(m, fixed); err != nil {
		return nil, err
	}
	return plan(m, k, wanted)
}

// FactorizeMatrix factorises a positive definite matrix on the unknowns of k, such as K + s M.
func FactorizeMatrix(m *mesh.Mesh, k *fem.Matrix) (*Factor, error) {
	p, err := plan(m, k, nil)
	if err != nil {
		return nil, err
	}
	return p.Factorize(context.Background())
}

func plan(m *mesh.Mesh, k *fem.Matrix, wanted []int32) (*Plan, error) {
	late := make([]byte, len(k.FreeNode)+1)
	for _, n := range wanted {
		if n < 0 || int(n) >= len(m.Nodes) {
			return nil, fmt.Errorf("flex: node %d does not exist: the mesh has nodes 0 to %d (correct the list)", n, len(m.Nodes)-1)
		}
		if free := k.Index[n]; free >= 0 {
			late[free] = 1
		}
	}
	f, entries, operations, err := analyze(k, &late[0])
	if err != nil {
		return nil, err
	}
	p := &Plan{mesh: m, f: f}
	if k.N > 0 {
		t := 3 * float64(len(wanted))
		p.Cost = Cost{
			FactorBytes:     8 * int64(entries),
			ComplianceBytes: EstimateBytes(len(wanted)),
			Operations:      operations + min(2./3*t*t*t, 2.4*t*entries),
		}
	}
	return p, nil
}

// analyze orders the elimination of matrices of the pattern of k, which it keeps and only reads; late, unless nil,
// marks the free nodes that are eliminated last. The factor will have so many entries and take so many operations.
func analyze(k *fem.Matrix, late *byte) (f *Factor, entries, operations float64, err error) {
	f, err = newFactor(k, func() *C.hapco_factor {
		return C.hapco_analyze(C.int64_t(k.N), (*C.int64_t)(&k.ColPtr[0]), (*C.int64_t)(&k.Row[0]), (*C.double)(&k.Value[0]), (*C.uchar)(late), (*C.double)(&entries), (*C.double)(&operations))
	})
	return f, entries, operations, err
}

// newFactor is an empty one of matrices of the pattern of k, ordered by order.
func newFactor(k *fem.Matrix, order func() *C.hapco_factor) (*Factor, error) {
	f := &Factor{nodes: k.Nodes, freeNode: k.FreeNode, index: k.Index,
		b: make([]float64, k.N), x: make([]float64, k.N), position: make([]int64, k.N), pattern: k}
	if k.N == 0 {
		return f, nil
	}
	if f.f = order(); f.f == nil {
		return nil, fmt.Errorf("flex: not enough memory to order %d unknowns (use a coarser mesh)", k.N)
	}
	runtime.SetFinalizer(f, (*Factor).Close)
	C.hapco_position(f.f, (*C.int64_t)(&f.position[0]))
	return f, nil
}

// stopper is what C code looks at between two bites of its work.
type stopper struct{ flag int32 }

func (s *stopper) stop() { atomic.StoreInt32(&s.flag, 1) }

// watched is looked at in the place of a stopper of its own, for tests that count looks.
var watched *stopper

// whileLive runs do, which is to end soon once the flag is set; that is when ctx ends.
func whileLive(ctx context.Context, do func(flag *C.int32_t)) {
	s := watched
	if s == nil {
		s = new(stopper)
	}
	defer context.AfterFunc(ctx, s.stop)()
	do((*C.int32_t)(&s.flag))
}

// Factorize does what was planned, once. When ctx ends it returns ctx's error within some hundredths of a second, and
// its memory is free again.
func (p *Plan) Factorize(ctx context.Context) (*Factor, error) {
	f := p.f
	p.f = nil
	if f == nil {
		return nil, errClosed
	}
	k := f.pattern
	defer func() { f.pattern = nil }() // K is needed no more
	f.Yields = p.Yields
	if err := f.refactorize(ctx, k.Value, false, f.workers()); err != nil {
		f.Close()
		if errors.Is(err, ErrNotPositive) {
			return nil, hingeError(p.mesh, f.broken)
		}
		return nil, err
	}
	if f.f != nil && !(float64(C.hapco_rcond(f.f)) > 1e-15) {
		f.Close()
		return nil, hingeError(p.mesh, -1)
	}
	return f, nil
}

// ErrNotPositive is returned by Refactorize of a matrix that is not positive definite: the factor holds nothing then.
var ErrNotPositive = errors.New("flex: the matrix is not positive definite")

// Analyze orders the elimination of any positive definite matrix of this pattern, once. The factor holds no numbers
// until Refactorize, which may be called as often as there are new values; each call costs no more than its arithmetic,
// on the caller's thread.
// k is kept, and only read.
func Analyze(k *fem.Matrix) (*Factor, error) {
	f, _, _, err := analyze(k, nil)
	return f, err
}

// Twin is another factor like one of Analyze, with no numbers yet: it takes over the order.
func (f *Factor) Twin() (*Factor, error) {
	k := f.pattern
	return newFactor(k, func() *C.hapco_factor {
		return C.hapco_twin(f.f, (*C.int64_t)(&k.ColPtr[0]), (*C.int64_t)(&k.Row[0]), (*C.double)(&k.Value[0]))
	})
}

// Refactorize replaces the numbers of a factor of Analyze by those of a matrix of the same pattern, in N/m. It returns
// ErrNotPositive, or ctx's error; there are no numbers to solve with then.
func (f *Factor) Refactorize(ctx context.Context, values []float64) error {
	return f.refactorize(ctx, values, false, 1)
}

// RefactorizeSingle is Refactorize in single precision, in half the time and memory. Its numbers are for Quick alone.
func (f *Factor) RefactorizeSingle(ctx context.Context, values []float64) error {
	return f.refactorize(ctx, values, true, 1)
}

func (f *Factor) refactorize(ctx context.Context, values []float64, single bool, workers int) error {
	switch {
	case f.nodes == 0:
		return errClosed
	case f.pattern == nil || len(values) != len(f.pattern.Row):
		panic("flex: Refactorize: wrong length, or no factor of Analyze")
	case f.f == nil:
		return nil
	}
	oneThread()
	defer manyThreads()
	k := f.pattern
	var minor C.int64_t
	var status C.int
	whileLive(ctx, func(flag *C.int32_t) {
		if single {
			status = C.hapco_factorize_single(f.f, C.int64_t(k.N), (*C.int64_t)(&k.ColPtr[0]), (*C.int64_t)(&k.Row[0]), (*C.double)(&values[0]), flag, &minor)
		} else {
			status = C.hapco_factorize(f.f, C.int64_t(k.N), (*C.int64_t)(&k.ColPtr[0]), (*C.int64_t)(&k.Row[0]), (*C.double)(&values[0]), C.int(workers), flag, &minor)
		}
	})
	runtime.KeepAlive(f)
	if single {
		f.single = status == C.HAPCO_OK
	} else {
		f.filled = status == C.HAPCO_OK
	}
	switch status {
	case C.HAPCO_OK:
		return nil
	case C.HAPCO_STOPPED:
		return ctx.Err()
	case C.HAPCO_NOT_POSITIVE:
		f.broken = -1
		if minor >= 0 {
			f.broken = k.FreeNode[minor/3]
		}
		return ErrNotPositive
	case C.HAPCO_NO_MEMORY:
		return fmt.Errorf("flex: not enough memory to factorise %d unknowns (use a coarser mesh)", k.N)
	}
	return fmt.Errorf("flex: CHOLMOD could not factorise %d unknowns (check the mesh)", k.N)
}

// Factorize plans and factorises, for columns of the inverse in any place.
func Factorize(m *mesh.Mesh, fixed []int32, nu float64) (*Factor, error) {
	return factorizeFor(m, fixed, nu, nil)
}

// factorizeFor plans and factorises, for columns of the inverse at wanted, mesh nodes.
func factorizeFor(m *mesh.Mesh, fixed []int32, nu float64, wanted []int32) (*Factor, error) {
	p, err := NewPlan(m, fixed, nu, wanted)
	if err != nil {
		return nil, err
	}
	return p.Factorize(context.Background())
}

// Close frees the factor's memory at once. Calling it twice is harmless.
func (f *Factor) Close() {
	if f.f != nil {
		C.hapco_free(f.f)
		f.f = nil
		runtime.SetFinalizer(f, nil)
	}
	f.nodes = 0
}

// Bytes is the memory that the factor takes.
func (f *Factor) Bytes() int64 {
	if f.f == nil {
		return 0
	}
	return int64(C.hapco_bytes(f.f))
}

// Solve computes the displacements dst of all nodes under the nodal forces f, at E = 1 Pa: dst in m, f in N, flat, 3 a
// node. Fixed nodes get 0, and forces on them go into the support. dst and f may be the same slice. One goroutine at a
// time. Solve panics on wrong lengths or after Close.
func (f *Factor) Solve(dst, force []float64) {
	if len(dst) != 3*f.nodes || len(force) != 3*f.nodes {
		panic("flex: Solve: wrong lengths or closed factor")
	}
	for i, n := range f.freeNode {
		copy(f.b[3*i:3*i+3], force[3*n:3*n+3])
	}
	clear(dst)
	if f.f == nil {
		return // all nodes are fixed
	}
	oneThread()
	defer manyThreads()
	if C.hapco_solve(f.f, (*C.double)(&f.x[0]), (*C.double)(&f.b[0])) != C.HAPCO_OK {
		panic("flex: Solve: out of memory")
	}
	for i, n := range f.freeNode {
		copy(dst[3*n:3*n+3], f.x[3*i:3*i+3])
	}
	runtime.KeepAlive(f)
}

// SolveFree solves for several right-hand sides at once, by columns: dst and b hold the free degrees of freedom of each
// in turn, in the order of the matrix.
func (f *Factor) SolveFree(dst, b []float64, columns int) {
	if len(dst) != columns*len(f.b) || len(b) != len(dst) || f.f == nil || f.pattern != nil && !f.filled {
		panic("flex: SolveFree: wrong lengths, a closed factor, or one without numbers")
	}
	oneThread()
	defer manyThreads()
	if C.hapco_solve_many(f.f, C.int64_t(columns), (*C.double)(&dst[0]), (*C.double)(&b[0])) != C.HAPCO_OK {
		panic("flex: SolveFree: out of memory")
	}
	runtime.KeepAlive(f)
}

// Negative counts the negative eigenvalues of a symmetric matrix by the signs of its pivots (Sylvester's law of
// inertia). It fails where a pivot is 0: an eigenvalue of a leading block then is.
func Negative(k *fem.Matrix) (int, error) {
	if k.N == 0 {
		return 0, nil
	}
	oneThread()
	defer manyThreads()
	n := int(C.hapco_negatives(C.int64_t(k.N), (*C.int64_t)(&k.ColPtr[0]), (*C.int64_t)(&k.Row[0]), (*C.double)(&k.Value[0])))
	if n < 0 {
		return 0, fmt.Errorf("flex: the signs of %d pivots cannot be found (shift the matrix a little, or use a coarser mesh)", k.N)
	}
	return n, nil
}

// checkSupport reports the first connected part of the mesh that is not held by three nodes off one line.
func checkSupport(m *mesh.Mesh, fixed []int32) error {
	label, count := m.Components()
	held := make([][]int32, count)
	size := make([]int, count)
	for n, l := range label {
		if l < 0 {
			return fmt.Errorf("flex: node %d belongs to no element and would float (remove it from the mesh)", n)
		}
		size[l]++
	}
	for _, n := range fixed {
		held[label[n]] = append(held[label[n]], n)
	}
	for part, nodes := range held {
		if m.Spans(nodes) {
			continue
		}
		which := "the body"
		if count > 1 {
			which = fmt.Sprintf("part %d of %d (%d nodes)", part+1, count, size[part])
		}
		switch len(nodes) {
		case 0:
			return fmt.Errorf("flex: %s would float: none of its nodes is fixed (fix at least three that are not on one line)", which)
		default:
			return fmt.Errorf("flex: %s would float: its %d fixed nodes leave it free to turn (fix at least three that are not on one line)", which, len(nodes))
		}
	}
	return nil
}

// hingeError words a matrix that is not positive definite though every part is held: parts that meet in single nodes or
// edges can still turn.
func hingeError(m *mesh.Mesh, node int32) error {
	where := ""
	if node >= 0 {
		x := m.Nodes[node]
		where = fmt.Sprintf(" near node %d at (%.4g, %.4g, %.4g) m", node, x[0], x[1], x[2])
	}
	return fmt.Errorf("flex: part of the body would float%s: it hangs on a single node or edge, or its elements are nearly flat (fix it, or join the parts by faces)", where)
}

// kernels are sets of instructions, one wider than the other.
const (
	plainKernels  = C.HAPCO_PLAIN
	widestKernels = C.HAPCO_AVX512
)

// useKernels sets the widest that is used where the processor has it, for tests (which may not use cgo themselves). No
// computation may be running.
func useKernels(most int) { C.hapco_most_kernels = C.int(most) }

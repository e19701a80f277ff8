package flex

import (
	"math"
	"sync"
	"sync/atomic"

	"hapco/physics/numerics/num"
)

// Blend is a compliance on the way from one to another, (1-s) From + s To: a convex combination of two symmetric
// positive semidefinite matrices is one. It is worked out where it is asked for. Any goroutine may set and read the
// share.
type Blend struct {
	from, to *Compliance // from is nil for zero: a rigid body
	share    atomic.Uint64
	pool     sync.Pool // of *[]float64
}

// NewBlend makes a blend of two compliances of the same nodes, at From. from may be nil: nothing moves.
func NewBlend(from, to *Compliance) (*Compliance, *Blend) {
	if from != nil && from.N != to.N {
		panic("flex: blend of compliances of different nodes")
	}
	b := &Blend{from: from, to: to}
	b.pool.New = func() any { return new([]float64) }
	return &Compliance{N: to.N, other: b}, b
}

// Set makes s the share of To, 0 to 1.
func (b *Blend) Set(s float64) { b.share.Store(math.Float64bits(s)) }

// Share is that of To.
func (b *Blend) Share() float64 { return math.Float64frombits(b.share.Load()) }

// parts are the two compliances and their shares; those that count for nothing are nil.
func (b *Blend) parts() (from, to *Compliance, s float64) {
	s = b.Share()
	from, to = b.from, b.to
	if s >= 1 {
		from = nil
	}
	if s <= 0 {
		to = nil
	}
	return from, to, s
}

// mixed puts (1-s) times what from computes plus s times what to computes into dst.
func (b *Blend) mixed(dst []float64, compute func(c *Compliance, dst []float64)) {
	from, to, s := b.parts()
	switch {
	case from == nil && to == nil:
		clear(dst)
	case to == nil:
		compute(from, dst)
	default:
		compute(to, dst)
		for i := range dst {
			dst[i] *= s
		}
		if from == nil {
			return
		}
		other := b.pool.Get().(*[]float64)
		*other = num.Grow(*other, len(dst))
		compute(from, *other)
		for i, x := range *other {
			dst[i] += (1 - s) * x
		}
		b.pool.Put(other)
	}
}

func (b *Blend) gather(compact []float64, active []int32) {
	b.mixed(compact, func(c *Compliance, dst []float64) { c.gather(dst, active) })
}

func (b *Blend) displaceAt(dst []float64, wanted, nodes []int32, forces []float64) {
	b.mixed(dst, func(c *Compliance, dst []float64) { c.DisplaceAt(dst, wanted, nodes, forces) })
}

func (b *Blend) displace(dst []float64, nodes []int32, forces []float64) {
	from, to, s := b.parts()
	scaled := b.pool.Get().(*[]float64)
	*scaled = num.Grow(*scaled, len(forces))
	add := func(c *Compliance, x float64) {
		if c == nil {
			return
		}
		for i, f := range forces {
			(*scaled)[i] = x * f
		}
		c.Displace(dst, nodes, *scaled)
	}
	add(from, 1-s)
	add(to, s)
	b.pool.Put(scaled)
}

func (b *Blend) block(i, j int32) (sum [9]float64) {
	from, to, s := b.parts()
	if from != nil {
		for k, x := range from.Block(i, j) {
			sum[k] += (1 - s) * x
		}
	}
	if to != nil {
		for k, x := range to.Block(i, j) {
			sum[k] += s * x
		}
	}
	return sum
}

func (b *Blend) bytes() int64 {
	n := b.to.Bytes()
	if b.from != nil {
		n += b.from.Bytes()
	}
	return n
}

func (b *Blend) inSingle() bool {
	return b.to.InSingle() || b.from != nil && b.from.InSingle()
}

// source is where a flexibility comes from that is not stored as one matrix: a coarse one spread over the nodes, or one
// on the way to another. Any goroutine may use one; none allocates but to make its workspace grow.
type source interface {
	gather(compact []float64, active []int32) // (3 active)^2, row-major: the part between those nodes
	displace(dst []float64, nodes []int32, forces []float64)
	displaceAt(dst []float64, wanted, nodes []int32, forces []float64)
	block(a, b int32) [9]float64
	bytes() int64
	inSingle() bool
}

// Bytes is the memory that the compliance takes.
func (c *Compliance) Bytes() int64 {
	if c.other != nil {
		return c.other.bytes()
	}
	return 8*int64(len(c.C)) + 4*int64(len(c.Single))
}

// InSingle tells whether entries are rounded to single precision.
func (c *Compliance) InSingle() bool {
	if c.other != nil {
		return c.other.inSingle()
	}
	return c.Single != nil
}

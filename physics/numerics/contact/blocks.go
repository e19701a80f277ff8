package contact

import "hapco/physics/numerics/num"

// Blocks stores the non-zero 3x3 blocks of a Delassus operator row by row. Block k of row c couples contact c to
// contact Col[k], for k from Row[c] up to Row[c+1]; the diagonal block is always there. Val holds 12 numbers a block:
// its three columns, each padded to four with a zero, so that a column fills one vector register.
type Blocks struct {
	Row []int32   // N+1
	Col []int32   // ascending within a row
	Val []float64 // 12 a block
}

// maxShare is the share of non-zero blocks up to which block storage pays: a block costs about three times as much as
// the same numbers in a full row.
const maxShare = 0.3

// Compress gives p the block storage of its W if few enough of its blocks are non-zero, and drops it otherwise. The
// cost is one reading of W; it stops at the first sign that W is full. It reports whether p has block storage now.
func (p *Problem) Compress() bool {
	limit := int(maxShare * float64(p.N) * float64(p.N))
	n, count := 3*p.N, 0
	b := p.Blocks
	p.Blocks = nil
	if limit < 2*p.N { // includes every small problem
		return false
	}
	for c := 0; c < p.N; c += max(1, p.N/2) { // two rows tell as a rule
		full := 0
		for d := range p.N {
			if nonZero(p.W, n, 3*c, 3*d) {
				full++
			}
		}
		if full == p.N {
			count++
		}
	}
	if count >= 2 {
		return false
	}
	count = 0
	for c := range p.N {
		for d := range p.N {
			if c == d || nonZero(p.W, n, 3*c, 3*d) {
				count++
			}
		}
		if count > limit {
			return false
		}
	}
	if b == nil {
		b = new(Blocks)
	}
	b.Row = append(b.Row[:0], 0)
	b.Col = b.Col[:0]
	b.Val = num.Grow(b.Val, 12*count)[:0]
	for c := range p.N {
		for d := range p.N {
			if c != d && !nonZero(p.W, n, 3*c, 3*d) {
				continue
			}
			b.Col = append(b.Col, int32(d))
			for j := range 3 {
				k := 3*c*n + 3*d + j
				b.Val = append(b.Val, p.W[k], p.W[k+n], p.W[k+2*n], 0)
			}
		}
		b.Row = append(b.Row, int32(len(b.Col)))
	}
	p.Blocks = b
	return true
}

func nonZero(w []float64, n, i, j int) bool {
	for range 3 {
		k := i*n + j
		if w[k] != 0 || w[k+1] != 0 || w[k+2] != 0 {
			return true
		}
		i++
	}
	return false
}

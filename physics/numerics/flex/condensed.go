package flex

import (
	"sync"

	"hapco/physics/numerics/num"
)

// Spread says how a node of a condensed compliance follows nodes that are ready: its displacement is the weighted sum
// of theirs, and a force on it is shared out among them with the same weights. Weights that sum to less than 1 leave
// the rest to the support; a count of 0 is a fixed node.
type Spread struct {
	Count  int32
	Ready  [SpreadMost]int32 // numbers in the order in which nodes became ready
	Weight [SpreadMost]float64
}

// SpreadMost is the largest number of nodes that one follows.
const SpreadMost = 6

// Ready is the compliance between the nodes that are ready, as it grows: a triangle of 3x3 blocks, a row a node. What
// was added stays as it is, so that a Ready may be used while a longer one is made from it.
type Ready struct {
	rows [][]float64 // of node a: 3 rows of the 3(a+1) columns up to its own
}

// Len is the number of nodes.
func (r Ready) Len() int { return len(r.rows) }

// ReadyBytes is the memory that a Ready of n nodes takes.
func ReadyBytes(n int) int64 { return 36 * int64(n) * int64(n+1) }

// Add appends one node: its three rows of K^-1 at the nodes so far and at itself, row-major, m/N at E = 1 Pa. The slice
// is kept.
func (r Ready) Add(rows []float64) Ready {
	if len(rows) != 9*(len(r.rows)+1) {
		panic("flex: Ready: rows of another length")
	}
	return Ready{append(r.rows, rows)}
}

// Condense makes the compliance C = P R P^T of as many nodes as spread has, R the compliance of those that are ready
// and P their weights. It is symmetric and positive semidefinite as R is, and exact between nodes that are ready.
func Condense(spread []Spread, r Ready) *Compliance {
	c := &condensed{spread: spread, rows: r.rows}
	c.pool.New = func() any {
		return &condensedWork{slot: make([]int32, len(c.rows)), stamp: make([]uint32, len(c.rows))}
	}
	return &Compliance{N: len(spread), other: c}
}

type condensed struct {
	spread []Spread
	rows   [][]float64
	pool   sync.Pool // of *condensedWork
}

// condensedWork numbers the ready nodes that some nodes follow.
type condensedWork struct {
	slot     []int32
	stamp    []uint32
	now      uint32
	of       []int32   // ready nodes
	force, u []float64 // 3 a node of of
	square   []float64
	half     []float64
}

func (w *condensedWork) begin() {
	w.of = w.of[:0]
	w.now++
	if w.now == 0 {
		clear(w.stamp)
		w.now = 1
	}
}

// number lists the ready nodes that node follows.
func (w *condensedWork) number(s *Spread) {
	for _, ready := range s.Ready[:s.Count] {
		if w.stamp[ready] != w.now {
			w.stamp[ready] = w.now
			w.slot[ready] = int32(len(w.of))
			w.of = append(w.of, ready)
		}
	}
}

// at writes the block between two ready nodes to out, rows of which are stride apart.
func (c *condensed) at(out []float64, stride int, a, b int32) {
	if a >= b {
		row, n := c.rows[a], 3*(int(a)+1)
		for r := range 3 {
			copy(out[r*stride:r*stride+3], row[r*n+3*int(b):][:3])
		}
		return
	}
	row, n := c.rows[b], 3*(int(b)+1)
	for r := range 3 {
		for s := range 3 {
			out[r*stride+s] = row[s*n+3*int(a)+r]
		}
	}
}

// gather computes P_a R P_a^T for the rows a of P that belong to active: first with R between the ready nodes that
// those follow, then P_a from both sides.
func (c *condensed) gather(compact []float64, active []int32) {
	w := c.pool.Get().(*condensedWork)
	defer c.pool.Put(w)
	w.begin()
	for _, node := range active {
		w.number(&c.spread[node])
	}
	m, p := 3*len(active), 3*len(w.of)
	w.square, w.half = num.Grow(w.square, p*p), num.Grow(w.half, p)
	for i, a := range w.of {
		for j, b := range w.of {
			c.at(w.square[3*i*p+3*j:], p, a, b)
		}
	}
	for i, node := range active {
		s := &c.spread[node]
		for d := range 3 {
			clear(w.half)
			for k, ready := range s.Ready[:s.Count] {
				from := w.square[(3*int(w.slot[ready])+d)*p:][:p]
				for j, x := range from {
					w.half[j] += s.Weight[k] * x
				}
			}
			row := compact[(3*i+d)*m:][:m]
			for j, other := range active {
				o := &c.spread[other]
				var x, y, z float64
				for k, ready := range o.Ready[:o.Count] {
					h := w.half[3*w.slot[ready]:][:3]
					x += o.Weight[k] * h[0]
					y += o.Weight[k] * h[1]
					z += o.Weight[k] * h[2]
				}
				row[3*j], row[3*j+1], row[3*j+2] = x, y, z
			}
		}
	}
}

// load shares forces out among the ready nodes.
func (c *condensed) load(w *condensedWork, nodes []int32, forces []float64) {
	w.begin()
	for _, node := range nodes {
		w.number(&c.spread[node])
	}
	w.force = num.Grow(w.force, 3*len(w.of))
	clear(w.force)
	for i, node := range nodes {
		s := &c.spread[node]
		for k, ready := range s.Ready[:s.Count] {
			f := w.force[3*w.slot[ready]:][:3]
			for d := range f {
				f[d] += s.Weight[k] * forces[3*i+d]
			}
		}
	}
}

// move is the displacement of a ready node under what was loaded.
func (c *condensed) move(w *condensedWork, a int32) (u [3]float64) {
	for j, b := range w.of {
		f := w.force[3*j:][:3]
		if a >= b {
			row, n := c.rows[a], 3*(int(a)+1)
			for r := range u {
				x := row[r*n+3*int(b):][:3]
				u[r] += x[0]*f[0] + x[1]*f[1] + x[2]*f[2]
			}
			continue
		}
		row, n := c.rows[b], 3*(int(b)+1)
		for s := range 3 {
			x := row[s*n+3*int(a):][:3]
			for r := range u {
				u[r] += x[r] * f[s]
			}
		}
	}
	return u
}

func (c *condensed) displace(dst []float64, nodes []int32, forces []float64) {
	w := c.pool.Get().(*condensedWork)
	defer c.pool.Put(w)
	c.load(w, nodes, forces)
	w.u = num.Grow(w.u, 3*len(c.rows))
	for a := range c.rows {
		*(*[3]float64)(w.u[3*a:]) = c.move(w, int32(a))
	}
	for i := range c.spread {
		s := &c.spread[i]
		for k, ready := range s.Ready[:s.Count] {
			for d := range 3 {
				dst[3*i+d] += s.Weight[k] * w.u[3*int(ready)+d]
			}
		}
	}
}

func (c *condensed) displaceAt(dst []float64, wanted, nodes []int32, forces []float64) {
	w := c.pool.Get().(*condensedWork)
	defer c.pool.Put(w)
	c.load(w, nodes, forces)
	loaded := len(w.of)
	// What wanted nodes follow is moved once: numbered behind what is loaded.
	for _, node := range wanted {
		w.number(&c.spread[node])
	}
	all := w.of
	w.u = num.Grow(w.u, 3*len(all))
	w.of = all[:loaded]
	known := w.half
	known = num.Grow(known, len(all))
	clear(known)
	for i, node := range wanted {
		s := &c.spread[node]
		var u [3]float64
		for k, ready := range s.Ready[:s.Count] {
			slot := w.slot[ready]
			if known[slot] == 0 {
				known[slot] = 1
				*(*[3]float64)(w.u[3*slot:]) = c.move(w, ready)
			}
			for d := range u {
				u[d] += s.Weight[k] * w.u[3*int(slot)+d]
			}
		}
		copy(dst[3*i:3*i+3], u[:])
	}
	w.of, w.half = all, known
}

func (c *condensed) block(a, b int32) (sum [9]float64) {
	s, t := &c.spread[a], &c.spread[b]
	var one [9]float64
	for i, p := range s.Ready[:s.Count] {
		for j, q := range t.Ready[:t.Count] {
			c.at(one[:], 3, p, q)
			x := s.Weight[i] * t.Weight[j]
			for k := range sum {
				sum[k] += x * one[k]
			}
		}
	}
	return sum
}

func (c *condensed) bytes() int64 {
	return ReadyBytes(len(c.rows)) + int64(len(c.spread))*(8+12*SpreadMost)
}

func (c *condensed) inSingle() bool { return false }

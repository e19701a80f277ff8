package exact

import (
	"math/bits"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// ordering finds an elimination order of the contacts that keeps the factors of a sparse Delassus operator sparse:
// minimum degree on the graph of its blocks, then a postorder of the elimination tree, which brings contacts that fill
// in together next to each other and so into the same tiles.
type ordering struct {
	words  int
	adj    []uint64 // the graph, a bit row a contact; eliminated contacts leave it
	degree []int32
	parent []int32 // elimination tree, by rank
	rank   []int32 // contact -> place in the minimum degree order
	inv    []int32 // place -> contact
	first  []int32 // first child, by rank
	next   []int32 // next sibling
	stack  []int32
}

// order writes the elimination order of the contacts of b to dst (n).
func (o *ordering) order(dst []int32, b *contact.Blocks, n int) {
	o.words = (n + 63) / 64
	o.adj = num.Grow(o.adj, n*o.words)
	o.degree = num.Grow(o.degree, n)
	o.parent = num.Grow(o.parent, n)
	o.rank = num.Grow(o.rank, n)
	o.inv = num.Grow(o.inv, n)
	o.first = num.Grow(o.first, n)
	o.next = num.Grow(o.next, n)
	o.stack = num.Grow(o.stack, n)
	clear(o.adj)
	for c := range n {
		for _, d := range b.Col[b.Row[c]:b.Row[c+1]] {
			if int(d) != c {
				o.adj[c*o.words+int(d)>>6] |= 1 << (d & 63)
				o.adj[int(d)*o.words+c>>6] |= 1 << (c & 63)
			}
		}
	}
	for c := range n {
		o.degree[c] = o.count(c)
		o.rank[c] = -1
	}
	for k := int32(0); k < int32(n); {
		best := int32(-1)
		for c := range int32(n) {
			if o.rank[c] < 0 && (best < 0 || o.degree[c] < o.degree[best]) {
				best = c
			}
		}
		least := o.degree[best]
		o.eliminate(best, k)
		k++
		// Neighbours that have no others come next, as their degree is the least now.
		row := o.adj[int(best)*o.words : (int(best)+1)*o.words]
		for w, set := range row {
			for ; set != 0; set &= set - 1 {
				if c := int32(w<<6 + bits.TrailingZeros64(set)); o.degree[c] < least {
					least = o.degree[c]
					o.eliminate(c, k)
					k++
				}
			}
		}
	}
	o.postorder(dst, n)
}

func (o *ordering) count(c int) (n int32) {
	for _, w := range o.adj[c*o.words : (c+1)*o.words] {
		n += int32(bits.OnesCount64(w))
	}
	return n
}

// eliminate takes a contact out of the graph, as the k-th, and joins its neighbours to each other. Its own row keeps its
// neighbours: the structure of its column of the factor.
func (o *ordering) eliminate(best, k int32) {
	o.rank[best], o.inv[k] = k, best
	row := o.adj[int(best)*o.words : (int(best)+1)*o.words]
	for w, set := range row {
		for set != 0 {
			c := w<<6 + bits.TrailingZeros64(set)
			set &= set - 1
			rc := o.adj[c*o.words : (c+1)*o.words]
			for i, v := range row {
				rc[i] |= v
			}
			rc[c>>6] &^= 1 << (c & 63)
			rc[best>>6] &^= 1 << (best & 63)
			o.degree[c] = o.count(c)
		}
	}
}

// postorder numbers the elimination tree depth first. The parent of a contact is the first of its column's structure to
// be eliminated after it.
func (o *ordering) postorder(dst []int32, n int) {
	for k := range n {
		o.first[k] = -1
	}
	roots := int32(-1)
	for k := n - 1; k >= 0; k-- {
		c := int(o.inv[k])
		parent := int32(-1)
		for w, set := range o.adj[c*o.words : (c+1)*o.words] {
			for set != 0 {
				d := w<<6 + bits.TrailingZeros64(set)
				set &= set - 1
				if r := o.rank[d]; parent < 0 || r < parent {
					parent = r
				}
			}
		}
		o.parent[k] = parent
		if parent < 0 {
			o.next[k] = roots
			roots = int32(k)
		} else {
			o.next[k] = o.first[parent]
			o.first[parent] = int32(k)
		}
	}
	// Each contact before its subtree, written from the back.
	st := o.stack[:0]
	for k := roots; k >= 0; k = o.next[k] {
		st = append(st, k)
	}
	for out := n - 1; len(st) > 0; out-- {
		k := st[len(st)-1]
		st = st[:len(st)-1]
		dst[out] = o.inv[k]
		for c := o.first[k]; c >= 0; c = o.next[c] {
			st = append(st, c)
		}
	}
}

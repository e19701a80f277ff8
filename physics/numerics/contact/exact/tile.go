package exact

import (
	"math"
	"math/bits"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// tiles factorises a square matrix whose unknowns are cut into groups of TileSize: a block LU factorisation over square
// tiles, of which only those that are not zero, or become so, are stored. A full matrix is the special case in which
// all are. Tiles are row-major; the last rows and columns are padded with the identity.
//
// There is no exchange of tile rows: the matrices that come here are positive semidefinite but for friction, and are
// regularised. Each diagonal tile is inverted with row exchanges inside; a pivot that vanishes is replaced by a small
// one, and the caller, who watches the error, notices.
type tiles struct {
	n, nt int       // unknowns, tiles a side
	at    []int32   // nt*nt: where the tile starts in val, or -1
	val   []float64 // TileArea numbers a tile
	inv   []float64 // nt inverses of the diagonal tiles
	words int       // uint64 words a row of the patterns
	row   []uint64  // pattern, which is symmetric: bit j of row i tells that tile (i, j) is stored
	cols  []int32   // of a pivot's row, right of it
	tmp   [kernel.TileSize]float64
	clock *contact.Clock // deadline of the factorisation; nil: none
	dense bool           // the pattern is that of full
}

// reset prepares for n unknowns with an empty pattern.
func (t *tiles) reset(n int) {
	t.n = n
	t.dense = false
	t.nt = (n + kernel.TileSize - 1) / kernel.TileSize
	t.words = (t.nt + 63) / 64
	t.at = num.Grow(t.at, t.nt*t.nt)
	t.inv = num.Grow(t.inv, t.nt*kernel.TileArea)
	t.row = num.Grow(t.row, t.nt*t.words)
	t.cols = num.Grow(t.cols, t.nt)
	clear(t.row)
}

func trailing(w uint64) int { return bits.TrailingZeros64(w) }

// mark says that the block of entries from (i, j) to (i2, j2), no more than a tile either way, may be non-zero, and the
// one across the diagonal.
func (t *tiles) mark(i, i2, j, j2 int) {
	for a := i / kernel.TileSize; a <= i2/kernel.TileSize; a++ {
		for b := j / kernel.TileSize; b <= j2/kernel.TileSize; b++ {
			t.row[a*t.words+b>>6] |= 1 << (b & 63)
			t.row[b*t.words+a>>6] |= 1 << (a & 63)
		}
	}
}

// markAll makes the pattern full.
func (t *tiles) markAll() {
	for i := range t.nt {
		for j := range t.nt {
			t.row[i*t.words+j>>6] |= 1 << (j & 63)
		}
	}
}

// above are the bits of word w of a row that stand right of bit k.
func above(bits uint64, w, k int) uint64 {
	if w == k>>6 {
		bits &^= 1<<(k&63+1) - 1
	}
	return bits
}

// fill completes the pattern by what elimination adds, places the tiles and sets them to zero, and to the identity in
// the padding.
func (t *tiles) fill() {
	words := t.words
	for k := range t.nt {
		t.row[k*words+k>>6] |= 1 << (k & 63)
	}
	for k := range t.nt {
		rk := t.row[k*words : (k+1)*words]
		for wi := k >> 6; wi < words; wi++ {
			for rows := above(rk[wi], wi, k); rows != 0; rows &= rows - 1 {
				ri := t.row[(wi<<6+trailing(rows))*words:][:words]
				for w := k >> 6; w < words; w++ {
					ri[w] |= above(rk[w], w, k)
				}
			}
		}
	}
	count := int32(0)
	for i := range t.nt {
		at := t.at[i*t.nt : (i+1)*t.nt]
		for w, cols := range t.row[i*words : (i+1)*words] {
			for ; cols != 0; cols &= cols - 1 {
				at[w<<6+trailing(cols)] = count * kernel.TileArea
				count++
			}
		}
	}
	t.val = num.Grow(t.val, int(count)*kernel.TileArea)
	t.empty()
}

// empty sets all tiles to zero, and to the identity in the padding.
func (t *tiles) empty() {
	clear(t.val)
	for i := t.n; i < t.nt*kernel.TileSize; i++ {
		t.set(i, i, 1)
	}
}

// full prepares for a full matrix of n unknowns, all of whose entries the caller sets: tile (i, j) begins at (i nt + j)
// TileArea. Only the padding is set here.
func (t *tiles) full(n int) {
	nt := (n + kernel.TileSize - 1) / kernel.TileSize
	if !t.dense || t.nt != nt {
		t.reset(nt * kernel.TileSize)
		t.markAll()
		t.dense = true
		for i := range t.at {
			t.at[i] = int32(i * kernel.TileArea)
		}
		t.val = num.Grow(t.val, nt*nt*kernel.TileArea)
	}
	t.n = n
	last := nt - 1
	for i := n; i < nt*kernel.TileSize; i++ {
		for j := range nt {
			row := t.val[(last*nt+j)*kernel.TileArea+i%kernel.TileSize*kernel.TileSize:]
			clear(row[:kernel.TileSize])
			col := t.val[(j*nt+last)*kernel.TileArea+i%kernel.TileSize:]
			for k := range kernel.TileSize {
				col[k*kernel.TileSize] = 0
			}
		}
	}
	for i := n; i < nt*kernel.TileSize; i++ {
		t.set(i, i, 1)
	}
}

// place is where entry (i, j) stands in val; the pattern must hold it.
func (t *tiles) place(i, j int) int {
	return int(t.at[int(uint(i)/kernel.TileSize)*t.nt+int(uint(j)/kernel.TileSize)]) + int(uint(i)%kernel.TileSize*kernel.TileSize+uint(j)%kernel.TileSize)
}

// set stores entry (i, j).
func (t *tiles) set(i, j int, v float64) { t.val[t.place(i, j)] = v }

// factorise turns the matrix into its factors: for each diagonal tile k, with D_k its inverse at that stage,
//
//	L_ik = A_ik D_k,   A_ij -= L_ik A_kj   (i, j > k)
//
// It reports false if the matrix was not finite or the deadline passed.
func (t *tiles) factorise() bool {
	nt, words := t.nt, t.words
	for k := range nt {
		d := (*[kernel.TileArea]float64)(t.inv[k*kernel.TileArea:])
		if !invertTile(d, (*[kernel.TileArea]float64)(t.val[t.at[k*nt+k]:])) {
			return false
		}
		t.cols = t.cols[:0]
		for w := k >> 6; w < words; w++ {
			for cols := above(t.row[k*words+w], w, k); cols != 0; cols &= cols - 1 {
				t.cols = append(t.cols, int32(w<<6+trailing(cols)))
			}
		}
		for _, row := range t.cols { // the pattern is symmetric
			i := int(row)
			if t.clock != nil && t.clock.Expired() {
				return false
			}
			l := (*[kernel.TileArea]float64)(t.val[t.at[i*nt+k]:])
			kernel.TileRight(l, d)
			kernel.TileRow(t.val, l, t.at[i*nt:(i+1)*nt], t.at[k*nt:(k+1)*nt], t.cols)
		}
	}
	return true
}

// solve replaces b, of length padded(), by the solution. The steps are those of factorise on one column.
func (t *tiles) solve(b []float64) {
	nt, words := t.nt, t.words
	for i := range nt {
		bi := (*[kernel.TileSize]float64)(b[i*kernel.TileSize:])
		for w := 0; w <= i>>6; w++ {
			cols := t.row[i*words+w]
			if w == i>>6 {
				cols &= 1<<(i&63) - 1
			}
			for cols != 0 {
				k := w<<6 + trailing(cols)
				cols &= cols - 1
				kernel.TileVec(bi, (*[kernel.TileArea]float64)(t.val[t.at[i*nt+k]:]), (*[kernel.TileSize]float64)(b[k*kernel.TileSize:]))
			}
		}
	}
	for i := nt - 1; i >= 0; i-- {
		bi := (*[kernel.TileSize]float64)(b[i*kernel.TileSize:])
		for w := i >> 6; w < words; w++ {
			for cols := above(t.row[i*words+w], w, i); cols != 0; cols &= cols - 1 {
				k := w<<6 + trailing(cols)
				kernel.TileVec(bi, (*[kernel.TileArea]float64)(t.val[t.at[i*nt+k]:]), (*[kernel.TileSize]float64)(b[k*kernel.TileSize:]))
			}
		}
		t.tmp = [kernel.TileSize]float64{}
		kernel.TileVec(&t.tmp, (*[kernel.TileArea]float64)(t.inv[i*kernel.TileArea:]), bi)
		for j := range bi {
			bi[j] = -t.tmp[j]
		}
	}
}

// padded is the length of the vectors that solve works on.
func (t *tiles) padded() int { return t.nt * kernel.TileSize }

// smallPivot is the share of a row's largest entry that its pivot may be without rows being exchanged. Pivots of
// matrices that are semidefinite but for friction and damping may be small; they are never wrong.
const smallPivot = 1e-7

// invertTile writes the inverse of a to d: in its place, and where that meets a small pivot, with row exchanges. It
// reports false if a is not finite.
func invertTile(d, a *[kernel.TileArea]float64) bool {
	*d = *a
	for k := range kernel.TileSize {
		row := a[k*kernel.TileSize : k*kernel.TileSize+kernel.TileSize : k*kernel.TileSize+kernel.TileSize]
		big := max(math.Abs(row[0]), math.Abs(row[1]), math.Abs(row[2]), math.Abs(row[3]),
			math.Abs(row[4]), math.Abs(row[5]), math.Abs(row[6]), math.Abs(row[7]))
		p := math.Abs(d[k*(kernel.TileSize+1)])
		if !(p > smallPivot*big) || !(p < math.MaxFloat64) {
			return exchangeTile(d, a)
		}
		kernel.TileStep(d, k)
	}
	return true
}

// exchangeTile writes the inverse of a to d by Gauss-Jordan elimination with row exchanges. Pivots below tiny of the
// largest entry are replaced by that.
func exchangeTile(d, a *[kernel.TileArea]float64) bool {
	const n = kernel.TileSize
	m := *a
	*d = [kernel.TileArea]float64{}
	big := 0.0
	for i, v := range m {
		if b := math.Abs(v); b > big || b != b { // NaN stays
			big = b
		}
		if i%(n+1) == 0 {
			d[i] = 1
		}
	}
	if !num.Finite(big) {
		return false
	}
	floor := tiny * big
	if floor == 0 {
		floor = math.SmallestNonzeroFloat64 * 0x1p60
	}
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(m[i*n+k]) > math.Abs(m[p*n+k]) {
				p = i
			}
		}
		mk, dk := m[k*n:k*n+n:k*n+n], d[k*n:k*n+n:k*n+n]
		if p != k {
			mp, dp := m[p*n:p*n+n:p*n+n], d[p*n:p*n+n:p*n+n]
			for j := range n {
				mk[j], mp[j] = mp[j], mk[j]
				dk[j], dp[j] = dp[j], dk[j]
			}
		}
		piv := mk[k]
		if !(math.Abs(piv) > floor) {
			piv = math.Copysign(floor, piv)
		}
		f := 1 / piv
		for j := range n {
			mk[j] *= f
			dk[j] *= f
		}
		for i := range n {
			if i == k {
				continue
			}
			mi, di := m[i*n:i*n+n:i*n+n], d[i*n:i*n+n:i*n+n]
			g := mi[k]
			if g == 0 {
				continue
			}
			for j := range n {
				mi[j] -= g * mk[j]
				di[j] -= g * dk[j]
			}
		}
	}
	return true
}

// block stores the first na rows and nb columns of w at (i, j).
func (t *tiles) block(i, j, na, nb int, w *[9]float64) {
	const last = kernel.TileSize - 3
	if i%kernel.TileSize > last || j%kernel.TileSize > last { // may lie in several tiles
		for a := range na {
			for b := range nb {
				t.set(i+a, j+b, w[3*a+b])
			}
		}
		return
	}
	v := t.val[t.place(i, j):]
	for a := range na {
		row, from := v[a*kernel.TileSize:][:3:3], w[3*a:3*a+3:3*a+3]
		row[0], row[1] = from[0], from[1]
		if nb == 3 {
			row[2] = from[2]
		}
	}
}

// add adds v to diagonal entry i.
func (t *tiles) add(i int, v float64) {
	t.val[t.place(i, i)] += v
}

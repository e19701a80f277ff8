package lcp

import (
	"cmp"
	"math"

	"hapco/physics/numerics/num"
)

// Status says how a solve ended.
type Status uint8

const (
	Solved    Status = iota // z solves the problem to the accuracy Result.Residual
	Ray                     // a secondary ray: no solution, or M outside the method's classes
	PivotsOut               // the limit on pivots was reached
	Inexact                 // a basis was found, but roundoff spoilt its solution
)

// String is the word that reports show.
func (s Status) String() string {
	words := [...]string{Solved: "solved", Ray: "ray", PivotsOut: "pivot limit", Inexact: "inexact"}
	if int(s) < len(words) {
		return words[s]
	}
	return "unknown"
}

// Result reports on one solve.
type Result struct {
	Status   Status
	Pivots   int     // exchanges of a basic and a nonbasic variable
	Residual float64 // max_i |min(z_i, w_i)| in the scale of q; see Residual
}

const (
	// pivotTolerance is the smallest pivot taken, relative to the largest entry of the entering column. Below it an
	// entry is roundoff.
	pivotTolerance = 1e-11
	// tieTolerance is how close two ratios are, relative to their size, when the lexicographic rule decides between
	// them; a value below zeroTolerance times the largest |q| ties with zero.
	tieTolerance  = 1e-11
	zeroTolerance = 1e-14
	// refreshEvery is the number of pivots after which the tableau is computed anew from M and q, so that roundoff does
	// not pile up.
	refreshEvery = 50
	// solvedTolerance is the largest Residual called solved.
	solvedTolerance = 1e-8
)

// Workspace holds the tableau. It grows to the largest problem seen and is reused; it serves one goroutine.
//
// The tableau is the condensed one: n basic variables expressed by the n+1 nonbasic ones, y_B = b + T y_N. Variables
// are numbered w: 0..n-1, z: n..2n-1, and 2n for the artificial z0.
type Workspace struct {
	Stop func() bool // where given, asked after each pivot: true ends them, as too many would

	n     int
	cover []float64 // covering vector; nil: ones
	zero  float64   // values of basic variables at most this are zero
	t     []float64 // n x (n+1), row-major: T
	b     []float64 // n: values of the basic variables
	basic []int     // n: variable in each row
	non   []int     // n+1: variable in each column
	place []int     // 2n+1: row of a basic variable, n + column of a nonbasic one
	tie   []int     // rows that tie in the ratio test
	lu    []float64 // n x n: the final basis, factorised
	rhs   []float64 // n
	res   []float64 // n
	perm  []int     // n: row exchanges of lu
}

// resize makes room for problems of size n.
func (ws *Workspace) resize(n int) {
	ws.n = n
	ws.t, ws.lu = num.Grow(ws.t, n*(n+1)), num.Grow(ws.lu, n*n)
	ws.b, ws.rhs, ws.res = num.Grow(ws.b, n), num.Grow(ws.rhs, n), num.Grow(ws.res, n)
	ws.basic, ws.tie, ws.perm = num.Grow(ws.basic, n), num.Grow(ws.tie, n), num.Grow(ws.perm, n)
	ws.non, ws.place = num.Grow(ws.non, n+1), num.Grow(ws.place, 2*n+1)
}

// Lemke solves w = M z + q, w >= 0, z >= 0, w'z = 0 for z (length n), where m is n x n, row-major. maxPivots bounds the
// work; 0 stands for 20 n + 100. Without a solution z is set to zero. It panics where lengths disagree; NaN or infinite
// input gives the status Inexact.
func (ws *Workspace) Lemke(m, q, z []float64, maxPivots int) Result {
	return ws.covered(m, q, nil, z, maxPivots)
}

// covered is Lemke with the covering vector d (length n, above 0; nil: ones), along which the artificial variable
// starts: w = M z + q + d z0. Another vector is another path, to another solution where there are several, and round
// the ray that ends a path where M is outside the method's classes.
func (ws *Workspace) covered(m, q, d, z []float64, maxPivots int) Result {
	n := len(q)
	if len(m) != n*n || len(z) != n || d != nil && len(d) != n {
		panic("lcp: m, q and z differ in size")
	}
	clear(z)
	if !num.AllFinite(m...) || !num.AllFinite(q...) {
		return Result{Status: Inexact, Residual: math.Inf(1)}
	}
	if maxPivots <= 0 {
		maxPivots = 20*n + 100
	}
	worst := -1
	for i, v := range q {
		if v < 0 && (worst < 0 || v < q[worst]) {
			worst = i
		}
	}
	if worst < 0 {
		return Result{Status: Solved} // z = 0
	}
	ws.cover = d
	ws.start(m, q)

	// The artificial z0 enters, the most negative w leaves; from then on the complement of the variable that left
	// enters.
	row, col := ws.firstRow(), n
	status, pivots, fresh := PivotsOut, 0, 0
	for pivots < maxPivots {
		left := ws.basic[row]
		ws.exchange(row, col)
		pivots++
		if left == 2*n {
			status = Solved
			break
		}
		if ws.Stop != nil && ws.Stop() {
			break
		}
		enter := ws.complement(left)
		if pivots-fresh >= refreshEvery {
			if !ws.refresh(m, q) {
				status = Inexact
				break
			}
			fresh = pivots
		}
		col = ws.place[enter] - n
		row = ws.leavingRow(col)
		if row < 0 && fresh < pivots { // a ray, or roundoff: look again without it
			if !ws.refresh(m, q) {
				status = Inexact
				break
			}
			fresh = pivots
			col = ws.place[enter] - n
			row = ws.leavingRow(col)
		}
		if row < 0 {
			status = Ray
			break
		}
	}
	if status != Solved {
		return Result{Status: status, Pivots: pivots, Residual: Residual(m, q, z)}
	}
	ws.recover(m, q, z)
	res := Residual(m, q, z)
	if !(res <= solvedTolerance) {
		status = Inexact
	}
	return Result{Status: status, Pivots: pivots, Residual: res}
}

// start fills the tableau of w = q + M z + d z0.
func (ws *Workspace) start(m, q []float64) {
	n := len(q)
	ws.resize(n)
	copy(ws.b, q)
	ws.zero = 0
	for _, v := range q {
		ws.zero = math.Max(ws.zero, zeroTolerance*math.Abs(v))
	}
	for i := range n {
		row := ws.t[i*(n+1) : (i+1)*(n+1)]
		copy(row, m[i*n:(i+1)*n])
		row[n] = 1
		if ws.cover != nil {
			row[n] = ws.cover[i]
		}
		ws.basic[i], ws.place[i] = i, i
		ws.non[i], ws.place[n+i] = n+i, n+i
	}
	ws.non[n], ws.place[2*n] = 2*n, 2*n
}

func (ws *Workspace) complement(v int) int {
	if v < ws.n {
		return v + ws.n
	}
	return v - ws.n
}

// firstRow is the row that z0 replaces: the smallest b/d, ties decided as in leavingRow. With the perturbation (e, e^2,
// ...) of q the smallest (b + e^(i+1))/d among equal b/d is the last one.
func (ws *Workspace) firstRow() int {
	row, n := 0, ws.n
	for i := range n {
		if ws.b[i]*ws.t[row*(n+1)+n] <= ws.b[row]*ws.t[i*(n+1)+n] {
			row = i
		}
	}
	return row
}

// leavingRow is the row whose variable first falls to zero as column col grows, or -1. Where rows tie, z0 leaves if it
// can, and else the lexicographic smallest row: its choice cannot cycle.
func (ws *Workspace) leavingRow(col int) int {
	n := ws.n
	size := 0.0
	for i := range n {
		size = math.Max(size, math.Abs(ws.t[i*(n+1)+col]))
	}
	least := math.Inf(1)
	for i := range n {
		if t := -ws.t[i*(n+1)+col]; t > pivotTolerance*size {
			least = math.Min(least, ws.value(i)/t)
		}
	}
	if math.IsInf(least, 1) {
		return -1
	}
	ties, limit := ws.tie[:n], least+tieTolerance*math.Abs(least)
	count := 0
	for i := range n {
		t := -ws.t[i*(n+1)+col]
		if t > pivotTolerance*size && ws.value(i)/t <= limit {
			if ws.basic[i] == 2*n {
				return i
			}
			ties[count] = i
			count++
		}
	}
	ties = ties[:count]
	for k := 0; k < n && len(ties) > 1; k++ {
		ties = ws.narrow(ties, col, k)
	}
	return ties[0]
}

// value is the value of row i's variable, without the roundoff around zero.
func (ws *Workspace) value(i int) float64 {
	if ws.b[i] <= ws.zero {
		return 0
	}
	return ws.b[i]
}

// narrow keeps the rows of ties that have the smallest coefficient of the k-th perturbation of q, relative to their
// pivot.
func (ws *Workspace) narrow(ties []int, col, k int) []int {
	n := ws.n
	at := ws.place[k] // of w_k
	least := math.Inf(1)
	for _, i := range ties {
		least = math.Min(least, ws.perturbation(i, at)/-ws.t[i*(n+1)+col])
	}
	limit := least + tieTolerance*math.Abs(least)
	count := 0
	for _, i := range ties {
		if ws.perturbation(i, at)/-ws.t[i*(n+1)+col] <= limit {
			ties[count] = i
			count++
		}
	}
	return ties[:count]
}

// perturbation is the change of row i's variable with q_k, where w_k stands at place at: as a nonbasic variable it
// moves the row by minus its coefficient.
func (ws *Workspace) perturbation(i, at int) float64 {
	if at >= ws.n {
		return -ws.t[i*(ws.n+1)+at-ws.n]
	}
	if at == i {
		return 1
	}
	return 0
}

// exchange makes the variable of column col basic in row, in place of the one that is there.
func (ws *Workspace) exchange(row, col int) {
	n := ws.n
	p := ws.t[row*(n+1) : (row+1)*(n+1)]
	inv := 1 / p[col]
	for j := range p {
		p[j] *= -inv
	}
	p[col] = inv
	ws.b[row] *= -inv
	for i := range n {
		if i == row {
			continue
		}
		r := ws.t[i*(n+1) : (i+1)*(n+1)]
		f := r[col]
		if f == 0 {
			continue
		}
		r[col] = 0
		for j, v := range p {
			r[j] += f * v
		}
		ws.b[i] += f * ws.b[row]
	}
	in, out := ws.non[col], ws.basic[row]
	ws.basic[row], ws.non[col] = in, out
	ws.place[in], ws.place[out] = row, n+col
}

// refresh computes the tableau of the present basis from the original data, by exchanging in the order of the largest
// pivots. It tells whether that basis could be reached: without round-off it may be singular.
func (ws *Workspace) refresh(m, q []float64) bool {
	n := ws.n
	in := ws.perm[:0] // variables to become basic: z's and z0
	for _, v := range ws.basic {
		if v >= n {
			in = append(in, v)
		}
	}
	out := ws.tie[:0] // w's to become nonbasic
	for _, v := range ws.non {
		if v < n {
			out = append(out, v)
		}
	}
	ws.start(m, q)
	for len(in) > 0 {
		bi, bo, best := -1, -1, 0.0
		for i, v := range in {
			col := ws.place[v] - n
			for o, w := range out {
				if t := math.Abs(ws.t[ws.place[w]*(n+1)+col]); t > best {
					bi, bo, best = i, o, t
				}
			}
		}
		if bi < 0 {
			return false
		}
		ws.exchange(ws.place[out[bo]], ws.place[in[bi]]-n)
		in[bi], out[bo] = in[len(in)-1], out[len(out)-1]
		in, out = in[:len(in)-1], out[:len(out)-1]
	}
	return true
}

// recover computes z from the final basis with the original data, so that the roundoff of the pivots does not stay in
// the answer: with B the set of basic z, w_B = 0 gives M_BB z_B = -q_B.
func (ws *Workspace) recover(m, q, z []float64) {
	n := ws.n
	set := ws.tie[:0]
	for v := n; v < 2*n; v++ {
		if ws.place[v] < n {
			set = append(set, v-n)
			z[v-n] = math.Max(ws.b[ws.place[v]], 0)
		}
	}
	first := Residual(m, q, z)
	k := len(set)
	a, rhs, d := ws.lu[:k*k], ws.rhs[:k], ws.res[:k]
	for i, r := range set {
		for j, c := range set {
			a[i*k+j] = m[r*n+c]
		}
	}
	if !factorize(a, ws.perm[:k], k) {
		return // M_BB is singular in floating point: the pivots' own values stand
	}
	// Two steps of refinement from the tableau's values. The tableau's are kept where they are better, as for an
	// ill-conditioned M_BB they may be.
	for range 2 {
		for i, r := range set {
			s := q[r]
			for _, c := range set {
				s += m[r*n+c] * z[c]
			}
			rhs[i] = -s
		}
		solve(a, ws.perm[:k], k, rhs, d)
		for i, c := range set {
			z[c] += d[i]
		}
	}
	for _, c := range set {
		z[c] = math.Max(z[c], 0)
	}
	if second := Residual(m, q, z); !(second <= first) {
		for _, c := range set {
			z[c] = math.Max(ws.b[ws.place[n+c]], 0)
		}
	}
}

// Residual is max_i |min(z_i D_i, w_i)| / max_i |q_i| with w = M z + q, where D_i = max(|M_ii|, smallest positive)
// brings z to the unit of w: 0 for an exact solution, whatever the units of M and q.
func Residual(m, q, z []float64) float64 {
	n := len(q)
	scale, worst := 0.0, 0.0
	for i := range n {
		w := q[i]
		for j, v := range m[i*n : (i+1)*n] {
			w += v * z[j]
		}
		d := math.Abs(m[i*n+i])
		if d == 0 {
			for _, v := range m[i*n : (i+1)*n] {
				d = math.Max(d, math.Abs(v))
			}
		}
		e := math.Abs(math.Min(z[i]*d, w))
		if !(e <= worst) {
			worst = e
		}
		scale = math.Max(scale, math.Abs(q[i]))
	}
	scale = cmp.Or(scale, 1)
	return worst / scale
}

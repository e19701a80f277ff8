//go:build avo

// This program writes the AVX2/FMA and AVX-512 kernels of package contact. Run it by `go generate ./physics/numerics/contact`.
package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	tails = GLOBL("tails", 8|16) // RODATA, NOPTR
	for k := range 8 {
		DATA(8*k, I64(k/4-1)) // four that load, four that do not
	}
	dot3()
	blockRow()
	tileSub()
	tileRow()
	tileRight()
	tileRightWide()
	tileVec()
	combine()
	dotSingle()
	pushSingle()
	narrow()
	tileStep()
	Generate()
}

func zero(regs ...VecVirtual) {
	for _, r := range regs {
		VXORPD(r, r, r)
	}
}

func ymms(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// sum3 reduces three registers and stores the sums as the results.
func sum3(s []VecVirtual) {
	for i, v := range s {
		hi := XMM()
		VEXTRACTF128(Imm(1), v, hi)
		VADDPD(v.AsX(), hi, hi)
		VHADDPD(hi, hi, hi)
		Store(hi, ReturnIndex(i))
	}
}

// tail is the mask of the first few of a register's four numbers, and spoils how many.
func tail(few Register) (mask VecVirtual) {
	at, mask := GP64(), YMM()
	LEAQ(tails, at)
	NEGQ(few)
	VMOVUPD(Mem{Base: at, Index: few, Scale: 8, Disp: 32}, mask)
	return mask
}

var tails Mem

// dot3: rows w, w+n, w+2n times r. Two sets of sums hide the latency of the multiply-adds; the loads, four for three of
// them, are the limit.
func dot3() {
	TEXT("dot3AVX", NOSPLIT, "func(w *float64, n int, r *float64) (s0, s1, s2 float64)")
	Pragma("noescape")
	Doc("dot3AVX is three rows of n numbers, one after the other at w, times r.")
	w0 := Load(Param("w"), GP64())
	n := Load(Param("n"), GP64())
	r := Load(Param("r"), GP64())
	w1, w2 := GP64(), GP64()
	LEAQ(Mem{Base: w0, Index: n, Scale: 8}, w1)
	LEAQ(Mem{Base: w1, Index: n, Scale: 8}, w2)
	a, b := ymms(3), ymms(3)
	zero(a...)
	zero(b...)
	rows := []Register{w0, w1, w2}
	i := GP64()
	XORQ(i, i)
	left := GP64()
	MOVQ(n, left)

	Label("eight")
	CMPQ(left, Imm(8))
	JL(LabelRef("four"))
	f, g := YMM(), YMM()
	VMOVUPD(Mem{Base: r, Index: i, Scale: 8}, f)
	VMOVUPD(Mem{Base: r, Index: i, Scale: 8, Disp: 32}, g)
	for k, w := range rows {
		VFMADD231PD(Mem{Base: w, Index: i, Scale: 8}, f, a[k])
		VFMADD231PD(Mem{Base: w, Index: i, Scale: 8, Disp: 32}, g, b[k])
	}
	ADDQ(Imm(8), i)
	SUBQ(Imm(8), left)
	JMP(LabelRef("eight"))

	Label("four")
	CMPQ(left, Imm(4))
	JL(LabelRef("one"))
	VMOVUPD(Mem{Base: r, Index: i, Scale: 8}, f)
	for k, w := range rows {
		VFMADD231PD(Mem{Base: w, Index: i, Scale: 8}, f, a[k])
	}
	ADDQ(Imm(4), i)
	SUBQ(Imm(4), left)

	// What is left, up to three, with zeros beside it.
	Label("one")
	TESTQ(left, left)
	JZ(LabelRef("sum"))
	mask := tail(left)
	VMASKMOVPD(Mem{Base: r, Index: i, Scale: 8}, mask, f)
	for k, w := range rows {
		VMASKMOVPD(Mem{Base: w, Index: i, Scale: 8}, mask, g)
		VFMADD231PD(f, g, b[k])
	}

	Label("sum")
	for k := range a {
		VADDPD(a[k], b[k], a[k])
	}
	sum3(a)
	VZEROUPPER()
	RET()
}

// blockRow: k blocks of three padded columns times the forces of their contacts.
func blockRow() {
	TEXT("blockRowAVX", NOSPLIT, "func(val *float64, col *int32, k int, r *float64) (s0, s1, s2 float64)")
	Pragma("noescape")
	Doc("blockRowAVX is a row of k blocks, 12 numbers each at val, times the forces r at the contacts col.")
	val := Load(Param("val"), GP64())
	col := Load(Param("col"), GP64())
	k := Load(Param("k"), GP64())
	r := Load(Param("r"), GP64())
	a, b := ymms(3), ymms(3)
	zero(a...)
	zero(b...)
	at, f := GP64(), YMM()
	block := func(s []VecVirtual, disp, c int) {
		MOVLQSX(Mem{Base: col, Disp: c}, at)
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
		for j := range 3 {
			VBROADCASTSD(Mem{Base: r, Index: at, Scale: 8, Disp: 8 * j}, f)
			VFMADD231PD(Mem{Base: val, Disp: disp + 32*j}, f, s[j])
		}
	}
	Label("two")
	CMPQ(k, Imm(2))
	JL(LabelRef("one"))
	block(a, 0, 0)
	block(b, 96, 4)
	ADDQ(Imm(192), val)
	ADDQ(Imm(8), col)
	SUBQ(Imm(2), k)
	JMP(LabelRef("two"))

	Label("one")
	TESTQ(k, k)
	JZ(LabelRef("sum"))
	block(a, 0, 0)

	Label("sum")
	for j := range a {
		VADDPD(a[j], b[j], a[j])
	}
	VADDPD(a[0], a[1], a[0])
	VADDPD(a[0], a[2], a[0])
	x := a[0].AsX()
	Store(x, ReturnIndex(0))
	hi := XMM()
	VPERMILPD(Imm(1), x, hi)
	Store(hi, ReturnIndex(1))
	VEXTRACTF128(Imm(1), a[0], hi)
	Store(hi, ReturnIndex(2))
	VZEROUPPER()
	RET()
}

const side = 8 // tileSize

func row(base Register, i, j int) Mem { return Mem{Base: base, Disp: 8 * (side*i + j)} }

// tileSub: four rows of c at a time stay in eight registers.
func tileSub() {
	TEXT("tileSubAVX", NOSPLIT, "func(c, a, b *[64]float64)")
	Pragma("noescape")
	Doc("tileSubAVX is c -= a b.")
	c := Load(Param("c"), GP64())
	product(c, Load(Param("a"), GP64()), Load(Param("b"), GP64()), true)
}

// wide is c = a b, or c -= a b: all eight rows of c stay in eight registers, and what is of a is read before c is
// written. The sums are those of product, to the last bit.
func wide(c, a, b Register, less bool) {
	var s [side]VecVirtual
	for i := range s {
		s[i] = ZMM()
		if less {
			VMOVUPD(row(c, i, 0), s[i])
		} else {
			VXORPD(s[i].AsY(), s[i].AsY(), s[i].AsY())
		}
	}
	for k := range side {
		of := ZMM()
		VMOVUPD(row(b, k, 0), of)
		for i := range s {
			if less {
				VFNMADD231PD_BCST(row(a, i, k), of, s[i])
			} else {
				VFMADD231PD_BCST(row(a, i, k), of, s[i])
			}
		}
	}
	for i := range s {
		VMOVUPD(s[i], row(c, i, 0))
	}
}

// tileRow: one call for a row of tiles, whose products overlap.
func tileRow() {
	TEXT("tileRowAVX512", NOSPLIT, "func(val *float64, a *[64]float64, c, b, cols *int32, n int)")
	Pragma("noescape")
	Doc("tileRowAVX512 is TileRow for n > 0 columns.")
	val, a := Load(Param("val"), GP64()), Load(Param("a"), GP64())
	ci, bi := Load(Param("c"), GP64()), Load(Param("b"), GP64())
	cols, n := Load(Param("cols"), GP64()), Load(Param("n"), GP64())
	j, c, b := GP64(), GP64(), GP64()
	Label("tile")
	MOVLQSX(Mem{Base: cols}, j)
	MOVLQSX(Mem{Base: ci, Index: j, Scale: 4}, c)
	MOVLQSX(Mem{Base: bi, Index: j, Scale: 4}, b)
	LEAQ(Mem{Base: val, Index: c, Scale: 8}, c)
	LEAQ(Mem{Base: val, Index: b, Scale: 8}, b)
	wide(c, a, b, true)
	ADDQ(Imm(4), cols)
	DECQ(n)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

func tileRightWide() {
	TEXT("tileRightAVX512", NOSPLIT, "func(a, b *[64]float64)")
	Pragma("noescape")
	Doc("tileRightAVX512 is a = a b.")
	a := Load(Param("a"), GP64())
	wide(a, a, Load(Param("b"), GP64()), false)
	VZEROUPPER()
	RET()
}

// tileRight reads four rows of a wholly before it writes them.
func tileRight() {
	TEXT("tileRightAVX", NOSPLIT, "func(a, b *[64]float64)")
	Pragma("noescape")
	Doc("tileRightAVX is a = a b.")
	a := Load(Param("a"), GP64())
	product(a, a, Load(Param("b"), GP64()), false)
}

// product is c = a b, or c -= a b, and the end of a kernel.
func product(c, a, b Register, less bool) {
	s := ymms(8)
	f, b0, b1 := YMM(), YMM(), YMM()
	for top := 0; top < side; top += 4 {
		if !less {
			zero(s...)
		}
		for i := 0; less && i < 4; i++ {
			VMOVUPD(row(c, top+i, 0), s[2*i])
			VMOVUPD(row(c, top+i, 4), s[2*i+1])
		}
		for k := range side {
			VMOVUPD(row(b, k, 0), b0)
			VMOVUPD(row(b, k, 4), b1)
			for i := range 4 {
				VBROADCASTSD(row(a, top+i, k), f)
				if less {
					VFNMADD231PD(b0, f, s[2*i])
					VFNMADD231PD(b1, f, s[2*i+1])
				} else {
					VFMADD231PD(b0, f, s[2*i])
					VFMADD231PD(b1, f, s[2*i+1])
				}
			}
		}
		for i := range 4 {
			VMOVUPD(s[2*i], row(c, top+i, 0))
			VMOVUPD(s[2*i+1], row(c, top+i, 4))
		}
	}
	VZEROUPPER()
	RET()
}

// tileVec: the products of four rows are reduced together.
func tileVec() {
	TEXT("tileVecAVX", NOSPLIT, "func(y *[8]float64, a *[64]float64, x *[8]float64)")
	Pragma("noescape")
	Doc("tileVecAVX is y -= a x.")
	y := Load(Param("y"), GP64())
	a := Load(Param("a"), GP64())
	x := Load(Param("x"), GP64())
	x0, x1 := YMM(), YMM()
	VMOVUPD(Mem{Base: x}, x0)
	VMOVUPD(Mem{Base: x, Disp: 32}, x1)
	for top := 0; top < side; top += 4 {
		s := ymms(4)
		for i := range s {
			VMULPD(row(a, top+i, 0), x0, s[i])
			VFMADD231PD(row(a, top+i, 4), x1, s[i])
		}
		VHADDPD(s[1], s[0], s[0]) // s0[0:2] s1[0:2] s0[2:4] s1[2:4]
		VHADDPD(s[3], s[2], s[2])
		lo, hi := YMM(), YMM()
		VPERM2F128(Imm(0x20), s[2], s[0], lo)
		VPERM2F128(Imm(0x31), s[2], s[0], hi)
		VADDPD(lo, hi, lo)
		old := YMM()
		VMOVUPD(Mem{Base: y, Disp: 8 * top}, old)
		VSUBPD(lo, old, old)
		VMOVUPD(old, Mem{Base: y, Disp: 8 * top})
	}
	VZEROUPPER()
	RET()
}

// combine: up to 32 columns of y at a time, which a row of d has next to each other, and all rows of d for them.
func combine() {
	TEXT("combineAVX", NOSPLIT, "func(y, d *float64, n, m int, gamma *float64)")
	Pragma("noescape")
	Doc("combineAVX is y -= gamma d, d having m rows of n numbers, m > 0.")
	y := Load(Param("y"), GP64())
	d := Load(Param("d"), GP64())
	n := Load(Param("n"), GP64())
	m := Load(Param("m"), GP64())
	gamma := Load(Param("gamma"), GP64())
	step := GP64()
	MOVQ(n, step)
	SHLQ(Imm(3), step)
	at, j := GP64(), GP64()
	f, sums := YMM(), ymms(8)
	s := sums[0]
	for _, c := range []struct{ columns, next string }{{"32", "8"}, {"8", "4"}, {"4", "1"}} {
		k, _ := strconv.Atoi(c.columns)
		Label("columns" + c.columns)
		CMPQ(n, Imm(uint64(k)))
		JL(LabelRef("columns" + c.next))
		for i, s := range sums[:k/4] {
			VMOVUPD(Mem{Base: y, Disp: 32 * i}, s)
		}
		MOVQ(d, at)
		XORQ(j, j)
		Label("rows" + c.columns)
		VBROADCASTSD(Mem{Base: gamma, Index: j, Scale: 8}, f)
		for i, s := range sums[:k/4] {
			VFNMADD231PD(Mem{Base: at, Disp: 32 * i}, f, s)
		}
		ADDQ(step, at)
		INCQ(j)
		CMPQ(j, m)
		JL(LabelRef("rows" + c.columns))
		for i, s := range sums[:k/4] {
			VMOVUPD(s, Mem{Base: y, Disp: 32 * i})
		}
		ADDQ(U32(8*k), y)
		ADDQ(U32(8*k), d)
		SUBQ(Imm(uint64(k)), n)
		JMP(LabelRef("columns" + c.columns))
	}

	Label("columns1") // up to three
	TESTQ(n, n)
	JZ(LabelRef("end"))
	mask := tail(n)
	VMASKMOVPD(Mem{Base: y}, mask, s)
	XORQ(j, j)
	Label("rows1")
	VBROADCASTSD(Mem{Base: gamma, Index: j, Scale: 8}, f)
	VMASKMOVPD(Mem{Base: d}, mask, sums[1])
	VFNMADD231PD(sums[1], f, s)
	ADDQ(step, d)
	INCQ(j)
	CMPQ(j, m)
	JL(LabelRef("rows1"))
	VMASKMOVPD(s, mask, Mem{Base: y})

	Label("end")
	VZEROUPPER()
	RET()
}

// singleRows are the addresses of three rows of n numbers in single precision, one after the other.
func singleRows(n Register) []Register {
	w0, w1, w2 := Load(Param("w"), GP64()), GP64(), GP64()
	LEAQ(Mem{Base: w0, Index: n, Scale: 4}, w1)
	LEAQ(Mem{Base: w1, Index: n, Scale: 4}, w2)
	return []Register{w0, w1, w2}
}

// dotSingle: as dot3, without a rest.
func dotSingle() {
	TEXT("dotSingleAVX", NOSPLIT, "func(w *float32, n int, d *float32) (s0, s1, s2 float32)")
	Pragma("noescape")
	Doc("dotSingleAVX is three rows of n numbers, one after the other at w, times d; n > 0 is a multiple of SingleStep.")
	n := Load(Param("n"), GP64())
	d := Load(Param("d"), GP64())
	rows := singleRows(n)
	a, b := ymms(3), ymms(3)
	zero(a...)
	zero(b...)
	f, g := YMM(), YMM()

	Label("next")
	VMOVUPS(Mem{Base: d}, f)
	VMOVUPS(Mem{Base: d, Disp: 32}, g)
	for k, w := range rows {
		VFMADD231PS(Mem{Base: w}, f, a[k])
		VFMADD231PS(Mem{Base: w, Disp: 32}, g, b[k])
		ADDQ(Imm(64), w)
	}
	ADDQ(Imm(64), d)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("next"))
	for k := range a {
		VADDPS(a[k], b[k], a[k])
		hi := XMM()
		VEXTRACTF128(Imm(1), a[k], hi)
		VADDPS(a[k].AsX(), hi, hi)
		VHADDPS(hi, hi, hi)
		VHADDPS(hi, hi, hi)
		Store(hi, ReturnIndex(k))
	}
	VZEROUPPER()
	RET()
}

func pushSingle() {
	TEXT("pushSingleAVX", NOSPLIT, "func(y, w *float32, n int, f *[3]float32)")
	Pragma("noescape")
	Doc("pushSingleAVX is y += f w, w being three rows of n numbers, one after the other; n > 0 is a multiple of SingleStep.")
	y := Load(Param("y"), GP64())
	n := Load(Param("n"), GP64())
	rows := singleRows(n)
	f := Load(Param("f"), GP64())
	force := ymms(3)
	for k, v := range force {
		VBROADCASTSS(Mem{Base: f, Disp: 4 * k}, v)
	}
	a, b := YMM(), YMM()

	Label("next")
	VMOVUPS(Mem{Base: y}, a)
	VMOVUPS(Mem{Base: y, Disp: 32}, b)
	for k, w := range rows {
		VFMADD231PS(Mem{Base: w}, force[k], a)
		VFMADD231PS(Mem{Base: w, Disp: 32}, force[k], b)
		ADDQ(Imm(64), w)
	}
	VMOVUPS(a, Mem{Base: y})
	VMOVUPS(b, Mem{Base: y, Disp: 32})
	ADDQ(Imm(64), y)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

func narrow() {
	TEXT("narrowAVX", NOSPLIT, "func(dst *float32, src *float64, n int, scale float64)")
	Pragma("noescape")
	Doc("narrowAVX is dst = scale src in single precision; n > 0 is a multiple of 4.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	s, v := YMM(), YMM()
	VBROADCASTSD(NewParamAddr("scale", 24), s)

	Label("next")
	VMULPD(Mem{Base: src}, s, v)
	VCVTPD2PSY(v, v.AsX())
	VMOVUPS(v.AsX(), Mem{Base: dst})
	ADDQ(Imm(32), src)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(4), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// tileStep: the row of the pivot stays in registers, each other row is read and written once. Column k is masked out of
// what it held before.
func tileStep() {
	TEXT("tileStepAVX", NOSPLIT, "func(d *[64]float64, mask *[8]uint64, k int)")
	Pragma("noescape")
	Doc("tileStepAVX is step k of the inversion of d in its place by Gauss and Jordan; mask has no bits at k, and all elsewhere.")
	d := Load(Param("d"), GP64())
	mask := Load(Param("mask"), GP64())
	k := Load(Param("k"), GP64())
	m0, m1 := YMM(), YMM()
	VMOVUPD(Mem{Base: mask}, m0)
	VMOVUPD(Mem{Base: mask, Disp: 32}, m1)

	// The pivot's row with 1 at k, times the inverse of the pivot.
	rowK := GP64()
	MOVQ(k, rowK)
	SHLQ(Imm(6), rowK)
	ADDQ(d, rowK)
	one, inv := GP64(), YMM()
	MOVQ(U64(0x3ff0000000000000), one)
	VMOVQ(one, inv.AsX())
	VDIVSD(Mem{Base: rowK, Index: k, Scale: 8}, inv.AsX(), inv.AsX())
	VBROADCASTSD(inv.AsX(), inv)
	r0, r1, t := YMM(), YMM(), YMM()
	VMULPD(Mem{Base: rowK}, inv, r0)
	VMULPD(Mem{Base: rowK, Disp: 32}, inv, r1)
	VANDPD(m0, r0, r0)
	VANDPD(m1, r1, r1)
	VANDNPD(inv, m0, t)
	VORPD(t, r0, r0)
	VANDNPD(inv, m1, t)
	VORPD(t, r1, r1)

	g, a, b := YMM(), YMM(), YMM()
	for i := range side {
		VBROADCASTSD(Mem{Base: d, Index: k, Scale: 8, Disp: 8 * side * i}, g)
		VANDPD(row(d, i, 0), m0, a)
		VANDPD(row(d, i, 4), m1, b)
		VFNMADD231PD(r0, g, a)
		VFNMADD231PD(r1, g, b)
		VMOVUPD(a, row(d, i, 0))
		VMOVUPD(b, row(d, i, 4))
	}
	VMOVUPD(r0, Mem{Base: rowK})
	VMOVUPD(r1, Mem{Base: rowK, Disp: 32})
	VZEROUPPER()
	RET()
}

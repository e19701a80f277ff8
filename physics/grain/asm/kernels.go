//go:build avo

// This program writes the AVX2/FMA kernels of package grain. Run it by `go
// generate ./physics/grain`.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	pairs("pairsAVX", false)
	pairs("shiftedPairsAVX", true)
	within()
	Generate()
}

// The constants of the force law, four times each so that one load fills a register.
const (
	sigma2 = 32 * iota
	reach2
	stiff
	stiff2
	jump
)

const (
	lessEqual = 18 // predicates of VCMPPD
	less      = 17
)

// pairs: four neighbours at a time. Their offsets d stay as they lie in memory,
// (x, y, z, 0) each, so that the force c d of a pair is added to both of its
// grains by a multiply-add; only the squares of the distances are brought
// together in one register, and the factors c taken apart again by way of memory.
func pairs(name string, shifted bool) {
	TEXT(name, NOSPLIT, "func(pos, force *float64, first, n int, ends, list *int32, law *[20]float64, close *int32) (noted int)")
	Pragma("noescape")
	Doc(name + " is pairLoopGo; law holds each constant four times.")
	pos := Load(Param("pos"), GP64())
	force := Load(Param("force"), GP64())
	law := Load(Param("law"), GP64())
	ends := Load(Param("ends"), GP64())
	noted := Load(Param("close"), GP64())
	i := GP64()
	XORQ(i, i)
	cur := Load(Param("list"), GP64())
	t := GP64()
	factors := AllocLocal(32)
	s2, reach, k1, k2 := Y12, Y13, Y14, Y15
	VMOVUPD(Mem{Base: law, Disp: sigma2}, s2)
	VMOVUPD(Mem{Base: law, Disp: reach2}, reach)
	VMOVUPD(Mem{Base: law, Disp: stiff}, k1)
	VMOVUPD(Mem{Base: law, Disp: stiff2}, k2)

	Label("grain")
	Load(Param("n"), t)
	CMPQ(i, t)
	JGE(LabelRef("done"))
	end := Load(Param("list"), GP64())
	MOVLQSX(Mem{Base: ends, Index: i, Scale: 4}, t)
	LEAQ(Mem{Base: end, Index: t, Scale: 4}, end)
	CMPQ(cur, end)
	JE(LabelRef("next"))
	Load(Param("first"), t)
	ADDQ(i, t)
	SHLQ(Imm(5), t)
	me, sum, least := Y0, Y1, Y2
	VMOVUPD(Mem{Base: pos, Index: t, Scale: 1}, me)
	VMOVUPD(Mem{Base: force, Index: t, Scale: 1}, sum)
	VMOVAPD(reach, least)

	Label("four")
	j := []GPVirtual{GP64(), GP64(), GP64(), GP64()}
	d := []VecPhysical{Y3, Y4, Y5, Y6}
	for k := range j {
		MOVLQSX(Mem{Base: cur, Disp: 4 * k}, j[k])
		VMOVUPD(Mem{Base: pos, Index: j[k], Scale: 8}, d[k])
		VSUBPD(me, d[k], d[k])
	}
	a, b, u := Y7, Y8, Y9
	VUNPCKLPD(d[1], d[0], a) // x0 x1 z0 z1
	VUNPCKHPD(d[1], d[0], u) // y0 y1 0 0
	VMULPD(a, a, a)
	VFMADD231PD(u, u, a)
	VUNPCKLPD(d[3], d[2], b)
	VUNPCKHPD(d[3], d[2], u)
	VMULPD(b, b, b)
	VFMADD231PD(u, u, b)
	r2 := Y10
	VPERM2F128(Imm(0x21), b, a, r2) // the upper half of a, the lower of b
	VBLENDPD(Imm(0xc), b, a, a)     // the lower half of a, the upper of b
	VADDPD(a, r2, r2)
	VMINPD(r2, least, least)

	// s = sigma^2 / r^2, 1 in the core; c = k s^4 (1 - 2 s^3) within reach.
	s, c := Y7, Y8
	VMAXPD(s2, r2, u)
	VDIVPD(u, s2, s)
	VMULPD(s, s, u)         // s^2
	VMULPD(s, u, c)         // s^3
	VMULPD(u, u, u)         // s^4
	VFNMADD213PD(k1, k2, c) // k - 2 k s^3
	VMULPD(u, c, c)
	if shifted {
		VSQRTPD(s, s)
		VFNMADD231PD(Mem{Base: law, Disp: jump}, s, c)
	}
	VCMPPD(Imm(lessEqual), reach, r2, u)
	VANDPD(u, c, c)
	VMOVUPD(c, factors)
	for k := range j {
		f, old := []VecPhysical{Y7, Y9}[k%2], []VecPhysical{Y10, Y11}[k%2]
		VBROADCASTSD(factors.Offset(8*k), f)
		VMOVUPD(Mem{Base: force, Index: j[k], Scale: 8}, old)
		VFMADD231PD(f, d[k], sum)
		VFNMADD231PD(f, d[k], old)
		VMOVUPD(old, Mem{Base: force, Index: j[k], Scale: 8})
	}
	ADDQ(Imm(16), cur)
	CMPQ(cur, end)
	JB(LabelRef("four"))
	Load(Param("first"), t)
	ADDQ(i, t)
	SHLQ(Imm(5), t)
	VMOVUPD(sum, Mem{Base: force, Index: t, Scale: 1})

	// A grain that has a neighbour in its core is noted.
	VCMPPD(Imm(less), s2, least, least)
	VMOVMSKPD(least, t.As32())
	TESTL(t.As32(), t.As32())
	JZ(LabelRef("next"))
	MOVL(i.As32(), Mem{Base: noted})
	ADDQ(Imm(4), noted)

	Label("next")
	INCQ(i)
	JMP(LabelRef("grain"))

	Label("done")
	Load(Param("close"), t)
	SUBQ(t, noted)
	SHRQ(Imm(2), noted)
	Store(noted, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// within: four grains at a time; the indices of those that are near are moved
// to the front by a table of the sixteen cases and stored, all four.
func within() {
	order := GLOBL("order", RODATA|NOPTR)
	for m := range 16 {
		k := 0
		for lane := range 4 {
			if m>>lane&1 != 0 {
				DATA(16*m+4*k, U32(uint32(lane)))
				k++
			}
		}
		for ; k < 4; k++ {
			DATA(16*m+4*k, U32(0))
		}
	}
	steps := GLOBL("steps", RODATA|NOPTR)
	for lane := range 4 {
		DATA(4*lane, U32(uint32(4*lane)))
	}
	for lane := range 4 {
		DATA(16+4*lane, U32(16))
	}
	TEXT("withinAVX", NOSPLIT, "func(x, y, z *float64, lo, hi int, at *[4]float64, list *int32) int")
	Pragma("noescape")
	Doc("withinAVX is withinGo about the point at, whose fourth number is reach2. It reads up to three numbers past hi and writes up to three past the last index.")
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	z := Load(Param("z"), GP64())
	lo := Load(Param("lo"), GP64())
	left := Load(Param("hi"), GP64())
	at := Load(Param("at"), GP64())
	list := Load(Param("list"), GP64())
	px, py, pz, reach := YMM(), YMM(), YMM(), YMM()
	for k, v := range []VecVirtual{px, py, pz, reach} {
		VBROADCASTSD(Mem{Base: at, Disp: 8 * k}, v)
	}
	index, step := XMM(), XMM()
	four := GP64()
	LEAQ(Mem{Base: lo, Index: lo, Scale: 1}, four)
	ADDQ(four, four)
	VMOVD(four.As32(), index)
	VPBROADCASTD(index, index)
	VPADDD(steps, index, index)
	VMOVDQU(steps.Offset(16), step)
	SUBQ(lo, left)
	begin := GP64()
	MOVQ(list, begin)
	table := GP64()
	LEAQ(order, table)

	Label("four")
	CMPQ(left, Imm(0))
	JLE(LabelRef("done"))
	dx, dy := YMM(), YMM()
	VMOVUPD(Mem{Base: x, Index: lo, Scale: 8}, dx)
	VSUBPD(px, dx, dx)
	VMULPD(dx, dx, dx)
	VMOVUPD(Mem{Base: y, Index: lo, Scale: 8}, dy)
	VSUBPD(py, dy, dy)
	VFMADD231PD(dy, dy, dx)
	VMOVUPD(Mem{Base: z, Index: lo, Scale: 8}, dy)
	VSUBPD(pz, dy, dy)
	VFMADD231PD(dy, dy, dx)
	VCMPPD(Imm(lessEqual), reach, dx, dx)
	m := GP64()
	VMOVMSKPD(dx, m.As32())
	CMPQ(left, Imm(4))
	JGE(LabelRef("whole"))
	keep := GP64()
	XORQ(keep, keep)
	BTSQ(left, keep)
	DECQ(keep)
	ANDQ(keep, m)

	Label("whole")
	n := GP64()
	POPCNTL(m.As32(), n.As32())
	SHLQ(Imm(4), m)
	packed, pick := XMM(), XMM()
	VMOVDQU(Mem{Base: table, Index: m, Scale: 1}, pick)
	VPERMILPS(pick, index, packed)
	VMOVDQU(packed, Mem{Base: list})
	LEAQ(Mem{Base: list, Index: n, Scale: 4}, list)
	VPADDD(step, index, index)
	ADDQ(Imm(4), lo)
	SUBQ(Imm(4), left)
	JMP(LabelRef("four"))

	Label("done")
	SUBQ(begin, list)
	SHRQ(Imm(2), list)
	Store(list, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

//go:build avo

// This program writes the AVX2/FMA kernels of package grain. Run it by `go generate ./physics/worlds/grain`.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	orders()
	pairs("pairsAVX", false)
	pairs("shiftedPairsAVX", true)
	within()
	move()
	Generate()
}

// The constants of the force law, four times each so that one load fills a register.
const (
	sigma2 = 32 * iota
	reach2
	stiff
	stiff2
	jump
	soon2
)

const (
	lessEqual = 18 // predicates of VCMPPD
	less      = 17
)

// pairs: four neighbours at a time. Their offsets d stay as they lie in memory, (x, y, z, 0) each, so that the force c
// d of a pair is added to both of its grains by a multiply-add; only the squares of the distances are brought together
// in one register, and the factors c taken apart again by way of memory.
func pairs(name string, shifted bool) {
	TEXT(name, NOSPLIT, "func(pos, force *float64, first, n int, ends, list *int32, law *[24]float64, close *int32, fence int, soonEnds, soonList *int32) (noted int)")
	Pragma("noescape")
	Doc(name + " is pairLoopGo; law holds each constant four times. It writes up to four numbers past the last of soonList, unless that is nil.")
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
	soon := GP64() // numbers in soonList
	XORQ(soon, soon)
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
		f, old := []VecPhysical{Y7, Y9}[k%2], []VecPhysical{Y8, Y11}[k%2]
		VBROADCASTSD(factors.Offset(8*k), f)
		VMOVUPD(Mem{Base: force, Index: j[k], Scale: 8}, old)
		VFMADD231PD(f, d[k], sum)
		VFNMADD231PD(f, d[k], old)
		VMOVUPD(old, Mem{Base: force, Index: j[k], Scale: 8})
	}
	Load(Param("soonList"), t)
	TESTQ(t, t)
	JZ(LabelRef("after"))
	m := GP64()
	VCMPPD(Imm(lessEqual), Mem{Base: law, Disp: soon2}, r2, Y7)
	VMOVMSKPD(Y7, m.As32())
	VMOVDQU(Mem{Base: cur}, X7)
	pack(m, X7, X8, Mem{Base: t, Index: soon, Scale: 4})
	ADDQ(m, soon)

	Label("after")
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
	Load(Param("soonList"), t)
	TESTQ(t, t)
	JZ(LabelRef("grain"))
	VPBROADCASTD(NewParamAddr("fence", 64), X7)
	VMOVDQU(X7, Mem{Base: t, Index: soon, Scale: 4})
	ADDQ(Imm(3), soon)
	ANDQ(I32(-4), soon)
	Load(Param("soonEnds"), t)
	MOVL(soon.As32(), Mem{Base: t, Index: i, Scale: 4, Disp: -4})
	JMP(LabelRef("grain"))

	Label("done")
	Load(Param("close"), t)
	SUBQ(t, noted)
	SHRQ(Imm(2), noted)
	Store(noted, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// orders is a table of the sixteen cases which of four numbers are kept: where those stand.
func orders() {
	order = GLOBL("order", RODATA|NOPTR)
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
}

var order Mem

// pack stores four numbers, those of a mask first; the mask becomes how many these are.
func pack(mask GPVirtual, four, spare Register, to Mem) {
	table, m := GP64(), GP64()
	LEAQ(order, table)
	MOVQ(mask, m)
	SHLQ(Imm(4), m)
	VMOVDQU(Mem{Base: table, Index: m, Scale: 1}, spare)
	VPERMILPS(spare, four, spare)
	VMOVDQU(spare, to)
	POPCNTL(mask.As32(), mask.As32())
}

// within: four grains at a time.
func within() {
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
	pack(m, index, XMM(), Mem{Base: list})
	LEAQ(Mem{Base: list, Index: m, Scale: 4}, list)
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

// The constants of a step and what it adds up, four numbers each.
const (
	step = 32 * iota
	stokes
	newton
	rho3
	eta80
	gx
	gy
	gz
	largest
	steps0 // the step three times, and a zero
)

const (
	sumForce = 32 * iota // 3
	_
	_
	sumDrag // 3
	_
	_
	sumMass
	farthest
	moved   // minus the number of grains whose speed is finite, as integers
	sumWork // drag times the velocities before and after
	fastest
)

// move: four grains at a time. Their velocities and forces are turned into vectors of x, y and z, and back.
func move() {
	TEXT("moveAVX", NOSPLIT, "func(pos, vel, force, radius, x, y, z *float64, n int, law *[40]float64, sums *[44]float64)")
	Pragma("noescape")
	Doc("moveAVX is moveGo for n grains, a multiple of four; law and sums hold each number four times, once for each of four grains.")
	pos := Load(Param("pos"), GP64())
	vel := Load(Param("vel"), GP64())
	force := Load(Param("force"), GP64())
	radius := Load(Param("radius"), GP64())
	listed := []Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())}
	n := Load(Param("n"), GP64())
	law := Load(Param("law"), GP64())
	sums := Load(Param("sums"), GP64())
	at := func(c int) Mem { return Mem{Base: law, Disp: c} }
	add := func(sum int, v VecPhysical) {
		VADDPD(Mem{Base: sums, Disp: sum}, v, Y12)
		VMOVUPD(Y12, Mem{Base: sums, Disp: sum})
	}
	i := GP64() // numbers before these grains
	XORQ(i, i)
	SHLQ(Imm(2), n)
	row := func(base Register, k int) Mem { return Mem{Base: base, Index: i, Scale: 8, Disp: 32 * k} }
	one := GP64() // grains before these
	XORQ(one, one)

	Label("four")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	vx, vy, vz, m := Y0, Y1, Y2, Y3
	for k, v := range []VecPhysical{Y4, Y5, Y6, Y7} {
		VMOVUPD(row(vel, k), v)
	}
	VUNPCKLPD(Y5, Y4, Y8) // x0 x1 z0 z1
	VUNPCKHPD(Y5, Y4, Y9) // y0 y1 m0 m1
	VUNPCKLPD(Y7, Y6, Y10)
	VUNPCKHPD(Y7, Y6, Y11)
	VPERM2F128(Imm(0x20), Y10, Y8, vx)
	VPERM2F128(Imm(0x31), Y10, Y8, vz)
	VPERM2F128(Imm(0x20), Y11, Y9, vy)
	VPERM2F128(Imm(0x31), Y11, Y9, m)
	h := Y4
	VMOVUPD(at(step), h)
	VDIVPD(m, h, h)

	// lambda, by the regime
	speed, r, slow, lambda := Y5, Y6, Y7, Y8
	VMULPD(vx, vx, speed)
	VFMADD231PD(vy, vy, speed)
	VFMADD231PD(vz, vz, speed)
	VSQRTPD(speed, speed)
	VMOVUPD(Mem{Base: radius, Index: one, Scale: 8}, r)
	VMULPD(at(rho3), r, slow)
	VMULPD(speed, slow, slow)
	VCMPPD(Imm(less), at(eta80), slow, slow)
	VMULPD(at(newton), r, lambda)
	VMULPD(r, lambda, lambda)
	VMULPD(speed, lambda, lambda)
	VMULPD(at(stokes), r, Y9)
	VBLENDVPD(slow, Y9, lambda, lambda)
	VDIVPD(at(step), m, Y9)
	VMINPD(Y9, lambda, lambda)
	ax, ay, az := Y9, Y10, Y11
	VMULPD(vx, lambda, ax)
	VMULPD(vy, lambda, ay)
	VMULPD(vz, lambda, az)
	add(sumDrag, ax)
	add(sumDrag+32, ay)
	add(sumDrag+64, az)
	add(sumMass, m)
	work := func() { // of the drag, at the present velocity
		VMULPD(vx, ax, Y13)
		VFMADD231PD(vy, ay, Y13)
		VFMADD231PD(vz, az, Y13)
		add(sumWork, Y13)
	}
	work()

	for k, v := range []VecPhysical{Y5, Y6, Y7, Y8} {
		VMOVUPD(row(force, k), v)
	}
	VUNPCKLPD(Y6, Y5, Y12)
	VUNPCKHPD(Y6, Y5, Y13)
	VUNPCKLPD(Y8, Y7, Y14)
	VUNPCKHPD(Y8, Y7, Y15)
	fx, fy, fz := Y5, Y6, Y7
	VPERM2F128(Imm(0x20), Y14, Y12, fx)
	VPERM2F128(Imm(0x31), Y14, Y12, fz)
	VPERM2F128(Imm(0x20), Y15, Y13, fy)
	VXORPD(Y8, Y8, Y8)
	for k := range 4 {
		VMOVUPD(Y8, row(force, k))
	}
	add(sumForce, fx)
	add(sumForce+32, fy)
	add(sumForce+64, fz)

	// v += (dt/m) (F + m g - lambda v)
	for k, f := range []VecPhysical{fx, fy, fz} {
		v, a := []VecPhysical{vx, vy, vz}[k], []VecPhysical{ax, ay, az}[k]
		VFMADD231PD(at(gx+32*k), m, f)
		VSUBPD(a, f, f)
		VFMADD231PD(f, h, v)
	}
	ok := Y5
	VMULPD(vx, vx, ok)
	VFMADD231PD(vy, vy, ok)
	VFMADD231PD(vz, vz, ok)
	VMAXPD(Mem{Base: sums, Disp: fastest}, ok, Y6)
	VMOVUPD(Y6, Mem{Base: sums, Disp: fastest})
	VCMPPD(Imm(lessEqual), at(largest), ok, ok)
	for _, v := range []VecPhysical{vx, vy, vz} {
		VANDPD(ok, v, v)
	}
	work()
	VPADDQ(Mem{Base: sums, Disp: moved}, ok, Y6)
	VMOVDQU(Y6, Mem{Base: sums, Disp: moved})

	VUNPCKLPD(vy, vx, Y4) // x0 y0 x2 y2
	VUNPCKHPD(vy, vx, Y5)
	VUNPCKLPD(m, vz, Y6) // z0 m0 z2 m2
	VUNPCKHPD(m, vz, Y7)
	VPERM2F128(Imm(0x20), Y6, Y4, Y8)
	VPERM2F128(Imm(0x20), Y7, Y5, Y9)
	VPERM2F128(Imm(0x31), Y6, Y4, Y10)
	VPERM2F128(Imm(0x31), Y7, Y5, Y11)
	for k, v := range []VecPhysical{Y8, Y9, Y10, Y11} {
		p := []VecPhysical{Y12, Y13, Y14, Y15}[k]
		VMOVUPD(v, row(vel, k))
		VMOVUPD(row(pos, k), p)
		VFMADD231PD(at(steps0), v, p) // x += dt v
		VMOVUPD(p, row(pos, k))
	}

	// How far from where neighbours were listed.
	VUNPCKLPD(Y13, Y12, Y4)
	VUNPCKHPD(Y13, Y12, Y5)
	VUNPCKLPD(Y15, Y14, Y6)
	VUNPCKHPD(Y15, Y14, Y7)
	VPERM2F128(Imm(0x20), Y6, Y4, Y0)
	VPERM2F128(Imm(0x20), Y7, Y5, Y1)
	VPERM2F128(Imm(0x31), Y6, Y4, Y2)
	for k, p := range []VecPhysical{Y0, Y1, Y2} {
		VSUBPD(Mem{Base: listed[k], Index: one, Scale: 8}, p, p)
	}
	VMULPD(Y0, Y0, Y0)
	VFMADD231PD(Y1, Y1, Y0)
	VFMADD231PD(Y2, Y2, Y0)
	VMAXPD(Mem{Base: sums, Disp: farthest}, Y0, Y0)
	VMOVUPD(Y0, Mem{Base: sums, Disp: farthest})
	ADDQ(Imm(16), i)
	ADDQ(Imm(4), one)
	JMP(LabelRef("four"))

	Label("done")
	VZEROUPPER()
	RET()
}

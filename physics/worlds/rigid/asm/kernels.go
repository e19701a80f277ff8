//go:build avo

// This program writes the AVX2 kernels of package rigid. Run it by `go generate ./physics/worlds/rigid`. They multiply
// and add in the order of their twins in Go, so that both give the same numbers.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Where the parts of a mover and of a spot lie.
const (
	moverV, moverW, moverInertia, moverInverse, moverSize = 0, 32, 64, 136, 192

	spotA, spotMu, spotD, spotRa, spotRb, spotQ            = 0, 8, 16, 88, 112, 136
	spotInv, spotWn, spotScale, spotNorm, spotSize, vector = 144, 216, 224, 232, 288, 24
)

func main() {
	sweep()
	push()
	Generate()
}

// contact is the registers of one: its spot, the two bodies, its impulses, and its place in the order.
type contact struct {
	spot, a, b, r, i             GPVirtual
	bodies, impulses, order, end GPVirtual
}

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

func begin() *contact {
	c := &contact{param("spots"), GP64(), GP64(), GP64(), param("from"), param("bodies"), param("impulses"), param("order"), param("n")}
	t := GP64()
	IMUL3Q(U32(spotSize), c.i, t)
	ADDQ(t, c.spot)
	return c
}

// find finds the contact's impulses and bodies.
func (c *contact) find() {
	MOVLQSX(Mem{Base: c.order, Index: c.i, Scale: 4}, c.r)
	IMUL3Q(Imm(vector), c.r, c.r)
	ADDQ(c.impulses, c.r)
	for k, p := range []GPVirtual{c.a, c.b} {
		MOVLQSX(Mem{Base: c.spot, Disp: spotA + 4*k}, p)
		IMUL3Q(U32(moverSize), p, p)
		ADDQ(c.bodies, p)
	}
}

// each begins the loop over the contacts, and next ends it.
func (c *contact) each() {
	Label("spot")
	CMPQ(c.i, c.end)
	JGE(LabelRef("done"))
	c.find()
}

func (c *contact) next() {
	Label("next")
	INCQ(c.i)
	ADDQ(U32(spotSize), c.spot)
	JMP(LabelRef("spot"))
}

// three reads three numbers, and put writes them: what follows them in memory is somebody else's.
func three(p Register, y VecVirtual) {
	x := XMM()
	VMOVUPD(Mem{Base: p}, y.AsX())
	VMOVSD(Mem{Base: p, Disp: 16}, x)
	VINSERTF128(Imm(1), x, y, y)
}

func put(from VecVirtual, p Register) {
	x := XMM()
	VMOVUPD(from.AsX(), Mem{Base: p})
	VEXTRACTF128(Imm(1), from, x)
	VMOVSD(x, Mem{Base: p, Disp: 16})
}

// spread is lanes x, y and z of a vector in all lanes of others.
func spread(v, x, y, z Op) {
	for k, to := range []Op{x, y, z} {
		VPERMPD(U8(0x55*k), v, to)
	}
}

const yzx, zxy = 0xc9, 0xd2 // orders of lanes

// apply is spot.apply of an impulse whose three numbers are spread.
func (c *contact) apply(d0, d1, d2 Op) {
	f, t, m, fx, fy := YMM(), YMM(), YMM(), YMM(), YMM()
	VMULPD(Mem{Base: c.spot, Disp: spotD}, d0, f)
	VMULPD(Mem{Base: c.spot, Disp: spotD + vector}, d1, t)
	VADDPD(t, f, f)
	VMULPD(Mem{Base: c.spot, Disp: spotD + 2*vector}, d2, t)
	VADDPD(t, f, f)
	VPERMPD(Imm(yzx), f, fx)
	VPERMPD(Imm(zxy), f, fy)
	for _, end := range []struct {
		body GPVirtual
		arm  int
		add  func(ops ...Op)
		kept string
	}{{c.a, spotRa, VADDPD, "keptA"}, {c.b, spotRb, VSUBPD, "keptB"}} {
		CMPQ(end.body, c.bodies) // the ground
		JE(LabelRef(end.kept))
		v, w := YMM(), YMM()
		VBROADCASTSD(Mem{Base: end.body, Disp: moverInverse}, t)
		VMULPD(t, f, t)
		VMOVUPD(Mem{Base: end.body, Disp: moverV}, v)
		end.add(t, v, v)
		VMOVUPD(v, Mem{Base: end.body, Disp: moverV})
		VPERMPD(Imm(yzx), Mem{Base: c.spot, Disp: end.arm}, m)
		VMULPD(fy, m, m)
		VPERMPD(Imm(zxy), Mem{Base: c.spot, Disp: end.arm}, t)
		VMULPD(fx, t, t)
		VSUBPD(t, m, m)
		x, y, z := YMM(), YMM(), YMM()
		spread(m, x, y, z)
		VMULPD(Mem{Base: end.body, Disp: moverInertia}, x, x)
		VMULPD(Mem{Base: end.body, Disp: moverInertia + vector}, y, y)
		VADDPD(y, x, x)
		VMULPD(Mem{Base: end.body, Disp: moverInertia + 2*vector}, z, z)
		VADDPD(z, x, x)
		VMOVUPD(Mem{Base: end.body, Disp: moverW}, w)
		end.add(x, w, w)
		VMOVUPD(w, Mem{Base: end.body, Disp: moverW})
		Label(end.kept)
	}
}

func push() {
	TEXT("pushAVX", NOSPLIT, "func(spots *int32, bodies, impulses *float64, order *int32, from, n int)")
	Pragma("noescape")
	Doc("pushAVX is pushGo from one contact on.")
	c := begin()
	c.each()
	r := YMM()
	three(c.r, r)
	zero := XMM()
	VXORPD(zero, zero, zero)
	VUCOMISD(zero, r.AsX())
	JP(LabelRef("some"))
	JE(LabelRef("next"))
	Label("some")
	x, y, z := YMM(), YMM(), YMM()
	spread(r, x, y, z)
	c.apply(x, y, z)
	c.next()
	Label("done")
	VZEROUPPER()
	RET()
}

func sweep() {
	TEXT("sweepAVX", NOSPLIT, "func(spots *int32, bodies, impulses, f *float64, order *int32, from, n int, solved bool, at *[4]float64) int")
	Pragma("noescape")
	Doc("sweepAVX is sweepGo from one contact on up to the first one that slips or opens, whose number it returns: at has its relative velocity then, and the size so far. Where solved is true the new impulse of the first one is in at. It writes f unless that is nil.")
	c := begin()
	at, f, p := param("at"), param("f"), GP64()
	size, zero := YMM(), YMM()
	VMOVSD(Mem{Base: at, Disp: 24}, size.AsX())
	VXORPD(zero, zero, zero)
	r, now := YMM(), YMM()
	Load(Param("solved"), p.As8())
	TESTB(p.As8(), p.As8())
	JZ(LabelRef("spot"))
	c.find()
	three(c.r, r)
	three(at, now)
	JMP(LabelRef("solved"))

	c.each()
	// the relative velocity, as spot.velocity has it
	u, x := YMM(), YMM()
	VMOVUPD(Mem{Base: c.a, Disp: moverV}, u)
	VSUBPD(Mem{Base: c.b, Disp: moverV}, u, u)
	for _, end := range []struct {
		body          GPVirtual
		arm           int
		first, second func(ops ...Op)
	}{{c.a, spotRa, VADDPD, VSUBPD}, {c.b, spotRb, VSUBPD, VADDPD}} {
		p, q := YMM(), YMM()
		VPERMPD(Imm(yzx), Mem{Base: end.body, Disp: moverW}, p)
		VPERMPD(Imm(zxy), Mem{Base: c.spot, Disp: end.arm}, q)
		VMULPD(q, p, p)
		end.first(p, u, u)
		VPERMPD(Imm(zxy), Mem{Base: end.body, Disp: moverW}, p)
		VPERMPD(Imm(yzx), Mem{Base: c.spot, Disp: end.arm}, q)
		VMULPD(q, p, p)
		end.second(p, u, u)
	}
	p0, p1, p2, lo, hi := YMM(), YMM(), YMM(), YMM(), YMM()
	for k, p := range []VecVirtual{p0, p1, p2} {
		VMULPD(Mem{Base: c.spot, Disp: spotD + vector*k}, u, p)
	}
	VUNPCKLPD(p1, p0, lo) // the terms along x of the first two, and those along z
	VUNPCKHPD(p1, p0, hi) // and y
	VUNPCKLPD(p2, p2, p0) // and of the third
	VUNPCKHPD(p2, p2, p1)
	VPERM2F128(Imm(0x20), p0, lo, x)
	VPERM2F128(Imm(0x20), p1, hi, hi)
	VPERM2F128(Imm(0x31), p0, lo, lo)
	VADDPD(hi, x, x)
	VADDPD(lo, x, x)
	VBROADCASTSD(Mem{Base: c.spot, Disp: spotQ}, p0)
	VADDPD(p0, x, p0)
	VBLENDPD(Imm(1), p0, x, x)

	three(c.r, r)
	VUCOMISD(zero.AsX(), x.AsX())
	JB(LabelRef("closes")) // below 0, or no number
	VUCOMISD(zero.AsX(), r.AsX())
	JP(LabelRef("closes"))
	JE(LabelRef("open"))
	Label("closes")
	VUCOMISD(Mem{Base: c.spot, Disp: spotWn}, zero.AsX())
	JP(LabelRef("yields"))
	JE(LabelRef("open"))
	Label("yields")
	spread(x, p0, p1, p2)
	for k, p := range []VecVirtual{p0, p1, p2} {
		VMULPD(Mem{Base: c.spot, Disp: spotInv + vector*k}, p, p)
	}
	VSUBPD(p0, r, now)
	VSUBPD(p1, now, now)
	VSUBPD(p2, now, now)
	// it sticks where n > 0 and t1 t1 + t2 t2 <= (mu n)^2
	VUCOMISD(zero.AsX(), now.AsX())
	JBE(LabelRef("slips"))
	VMULPD(now, now, p0)
	VPERMPD(Imm(1), p0, p1)
	VPERMPD(Imm(2), p0, p2)
	VADDSD(p2.AsX(), p1.AsX(), p1.AsX())
	VMULSD(Mem{Base: c.spot, Disp: spotMu}, now.AsX(), p0.AsX())
	VMULSD(p0.AsX(), p0.AsX(), p0.AsX())
	VUCOMISD(p1.AsX(), p0.AsX())
	JB(LabelRef("slips"))

	Label("solved")
	d, d0, d1, d2 := YMM(), YMM(), YMM(), YMM()
	VSUBPD(r, now, d)
	put(now, c.r)
	spread(d, d0, d1, d2)
	TESTQ(f, f)
	JZ(LabelRef("apply"))
	w := YMM()
	VBROADCASTSD(Mem{Base: c.spot, Disp: spotNorm}, w)
	VMULPD(d, w, w)
	MOVQ(c.r, p)
	SUBQ(c.impulses, p)
	ADDQ(f, p)
	put(w, p)
	Label("apply")
	c.apply(d0, d1, d2)
	VMULSD(d0.AsX(), d0.AsX(), d0.AsX())
	VMULSD(d1.AsX(), d1.AsX(), d1.AsX())
	VADDSD(d1.AsX(), d0.AsX(), d0.AsX())
	VMULSD(d2.AsX(), d2.AsX(), d2.AsX())
	VADDSD(d2.AsX(), d0.AsX(), d0.AsX())
	VMULSD(Mem{Base: c.spot, Disp: spotScale}, d0.AsX(), d0.AsX())
	VADDSD(d0.AsX(), size.AsX(), size.AsX())

	c.next()

	Label("open")
	TESTQ(f, f)
	JZ(LabelRef("next"))
	MOVQ(c.r, p)
	SUBQ(c.impulses, p)
	ADDQ(f, p)
	put(zero, p)
	JMP(LabelRef("next"))

	Label("slips")
	put(x, at)
	Label("done")
	VMOVSD(size.AsX(), Mem{Base: at, Disp: 24})
	Store(c.i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

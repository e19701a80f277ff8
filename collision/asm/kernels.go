//go:build avo

// This program writes the AVX2 kernel of package collision. Run it by `go generate ./collision`.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Layout of a node; TestNodeLayout compares.
const (
	nodeSize = 64
	atLow    = 0
	atHigh   = 24
	atRight  = 48
	atFirst  = 52
	atCount  = 56
)

func main() {
	refit()
	Generate()
}

// refit goes through the nodes from the last to the first: children come after their parent. A box's bounds are the
// first three lanes of a register; the fourth is never stored. VMINPD and VMAXPD give their second source where a
// number is none: the bound so far, as comparing does.
func refit() {
	three := GLOBL("three", RODATA|NOPTR)
	for i, x := range []uint64{^uint64(0), ^uint64(0), ^uint64(0), 0} {
		DATA(8*i, U64(x))
	}
	infinite := GLOBL("infinite", RODATA|NOPTR)
	DATA(0, U64(0x7ff0000000000000))
	DATA(8, U64(0xfff0000000000000))

	TEXT("refitAVX", NOSPLIT, "func(nodes *byte, n int, order, triangles *int32, positions *float64, margin float64)")
	Pragma("noescape")
	Doc("refitAVX makes the boxes of n nodes right, widened by margin.")
	nodes := Load(Param("nodes"), GP64())
	at := Load(Param("n"), GP64())
	order := Load(Param("order"), GP64())
	triangles := Load(Param("triangles"), GP64())
	positions := Load(Param("positions"), GP64())
	margin, mask, inf, negative := YMM(), YMM(), YMM(), YMM()
	m, err := Param("margin").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(m.Addr, margin)
	VMOVUPD(three, mask)
	VBROADCASTSD(infinite, inf)
	VBROADCASTSD(infinite.Offset(8), negative)
	SHLQ(Imm(6), at)
	ADDQ(nodes, at)

	Label("next")
	CMPQ(at, nodes)
	JE(LabelRef("done"))
	SUBQ(Imm(nodeSize), at)
	count := GP32()
	MOVL(Mem{Base: at, Disp: atCount}, count)
	TESTL(count, count)
	JZ(LabelRef("inner"))

	first := GP64()
	MOVLQSX(Mem{Base: at, Disp: atFirst}, first)
	LEAQ(Mem{Base: order, Index: first, Scale: 4}, first)
	low, high := YMM(), YMM()
	VMOVAPD(inf, low)
	VMOVAPD(negative, high)
	Label("triangle")
	id := GP64()
	MOVLQSX(Mem{Base: first}, id)
	LEAQ(Mem{Base: id, Index: id, Scale: 2}, id)
	for k := range 3 {
		node, p := GP64(), YMM()
		MOVLQSX(Mem{Base: triangles, Index: id, Scale: 4, Disp: 4 * k}, node)
		LEAQ(Mem{Base: node, Index: node, Scale: 2}, node)
		VMASKMOVPD(Mem{Base: positions, Index: node, Scale: 8}, mask, p)
		VMINPD(low, p, low)
		VMAXPD(high, p, high)
	}
	ADDQ(Imm(4), first)
	DECL(count)
	JNZ(LabelRef("triangle"))
	VSUBPD(margin, low, low)
	VADDPD(margin, high, high)
	store(at, low, high)
	JMP(LabelRef("next"))

	Label("inner")
	right := GP64()
	MOVLQSX(Mem{Base: at, Disp: atRight}, right)
	SHLQ(Imm(6), right)
	ADDQ(nodes, right)
	// in pieces that each come from one of the stores below: those of a child that was just written are not in the
	// cache yet
	for _, part := range []int{atLow, atHigh} {
		join, joinOne := VMINPD, VMINSD
		if part == atHigh {
			join, joinOne = VMAXPD, VMAXSD
		}
		a, b := XMM(), XMM()
		VMOVUPD(Mem{Base: at, Disp: nodeSize + part}, a)
		VMOVUPD(Mem{Base: right, Disp: part}, b)
		join(a, b, a)
		VMOVUPD(a, Mem{Base: at, Disp: part})
		c, d := XMM(), XMM()
		VMOVSD(Mem{Base: at, Disp: nodeSize + part + 16}, c)
		VMOVSD(Mem{Base: right, Disp: part + 16}, d)
		joinOne(c, d, c)
		VMOVSD(c, Mem{Base: at, Disp: part + 16})
	}
	JMP(LabelRef("next"))

	Label("done")
	VZEROUPPER()
	RET()
}

// store writes a box. The fourth lane of low goes where high is written next.
func store(at Register, low, high VecVirtual) {
	VMOVUPD(low, Mem{Base: at, Disp: atLow})
	VMOVUPD(high.AsX(), Mem{Base: at, Disp: atHigh})
	top := XMM()
	VEXTRACTF128(Imm(1), high, top)
	VMOVSD(top, Mem{Base: at, Disp: atHigh + 16})
}

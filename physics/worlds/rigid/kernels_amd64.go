package rigid

import "golang.org/x/sys/cpu"

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg rigid

// fast tells that the processor has what the assembly needs. Tests turn it off to compare the twins.
var fast = cpu.X86.HasAVX2

// sweep solves each contact by its own law, one after the other, and returns the square of its change. If told so it
// writes f.
func (s *sweeper) sweep(write bool) (size float64) {
	n := len(s.spots)
	if !fast || n == 0 {
		return s.sweepGo(write)
	}
	g, f := s.mix.G[:3*n], (*float64)(nil)
	if write {
		f = &s.mix.F[:3*n][0]
	}
	var at [4]float64
	spots, bodies, order := &s.spots[0].a, &s.bodies[0].v[0], &s.order[:n][0]
	for k := sweepAVX(spots, bodies, &g[0], f, order, 0, n, false, &at); k < n; {
		i := s.order[k]
		r := g[3*i : 3*i+3]
		at[0], at[1], at[2] = s.spots[k].slide(at[0], at[1], at[2], r[0], r[1], r[2])
		k = sweepAVX(spots, bodies, &g[0], f, order, k, n, true, &at)
	}
	return at[3]
}

// push adds all impulses.
func (s *sweeper) push() {
	if n := len(s.spots); fast && n > 0 {
		pushAVX(&s.spots[0].a, &s.bodies[0].v[0], &s.mix.G[:3*n][0], &s.order[:n][0], 0, n)
		return
	}
	s.pushGo()
}

package grain

import (
	"math"

	"golang.org/x/sys/cpu"
)

// fast tells that the processor has what the assembly needs. Tests turn it off to compare the twins.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// pairLoop trusts the list to name grains, which neighbours sees to.
func pairLoop(pos, force []float64, first int, from *lists, law *[24]float64, close []int32, fence int32, soon *lists) (noted int) {
	n := len(from.ends)
	if !fast || n == 0 || from.ends[n-1] == 0 {
		return pairLoopGo(pos, force, first, from, law, close, fence, soon)
	}
	_, _, _, _ = pos[4*(first+n)-1], force[4*(first+n)-1], from.list[from.ends[n-1]-1], close[n-1]
	var soonEnds, soonList *int32
	if soon != nil {
		_, _ = soon.ends[n-1], soon.list[from.ends[n-1]+3]
		soonEnds, soonList = &soon.ends[0], &soon.list[0]
	}
	loop := pairsAVX
	if law[16] != 0 {
		loop = shiftedPairsAVX
	}
	return loop(&pos[0], &force[0], first, n, &from.ends[0], &from.list[0], law, &close[0], int(fence), soonEnds, soonList)
}

func listWithin(at *[3][]float64, lo, hi, i int, reach2 float64, list []int32) int {
	if !fast || lo >= hi {
		return withinGo(at, lo, hi, i, reach2, list)
	}
	_, _, _, _ = at[0][hi+2], at[1][hi+2], at[2][hi+2], list[hi-lo+2]
	p := [4]float64{at[0][i], at[1][i], at[2][i], reach2}
	return withinAVX(&at[0][0], &at[1][0], &at[2][0], lo, hi, &p, &list[0])
}

// moveFour moves the grains of a task, four at a time, where the model is the document's, and returns how many it
// moved.
func (w *World) moveFour(t *task) int {
	n := int(t.hi-t.lo) &^ 3
	if !fast || n == 0 || w.model.drag != StokesNewton || w.model.buoyancy {
		return 0
	}
	i := int(t.lo)
	l := &w.listing.at
	_, _, _, _ = w.pos[4*(i+n)-1], w.vel[4*(i+n)-1], w.force[4*(i+n)-1], w.radius[i+n-1]
	_, _, _ = l[0][i+n-1], l[1][i+n-1], l[2][i+n-1]
	var sums [44]float64
	moveAVX(&w.pos[4*i], &w.vel[4*i], &w.force[4*i], &w.radius[i], &l[0][i], &l[1][i], &l[2][i], n, &w.kernel.fall, &sums)
	lane := func(k int) float64 { return (sums[4*k] + sums[4*k+1]) + (sums[4*k+2] + sums[4*k+3]) }
	s := &t.sums
	for k := range 3 {
		s.force[k], s.drag[k] = lane(k), lane(3+k)
	}
	s.weight, s.work = lane(6), lane(9)/2
	far := max(sums[28], sums[29], sums[30], sums[31])
	s.speed2 = max(sums[40], sums[41], sums[42], sums[43])
	s.stale = !(far <= w.listing.skin*w.listing.skin/4)
	s.lost = n
	for _, x := range sums[32:36] {
		s.lost += int(int64(math.Float64bits(x)))
	}
	return n
}

// setFall fills the constants of moveFour.
func (w *World) setFall() {
	f, g, fall := &w.model.fluid, &w.model.gravity, &w.kernel.fall
	constants := [9]float64{w.dt, 6 * math.Pi * f.Viscosity, 9 * math.Pi / 40 * f.Density, 3 * f.Density,
		80 * f.Viscosity, g[0], g[1], g[2], math.MaxFloat64}
	for c, x := range constants {
		for lane := range 4 {
			fall[4*c+lane] = x
		}
	}
	fall[36], fall[37], fall[38] = w.dt, w.dt, w.dt
}

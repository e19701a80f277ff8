package grain

import "golang.org/x/sys/cpu"

// fast tells that the processor has what the assembly needs. Tests turn it off
// to compare the twins.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// pairLoop trusts the list to name grains, which neighbours sees to.
func pairLoop(pos, force []float64, first int, ends, list []int32, law *[20]float64, close []int32) (noted int) {
	if !fast || len(list) == 0 {
		return pairLoopGo(pos, force, first, ends, list, law, close)
	}
	n := len(ends)
	_, _, _, _ = pos[4*(first+n)-1], force[4*(first+n)-1], list[ends[n-1]-1], close[n-1]
	if law[16] != 0 {
		return shiftedPairsAVX(&pos[0], &force[0], first, n, &ends[0], &list[0], law, &close[0])
	}
	return pairsAVX(&pos[0], &force[0], first, n, &ends[0], &list[0], law, &close[0])
}

func within(at *[3][]float64, lo, hi, i int, reach2 float64, list []int32) int {
	if !fast || lo >= hi {
		return withinGo(at, lo, hi, i, reach2, list)
	}
	_, _, _, _ = at[0][hi+2], at[1][hi+2], at[2][hi+2], list[hi-lo+2]
	p := [4]float64{at[0][i], at[1][i], at[2][i], reach2}
	return withinAVX(&at[0][0], &at[1][0], &at[2][0], lo, hi, &p, &list[0])
}

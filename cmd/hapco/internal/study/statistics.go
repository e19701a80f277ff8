package study

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes a sample. Low and High bound the 95 % confidence interval of the mean, by Student's distribution.
// What a sample is too small for is NaN.
type Summary struct {
	N                           int
	Mean, Median, SD, Low, High float64
}

// summarize describes x.
func summarize(x []float64) Summary {
	nan := math.NaN()
	s := Summary{len(x), nan, nan, nan, nan, nan}
	if len(x) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(x))
	n := len(sorted)
	s.Mean, s.Median = stat.Mean(x, nil), (sorted[(n-1)/2]+sorted[n/2])/2
	if n > 1 {
		s.SD = stat.StdDev(x, nil)
		half := student(float64(n-1)).Quantile(0.975) * s.SD / math.Sqrt(float64(n))
		s.Low, s.High = s.Mean-half, s.Mean+half
	}
	return s
}

func student(freedom float64) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
}

// pairedT is Student's t test of whether the mean of the differences is 0: t and the two-sided p. NaN for fewer than
// two differences, or where all are the same.
func pairedT(differences []float64) (t, p float64) {
	s := summarize(differences)
	if s.N < 2 || !(s.SD > 0) {
		return math.NaN(), math.NaN()
	}
	t = s.Mean / (s.SD / math.Sqrt(float64(s.N)))
	return t, 2 * student(float64(s.N-1)).CDF(-math.Abs(t))
}

// exactRanks is up to how many differences Wilcoxon's p is exact.
const exactRanks = 50

// wilcoxon is the signed-rank test of whether the differences are symmetric about 0: w is the smaller of the two rank
// sums, p two-sided. Differences of 0 are left out [Wilcoxon 1945], equal ones share the mean of their ranks. p is exact
// for up to 50 differences, ties included; beyond, it is the normal distribution's. NaN where no difference is left.
func wilcoxon(differences []float64) (w, p float64) {
	var d []float64
	for _, x := range differences {
		if x != 0 {
			d = append(d, x)
		}
	}
	if len(d) == 0 {
		return math.NaN(), math.NaN()
	}
	sizes := make([]float64, len(d))
	for i := range d {
		sizes[i] = math.Abs(d[i])
	}
	// Twice the ranks: whole numbers, also where they are shared.
	twice := doubleRanks(sizes)
	total, plus, squares := 0, 0, 0.0
	for i, r := range twice {
		total += r
		squares += float64(r) * float64(r)
		if d[i] > 0 {
			plus += r
		}
	}
	least := min(plus, total-plus)
	w = float64(least) / 2
	if len(d) > exactRanks {
		// Signs are tosses of a coin: mean total/2, variance squares/4.
		z := (float64(least) + 1 - float64(total)/2) / math.Sqrt(squares/4)
		return w, min(1, 2*distuv.UnitNormal.CDF(z))
	}
	// How likely is each sum of the ranks with a plus?
	chance := make([]float64, total+1)
	chance[0] = 1
	for _, r := range twice {
		for s := total; s >= 0; s-- {
			chance[s] /= 2
			if s >= r {
				chance[s] += chance[s-r] / 2
			}
		}
	}
	for s := range least + 1 {
		p += chance[s]
	}
	return w, min(1, 2*p)
}

// doubleRanks are twice the ranks of x, from 2; equal values share the mean.
func doubleRanks(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, k int) bool { return x[order[i]] < x[order[k]] })
	ranks := make([]int, len(x))
	for i := 0; i < len(order); {
		k := i
		for k < len(order) && x[order[k]] == x[order[i]] {
			k++
		}
		for j := i; j < k; j++ {
			ranks[order[j]] = i + k + 1 // (i+1 + k)/2 twice
		}
		i = k
	}
	return ranks
}

// friedman tests whether the columns of a table differ, a row a person, corrected for ties: chi squared, its degrees of
// freedom, and p. NaN for fewer than two rows or columns, or where all values of each row are the same.
func friedman(rows [][]float64) (chi2, freedom, p float64) {
	nan := math.NaN()
	if len(rows) < 2 || len(rows[0]) < 2 {
		return nan, nan, nan
	}
	n, k := float64(len(rows)), float64(len(rows[0]))
	sums := make([]float64, len(rows[0]))
	ties := 0.0
	for _, row := range rows {
		count := map[int]float64{}
		for i, r := range doubleRanks(row) {
			sums[i] += float64(r) / 2
			count[r]++
		}
		for _, c := range count {
			ties += c*c*c - c
		}
	}
	mean, spread := n*(k+1)/2, 0.0
	for _, s := range sums {
		spread += (s - mean) * (s - mean)
	}
	below := n*k*(k+1) - ties/(k-1)
	if !(below > 0) {
		return nan, nan, nan
	}
	chi2, freedom = 12*spread/below, k-1
	return chi2, freedom, distuv.ChiSquared{K: freedom}.Survival(chi2)
}

// holm corrects p values for how many there are: the chance of one false alarm among all stays below the smallest [Holm
// 1979]. NaN stays, and does not count.
func holm(p []float64) []float64 {
	var order []int
	out := make([]float64, len(p))
	for i := range p {
		if out[i] = p[i]; !math.IsNaN(p[i]) {
			order = append(order, i)
		}
	}
	sort.Slice(order, func(i, k int) bool { return p[order[i]] < p[order[k]] })
	most := 0.0
	for n, i := range order {
		most = max(most, min(1, float64(len(order)-n)*p[i]))
		out[i] = most
	}
	return out
}

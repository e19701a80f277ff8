package output

import (
	"math"
	"slices"
)

// Rank sorts x and takes the value at a share q of it.
func Rank(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

// Slope is that of the line through points, by least squares.
func Slope(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
	}
	return xy / xx
}

// LogSlope is the slope of a straight line through the logarithms, by least squares; 0 for less than two points.
func LogSlope[P any](points []P, x, y func(*P) float64) float64 {
	lx, ly := make([]float64, len(points)), make([]float64, len(points))
	for i := range points {
		lx[i], ly[i] = math.Log(x(&points[i])), math.Log(y(&points[i]))
	}
	if s := Slope(lx, ly); len(points) >= 2 && !math.IsInf(s, 0) {
		return s
	}
	return 0
}

// Median is the median.
func Median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

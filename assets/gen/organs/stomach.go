package main

// The stomach lies under the liver's left lobe, in the hollow that it leaves there: the fundus to the viewer's right,
// the antrum bent towards the middle.
var stomach = organ{
	name: "stomach", low: vec{-45, -100, -60}, high: vec{125, 5, 85},
	field: stomachField, edge: stomachEdge,
	// what is beneath: it rests on its bed
	attached: func(p vec) bool { return p[1] < -66 },
}

func stomachField(p vec) float64 {
	fundus := ellipsoid(p, vec{62, -45, 2}, vec{38, 27, 34})
	middle := ellipsoid(turnY(p, vec{34, -54, 16}, -18), vec{34, -54, 16}, vec{38, 22, 24})
	antrum := ellipsoid(turnY(p, vec{-4, -60, 28}, 10), vec{-4, -60, 28}, vec{26, 14, 15})
	return join(join(fundus, middle, 16), antrum, 14)
}

// stomachEdge is fine where the liver comes down.
func stomachEdge(p vec) float64 {
	const fine, coarse, grading = 5.5, 8.5, 0.16
	return min(max(fine, fine+grading*(p.Sub(vec{52, -20, 8}).Len()-28)), coarse)
}

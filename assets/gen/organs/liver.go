package main

// The liver lies on its visceral side as a surgeon sees it: +Y up, the patient's head away from the viewer (-Z), the
// large right lobe on the viewer's left (-X), the left lobe tapering to +X.
var liver = organ{
	name: "liver", low: vec{-110, -70, -75}, high: vec{120, 70, 85},
	field: liverField, attached: liverAttached,
}

func init() { liver.edge = liverEdge } // which asks for the field

// liverField is the field of the organ.
func liverField(p vec) float64 {
	right := ellipsoid(p, vec{-34, 1, -7}, vec{52, 44, 47})
	lower := ellipsoid(turnY(p, vec{-42, -4, 21}, -12), vec{-42, -4, 21}, vec{40, 33, 36})
	middle := ellipsoid(p, vec{10, -1, -6}, vec{50, 33, 42})
	leftCenter := vec{51, 0, -8}
	left := ellipsoid(turnY(p, leftCenter, 14), leftCenter, vec{46, 19, 31})
	f := join(join(right, lower, 22), join(middle, left, 24), 24)

	// The visceral side: a slope that meets the domed side in the sharp lower edge, and the hollows where stomach and
	// kidney lie.
	slope := (p[1]+30)*0.88 - (p[2]+14)*0.47
	f = cut(f, slope, 9)
	f = cut(f, ellipsoid(p, vec{46, -54, 16}, vec{60, 46, 50}), 14)
	f = cut(f, ellipsoid(p, vec{-34, -52, 24}, vec{26, 34, 32}), 14)

	// The notch of the round ligament in the lower edge, and the faint line of the falciform ligament from there over
	// the dome.
	f = cut(f, ellipsoid(turnY(p, vec{20, 0, 40}, 12), vec{20, 0, 40}, vec{7, 40, 24}), 10)
	f = cut(f, ellipsoid(turnY(p, vec{15, 36, 0}, 12), vec{15, 38, 0}, vec{3, 9, 60}), 7)
	return f
}

// liverEdge is the edge that surface triangles should have, mm: fine on the dome of the right lobe, where the tip of a
// tool starts, so that a dent can follow the tip; fairly fine along the thin edges, which show; coarse on the visceral
// side.
func liverEdge(p vec) float64 {
	const fine, grading = 3.6, 0.16
	n := liver.gradient(p).Normalize()
	coarse := 8.5
	if n[1] < 0 {
		coarse = 10.5
	}
	const thin, probe = 5.2, 12
	depth := -liverField(p.Sub(n.Mul(probe))) / probe // 1 in the thick, less along an edge
	coarse = thin + (coarse-thin)*min(1, max(0, (depth-0.5)/0.5))
	away := p.Sub(vec{-32, 42, 2}).Len() - 25
	return min(max(fine, fine+grading*away), coarse)
}

// liverAttached: the bare area at the back and the middle of the visceral side.
func liverAttached(p vec) bool {
	bare := sq((p[0]+12)/50)+sq((p[2]+44)/24) < 1 && p[1] < 10
	hilum := sq((p[0]+8)/32)+sq((p[2]+4)/22) < 1 && p[1] < 0
	return bare || hilum
}

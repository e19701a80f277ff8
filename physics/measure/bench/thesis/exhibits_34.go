package thesis

import "fmt"

const curveOnly = "a curve without numbers"

// formulationExhibits are figures 3.4 to 3.12: the formulations compared, at 1e-8.
func (r *Results) formulationExhibits() []*Exhibit {
	pen, slide := bench16, bench36("alu-tissue", "slide", usual)
	g, star, printed, right, consistent := fine("uzawa", 1), reference, fine("pseudo-printed", 1), fine("pseudo", 1), fine("uzawa-star-consistent", 1)
	figure := func(id, title, thesis string, panels ...Panel) *Exhibit {
		return &Exhibit{ID: id, Kind: "figure", Title: title, Thesis: thesis, Panels: panels}
	}
	const on16 = "aluminium on soft tissue, 16 contacts, penetration"
	const on36 = "aluminium on soft tissue, 36 contacts, sliding"

	time16 := r.panel(pen, "time of a solve, ms", timeMS, g, star, consistent)
	sweeps16 := r.panel(pen, "Gauss-Seidel sweeps", sweeps, g, star, consistent)
	for _, m := range []Method{g, star} {
		sweeps16.level("thesis's mean: "+m.title(), looks[m.Solver], prose34["pen"][m.Solver][1])
	}
	norm16 := r.panel(pen, "norm of the contact forces, N", forceNorm, star)
	norm16.put(r.exactCurve(pen, normOf))
	slip16 := r.panel(pen, "sliding contacts", slidingOf, printed, right, g, star)
	slip16.put(r.exactCurve(pen, slidingExact))

	time36 := r.panel(slide, "time of a solve, ms", timeMS, printed, right, g, star)
	time36.LogY = true
	norm36 := r.panel(slide, "norm of the contact forces, N", forceNorm, star)
	norm36.put(r.exactCurve(slide, normOf))
	slip36 := r.panel(slide, "sliding contacts", slidingOf, g, star)
	slip36.put(r.exactCurve(slide, slidingExact))

	return []*Exhibit{
		figure("3.4", "Time: Uzawa global and global*; "+on16,
			fmt.Sprintf("%s; mean times on an %s: global %g ms, global* %g ms, pseudo-potential (not drawn) %g ms", curveOnly, core2, prose34["pen"]["uzawa"][0], prose34["pen"]["uzawa-star"][0], prose34["pen"]["pseudo-printed"][0]), time16),
		figure("3.5", "Sweeps: Uzawa global and global*; "+on16,
			fmt.Sprintf("%s; means about %g and %g, at the last increment %g and %g", curveOnly, prose34["pen"]["uzawa"][1], prose34["pen"]["uzawa-star"][1], lastSweeps["uzawa"], lastSweeps["uzawa-star"]), sweeps16),
		figure("3.6", "Norm of the forces; "+on16, curveOnly+", nearly a straight line", norm16),
		figure("3.7", "Deviation of the forces; "+on16, curveOnly+"; global below 6.7 % from global*, the pseudo-potential above 12 %",
			titled("from Uzawa global*", r.panel(pen, "deviation, %", deviationOf, g, consistent)),
			titled("from the exact solution", r.panel(pen, "error, %", errorOf, g, consistent, star))),
		figure("3.8", "Sliding contacts; "+on16, curveOnly+"; the same for global and global*, not for the pseudo-potential", slip16),
		figure("3.9", "Time; "+on36,
			fmt.Sprintf("%s; mean times: global %g ms, global* %g ms, pseudo-potential %g ms; sweeps %g, %g, %g", curveOnly, prose34["slide"]["uzawa"][0], prose34["slide"]["uzawa-star"][0], prose34["slide"]["pseudo-printed"][0], prose34["slide"]["uzawa"][1], prose34["slide"]["uzawa-star"][1], prose34["slide"]["pseudo-printed"][1]), time36),
		figure("3.10", "Norm of the forces; "+on36, curveOnly+", falling", norm36),
		figure("3.11", "Deviation of the forces; "+on36, curveOnly+"; global below 5 % from global*, the pseudo-potential often above 7 %",
			logged(titled("from Uzawa global*", r.panel(slide, "deviation, %", deviationOf, g, printed, right))),
			logged(titled("from the exact solution", r.panel(slide, "error, %", errorOf, g, printed, right, star)))),
		figure("3.12", "Sliding contacts; "+on36, curveOnly+"; the two differ where figure 3.11 peaks", slip36),
	}
}

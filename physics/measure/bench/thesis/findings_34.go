package thesis

import (
	"math"

	"hapco/physics/measure/bench"
)

// formulationCases are the two of section 3.4.
var formulationCases = []bench.Case{bench16, bench36("alu-tissue", "slide", usual)}

func (r *Results) starFaster(f *Finding) {
	for c, of := range r.having(formulationCases, reference, fine("uzawa", 1)) {
		star, g := of[0], of[1]
		ms, _ := ratio(star, g)
		f.number(c.Path+" time ratio", ms)
		f.check(ms < 1 && star.meanSweeps() < g.meanSweeps())
		p := prose34[c.Path]
		f.say("%s: time × %.2f (thesis × %.2f), sweeps %.0f against %.0f (%.0f against %.0f)", pathNames[c.Path], ms,
			p["uzawa-star"][0]/p["uzawa"][0], star.meanSweeps(), g.meanSweeps(), p["uzawa-star"][1], p["uzawa"][1])
	}
}

func (r *Results) hardEnd(f *Finding) {
	for _, of := range r.having(formulationCases[:1], reference, fine("uzawa", 1)) {
		star, g := of[0], of[1]
		a, b := g.Answers[len(g.Answers)-1].Sweeps, star.Answers[len(star.Answers)-1].Sweeps
		f.check(float64(a) > 2*g.meanSweeps() && a > 3*b)
		f.number("last of global", float64(a))
		f.number("last of global*", float64(b))
		f.say("last increment: global %d sweeps (mean %.0f), global* %d", a, g.meanSweeps(), b)
	}
}

func (r *Results) pseudoFails(f *Finding) {
	f.Measured = "as printed, with the minus of (2.44): "
	for c, of := range r.having(formulationCases, fine("pseudo-printed", 1)) {
		run := of[0]
		f.check(2*run.diverged() > run.total())
		f.number(c.Path+" diverged", float64(run.diverged()))
		f.number(c.Path+" sweeps", run.meanSweeps())
		f.say("%s: %d of %d diverge, %.0f sweeps", pathNames[c.Path], run.diverged(), run.total(), run.meanSweeps())
	}
}

func (r *Results) pseudoCoupling(f *Finding) {
	wrong, astray, right, total, faster := 0, 0, 0, 0, 0
	for _, of := range r.having(on36(pairs...), fine("uzawa", 1), fine("pseudo", 1), fine("pseudo-printed", 1)) {
		bi, pseudo, printed := of[0], of[1], of[2]
		f.check(pseudo.diverged() > bi.diverged())
		right += pseudo.diverged()
		wrong += printed.diverged()
		total += pseudo.total()
		for i := range printed.Answers {
			if a := &printed.Answers[i]; a.Stopped && a.Error > 10 {
				astray++
			}
		}
		if pseudo.meanSweeps() < bi.meanSweeps() {
			faster++
		}
	}
	f.number("right sign diverged", float64(right))
	f.number("printed sign diverged", float64(wrong))
	f.number("printed sign wrong", float64(astray))
	f.say("with the right sign in (2.44) the pseudo-potential diverges on %d of %d increments of three pairs, and needs fewer sweeps than Uzawa global on %d of %d paths", right, total, faster, f.Checks)
	f.say("with the printed sign it diverges on %d and stops at forces more than 10 %% off on %d", wrong, astray)
}

func (r *Results) starNear(f *Finding) {
	limits := map[string]float64{"pen": 6.7, "slide": 5}
	for c, of := range r.having(formulationCases, fine("uzawa", 1)) {
		most := f.number(c.Path+" most %", of[0].most(deviationOf))
		f.check(most < limits[c.Path])
		f.say("%s: at most %.1f %%, mean %.1f %%", pathNames[c.Path], most, of[0].deviation())
	}
}

func (r *Results) starReference(f *Finding) {
	for c, of := range r.having(on36("alu-tissue"), reference, fine("uzawa", 1), fine("uzawa-star-consistent", 1)) {
		star, g, consistent := of[0], of[1], of[2]
		f.check(star.meanError() < 0.1)
		f.number(c.Path+" error %", star.meanError())
		f.number(c.Path+" error of global %", g.meanError())
		f.number(c.Path+" error of consistent %", consistent.meanError())
		f.say("%s: global* is %.1f %% off the exact forces and penetrates %.2f mm, global %.1g %%, the consistent global* %.1g %%",
			pathNames[c.Path], star.meanError(), 1e3*star.most(func(a *Answer) float64 { return a.Penetration }), g.meanError(), consistent.meanError())
	}
}

func (r *Results) sameSliding(f *Finding) {
	cases := []bench.Case{bench16, bench36("alu-tissue", "pen", usual)}
	for c, of := range r.having(cases, reference, fine("uzawa", 1), fine("pseudo-printed", 1)) {
		same, all := agreement(of[0], of[1])
		off, seen := agreement(of[2], of[1])
		f.check(10*same >= 9*all && off < seen)
		f.number(c.Bench+" same", float64(same))
		f.number(c.Bench+" of", float64(all))
		f.say("%s contacts: the same on %d of %d increments, pseudo-potential as printed %d of %d", c.Bench[1:], same, all, off, seen)
	}
}

// agreement counts the increments on which two methods find as many sliding contacts.
func agreement(a, b *Run) (same, of int) {
	for i := range a.Answers {
		for k := range b.Answers {
			if a.Answers[i].Increment != b.Answers[k].Increment {
				continue
			}
			of++
			if a.Answers[i].Sliding == b.Answers[k].Sliding {
				same++
			}
		}
	}
	return same, of
}

// linear is the R^2 from which a curve counts as nearly a straight line.
const linear = 0.98

func (r *Results) normLinear(f *Finding) {
	if run := r.run(bench16, reference); have(run) {
		fit := f.number("R2", straightness(run))
		f.check(fit >= linear)
		f.say("R² of a straight line: %.3f", fit)
	}
}

// straightness is R^2 of a line through the norms along a path.
func straightness(run *Run) float64 {
	var mx, my, xx, xy, yy float64
	n := float64(len(run.Answers))
	for i := range run.Answers {
		mx += float64(run.Answers[i].Increment) / n
		my += run.Answers[i].Norm / n
	}
	for i := range run.Answers {
		dx, dy := float64(run.Answers[i].Increment)-mx, run.Answers[i].Norm-my
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	return xy * xy / (xx * yy)
}

func (r *Results) normFalls(f *Finding) {
	p := r.path(bench36("alu-tissue", "slide", usual))
	if p == nil || len(p.Norm) < 2 {
		return
	}
	last := len(p.Norm) - 1
	f.check(p.RhoMin[last] < p.RhoMin[0])
	f.check(p.Norm[last] < p.Norm[0])
	f.number("rho_min first", p.RhoMin[0])
	f.number("rho_min last", p.RhoMin[last])
	f.say("rho_min from %.1f to %.1f N/m, |r| from %.3f to %.3f N", p.RhoMin[0], p.RhoMin[last], p.Norm[0], p.Norm[last])
}

// nearly is how far, relatively, a value may be off that hangs on what the thesis leaves open (mesh placement, clamp,
// Poisson's ratio of rubber).
const nearly = 0.15

func (r *Results) rhoMinValues(f *Finding) {
	f.Measured = "N/m, the thesis's in brackets: "
	for _, x := range rhoMins {
		p := r.path(x.c)
		if p == nil || len(p.RhoMin) == 0 {
			continue
		}
		first, last := p.RhoMin[0], p.RhoMin[len(p.RhoMin)-1]
		if x.mean {
			first = 0
			for _, rho := range p.RhoMin {
				first += rho / float64(len(p.RhoMin))
			}
			last = first
		}
		f.check(math.Abs(first/x.first-1) <= nearly && math.Abs(last/x.last-1) <= nearly)
		name := x.c.Bench + " " + x.c.Pair + " " + pathNames[x.c.Path]
		f.number(name, first/x.first)
		if x.mean {
			f.say("%s %.3g (%.3g)", name, first, x.first)
		} else {
			f.say("%s %.3g to %.3g (%.3g to %.3g)", name, first, last, x.first, x.last)
		}
	}
}

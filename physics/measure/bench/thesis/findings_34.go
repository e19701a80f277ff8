package thesis

import (
	"fmt"
	"math"
	"strings"

	"hapco/physics/measure/bench"
)

// The two cases of section 3.4.
func formulationCases() map[string]bench.Case {
	return map[string]bench.Case{"pen": bench16, "slide": bench36("alu-tissue", "slide", usual)}
}

func (r *Results) starFaster() Finding {
	f := Finding{ID: "star-faster", Where: "3.4",
		Claim: "Uzawa global* is faster than Uzawa global (aluminium on soft tissue, 1e-8)"}
	var parts []string
	for _, path := range paths {
		c := formulationCases()[path]
		star, g := r.run(c, reference), r.run(c, fine("uzawa", 1))
		if !have(star, g) {
			continue
		}
		ms, _ := ratio(star, g)
		f.number(path+" time ratio", ms)
		f.check(ms < 1 && star.meanSweeps() < g.meanSweeps())
		p := prose34[path]
		parts = append(parts, fmt.Sprintf("%s: time × %.2f (thesis × %.2f), sweeps %.0f against %.0f (%.0f against %.0f)", pathNames[path], ms,
			p["uzawa-star"][0]/p["uzawa"][0], star.meanSweeps(), g.meanSweeps(), p["uzawa-star"][1], p["uzawa"][1]))
	}
	f.Measured = strings.Join(parts, "; ")
	return f
}

func (r *Results) hardEnd() Finding {
	f := Finding{ID: "hard-end", Where: "3.4", Claim: "At the end of the penetration Uzawa global has trouble converging (1239 sweeps, 350 on average), global* has not (233)"}
	star, g := r.run(bench16, reference), r.run(bench16, fine("uzawa", 1))
	if !have(star, g) {
		return f
	}
	a, b := g.Answers[len(g.Answers)-1].Sweeps, star.Answers[len(star.Answers)-1].Sweeps
	f.check(float64(a) > 2*g.meanSweeps() && a > 3*b)
	f.number("last of global", float64(a))
	f.number("last of global*", float64(b))
	f.Measured = fmt.Sprintf("last increment: global %d sweeps (mean %.0f), global* %d", a, g.meanSweeps(), b)
	return f
}

func (r *Results) pseudoFails() Finding {
	f := Finding{ID: "pseudo-fails", Where: "3.4",
		Claim: "The pseudo-potential does not converge: 10 000 sweeps at every increment pressing, 7264 on average sliding"}
	var parts []string
	for _, path := range paths {
		run := r.run(formulationCases()[path], fine("pseudo-printed", 1))
		if !have(run) {
			continue
		}
		f.check(2*run.diverged() > run.total())
		f.number(path+" diverged", float64(run.diverged()))
		f.number(path+" sweeps", run.meanSweeps())
		parts = append(parts, fmt.Sprintf("%s: %d of %d diverge, %.0f sweeps", pathNames[path], run.diverged(), run.total(), run.meanSweeps()))
	}
	f.Measured = "as printed, with the minus of (2.44): " + strings.Join(parts, "; ")
	return f
}

func (r *Results) pseudoCoupling() Finding {
	f := Finding{ID: "pseudo-coupling", Where: "3.4, 3.10",
		Claim: "The bi-potential is more robust, since the pseudo-potential misses the coupling of normal and tangential force"}
	wrong, astray, right, of, faster := 0, 0, 0, 0, 0
	for _, pair := range pairs {
		for _, path := range paths {
			c := bench36(pair, path, usual)
			bi, pseudo, printed := r.run(c, fine("uzawa", 1)), r.run(c, fine("pseudo", 1)), r.run(c, fine("pseudo-printed", 1))
			if !have(bi, pseudo, printed) {
				continue
			}
			f.check(pseudo.diverged() > bi.diverged())
			right += pseudo.diverged()
			wrong += printed.diverged()
			of += pseudo.total()
			for i := range printed.Answers {
				if a := &printed.Answers[i]; a.Stopped && a.Error > 10 {
					astray++
				}
			}
			if pseudo.meanSweeps() < bi.meanSweeps() {
				faster++
			}
		}
	}
	f.number("right sign diverged", float64(right))
	f.number("printed sign diverged", float64(wrong))
	f.number("printed sign wrong", float64(astray))
	f.Measured = fmt.Sprintf("with the right sign in (2.44) the pseudo-potential diverges on %d of %d increments of three pairs, and needs fewer sweeps than Uzawa global on %d of %d paths; with the printed sign it diverges on %d and stops at forces more than 10 %% off on %d", right, of, faster, f.Checks, wrong, astray)
	return f
}

func (r *Results) starNear() Finding {
	f := Finding{ID: "star-near-global", Where: "3.4",
		Claim: "Uzawa global deviates from global* by less than 6.7 % (16 contacts, pressing) and 5 % (36, sliding)"}
	limits := map[string]float64{"pen": 6.7, "slide": 5}
	var parts []string
	for _, path := range paths {
		g := r.run(formulationCases()[path], fine("uzawa", 1))
		if !have(g) {
			continue
		}
		most := f.number(path+" most %", g.most(deviationOf))
		f.check(most < limits[path])
		parts = append(parts, fmt.Sprintf("%s: at most %.1f %%, mean %.1f %%", pathNames[path], most, g.deviation()))
	}
	f.Measured = strings.Join(parts, "; ")
	return f
}

func (r *Results) starReference() Finding {
	f := Finding{ID: "star-reference", Where: "3.4",
		Claim: "Uzawa global* at 1e-8 is a precise reference solution"}
	var parts []string
	for _, path := range paths {
		c := bench36("alu-tissue", path, usual)
		star, g, consistent := r.run(c, reference), r.run(c, fine("uzawa", 1)), r.run(c, fine("uzawa-star-consistent", 1))
		if !have(star, g, consistent) {
			continue
		}
		f.check(star.meanError() < 0.1)
		f.number(path+" error %", star.meanError())
		f.number(path+" error of global %", g.meanError())
		f.number(path+" error of consistent %", consistent.meanError())
		parts = append(parts, fmt.Sprintf("%s: global* is %.1f %% off the exact forces and penetrates %.2f mm, global %.1g %%, the consistent global* %.1g %%",
			pathNames[path], star.meanError(), 1e3*star.most(func(a *Answer) float64 { return a.Penetration }), g.meanError(), consistent.meanError()))
	}
	f.Measured = strings.Join(parts, "; ")
	return f
}

func (r *Results) sameSliding() Finding {
	f := Finding{ID: "same-sliding", Where: "3.4, 3.5",
		Claim: "Global and global* find the same number of sliding contacts pressing, the pseudo-potential does not"}
	var parts []string
	for _, c := range []bench.Case{bench16, bench36("alu-tissue", "pen", usual)} {
		star, g, printed := r.run(c, reference), r.run(c, fine("uzawa", 1)), r.run(c, fine("pseudo-printed", 1))
		if !have(star, g, printed) {
			continue
		}
		same, of := agreement(star, g)
		off, seen := agreement(printed, g)
		f.check(10*same >= 9*of && off < seen)
		f.number(c.Bench+" same", float64(same))
		f.number(c.Bench+" of", float64(of))
		parts = append(parts, fmt.Sprintf("%s contacts: the same on %d of %d increments, pseudo-potential as printed %d of %d", c.Bench[1:], same, of, off, seen))
	}
	f.Measured = strings.Join(parts, "; ")
	return f
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

func (r *Results) normLinear() Finding {
	f := Finding{ID: "norm-linear", Where: "3.4", Claim: "The norm of the forces grows almost linearly with the depth"}
	if run := r.run(bench16, reference); have(run) {
		fit := f.number("R2", straightness(run))
		f.check(fit >= linear)
		f.Measured = fmt.Sprintf("R² of a straight line: %.3f", fit)
	}
	return f
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

func (r *Results) normFalls() Finding {
	f := Finding{ID: "norm-falls", Where: "3.4", Claim: "Sliding from the held end to the free one, rho_min falls from 25 to 11 (N/m) and the forces with it"}
	p := r.path(bench36("alu-tissue", "slide", usual))
	if p == nil || len(p.Norm) < 2 {
		return f
	}
	last := len(p.Norm) - 1
	f.check(p.RhoMin[last] < p.RhoMin[0])
	f.check(p.Norm[last] < p.Norm[0])
	f.number("rho_min first", p.RhoMin[0])
	f.number("rho_min last", p.RhoMin[last])
	f.Measured = fmt.Sprintf("rho_min from %.1f to %.1f N/m, |r| from %.3f to %.3f N", p.RhoMin[0], p.RhoMin[last], p.Norm[0], p.Norm[last])
	return f
}

// nearly is how far, relatively, a value may be off that hangs on what the thesis leaves open (mesh placement, clamp,
// Poisson's ratio of rubber).
const nearly = 0.15

func (r *Results) rhoMinValues() Finding {
	f := Finding{ID: "rho-min-values", Where: "3.4 to 3.7", Claim: "Values of rho_min (its \"N/cm\" read as MN/m)"}
	var parts []string
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
		name := fmt.Sprintf("%s %s %s", x.c.Bench, x.c.Pair, pathNames[x.c.Path])
		f.number(name, first/x.first)
		if x.mean {
			parts = append(parts, fmt.Sprintf("%s %.3g (%.3g)", name, first, x.first))
		} else {
			parts = append(parts, fmt.Sprintf("%s %.3g to %.3g (%.3g to %.3g)", name, first, last, x.first, x.last))
		}
	}
	f.Measured = "N/m, the thesis's in brackets: " + strings.Join(parts, "; ")
	return f
}

package tissue

import "hapco/physics/numerics/contact"

// posed is the contact problem of a step. It is made, solved, and then read by all: what is shown, felt, dumped and
// recorded is what the solver was given. Reading one that was changed since it was solved is a bug.
type posed struct {
	problem contact.Problem
	softer  float64 // W is so many times what the bodies are: 1 unless the tool sinks in
	changed bool    // since it was solved
}

// change is for who makes the problem.
func (p *posed) change() *contact.Problem {
	p.changed = true
	return &p.problem
}

// read is for all others. It may be given away, but is not changed.
func (p *posed) read() *contact.Problem {
	if p.changed {
		panic("tissue: the contact problem was changed after it was solved")
	}
	return &p.problem
}

// none makes it that of no contacts, which is solved.
func (p *posed) none() {
	p.problem.Resize(0)
	p.softer, p.changed = 1, false
}

package bench

// Reassemble states the present increment's problem anew, from the contacts already detected: what Next does after the
// detection. It is for timing; call it before Accept.
func (r *Run) Reassemble() { r.assemble(vec(r.D)) }

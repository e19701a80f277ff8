package tissue

import (
	"time"

	"hapco/physics"
	"hapco/physics/numerics/contact"
)

// Curve is how a contact solve went, iteration by iteration.
type Curve struct {
	Values  []float64         // after each iteration; empty where none were recorded
	Measure contact.Criterion // what they measure; lengths for Physical, counts for SameStatus
	Goal    float64           // at which the solver is content; 0: none
}

// Timing is the time that each part of a step took.
type Timing struct {
	Collision, Free, Assemble, Contact, Displacement, Total time.Duration
}

func (t *Timing) add(o *Timing) {
	t.Collision += o.Collision
	t.Free += o.Free
	t.Assemble += o.Assemble
	t.Contact += o.Contact
	t.Displacement += o.Displacement
	t.Total += o.Total
}

// Stats sum up a step.
type Stats struct {
	Open, Stick, Slip int
	Late              bool           // the deadline, or a facet about to turn over, ended the step: its forces are in their cones, but may not be those of equilibrium yet
	Released          uint64         // how often contacts that pulled the tool were dropped, since the start
	Compression       float64        // of the surface: the most by which a triangle was shortened before this step, -
	Limited           int            // strains of soft surfaces that are held at contact.strain_limit
	Solved            int            // contacts that the problem was solved for; the others were seen to stay open
	Rounds            int            // solves, until no other contact had to join
	Solve             contact.Result // of the last contact solve
	Penetration       float64        // how far the points of a contact are past each other at most, m: -x_n and what the tool has sunk in
	Energy            float64        // that the contact forces have put into all bodies, J; that of their weight is not in it
	Reduction         float64        // the same over those left out of the problem by contact reduction, m; 0 where there were none
	Timing            Timing

	// HandLeftOut is how many contacts of the stylus the model that the hand feels
	// has no room for, HandLumped those of them that are loaded: see World.Model.
	HandLeftOut, HandLumped int
}

// Snapshot is a frame of a tissue world before its numbers, jobs and curves are made of what comes with it: see Show. It
// owns its slices; they are reused when the snapshot is.
type Snapshot struct {
	physics.Frame
	Stats    Stats
	Inverted int     // elements that linear elasticity has turned over inside the bodies, some tenths of a second ago
	Beyond   int     // elements that were strained beyond fem.LinearLimit then
	Strain   float64 // largest principal strain then, -
	Curve    Curve   // of the last contact solve; empty unless Params.Curve
	Shadow   Shadow  // what a second solver made of the same problems
	// Preparing are the bodies whose compliance is being computed, or could not
	// be; those that have none yet are first.
	Preparing []Preparation
}

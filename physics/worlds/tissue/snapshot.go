package tissue

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// BodyInfo is what does not change about a body while the simulation runs.
type BodyInfo struct {
	Name      string
	Material  string     // preset's name, or "custom"
	Driven    bool       // moves with the stylus
	Rigid     bool       // has no elastic displacements
	Nodes     int        // of the volume mesh
	Elements  int        // of the volume mesh
	Triangles [][3]int32 // surface, indices into BodyState.Positions, outward
	Fixed     []bool     // surface nodes with Dirichlet conditions
	About     string     // what of its preset does not act, and how far it is too stiff in bending; "": nothing
	Color     mgl64.Vec3 // sRGB, 0..1
}

// BodyState is a body's shape at the end of a step.
type BodyState struct {
	Positions []mgl64.Vec3 // deformed surface nodes in the world, m
	Scalar    []float64    // Snapshot.Field at the surface nodes; empty where there is none
}

// ContactState is one contact at the end of a step. Signs: docs/architecture.md, conventions.
type ContactState struct {
	physics.Contact
	Triangle int32 // obstacle surface triangle; -2 where two edges meet, or the obstacle touches by a closed form
}

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

// Snapshot is what one physics step hands to the other loops. It owns its
// slices; they are reused when the snapshot is.
type Snapshot struct {
	Step     uint64
	Bodies   []BodyState
	Stylus   frame.Pose // of the driven body in this step
	Contacts []ContactState
	Force    mgl64.Vec3 // resultant of the contact forces on the driven body, world, N
	Torque   mgl64.Vec3 // about the stylus origin, N m
	Stats    Stats
	Field    int     // that BodyState.Scalar holds, see shownFields; 0: none
	Inverted int     // elements that linear elasticity has turned over inside the bodies, some tenths of a second ago
	Beyond   int     // elements that were strained beyond fem.LinearLimit then
	Strain   float64 // largest principal strain then, -
	Curve    Curve   // of the last contact solve; empty unless Params.Curve
	Shadow   Shadow  // what a second solver made of the same problems
	Message  string  // e.g. a recomputation under way; "" when there is nothing to say
	Progress float64 // of that recomputation, 0..1; 1 when done
	// Preparing are the bodies whose compliance is being computed, or could not
	// be; those that have none yet are first.
	Preparing []Preparation

	shapes uint64 // which of the shapes that Live had worked out Positions are
}

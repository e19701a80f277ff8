package finitestrain

// Of a tool that hangs on the hand. A reach is Options.Reach, 0.03 of the bodies' extent. Shares of settled steps are those
// of TestHungSettles; where it says locked, every correction of some gesture of the hostile tests was refused for good.
const (
	// The layer in which contacts live. Its thickness decides what is seen, not what converges: 97 to 98 % of the steps
	// settle from 0.03 to 0.3 reaches. Below, it is thinner than the chords of a mesh; above, the gap is seen.
	layerThick = 0.1
	// Its modulus over the shear modulus of the tissue under it: the layer then gives way as tissue of its own thickness
	// would, far less than the body does. From 0.3 to 3, 97 to 99 % of the steps settle.
	layerShear = 1.0
	// What is nearer at the beginning of a step is a contact, in reaches; others join once they bind. It saves rounds of
	// joining and decides no state.
	nearBy = 0.25
	// A correction goes so much of the way to what binds: some gap is left, so that the next one starts with nothing touching
	// and the layer, which pushes as 1/gap, is finite. Package touch's own bound is 0.98 of the true way.
	nearly = 0.9
	// Rounds in which what binds joins a correction, and pairs in a round, the soonest first. Without, the first crossing is
	// at 0.36 to 0.44 of a correction in the median and 4 to 16 % are below 0.1; with two rounds none is.
	mostJoins = 2
	joinMost  = 24
	// The tool goes so many reaches in a correction: frames and tangent are those at its beginning, and a frame turns by the
	// way over the tool's radius. A longer way of the hand takes several corrections.
	farthest = 2.0
	// Rounds in which the drag is found that holds it to that, a secant each, to 5 %. What is left over is cut by the bound.
	mostDrags = 4
	// det F of an element falls in a correction to no less than this share of what it is. A share, since the energy grows
	// without bound at 0 whatever the step; a fixed least det F of 0.01 locked.
	leastShare = 0.1
	// What binds among the contacts is their curvature, which falls with the square of the way: a correction that binds
	// before this is solved anew for a shorter way of the tool, so often at most.
	halfway     = 0.5
	mostShorter = 2
	// Solves of a contact problem, each with the layers' secant compliance at what the last one found; fewer where they
	// change by less than 5 %. 96, 98 and 98 % of the steps settle with 2, 3 and 5.
	secants = 3
	// Shares of a correction that are tried, each a third of the one before: the last is 1/2187 of it.
	mostShares = 8
)

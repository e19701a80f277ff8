package finitestrain

import "time"

// relaxStep is in what steps bodies relax that do not move in time, s: as often as a hand is asked. How often an element is
// looked at is package solid's.
const relaxStep = 1e-3

// Of a step. A reach is Options.Reach, 0.03 of the bodies' extent. Shares of settled steps are those
// of TestHungSettles; where it says locked, every correction of some gesture of the hostile tests was refused for good.
const (
	// The layer in which contacts live. Its thickness decides what is seen, not what converges: 97 to 98 % of the steps
	// settle from 0.03 to 0.3 reaches. Below, it is thinner than the chords of a mesh; above, the gap is seen.
	layerThick = 0.1
	// Its modulus over the shear modulus of the tissue under it: the layer then gives way as tissue of its own thickness
	// would, far less than the body does. From 0.3 to 3, 97 to 99 % of the steps settle.
	layerShear = 1.0
	// What is nearer at the beginning of a step is a contact, in reaches; others join once they bind. It saves rounds of
	// joining and decides no state: with 0.15, 0.25, 0.4 and 0.6 the p1 of new equilibria is 78 to 115, 75 to 125, 88 to 137
	// and 108 to 119 Hz, of 3375 neo-Hookean nodes; with 0.6 and 0.8 the slowest steps take 7 % less than with 0.4.
	nearBy = 0.6
	// A correction goes so much of the way to what binds: some gap is left, so that the next one starts with nothing touching
	// and the layer, which pushes as 1/gap, is finite. Package touch's own bound is 0.98 of the true way.
	nearly = 0.9
	// Solves of a correction beyond the first: what binds has joined, or the tool goes too far. Without joins the first
	// crossing is at 0.36 to 0.44 of a correction in the median and 4 to 16 % are below 0.1; with two none is. And pairs that
	// join in one, the soonest first.
	mostRounds = 8
	joinMost   = 24
	// The tool goes so many reaches in a correction: frames and tangent are those at its beginning, and a frame turns by the
	// way over the tool's radius. A longer way of the hand takes several corrections.
	farthest = 2.0
	// det F of an element falls in a correction to no less than this share of what it is. A share, since the energy grows
	// without bound at 0 whatever the step; a fixed least det F of 0.01 locked.
	leastShare = 0.1
	// What binds among the contacts is their curvature, which falls with the square of the way: where a correction binds
	// before this the tool goes no farther than to there. Without, a tool hung for hundreds of steps in 3 of 29 hostile
	// gestures.
	halfway = 0.5
	// Solves of a contact problem, each with the layers' secant compliance and the frames at what the last one found; fewer
	// where those would change the forces by no more than a quarter of what an equilibrium may miss. 96, 98 and 98 % of the steps
	// settle with 2, 3 and 5.
	secants = 3
	// Where a layer would be gone through, as long as it is and so many: what it bears doubles in each, at least.
	mostSecants = 30
	// Shares of a correction that are tried, each a third of the one before: the last is 1/2187 of it.
	mostShares = 8
	// Where to be with the hand would take more force than there is a tool that is led is drawn to it by F_max, in all but
	// the last atHand reaches. A spring that is saturated has softly reaches of way for F_max along the way to the hand in a
	// correction, in the place of none: so the contact problem has an answer where nothing holds the tool.
	atHand = 1e-3
	softly = 10
	// By so large a share of what they are to be drag and force of the tool may be off in a correction. The next one makes
	// that good; a round costs a contact problem.
	drags = 0.05
	// What may be missing to equilibrium of the forces of inertia, of the load, and of what moves a node by a reach: where
	// nothing presses, nodes are so far from where they belong.
	missed = 1e-3
	sagged = 1e-5
	still  = 1e-9
	// Passes of Newton's method over a patch, rounds of GMRES in a pass, and what the patch may miss of what the
	// nodes around it do: half of that shows as an eighth.
	passes = 2
	rounds = 12
	enough = 0.5
	// A patch is relaxed where what is missing lies in it: the nodes around miss no more than this share of all. Where they
	// do, as where a thin part bends as a whole, it would come to equilibrium with what is not where it belongs, and take the
	// contact forces there: a loop's arm did not come to rest in 600 corrections.
	within = 0.5
	// What a relaxation will see to need not be better at once: a correction may leave so many times as much, in a patch.
	// Without, 141 states a second are new with 3375 neo-Hookean nodes, 170 with it.
	rises = 10
	// A correction and its relaxation pay where they leave no more than this share of what the ones before did.
	pays = 0.7
	// Where one alone leaves more than the one before, half as much of the next is taken, down to this share, and so many times
	// as much where it leaves less: contacts that come and go may lead corrections round in a circle, and means of what they
	// lead to do not. A loop's arm went round in three.
	leastAverage = 1. / 16
	again        = 1.2
	// What a contact problem may miss of what is asked of a step. The most is for steps that are shown to a hand.
	finerLaw, coarsestLaw = 0.01, 1e-5
	// Where an element has come to this det F under the weight of its body, or a node has come so many reaches, three times
	// the extent, that is too much for it.
	flattened = 0.01
	drawnOut  = 100
	// The mean pressure that a tool puts on tissue at most, in shear moduli of the softest body over the tool's largest
	// shadow: about two and a half times E. Presses through 60 % of an organ come to 6 to 10 where nothing limits them, a
	// tool that is swept into nodes that are held to thousands.
	bears = 7
)

// leastBudget is what a contact problem may take in a step with a deadline, however short that
// is: enough for some sweeps of the largest.
const leastBudget = 10 * time.Millisecond

package floe

import "time"

// The constants that can be tuned, all in one place; those of the report are said to be. "Range" says between which
// limits the reasons hold. Numbers that guard sums against rounding alone stand where they are used.

// Contact.
const (
	// touches is the collision distance xi where none is given, as a share of the median radius. Floes stop at half of
	// it, so that gaps are neither seen nor rounding. Range 1e-7 to 1e-2.
	touches = 1e-4
	// stopsAt is where floes that come from farther than xi are stopped, of xi: in the middle between touching and
	// not. Range above 0 to below 1. Closer ones, which had their contacts solved, are stopped at 1/stopsNear of xi, or
	// at stopsAt of their distance.
	stopsAt   = 1.0 / 2
	stopsNear = 20
	// met is how near to the distance at which they meet two floes count as having met, as a multiple of it: the rest
	// would take as many steps of the time of impact again. Range above 1 to 1/stopsAt.
	met = 1.05
	// mostAdvances bounds the steps of a time of impact. Where it does not do, the time that is sure is taken, and the
	// step ends there: more steps, and the same motion.
	mostAdvances = 100
	// along, alongRound: how near a line of centres is to the normal of an edge beside it that is taken for it, rad, and
	// what places add to that by rounding. A floe that is 1e-9 rad off turns by nothing.
	along      = 1e-9
	alongRound = 1e-14
	// sameNormal, samePoint: contacts whose normals' cosine is 1 less so much, and that lie so near to each other, in xi,
	// are one.
	sameNormal = 1e-12
	samePoint  = 0.1
	// armRound is what of a lever is rounding of the places it is made from, as a share of them: 5 roundings.
	armRound = 1e-15
	// resting is the approach that comes to rest instead of bouncing, in what the acceleration gives in a step: what
	// falls on from one step to the next arrives with two of them. Range 2 to 10.
	resting = 3
)

// Contact problems.
const (
	// pivotsOfEvents, pivotsOfWindows: the largest number of contacts in a cluster of touching floes that is solved by
	// pivots, whose cost is about its cube: from event to event, and in windows, which serve a hand that does not wait.
	// Larger ones are swept. Range 0 to any: the laws hold for sweeps alone.
	pivotsOfEvents  = 48
	pivotsOfWindows = 12
	// tight is the approach that a problem solved by pivots may leave, as a share of the fastest, and the energy that it
	// may give: rounding of 48 pivots.
	tight = 1e-9
	// roundoff is the approach that counts as none, as a share of the speeds there.
	roundoff = 1e-12
	// Sweeps end where no contact's velocities change by more than sweepTolerance of the fastest; after sweepEnough of
	// them, where no floes approach at more than loose of it, which the next step takes up; and after sweepLimit. They
	// look every sweepLook of them. Clusters of n contacts get sweepsOfSmall/n more: that costs no more than one of
	// sweepsOfSmall contacts and one sweep.
	sweepTolerance = 1e-11
	sweepEnough    = 20
	sweepLook      = 10
	sweepLimit     = 300
	sweepsOfSmall  = 20000
	loose          = 1e-3
	// relaxed is what of a change sweeps take once they have not come to an end: sliding contacts may make each other
	// slip to and fro. Range 0.5 to 0.95.
	relaxed = 0.8
	// singular is the determinant of a contact's two directions, of their product, below which they are one.
	singular = 1e-14
	// coneTolerance is that of package contact's solvers, and coneHolds the approach, of the fastest, that they may leave;
	// with more the cluster is swept.
	coneTolerance = 1e-12
	coneHolds     = 1e-7
	// fair is the approach, as a share of the fastest, that sweeps may leave to the next step where an obstacle moves:
	// more, and it crushes floes, which has no solution. All else has one, and what is left of it, however much, is left
	// to the next step. No floes overlap meanwhile: the step ends before. Range 0.1 to 0.9.
	fair = 0.5
	// leastShare is the share of impulses that give energy below which none is spent: a bisection of 20 halves.
	leastShare = 1e-6
)

// Time steps.
const (
	// accurate is the longest step over the time in which drag or Coriolis change a velocity, where none is given: an
	// error of accurate^2/2 a step.
	accurate = 0.05
	// threeQuarters is the report's share of (3.6) and (3.7).
	threeQuarters = 0.75
	// resolved is how much the phase of a swinging wind or current changes within a step at most, rad: then its
	// extremes are those at the ends of the step, to resolved^2/8. Range to 1.
	resolved = 0.1
	// windowEvents is how often floes may meet within a window. What is left then is gone with the next: it runs slower,
	// and nothing overlaps. Range 1 to any.
	windowEvents = 4
	// ownStep is how long the tool is pulled one way from event to event, s at sea, as a display shows.
	ownStep = 1. / 120
	// mostSteps is how many events there may be in that time; where it ends the rest is left to the next step.
	mostSteps = 400
)

// Lists and jobs: a matter of work alone, not of what is found.
const (
	// listMargin is how far around a floe neighbours are listed, in median radii, and listWindows in what it goes in a
	// window, where that is more: they are listed anew when it has gone half of it, every third window at most.
	listMargin  = 0.2
	listWindows = 6
	largeCells  = 64  // a box in more cells than that is held against all others, as cheap as in so many lists
	pairChunk   = 32  // pairs of a job: longer than another goroutine takes to wake
	bodyChunk   = 64  // floes of a job
	fewFloes    = 200 // that one goroutine moves under the hand as fast as two
)

// Breaking.
const (
	// suspect is the nominal stress from which on a floe is looked at closely, as a share of its strength: that of a
	// bar and of a floe differ by less than a factor of two.
	suspect = 1.0 / 2
	// perStep is how many floes a step looks at closely: the most loaded ones. The others come in the next steps; range
	// 1 to any.
	perStep = 4
	// grown, forgets: a floe that held is looked at after the others until its load is larger by a factor grown; what
	// it held counts for less with each step.
	grown   = 1.3
	forgets = 0.98
	// fromLoad is how far from a load the stress is looked at, in radii, where nothing is said: nearer, it is that of a
	// point load, which no mesh resolves. Some two triangles of a sheet. Range 0.05 to 0.3.
	fromLoad = 0.15
	// mostSheets is how many floes keep their mesh and its factors, some 200 kB each, for the next load. Beyond, all are
	// made anew.
	mostSheets = 256
	// maxTriangles bounds the memory of a mesh and its factors.
	maxTriangles = 200000
	// next to a node is what is closer than this share of the length of an edge: a triangle of such a side has an angle of
	// 1e-3 rad.
	next = 1e-3
	// manyVertices is from where on ears takes the next ear instead of the best, which costs the cube of their number.
	manyVertices = 40
)

// Places on outlines.
const (
	onEdge    = 1e-6 // radii from an outline that count as on it: what is left of a point written with seven digits
	offCentre = 1e-6 // radii by which an outline's centroid may be off its origin
)

// The hand.
const (
	// smoothing is how long the hand's speed is smoothed over, s: what it does in less is tremor, of 8 Hz and more.
	smoothing = 0.05
	// A ship is steered where it moves faster than steers of the tool's speed; it goes astern where the way is more than
	// backwards, rad, off its course, and else comes round in 1/comesRound of its length.
	steers     = 0.02
	backwards  = 2.0
	comesRound = 1.5
	// lies is the height at which a lifted tool lies on floes, of that from which on it is off the water: between the
	// two it stays as it was, so that it does not flutter.
	lies = 0.75
	// together is how near the tool is to where it would be without ice when it counts as there, as a share of its
	// size, and in rad.
	together = 1e-4
)

// What is given.
const (
	iceDensity  = 917       // of ice where nothing else is said, kg/m^3
	earthRadius = 6371007.2 // of a sphere with the Earth's area, m
)

// What is seen.
const (
	drawEvery  = 25 * time.Millisecond // from frame to frame: one of a thousand floes is much to copy
	mostArrows = 60                    // impulses that are shown: the largest
)

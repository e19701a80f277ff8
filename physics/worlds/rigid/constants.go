package rigid

// The constants that can be tuned, all in one place. Shares of a size are of the smaller body's, the farthest point
// from its centre. "Range" is where the package's tests hold.

// What counts as touching.
const (
	// slopShare is how deep bodies are in each other, or how far apart, as a share of the size, that still counts as
	// touching: to close gaps of rounding would keep a stack in motion. 10 um of a brick, far below what is seen or
	// felt. Range 1e-5 to 1e-3: with less a wall trembles.
	slopShare = 1e-4
	// stillShare is how far a surface may move before its contacts are looked for again, as a share of the smallest
	// body's size. A ten-thousandth of the slop: what is left out is rounding.
	stillShare = slopShare / 10000
	// tie is by how much one touch has to beat another that comes before it, as a share of the size: a tenth of the
	// slop, so that rounding changes no choice and no contact is worse by more.
	tie = slopShare / 10
)

// Where contacts are looked for: so far around a body of speed u at its farthest point, in a step h under g, as
// reachSpeed u h + reachFall g h^2 + reachShare size. Both bodies have that. The kick may make bodies faster: then
// contacts are looked for again (overlooked), so that these are a matter of work alone, not of what is found.
const (
	reachSpeed = 1.5  // above 1: most kicks of bodies that move change speeds by less than half
	reachFall  = 2    // a step's fall from rest, g h^2, twice
	reachShare = 1e-3 // ten slops: what rests keeps its contacts
)

// How far bodies may move in a step.
const (
	// swift is how far bodies move against each other in a step, as a share of the size, from which on their touches
	// are those of the time at which they will meet. Below, the surfaces that face each other now are those that meet,
	// to second order: 0.05^2/2 is 1e-3 of the size. Range 0.01 to 0.1.
	swift = 0.05
	// turnShare is how much deeper into each other a kick may let bodies turn, as a share of the size: of a depth,
	// pushed is made good in a step, so that it ends at turnShare/pushed, 1 % of the size. Range 1e-3 to 5e-3: work
	// grows as its root falls, and depths are felt above.
	turnShare = 2e-3
	// mostHalvings bounds the parts of a step, and with them its work: 64. A rod of 0.2 m that is struck at 150 m/s
	// turns by 3 rad in 1 ms, and by 0.05 in such a part. Range 5 to 8.
	mostHalvings = 6
	// stride is the longest way on which a swift mesh is not looked at, beyond what surely is free, as a share of the
	// size. Range 1e-3 to half the thinnest wall.
	stride = 0.01
	// within is how deep a form may be behind a triangle, as a share of the size, for that to be the place where it
	// came in; deeper ones are looked at more closely: ten slops.
	within = 10 * slopShare
)

// Edges and vertices.
const (
	flat     = 1e-3 // rad: an edge whose faces turn less is none; what rests on them is off by flat^2/8 of its size
	nearly   = 0.01 // rad, by which a direction may leave an edge beside its faces: where two faces lie on each other, the edges that bound them cross at right angles to these. The turn of a step is added
	parallel = 0.01 // rad: of edges that run along each other so closely corners tell more
	// fewTouches is how many touches of a mesh are kept: a body needs three to stand, and what is redundant makes
	// solves long. Range 8 to 64.
	fewTouches = 24
	// steep is how much farther away a touch has to be from those that are kept for each m that it hangs higher: from
	// 1/100 rad on a place does not bear. Range 10 to 1000.
	steep = 100
)

// Bodies that are in each other are moved apart without velocity.
const (
	pushed       = 0.2  // of the depth in a step; range 0.1 to 0.5: with more what jams swings
	pushedMost   = 0.01 // of the size in a step: what starts in each other does not leap
	pushedTo     = 1e-3 // change of the last sweep over these displacements, relative: of pushed it is nothing
	pushedSweeps = 20   // and sweeps, at most; the next step goes on
)

// Sweeps.
const (
	// shared is from how many contacts and joints beside the largest island's on islands are shared with the team:
	// fewer are solved before another goroutine has woken, some 20 us.
	shared = 100
	// fewSweeps is how many sweeps a small problem without joints gets before "auto" of package contact solves it with
	// W formed, which costs as much for 24 contacts.
	fewSweeps = 40
	// firstSweeps is how many times more sweeps the first step gets: no impulse is known yet, and bodies at rest creep
	// until it is found what holds them. A wall of 200 bricks needs 1700; with 100 in each step it creeps 36 um in a
	// second, with these in the first 0.1 um.
	firstSweeps = 20
	// longest is the largest age of an impulse, in steps, that is taken account of: errors of the tolerance add up over
	// so many. Range 4 to 64.
	longest = 16
)

// Blows.
const (
	noise      = 1e-6 // share of what a step's forces, or its fastest blow, change a velocity by that is none: solves leave 1e-8, and sums of them more
	exactly    = 1e-9 // of the energy that impulses turn over, that may be given as rounding
	mostRounds = 64   // of blows that follow from each other: a row of n balls takes n - 1, a blow between heavy bodies any number, of which the rest is stopped
	spareLists = 8    // times that pairs that give energy are looked for: others may once the first no longer do
	spareTries = 60   // of a share of restitution: a bisection to rounding takes 53
)

// Joints.
const (
	// jointClosing is the most by which a joint that was torn open closes in a step, rad, or as a share of its size:
	// what jams it must not be flung off. 2 m/s of an arm of 1 m, at 1 kHz.
	jointClosing  = 2e-3
	jointRounds   = 3     // of corrections for the curvature of the way: each gains an order, h^2 each
	jointRounding = 1e-13 // of the size, or rad, of an opening: some hundred roundings of its places
)

// The hand, which is not scaled: its numbers are those of a person's hand and device.
const (
	gripHz   = 8.0 // at which a body would swing on the clutch's spring: the most that a hand follows
	gripDamp = 0.7 // of critical: it settles without a swing
	// toolSpeed is the most that the tool moves, m/s: a jump of the stylus becomes a quick motion, not a blow of any
	// strength. A hand's strike has 1 to 3 m/s.
	toolSpeed = 2.0
	handArm   = 0.05 // m, at which a turn of the tool counts as speed, at least: from the grip to the fingertips
	// toolMass is how heavy the tool is to what it touches, kg: its velocity starts each step anew from the stylus, and
	// contacts change it as that of a body of this mass, a pen's. So a body between the tool and the floor is not crushed:
	// the force is at most toolMass toolSpeed/h, 100 N at 1 kHz, and grows as a spring of toolMass/h^2, 50 kN/m, does.
	toolMass  = 0.05
	toolLeast = 0.01 // m, over which that mass is spread, at least: the tip of a pen
)

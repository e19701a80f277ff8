package grain

import "time"

// The constants that can be tuned, all in one place; those of the model itself stand with it, in law.go. Lengths are in
// sigma, the size of a grain, unless a unit is named. "Range" says between which limits the reasons hold.

// Time steps. The pair force is steepest at sigma: there omega^2 = 2 24 19 eps/(m sigma^2).
const (
	// follows is the stable step of a pair, in sigma sqrt(m/eps): omega dt = 0.30, a twentieth of the shortest
	// swing. A pair then keeps its energy within 1.5e-4. Range: below 0.066, where contacts fling grains apart.
	follows = 0.01
	// harder is by how much a hard core divides steps: it then goes down to 0.70 sigma at the stable step, where a pair
	// needs 3200 eps to pass through itself, and to 0.92 sigma, 100 eps, at the longest. Range 1 to 64.
	harder = 4
	// slows is the share of its speed that the drag takes from a grain in a stable step. Below 1, the drag does not
	// turn it round.
	slows = 0.5
	// leastStep is the shortest time step, s: a second of a million steps and more is nothing that anybody waits for.
	leastStep = 1e-6
)

// What the tool does.
const (
	// stride is how far the tool goes in an own step, at most: no grain then comes from outside of its core to the
	// other side, since what is left of the way there is more than a grain goes in a stable step. Range 1/16 to 1/2.
	stride = 1.0 / 4
	// touching is how far skins may be in each other: what is left of a motion that was found by planes. A
	// thousandth of what surfaceAt is, and far above rounding, 1e-16 of places a thousand sigma away. Range 1e-9 to 1e-4.
	touching = 1e-6
	// missed is how much nearer to an obstacle a point of the tool may be than the one that is found. Forms are
	// drawn less true: a ball or bowl of 10 sigma by the 1/32 that its facets are inside of it. Range 1/128 to 1/8; work
	// grows as 1/missed where surfaces follow each other.
	missed = 1.0 / 32
	// clings is how far from an obstacle a place of the tool still counts as one that holds it: a stride, the
	// farthest that it may have gone since.
	clings = stride
	// onePlace is how near to each other places of the tool hold as one: their lever differs by half a grain.
	onePlace = 1.0 / 2
	// holdPlaces is how many places hold the tool at once, at most; six hold any rigid body, and along curved
	// obstacles each is found two or three times. Range 6 to 64.
	holdPlaces = 16
	// takes is how often a plane takes hold of a motion, at most: more is rounding that goes in circles. In exact
	// numbers each set of planes holds once.
	takes = 4
	// dependent is the sine of an angle between a plane and others, below which these hold what it holds: half of the
	// digits. Range 1e-12 to 1e-6.
	dependent = 1e-8
	// halvings is how often a way that no planes open is halved: what is left is 1/64 of a stride, less than missed.
	halvings = 6
	// roundedUp is a share of an own step, or of a way, that is no share any more, but rounding of times up to a
	// million steps.
	roundedUp = 1e-9
)

// What the hand feels.
const (
	// settle is how long the hand's force takes to follow the measured one, s. Grains hit the tool one by one: the mean
	// over a step is no force that a hand could hold. It lets through what is below 1/(2 pi settle) = 40 Hz, four times
	// as fast as a hand moves. Range 1e-3 to 1e-2.
	settle = 4e-3
	// faint is the share of the largest force below which a force that is gone is none: a hand tells a tenth.
	faint = 1e-3
)

// Grains and obstacles.
const (
	// surfaceAt is how near to a surface a solid obstacle lets a grain come: far enough that there is a direction
	// from it after rounding, and no matter in the core, whose force does not change there. Range 1e-6 to 0.1.
	surfaceAt = 1e-3
	// justBehind is how far behind the surface of a filled body the closest point is for a grain inside, as a share
	// of the body's size and of how far it is from the origin: within every core, and 1e7 roundings long, so that it
	// has a direction.
	justBehind = 1e-9
	// unitOff is by how much a unit vector may be none: what is left of one that is written with seven digits.
	unitOff = 1e-6
	// farthest is where grains vanish that nothing else keeps: places are exact to 1e-9 there, which is what forces
	// change by that are felt as none.
	farthest = 1e7
	// far is a scene's box to keep where the file names none, m: nobody looks there.
	far = 1e3
)

// Grains that come. Each time they do, all are listed anew, which costs as much as some five own steps.
const (
	comeEvery = 40 // own steps from one time to the next, at least: an eighth more work. Range 1 to 1000
	comeLate  = 4  // times what comes at once that is owed where there was no room; what is more is not made
)

// Lists and tasks: a matter of work alone, not of what is found.
const (
	// skin is how much farther than the cut-off neighbours are listed. More lists more pairs to sift, (1 + skin/2)^3
	// times as many as act, less lists them more often. Range 0.1 to 1.
	skin = 0.35
	// soonSkin is how much farther than the cut-off a neighbour is that may act before all that are listed are sifted
	// again, at the price of a sixth of a step. Range 0.05 to 0.2: the shells of a packing lie at 1.94 and 2.24.
	soonSkin = 0.1
	// toolSlack is how far the tool goes until who is near it is listed anew: four strides.
	toolSlack = 4 * stride
	few       = 16   // grains that are first looked at as one, for obstacles: about what a cell holds
	share     = 4096 // grains of a job of sorting: 100 us
	parallel  = 16   // about how many tasks of one colour are there at a time: enough for 16 threads
	// apiece is how many grains there are for each goroutine after the first. A task costs 1.3 us more, as much as 35
	// grains, where another goroutine has had its grains and those around them in its cache: with g grains in a task two
	// are 2 g/(g + 35) times as fast as one, as measured from 2048 grains, g = 57, to 32 000, g = 163. Range 1000 to 8000.
	apiece    = 2048
	fewGrains = 16384 // that one goroutine moves under the hand as fast as two, which wait for each other at every step
	// Lists of neighbours are padded to a multiple of four with the index of a fence: a grain that does not exist,
	// too far away to act on any. Tasks have different ones, fenceApart of 32 bytes from each other: two lines of the
	// cache, which processors fetch together. In one line, two threads took a fifth longer.
	fences     = 64 * fenceApart
	fenceApart = 4
	fencePlace = 1.2345e15 // beyond all that has a place in so many digits; squares of it are finite
	// MaxGrains is the largest number of grains: their lists of neighbours hold four times an index in 32 bits.
	MaxGrains = 1 << 26
	// bytesPerGrain is about what a grain takes: state, its copy while grains are sorted, and neighbours where they
	// are packed, 80 of 4 bytes.
	bytesPerGrain = 600
)

// rounding is what sums of energies are exact to, as a share of their size: thousands of parts, of either sign.
const rounding = 1e-11

// What is seen.
const (
	drawEvery = 10 * time.Millisecond // from frame to frame, as a display shows: one of many grains is much to copy
	closeBy   = 1.3                   // between the first and the second shell of neighbours, 1.12 and 1.59
	oftenFor  = 1000                  // grains that are looked at for every frame: 0.1 ms
)

package collision

import "math"

// The constants that can be tuned, all in one place. Those of one file's exact arithmetic stand there. Shares of a size
// are of the smaller body's, the farthest point from its centre. "Range" says between which limits the reasons hold.

// What rounding may do. Each is far above what it does, some 1e-16 of the largest number, and far below what is seen.
const (
	// tieShare says how much farther a triangle may be and still count as equally close, in squared length, as a share of
	// the surface's diagonal squared, as it was built; the lowest triangle id then wins. On a grid where points lie
	// exactly over edges this makes the choice independent of rounding. It is 1e-12 mm^2 for a surface of 100 mm.
	tieShare = 1e-16
	// rounded makes a tight box not count as farther than what it holds, where both are known to rounding only.
	rounded = 1 - 1e-12
	// thin is the squared sine of the angle at a below which det has lost too many digits to projections: 1e-16/thin of
	// the triangle's length.
	thin = 1e-6
	// parallel is the squared sine below which two lines count as parallel: their closest points are then exact to
	// 1e-16/parallel, 1 % of their lengths, and the distance is the same to 1e-7 of them wherever it is taken.
	parallel = 1e-14
	// unsure is the distance that rounding may take for another, over the largest coordinate.
	unsure = 1e-14
	// sure is how many times that a distance is whose direction is good to a thousandth.
	sure = 1e3
	// nowhere is the distance from a core below which its square vanishes, in any unit of length: there is no direction.
	nowhere = 1e-140
	// atSurface is how near to a surface a point is on it, in cells of the grid, and how near a direction to it lies in it,
	// as a sine: there the sign is that of the winding number.
	atSurface = 1e-9
)

// Surfaces and boxes: a matter of work alone, not of what is found.
const (
	// leafSize balances box tests against triangle tests.
	leafSize = 2
	// maxDepth bounds the traversal stack; median splits halve the count at each level, so 64 levels are out of reach.
	maxDepth = 64
	// mostBoxes is the number of boxes up to which Around knows whole boxes: 8 MiB of bits.
	mostBoxes = 8192
	// fieldCells is the number of grid cells along the longest side of the surface: some 40 000 nodes for a cube, 8
	// bytes each.
	fieldCells = 30
	// eager is how many times wider than it must be a stale box counts: it is looked at, and tight again, some time
	// before it gets in the way. Boxes that just do not reach a query leave their parents so wide that those are looked
	// at in vain.
	eager = 3
	// eagerLeaf is the same for the boxes of triangles. A query that comes as far as these brings them up to date with
	// little more work, or else comes again in each step: half as many boxes again on 10 000 triangles, for four in a
	// hundred nodes fewer. A node may cost as much as a hundred boxes, so no more.
	eagerLeaf = 5
	// axisEvery is how often the axis that boxes are swept along is chosen anew, in sweeps: things seldom turn the way
	// in which they are spread.
	axisEvery = 64
)

// How far features may go before they meet.
const (
	// approach is the share of a distance that an advance leaves. Smaller ones make fewer advances where the features
	// go straight at each other, more where their closest places change. Usual: 0.1 (Li, Kaufman, Jiang 2021).
	approach = 0.1
	// arrived is the share of the first distance at which features count as met: what a step that ends there may be
	// short of.
	arrived = 1e-3
	// mostAdvances ends a pair that hardly comes nearer; what it has come to is sound.
	mostAdvances = 200
)

// Two convex bodies: the direction in which they are widest apart, on the sphere.
const (
	// kink is how near a direction is to one, as a sine, to be on it: 1e5 roundings.
	kink = 1e-11
	// climbs is how many steps a climb has at most: Newton's method takes five or so, and there are no more than a few
	// kinks on the way.
	climbs = 40
	// level is the slope of a maximum, relative to the size of the bodies: a hundred roundings.
	level = 2e-14
	// noStep is a step, as the tangent of its angle, that rounding takes away.
	noStep = 1e-16
	// farthest is how far one step goes, as the tangent of its angle: 76 degrees, and all the sphere in three.
	farthest = 4.0
	// risen is the share of a slope that is left where a step along a line ends: less is for the next to find. Range to
	// 0.5.
	risen = 0.05
	// flatTop is the determinant of a curvature, of the product of its parts, below which it has but one direction.
	flatTop = 1e-12
	// nearAxis is the squared cosine from which on a direction is held against a disc's axis itself, 8 degrees: Newton's
	// method creeps there. It is taken only where it is wider.
	nearAxis = 0.98
	// tied is by how much of the bodies' size one direction must beat another that comes before it: rounding changes no
	// choice.
	tied = 1e-9
	// shallow is how deep bodies may be in each other, as a share of their size, for the maximum near the best face to
	// be the one taken: it is off by less than that.
	shallow = 1e-3
	// parallels is the sine below which two edges have no direction across both.
	parallels = 1e-6
	// settles is how often the parts of up to nine forms that touch are gone through, at most, until nothing changes:
	// what is left then is of forms that are nearly parallel.
	settles = 60
)

// Places where bodies touch.
const (
	// apart is how far two places are from each other that are not the same, as a share of the smaller body's size.
	apart = 1e-3
	// edgeSlack is how far a place may lie outside of a face, as a share of its size, and count as inside: edges that
	// lie on each other are no cuts.
	edgeSlack = 1e-7
	// upright is the tilt, as a sine, below which a cylinder stands on the whole of its end: its lowest point is then
	// not lower than others by more than that share of its radius.
	upright = 1e-6
	// alike is the sine of an angle up to which two lines run along each other: contacts along them bear while the
	// bodies turn so far. Those that are apart bear nothing. Range above what a body turns in a step.
	alike = 0.3
	// endOn is the cosine from which on a cylinder's end is looked at, and facing that from which on the way between two
	// lines is the normal, and else the face's: 60 and 45 degrees.
	endOn  = 0.5
	facing = 0.7
)

// Pairs that face each other: a matter of work alone.
const (
	// rises is how much a triangle rises along a direction where it is found to, as a share of its area, so that it does
	// for some time; below stillRises it is found anew. A corner of a cube has 1/sqrt(3). Range 0 < stillRises < rises.
	rises      = 0.4
	stillRises = 0.15
	// flatRise is what of that may be rounding.
	flatRise = 1e-9
)

// Normals.
const (
	// creaseAngle is how much the surface turns at an edge, rad, from which on the edge is sharp on purpose: no normal
	// is smoothed over it. Usual in drawing: 30 to 60 degrees.
	creaseAngle = 50 * math.Pi / 180
	// opposed is the length of a mean of unit normals below which it has no direction of its own: they point against
	// each other, by 168 degrees two of them. The surface's is taken.
	opposed = 0.1
)

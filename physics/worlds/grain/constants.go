package grain

// The constants that can be tuned, all in one place.

// How far the tool goes, and what holds it.
const (
	// roundedUp is a share of an own step, or of a way, that is no share any more, but rounding.
	roundedUp = 1e-9
	// touching is how far skins may be in each other, in sigma: what is left of a motion that was
	// found by planes, and far above rounding.
	touching = 1e-6
	// missed is how much nearer to an obstacle a point of the tool may be than the one that is found, in sigma.
	missed = 1.0 / 32
	// mostPlanes is how many places hold the tool at once, at most; six hold any rigid body, and along
	// curved obstacles each is found two or three times.
	mostPlanes = 16
	// dependent is the sine of an angle between a plane and others, below which these hold what it holds.
	dependent = 1e-8
)

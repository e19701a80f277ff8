package exact

// Stages are parts of "auto" that can be left out, to see what each is worth.
type Stages uint16

// The stages, in the order in which a solve comes to them.
const (
	BlockStorage  Stages = 1 << iota // W by its non-zero blocks
	WarmNewton                       // Newton steps from a warm start, before any sweep
	Recall                           // the last solution's displacements, to begin those
	OldFactors                       // earlier factors where the same contacts stick and slide
	Extrapolation                    // warm starts of sweeps from the last solves' changes
	Naps                             // sweeps pass over contacts that stay open
	Mixing                           // Anderson's mixing of sweeps
	Rounds                           // Newton steps and sweeps in turns, after the first sweeps
	Velocities                       // Newton steps in the velocities of rigid bodies
	Interior                         // the interior-point method
	Proximal                         // the proximal loop
)

// StageNames are words for tables.
var StageNames = map[Stages]string{
	BlockStorage: "block storage of a sparse W", WarmNewton: "Newton steps from a warm start", Recall: "the last displacements recalled",
	OldFactors: "earlier factors reused", Extrapolation: "extrapolated warm starts", Naps: "open contacts passed over",
	Velocities: "Newton steps in velocities of bodies", Mixing: "Anderson's mixing", Rounds: "Newton steps and sweeps in turns", Interior: "interior points",
	Proximal: "proximal loop",
}

// Without is "auto" without some of its stages.
func Without(off Stages) *Exact {
	s := &Exact{accelerate: true, off: off}
	s.e.off = off
	return s
}

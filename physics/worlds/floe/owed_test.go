package floe

import "hapco/physics"

// owed is the time that worlds of tests have not advanced yet, as a Runner keeps it.
var owed = map[*live]*physics.Owed{}

// stepped lets a world advance in whole steps of its own.
func stepped(l *live, in physics.Input) physics.Report {
	if owed[l] == nil {
		owed[l] = new(physics.Owed)
	}
	return owed[l].Step(l, in)
}

// Package verify runs reference cases: a JSON file states an experiment and the numbers that somebody else found for
// it; a runner repeats the experiment, and the numbers are compared. Each kind of world registers its own runners. The
// package knows none of them and stands on nothing of ours.
//
// A case file is one JSON object, gzipped or not:
//
//	world      kind of world, such as "grain"
//	kind       sort of experiment, such as "trajectory"; a runner serves "grain.trajectory"
//	name, id   name of the case (one of them)
//	input      what to run; where it is absent, the members that no list below names
//	expected   named results; without it the case runs and is not judged
//	tolerance  largest errors allowed (or suggested_tolerance)
//
// Other members are remarks that a reader of the file wants (title, source, evidence and the like), or belong to a
// kind, which then lists them. A member that nobody understands is an error.
//
// To add a sort of experiment, call Register from the kind's package:
//
//	verify.Register("grain.table", verify.Runner{Run: runTable})
package verify

// Package touch is contact between deforming surfaces and a tool, as unknowns of a step that is walked in corrections:
// which pairs of features are near each other, where they would touch and along which normal, how far a correction may
// go before any pair crosses, and the soft layer that contacts live in. It knows surfaces as arrays, and neither
// elements nor time.
//
// # A step
//
// Collect, once, finds the pairs. They stay the same, and so do their keys, while corrections are solved: Refresh only
// measures them anew. Bound tells how far a correction may go; what would cross first and is not among the contacts
// joins them (Join), and the correction is solved again. A contact that bears is kept by the next Collect, whatever
// else is near.
//
// What holds: where no two surfaces cross, and the tool is in none, and no correction goes farther than Bound says,
// that stays so, by exact predicates, whatever the corrections are.
//
// # The layer
//
// A contact lives in a layer: its gap is above 0 always, and below the thickness d it bears, without bound as the gap
// goes to 0. What it bears is the law of who uses the package; how thick the layer may be is told here.
//
// References: M. Li, Z. Ferguson and others, Incremental potential contact, 2020; M. Li, D. M. Kaufman, C. Jiang,
// Codimensional incremental potential contact, 2021.
package touch

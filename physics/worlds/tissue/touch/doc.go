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
// else is near. Commit takes the state over as one that friction remembers.
//
// What holds: where no two surfaces cross, and the tool is in none, and no correction goes farther than Bound says,
// that stays so, by exact predicates, whatever the corrections are.
//
// # The layer
//
// A contact whose gap g is below the thickness d of its layer bears
//
//	r_n = k d (d/g - 1),
//
// without bound as g goes to 0. By its secant compliance, g = d - c r_n with c = d/(k d + r_n), so that it enters a
// contact problem x = W r + q as a diagonal: Signorini's and Coulomb's laws hold for W + diag(c), with the gap less d
// in q. The same c along the surface lets a contact that sticks give way by c r_t, which comes back.
//
// References: M. Li, Z. Ferguson and others, Incremental potential contact, 2020; M. Li, D. M. Kaufman, C. Jiang,
// Codimensional incremental potential contact, 2021.
package touch

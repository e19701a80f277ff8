// Package thesis repeats the numerical experiments of N. Talbi's thesis (2008) on HapCo: sections 3.4 to 3.9, which
// compare Uzawa solvers on blocks of aluminium, rubber and soft tissue, and 4.2.2, which compares the solver with and
// without the Delassus operator. Measure makes the runs, Exhibits arranges them as the thesis's tables and figures
// beside its own numbers, and Findings says which of its conclusions they support.
//
// What the thesis leaves open is settled as in package bench, and so:
//
//   - Every method solves the same problems: those along the trajectory of the
//     exact solution. The thesis does not say whether each of its solvers went
//     its own way. Every solve starts from zero forces.
//   - Of a slide path the presses before the drag are left out of all means.
//   - A method diverges where its own criterion, the relative change (2.72), is
//     not met within the thesis's limit of sweeps.
//   - Times are processor times of another machine than the thesis's three:
//     compare ratios. Each is the least of a few repetitions.
package thesis

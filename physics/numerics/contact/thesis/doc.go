// Package thesis solves frictional contact problems by the thesis's methods, to the
// letter, with corrected forms beside them where the letter is wrong: Gauss-Seidel over
// the contacts with the local rules of sections 2.8 and 3.4 to 3.6 (thesis.go, local.go),
// the formulations of section 2.4 that approximate the laws (penalty.go, facets.go), and
// the Multiple Contact Friction Solver of chapter 4, which knows of a body only where its
// points are under given forces (blackbox.go). Numbers in brackets are the thesis's
// [N. Talbi, 2008].
package thesis

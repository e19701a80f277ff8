// Package indent is the indentation test: a rigid punch is pressed into a flat layer or half-space, its depth and force
// are measured, and a material is sought that fits.
//
// [Test.Curve] computes the force at given depths by finite elements at large strain,
// with the materials of package solid. Everything is symmetric about the punch's axis,
// so that a fine mesh is cheap: quadrilaterals in the plane (R, Z), with the mean
// dilatation of package solid's hexahedra, and F = dx/dX in the axes r, theta, z.
// [Fit] finds the parameters by the method of Levenberg and Marquardt, with their
// confidence. [Hertz], [flatPunch], [dimitriadis] and [hayes] are the formulas in use for
// small depths: starting values, and what the elements are tested against.
//
// References:
// [Hertz 1882] H. Hertz, Ueber die Beruehrung fester elastischer Koerper, J. reine
// angew. Math. 92.
// [Hayes et al. 1972] W. Hayes, L. Keer, G. Herrmann, L. Mockros, A mathematical
// analysis for indentation tests of articular cartilage, J. Biomech. 5:541-551.
// [Dimitriadis et al. 2002] E. Dimitriadis, F. Horkay, J. Maresca, B. Kachar, R. Chadwick,
// Determination of elastic moduli of thin layers of soft material using the atomic force
// microscope, Biophys. J. 82:2798-2810.
// [Simo, Taylor, Pister 1985] as in package solid.
package indent

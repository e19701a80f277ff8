// Package solid holds elasticity at any strain: materials, elements and the body that they make. Everything refers to
// the undeformed shape (total Lagrangian).
//
// Notation: X places at rest, x = X + u places now, F = dx/dX with row i a component and column J a direction at rest,
// J = det F, C = F^T F, E = (C - I)/2. W is the energy per volume at rest, P = dW/dF the first Piola stress, A_iJkL =
// dP_iJ/dF_kL the tangent. Forces are the gradient of the energy: what the nodes must be held with. Units are SI.
//
// References:
// [Talbi 2008] N. Talbi, the thesis that this program continues.
// [Simo, Taylor, Pister 1985] Variational and projection methods for the volume
// constraint in finite deformation elasto-plasticity, Comput. Methods Appl.
// Mech. Eng. 51.
// [Holzapfel, Gasser, Ogden 2000] A new constitutive framework for arterial wall
// mechanics, J. Elasticity 61.
// [Simo 1987] On a fully three-dimensional finite-strain viscoelastic damage
// model, Comput. Methods Appl. Mech. Eng. 60.
package solid

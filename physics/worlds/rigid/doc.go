// Package rigid moves rigid bodies in large rotation: free, under forces and torques, held by joints, in contact with
// friction. SI units.
//
// # Kinematics
//
// A body's frame sits at its centre of mass, or at the point about which it turns. R maps body to space, W is the
// angular velocity and A its rate, both in the body's frame; J is the inertia about the frame's origin; Gamma the
// moment in the space frame. Attitudes are normalised quaternions. With the increment of rotation Theta, a rotation
// vector in the body's frame, every integrator has
//
//	Theta   = h W_n + h^2 ((1/2 - beta) A_n + beta A_n+1)             (a)
//	R_n+1   = R_n exp(Theta)                                          (b)
//	W_n+1   = W_n + h ((1 - gamma) A_n + gamma A_n+1)                 (c)
//	J A + W x J W = R^T Gamma                                         (d)
//
// # Integrators
//
//	NMB  beta 0,   gamma 1/2  (d) at the end of the step          [Krysl, Endres 2005]
//	C1   beta 1/2, gamma 1    R_n+1 J W_n+1 - R_n J W_n = h Gamma  [Simo, Wong 1991]
//	C2   beta 0,   gamma 1    the same balance, explicit          [Simo, Wong 1991]
//
// All are of second order. C1 and C2 conserve the angular momentum of a free body, C1 its energy too. Where |W| h is
// not small C2 gains energy: see Caution.
//
// integrate.go holds the integrators, world.go bodies in contact, live.go a scene file behind the window and in the
// hand, whose bodies build.go makes.
//
// [Simo, Wong 1991] Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and
// momentum, Int. J. Numer. Methods Eng. 31.
//
// [Krysl, Endres 2005] Explicit Newmark/Verlet algorithm for time integration of the rotational dynamics of rigid
// bodies, ibid. 62.
package rigid

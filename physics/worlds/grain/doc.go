// Package grain moves spherical grains in a fluid: snow, sand, drops. Grains attract each other at middle distance, as
// the water between wet flakes does, and repel at short distance; obstacles act on them in the same way. SI units.
//
// The model, with the default switches of Config:
//
//	m dv/dt = F + m g - lambda(v) v                              motion
//	v += (dt/m) (F(x) + m g - lambda(v) v),  then  x += dt v     Euler-Cromer
//	F_ij = (24 eps/sigma) f(|e|/sigma) e/|e|,  e = x_j - x_i     force of j on i
//	f(x) = -1 below 1, (x^6 - 2)/x^13 on [1, 2], 0 beyond
//	F_ik = twice that, e from the grain to the closest point of obstacle k
//	lambda = 6 pi eta R where 3 rho_f R v < 80 eta, else (9 pi/40) rho_f R^2 v
//
// All forces are those of time t, before any grain moves. The radius R enters the mass and the drag, not the
// interaction.
//
// law.go holds the forces, obstacle.go the obstacles, world.go the state and a step, cells.go who is near whom,
// tasks.go the order of work, pairs.go the inner loop.
package grain

// Package floe moves ice floes on the sea: rigid polygons of constant thickness that wind, water and the Earth's
// rotation drive, that collide with each other and with obstacles, and that break. Everything lies in the plane. SI
// units.
//
// The model, numbers as in the report that it follows [Nzoyem 2021]:
//
//	M dW/dt = H                                          (3.1), (3.2)
//	M (W+ - W-) = J lambda + B beta                      (3.4)
//	w = A z + q,  w >= 0,  z >= 0,  w'z = 0              (3.5)
//	W_N = (1 + eps) W_c - eps W-                         restitution, 3.2.1.4
//
// W holds the two velocities of the centroid and the rate of rotation of each floe, H the forces, J and B the normals
// and tangents of the contacts, and z = (lambda, beta~, alpha) the impulses of a collision. Time runs from event to
// event in steps of explicit Euler, bounded by (3.6) and (3.7).
//
// The report leaves much open: what was chosen, and why, is in docs/floes.md. What goes beyond its letter is a switch
// of Repairs.
//
// polygon.go holds the geometry of one floe, drag.go the forces, bounds.go the bounds on a step, arrange.go and grid.go
// which floes are near each other, detect.go distances, contact frames and times of impact. cluster.go makes the groups
// of touching floes; problem.go, solve.go and sweep.go are the contact problem of one, collide.go what restitution and
// the repairs make of it. world.go is the state and a step. delaunay.go, mesh.go and stress.go find stresses,
// breaking.go and fracture.go what breaks. tool.go is what the hand holds; the files kind*.go show the world to the
// program.
package floe

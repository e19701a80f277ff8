// Package physics runs the quasi-static simulation: bodies, contacts and their
// equilibrium, one step at a time. It knows no window and no device.
package physics

// Package tissue runs the quasi-static simulation of soft bodies: bodies, contacts and their equilibrium, one step at a
// time. It knows no window and no device.
package tissue

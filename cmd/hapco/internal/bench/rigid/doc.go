// Package rigid compares integrators of rotation and measures steps of rigid bodies.
package rigid

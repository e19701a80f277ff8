// Package haptics runs the loop between the operator's hand and the simulation:
// it reads the device, shapes the force and limits it.
package haptics

// Package haptics measures the haptic loop: punctuality, stability, stiffest walls.
package haptics

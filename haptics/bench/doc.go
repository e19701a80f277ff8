// Package bench measures the haptic loop: how punctual its thread is, whether contact stays stable in a simulated hand,
// and how stiff a wall each device can render. Stability runs in simulated time, so that the same case gives the same
// numbers on any machine, however busy; only timing looks at the clock.
package bench

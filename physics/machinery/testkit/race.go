//go:build race

package testkit

// Race tells that the race detector runs: it allocates on its own and slows everything down several times.
const Race = true

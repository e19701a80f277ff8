//go:build race

package render

// The race detector allocates on its own.
const raceEnabled = true

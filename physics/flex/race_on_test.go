//go:build race

package flex

const raceEnabled = true // the race detector allocates on its own

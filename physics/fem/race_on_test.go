//go:build race

package fem_test

const raceEnabled = true // the race detector allocates on its own

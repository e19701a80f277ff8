//go:build race

package mesh

const raceEnabled = true // the race detector allocates on its own

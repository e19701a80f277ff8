//go:build race

package fill

const raceEnabled = true

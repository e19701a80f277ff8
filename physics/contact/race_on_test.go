//go:build race

package contact

const raceEnabled = true

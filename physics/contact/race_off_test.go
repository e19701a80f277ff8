//go:build !race

package contact

const raceEnabled = false

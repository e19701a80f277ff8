//go:build race

package spacenav

const raceEnabled = true

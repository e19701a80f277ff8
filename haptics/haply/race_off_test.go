//go:build !race

package haply

const raceEnabled = false

//go:build !race

package fem_test

const raceEnabled = false

//go:build race

package tissue

const raceDetector = true

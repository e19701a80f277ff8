//go:build race

package bench

// raced says that the race detector slows the tests; the long ones shorten.
const raced = true

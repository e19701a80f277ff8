// Package testkit is what tests of several packages share: whether the race detector runs, which tests are slow, how
// long one waits, goroutines that must have ended, and where sample files lie that are not part of the repository. No
// program imports it.
package testkit

// Package trial holds what tests of the two kernels share: hostile models and
// poses, and the promise that every tick must keep.
package trial

//go:build !linux

package flex

// Yielding does nothing here: priorities are those of whole processes.
func Yielding() {}

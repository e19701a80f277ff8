//go:build !linux

package flex

import "os"

// mapFile reads a whole file.
func mapFile(name string) ([]byte, error) { return os.ReadFile(name) }

func unmapFile([]byte) {}

package grain

import (
	"os"
	"strconv"
	"strings"
)

// availableMemory is what the machine can still give, bytes; ok is false where that is unknown.
func availableMemory() (bytes uint64, ok bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(data), "MemAvailable:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, false
	}
	kb, err := strconv.ParseUint(fields[0], 10, 54)
	return kb << 10, err == nil
}

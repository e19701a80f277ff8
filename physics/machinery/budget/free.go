package budget

import (
	"os"
	"strconv"
	"strings"
)

// Free is what the machine can still give, bytes; known is false where nothing tells.
func Free() (bytes uint64, known bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(data), "MemAvailable:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, false
	}
	kB, err := strconv.ParseUint(fields[0], 10, 54)
	return kB << 10, err == nil
}

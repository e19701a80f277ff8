package servo

import (
	"slices"
	"strconv"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// quantile of durations; it sorts them.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)-1, int(q*float64(len(d))))]
}

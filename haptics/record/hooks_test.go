// What only tests ask.

package record

import "hapco/haptics"

// Recent is a copy of the last n ticks at most, oldest first.
func (f *Flight) Recent(n int) []haptics.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent(n)
}

// What only tests ask.

package haply

// Unreadable counts the answers that could not be understood.
func (d *Device) Unreadable() uint64 { return d.junk.Load() }

// Package record keeps what the servo did: the last minute of ticks always in memory, written as an MCAP file on
// request, on a force spike or on a burst of missed deadlines; or every tick, as long as one likes. Foxglove and
// PlotJuggler open the files: one topic, /haptics, one JSON message a tick. A file cut short by a crash reads up to the
// cut.
package record

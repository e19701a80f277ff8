// Package phantom drives the Phantom family (Desktop, Omni, Touch, Touch X, Premium) through OpenHaptics.
//
// The vendor's library, libHD, is found and bound when a device is opened, so one program runs with and without it and
// needs nothing of the vendor's to build. Its scheduler calls on_tick (hd.c) at 1 kHz. That callback reads the stylus,
// lets a tick function compute a force (a C kernel, set with SetTick) or takes the newest one given to Write, limits it
// and sends it. It never calls Go, because a call from a foreign thread into Go waits for the collector now and then,
// for tens of milliseconds.
//
// Threads: one goroutine, locked to its thread, owns the library: it opens, watches, closes and reopens the device.
// Read, Write and Status hand values over without waiting.
//
// Safety here is the last stop, behind the chain of package haptics: a force that is not finite becomes zero, a long
// one is cut, warm motors get less, a command that is not renewed fades within 100 ms, force ramps in over half a
// second after a start, a reconnection or any error of the library, and the library's own limits stay switched on.
//
// The entry points, numbers and rules are those of the HDAPI reference manual, versions 3.0 to 3.4.
package phantom

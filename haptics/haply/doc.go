// Package haply drives the Inverse3 of Haply through the maker's local service, which speaks JSON over a websocket.
// Pure Go; nothing of the maker's is linked.
//
// The service answers every message with exactly one state, so the client sets the pace: one goroutine sends a force,
// reads the state, waits for the next millisecond. A device that hears nothing idles, which is its own watchdog. Read
// and Write hand values over and never wait for the service.
//
// The servo of package haptics is thus not in step with the device; the two loops together are later by about two
// periods than a driver that is called from its device's own clock, which Limits says as Delay.
//
// Message shapes: the maker's public description of the service, versions 3.1 to 3.5. Two words changed in between: the
// force stands under "values" until 3.4 and under "vector" from 3.5 on. The driver starts with the word that the first
// message suggests and looks at the force that the service says it applies; when none arrives it tries the other word.
package haply

// What only tests ask.

package telemetry

// Again has all parameters told with the next message of a step: for who has begun to
// listen.
func (t *Tape) Again() { t.again.Store(true) }

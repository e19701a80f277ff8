package haptics

// Pacer keeps absolute deadlines: a late tick does not push the next ones back,
// and deadlines that passed are counted, not made up for. Time is an argument.
type Pacer struct {
	period int64 // ns
	next   int64 // deadline, ns
	missed uint64
}

// NewPacer starts at now, ns, for a rate in Hz.
func NewPacer(now int64, rate float64) Pacer {
	p := int64(1e9/rate + 0.5)
	return Pacer{period: p, next: now + p}
}

// Next is the deadline to wait for, ns.
func (p *Pacer) Next() int64 { return p.next }

// Woke tells of a wake-up at now and returns how late it was, ns.
func (p *Pacer) Woke(now int64) (late int64) {
	late = now - p.next
	p.next += p.period
	if p.next <= now {
		n := (now-p.next)/p.period + 1
		p.missed += uint64(n)
		p.next += n * p.period
	}
	return late
}

// Missed is how many deadlines passed without a tick.
func (p *Pacer) Missed() uint64 { return p.missed }

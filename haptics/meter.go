package haptics

// meter adds up what Stats shows. It belongs to the loop's thread.
type meter struct {
	counts    [numFlags]uint64
	last      Flags
	late      int32 // worst in this window, ns
	work      int32
	lateLast  int32 // worst in the last one
	workLast  int32
	rate      float64
	rateTicks uint64
	rateStart int64
}

// rateWindow is how long ticks are counted for the rate shown, ns.
const rateWindow = 500e6

// add counts a tick.
func (m *meter) add(r *Record) {
	began := r.Flags &^ m.last
	m.last = r.Flags
	for i := range m.counts {
		if began&(1<<i) != 0 {
			m.counts[i]++
		}
	}
	m.late = max(m.late, r.Late)
	m.work = max(m.work, r.Work)
	m.rateTicks++
	if span := r.Time - m.rateStart; span >= rateWindow {
		m.rate = float64(m.rateTicks) * 1e9 / float64(span)
		m.rateTicks, m.rateStart = 0, r.Time
		m.lateLast, m.workLast = m.late, m.work
		m.late, m.work = 0, 0
	}
}

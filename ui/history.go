package ui

import (
	"cmp"
	"math"
	"sort"

	"hapco/render"
)

// historySpan is how far back the plots may reach, usualSpan how far they do at first, and leastSpan how far at least, s.
const historySpan, usualSpan, leastSpan = 60.0, 10.0, 0.5

// earlierMost is how many runs are kept besides the one under way.
const earlierMost = 3

// history keeps the last samples of a few channels in rings. Adding a sample allocates nothing.
type history struct {
	when   []float64   // s, ascending from the oldest
	values [][]float64 // by channel
	next   int         // where the next sample goes
	count  int
	begun  float64 // when the run began, s

	earlier []*history // runs before this one, the latest first
}

// newHistory holds up to size samples of each channel.
func newHistory(channels, size int) *history {
	h := &history{when: make([]float64, size), values: make([][]float64, channels)}
	for c := range h.values {
		h.values[c] = make([]float64, size)
	}
	return h
}

// add appends a sample of every channel taken at t, s. Time that does not move forward starts the history anew: another
// simulation is on screen.
func (h *history) add(t float64, sample []float64) {
	if len(sample) != len(h.values) {
		panic("ui: a sample has another number of channels than its history")
	}
	if h.count > 0 {
		if last := h.time(h.count - 1); t < last {
			h.clear()
		} else if t == last {
			return
		}
	}
	if h.count == 0 {
		h.begun = t
	}
	h.when[h.next] = t
	for c, v := range sample {
		h.values[c][h.next] = v
	}
	h.next = (h.next + 1) % len(h.when)
	h.count = min(h.count+1, len(h.when))
}

func (h *history) clear() { h.next, h.count = 0, 0 }

// again begins another run, and keeps the one before for comparison where it is long enough to show.
func (h *history) again() {
	if h.count > 1 && h.time(h.count-1)-h.time(0) > leastSpan {
		old := newHistory(len(h.values), h.count)
		for i := range h.count {
			old.when[i] = h.time(i)
			for c := range h.values {
				old.values[c][i] = h.value(c, i)
			}
		}
		old.count, old.begun = h.count, h.begun
		h.earlier = append([]*history{old}, h.earlier[:min(len(h.earlier), earlierMost-1)]...)
	}
	h.clear()
}

// slot is the ring index of sample i, counted from the oldest.
func (h *history) slot(i int) int {
	return (h.next - h.count + i + len(h.when)) % len(h.when)
}

func (h *history) time(i int) float64           { return h.when[h.slot(i)] }
func (h *history) value(channel, i int) float64 { return h.values[channel][h.slot(i)] }
func (h *history) last(channel int) (v float64) { // NaN while empty
	if h.count == 0 {
		return math.NaN()
	}
	return h.value(channel, h.count-1)
}

// since is the oldest sample no older than t.
func (h *history) since(t float64) int {
	return sort.Search(h.count, func(i int) bool { return !(h.time(i) < t) })
}

// nearest is the sample closest to t, or -1.
func (h *history) nearest(t float64) int {
	if h.count == 0 {
		return -1
	}
	i := h.since(t)
	if i == h.count || i > 0 && t-h.time(i-1) < h.time(i)-t {
		i--
	}
	return i
}

// extent is the least and greatest finite value of a channel from sample i on; ok is false where there is none.
// positive leaves out what a logarithm cannot show.
func (h *history) extent(channel, i int, positive bool) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for ; i < h.count; i++ {
		v := h.value(channel, i)
		if math.IsNaN(v) || math.IsInf(v, 0) || positive && v <= 0 {
			continue
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi, lo <= hi
}

// axis is a plot's vertical scale.
type axis struct {
	lo, hi float64 // of what is shown; powers of ten on a logarithmic axis
	step   float64 // between lines
	log    bool
}

// at maps a value to 0 (lo) .. 1 (hi).
func (a *axis) at(v float64) float64 {
	if a.log {
		if v <= 0 {
			return 0
		}
		v = math.Log10(v)
	}
	return min(max((v-a.lo)/(a.hi-a.lo), 0), 1)
}

// fit makes the axis hold lo..hi with round ends. It widens at once and narrows only when less than half of it is used,
// so that it does not flutter.
func (a *axis) fit(lo, hi float64) {
	if a.log {
		lo, hi = math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
		if hi-lo < 2 {
			hi = lo + 2
		}
		if lo < a.lo || hi > a.hi || hi-lo < 0.5*(a.hi-a.lo) || a.step == 0 {
			a.lo, a.hi = lo, hi
			a.step = math.Ceil((hi - lo) / 4)
			a.hi = a.lo + a.step*math.Ceil((hi-lo)/a.step) // what is below lo nobody asks for
		}
		return
	}
	if hi-lo < 1e-12*max(math.Abs(hi), math.Abs(lo)) || hi == lo {
		hi += max(math.Abs(hi)*0.1, 1e-9)
	}
	if lo >= a.lo && hi <= a.hi && hi-lo > 0.4*(a.hi-a.lo) && a.step > 0 {
		return
	}
	a.step = niceStep((hi - lo) / 3)
	a.lo, a.hi = math.Floor(lo/a.step+1e-9)*a.step, math.Ceil(hi/a.step-1e-9)*a.step
}

// niceStep is the least of 1, 2, 5 times a power of ten that is not below v.
func niceStep(v float64) float64 { return cmp.Or(render.RoundUp(v), 1) }

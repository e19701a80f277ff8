package physics

import (
	"time"

	"hapco/physics/machinery/cputime"
)

// Deadline is what a step of the live program asks of the clock: a batch gives none.
//
// All that a step learns from the clock, and from goroutines that work beside it, is answers of yes or no. So the
// answers are all that it takes to make the step again, without a clock: a recording keeps Answers, and AnswersAgain
// gives them once more, in the same order. A step must not read a clock in any other way where that changes what comes
// of it.
//
// The zero value has no limit and waits for nothing. One goroutine uses it: the one that steps.
type Deadline struct {
	begun      time.Time
	beganCPU   time.Duration
	limit      time.Duration // of the step
	step, part moment        // limits of the step, or of what is due of it, and of a part of it

	cut   bool                // something was late
	runs  [MostAnswers]uint32 // lengths of the runs of equal answers: no, yes, no, ...
	count int                 // of runs
	again bool                // the answers are given, not found
	given []uint32            // what is left
	all   []uint32
	asked uint32 // answers given from the first of given
}

// moment is when something is late: by the clock, and by the processor time of the thread. What a step does shall not
// depend on what else the machine does.
type moment struct {
	on    bool
	until time.Time
	began time.Duration // processor time when it was set
	share time.Duration // and how much of it there was until then
}

// MostAnswers is how many runs of equal answers a step may have. It is even: the last says yes, and the step ends.
const MostAnswers = 32

// Begin begins a step that should not take longer than limit; 0: as long as it likes.
func (d *Deadline) Begin(limit time.Duration) {
	*d = Deadline{begun: time.Now(), beganCPU: cputime.Thread()}
	d.Within(limit)
}

// AnswersAgain makes a deadline that gives the answers of a step that was recorded; after the last one that again.
// Answers are lengths of runs of equal answers, the first of no.
func AnswersAgain(answers []uint32) *Deadline {
	return &Deadline{again: true, given: answers, all: answers}
}

// Afresh is a deadline of AnswersAgain before its first answer.
func (d *Deadline) Afresh() *Deadline { return AnswersAgain(d.all) }

// Answers are the lengths of the runs of equal answers so far, the first of no; none where no answer was yes. They
// belong to the deadline.
func (d *Deadline) Answers() []uint32 {
	switch {
	case d == nil:
		return nil
	case d.again:
		return d.all
	case d.count < 2:
		return nil
	}
	return d.runs[:d.count]
}

// Within sets another limit in the place of Begin's: of a kind of world that has a parameter for it. It counts from
// where the step began; 0: none.
func (d *Deadline) Within(limit time.Duration) {
	if d == nil || d.again {
		return
	}
	d.limit = limit
	d.due(limit)
}

// Due sets the limit for the k-th of n own steps of a world in time: its share. So a world that keeps up with the clock
// has the whole limit for each, and one that lags ends each in time to make the next.
func (d *Deadline) Due(k, n int) {
	if d == nil || d.again {
		return
	}
	d.due(d.limit * time.Duration(k) / time.Duration(n))
}

func (d *Deadline) due(limit time.Duration) {
	d.step = moment{}
	if limit > 0 {
		d.step = moment{true, d.begun.Add(limit), d.beganCPU, limit}
	}
	d.part = d.step
}

// Late tells whether what takes so long would end after the limit: 0 asks whether it has passed. Of a nil deadline
// nothing is late.
func (d *Deadline) Late(takes time.Duration) bool {
	return d != nil && d.late(!d.again && d.step.left() <= takes)
}

// Allow gives a part of the step at least so long, however late it is: PartLate tells when that has passed and the
// step's limit, too.
func (d *Deadline) Allow(least time.Duration) {
	if d == nil || d.again || !d.step.on {
		return
	}
	left := max(d.step.left(), least)
	d.part = moment{true, time.Now().Add(left), cputime.Thread(), left}
}

// PartLate is Late of the part that Allow began.
func (d *Deadline) PartLate() bool {
	return d != nil && d.late(!d.again && d.part.left() <= 0)
}

func (d *Deadline) late(yes bool) bool {
	yes = d.answer(yes)
	d.cut = d.cut || yes
	return yes
}

// Fits tells whether what takes so long would end in time: of two ways to the same result a step may choose by it, and
// is not cut. With a nil deadline everything fits.
func (d *Deadline) Fits(takes time.Duration) bool {
	return d == nil || !d.answer(!d.again && d.step.left() <= takes)
}

// Cut tells whether the step was told that it is late.
func (d *Deadline) Cut() bool { return d != nil && d.cut }

// Ready takes note of whether something is there that another goroutine makes, and answers whether to take it now:
// where a step is made again it may have to be waited for. Who has no deadline must not ask.
func (d *Deadline) Ready(now bool) bool { return d.answer(now) }

// left is the time until then, of the clock or of the processor, whichever is more. Where the goroutine has changed its
// thread, so that nothing is known, the clock decides.
func (m *moment) left() time.Duration {
	if !m.on {
		return 1<<63 - 1
	}
	left := time.Until(m.until)
	if left > 0 {
		return left
	}
	if used := cputime.Thread() - m.began; used >= 0 { // asking the system takes 5 % of a slow step
		left = max(left, m.share-used)
	}
	return left
}

// answer takes note of an answer that was found, or gives the recorded one.
func (d *Deadline) answer(yes bool) bool {
	if d.again {
		for len(d.given) > 1 && d.asked == d.given[0] {
			d.given, d.asked = d.given[1:], 0
			d.count++
		}
		d.asked++
		return d.count%2 == 1
	}
	if d.count == 0 {
		d.count = 1
	}
	if yes != (d.count%2 == 0) { // another than the last
		if d.count == MostAnswers {
			yes = true
		} else {
			d.count++
		}
	}
	d.runs[d.count-1]++
	return yes
}

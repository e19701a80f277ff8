package physics

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The answers of a deadline given again are the same, whatever they were, as long as there is room;
// then the last one is yes. A nil deadline says no.
func TestAnswersAreGivenAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var d Deadline
		d.Begin(0)
		var found []bool
		for range 1 + rng.IntN(120) {
			found = append(found, d.Ready(rng.IntN(1+round%9) == 0))
		}
		again := AnswersAgain(slices.Clone(d.Answers()))
		for i, want := range found {
			if got := again.Ready(!want); got != want {
				t.Fatalf("round %d, answer %d: %v again, was %v; %v", round, i, got, want, d.Answers())
			}
		}
		if n := len(d.Answers()); n > MostAnswers || n == MostAnswers && !found[len(found)-1] {
			t.Fatalf("%d runs, the last answer is %v", n, found[len(found)-1])
		}
	}
	var none *Deadline
	if none.Late(time.Hour) || none.PartLate() || !none.Fits(time.Hour) || none.Cut() || none.Answers() != nil {
		t.Error("no deadline answers")
	}
}

// What would end after the limit is late, and what would not is not; without a limit nothing is.
func TestLimits(t *testing.T) {
	var d Deadline
	d.Begin(time.Hour)
	if d.Late(0) || d.Cut() || d.Answers() != nil || !d.Late(2*time.Hour) || !d.Cut() {
		t.Error("of an hour")
	}
	d.Within(time.Nanosecond)
	if d.Allow(time.Hour); !d.Late(time.Minute) || d.PartLate() {
		t.Error("late is late, but for the part that is allowed an hour")
	}
	if d.Within(0); d.Late(1000*time.Hour) || d.PartLate() {
		t.Error("late without a limit")
	}
	d.Within(time.Hour)
	for k, least := range []time.Duration{29 * time.Minute, 59 * time.Minute} {
		if d.Due(k+1, 2); d.Late(least) || !d.Late(least+2*time.Minute) {
			t.Errorf("the share of step %d of 2", k+1)
		}
	}
	if got := d.Answers(); !slices.Equal(got, []uint32{1, 2, 4, 1, 1, 1}) {
		t.Errorf("answers %v", got)
	}
}

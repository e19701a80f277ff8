package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"hapco/haptics"
	"hapco/physics/machinery/failsafe"
)

// Quantiles of a time in microseconds.
type Quantiles struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// quantiles sorts us.
func quantiles(us []float64) Quantiles {
	if len(us) == 0 {
		return Quantiles{}
	}
	slices.Sort(us)
	at := func(q float64) float64 { return us[min(len(us)-1, int(q*float64(len(us))))] }
	return Quantiles{P50: at(0.5), P99: at(0.99), P999: at(0.999), Max: us[len(us)-1]}
}

// Timing is how punctual a loop was.
type Timing struct {
	Ticks    int       `json:"ticks"`
	Missed   uint64    `json:"missed"`
	Wakeup   Quantiles `json:"wakeup_us"`        // wake-up after the deadline
	Period   Quantiles `json:"period_error_us"`  // |time between two ticks - period|
	Work     Quantiles `json:"work_us,omitzero"` // wake-up to force
	Dropped  uint64    `json:"dropped,omitempty"`
	RealTime string    `json:"real_time"` // what scheduling was obtained

	late, period, work []float64 // us, sorted
}

// Merge adds what another stretch of the same loop measured.
func (t *Timing) Merge(o *Timing) {
	t.Missed += o.Missed
	t.Dropped += o.Dropped
	t.RealTime = cmp.Or(t.RealTime, o.RealTime)
	t.late, t.period, t.work = append(t.late, o.late...), append(t.period, o.period...), append(t.work, o.work...)
	t.sumUp()
}

func (t *Timing) sumUp() {
	t.Ticks, t.Wakeup, t.Period, t.Work = len(t.late), quantiles(t.late), quantiles(t.period), quantiles(t.work)
}

// Punctuality runs a servo that is ready to Run for a time and reports how punctual it was. It stops the servo. Load is
// the caller's to make.
func Punctuality(ctx context.Context, s haptics.Servo, rate float64, d time.Duration) (Timing, error) {
	ended := make(chan error, 1)
	failsafe.Go(func() { ended <- s.Run() })
	n, buf, last, first := int(d.Seconds()*rate)+1, make([]haptics.Record, 1024), int64(0), true
	t := Timing{late: make([]float64, 0, n), period: make([]float64, 0, n), work: make([]float64, 0, n)}
	end := time.After(d)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var err error
	for run := true; run; {
		select {
		case <-ctx.Done():
			err, run = ctx.Err(), false
		case <-end:
			run = false
		case <-tick.C:
		}
		for k := s.Drain(buf); k > 0; k = s.Drain(buf) {
			for i := range buf[:k] {
				r := &buf[i]
				t.late = append(t.late, float64(r.Late)/1e3)
				t.work = append(t.work, float64(r.Work)/1e3)
				if !first {
					t.period = append(t.period, math.Abs(float64(r.Time-last)/1e3-1e6/rate))
				}
				last, first = r.Time, false
			}
		}
	}
	st := s.Stats()
	t.Missed, t.Dropped, t.RealTime = st.Missed, st.Dropped, st.RealTime
	err = errors.Join(err, s.Stop(), <-ended)
	t.sumUp()
	return t, err
}

// errNoCyclictest says that the program is not installed.
var errNoCyclictest = errors.New("bench: cyclictest is not installed (cure: apt-get install rt-tests)")

// Cyclictest runs the kernel's own latency test at the same rate and priority, to be compared with Punctuality under
// the same load. It prints every latency, so that quantiles and period errors are found as for the servo.
func Cyclictest(ctx context.Context, rate float64, d time.Duration, priority int) (Timing, error) {
	path, err := exec.LookPath("cyclictest")
	if err != nil {
		return Timing{}, errNoCyclictest
	}
	interval := int(1e6 / rate)
	args := []string{
		"-v", "-N", "-m", "-t", "1", "-p", strconv.Itoa(priority), "-i", strconv.Itoa(interval),
		"-l", strconv.Itoa(int(d.Seconds() * rate)),
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return Timing{}, fmt.Errorf("bench: cyclictest: %w: %.200s", err, complaints.String())
	}
	t, err := parseCyclictest(&out, float64(interval))
	if err != nil {
		return Timing{}, err
	}
	t.RealTime = fmt.Sprintf("SCHED_FIFO %d", priority)
	return t, nil
}

// parseCyclictest reads what cyclictest -v -N prints: a line "thread: cycle: latency in ns" a cycle, among others. A
// latency of more than a period (us) is a deadline missed; two latencies that differ make the time between their
// wake-ups differ from the period by as much.
func parseCyclictest(r io.Reader, interval float64) (Timing, error) {
	var t Timing
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		cells := strings.Split(scan.Text(), ":")
		if len(cells) != 3 {
			continue // a heading
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(cells[2]), 64)
		if _, cycle := strconv.Atoi(strings.TrimSpace(cells[1])); err != nil || cycle != nil {
			continue
		}
		us := ns / 1e3
		if n := len(t.late); n > 0 {
			t.period = append(t.period, math.Abs(us-t.late[n-1]))
		}
		t.late = append(t.late, us)
		if us >= interval {
			t.Missed += uint64(us / interval)
		}
	}
	if err := scan.Err(); err != nil {
		return Timing{}, fmt.Errorf("bench: cyclictest's output: %w", err)
	}
	if len(t.late) == 0 {
		return Timing{}, errors.New("bench: cyclictest printed no latencies (cure: rt-tests 1.0 or later, and the right to SCHED_FIFO)")
	}
	t.sumUp()
	return t, nil
}

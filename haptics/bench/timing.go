package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hapco/haptics"
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
	Wakeup   Quantiles `json:"wakeup_us"`       // wake-up after the deadline
	Period   Quantiles `json:"period_error_us"` // |time between two ticks - period|
	Work     Quantiles `json:"work_us"`         // wake-up to force
	Dropped  uint64    `json:"dropped,omitempty"`
	RealTime string    `json:"real_time"` // what scheduling was obtained
}

// Punctuality runs a servo that is ready to Run for a time and reports how
// punctual it was. It stops the servo. Load is the caller's to make.
func Punctuality(ctx context.Context, s haptics.Servo, rate float64, d time.Duration) (Timing, error) {
	ended := make(chan error, 1)
	go func() { ended <- s.Run() }()
	var (
		late, period, work []float64
		buf                = make([]haptics.Record, 1024)
		last               int64
		first              = true
	)
	n := int(d.Seconds()*rate) + 1
	late, period, work = make([]float64, 0, n), make([]float64, 0, n), make([]float64, 0, n)
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
				late = append(late, float64(r.Late)/1e3)
				work = append(work, float64(r.Work)/1e3)
				if !first {
					period = append(period, math.Abs(float64(r.Time-last)/1e3-1e6/rate))
				}
				last, first = r.Time, false
			}
		}
	}
	st := s.Stats()
	err = errors.Join(err, s.Stop(), <-ended)
	return Timing{
		Ticks: len(late), Missed: st.Missed, Wakeup: quantiles(late), Period: quantiles(period), Work: quantiles(work),
		Dropped: st.Dropped, RealTime: st.RealTime,
	}, err
}

// ErrNoCyclictest says that the program is not installed.
var ErrNoCyclictest = errors.New("bench: cyclictest is not installed (cure: apt-get install rt-tests)")

// Cyclictest runs the kernel's own latency test at the same rate and priority,
// to be compared with Punctuality under the same load.
func Cyclictest(ctx context.Context, rate float64, d time.Duration, priority int) (Timing, error) {
	path, err := exec.LookPath("cyclictest")
	if err != nil {
		return Timing{}, ErrNoCyclictest
	}
	dir, err := os.MkdirTemp("", "hapco-cyclictest-")
	if err != nil {
		return Timing{}, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.json")
	interval := 1e6 / rate
	args := []string{
		"-q", "-m", "-t", "1", "-p", strconv.Itoa(priority), "-i", strconv.Itoa(int(interval)),
		"-l", strconv.Itoa(int(d.Seconds() * rate)), "-h", "100000", "--json=" + out,
	}
	if text, err := exec.CommandContext(ctx, path, args...).CombinedOutput(); err != nil {
		return Timing{}, fmt.Errorf("bench: cyclictest: %w: %.200s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return Timing{}, fmt.Errorf("bench: %w", err)
	}
	t, err := parseCyclictest(data, interval)
	if err != nil {
		return Timing{}, err
	}
	t.RealTime = fmt.Sprintf("SCHED_FIFO %d", priority)
	return t, nil
}

// parseCyclictest reads its JSON: a histogram of wake-up latencies in us.
// A latency of more than a period is a deadline missed.
func parseCyclictest(data []byte, interval float64) (Timing, error) {
	var doc struct {
		Thread map[string]struct {
			Histogram map[string]int `json:"histogram"`
			Cycles    int            `json:"cycles"`
			Max       float64        `json:"max"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return Timing{}, fmt.Errorf("bench: cyclictest's output: %w", err)
	}
	th, ok := doc.Thread["0"]
	if !ok {
		return Timing{}, errors.New("bench: cyclictest's output has no thread 0")
	}
	var us []float64
	t := Timing{Ticks: th.Cycles}
	for k, n := range th.Histogram {
		v, err := strconv.ParseFloat(k, 64)
		if err != nil {
			return Timing{}, fmt.Errorf("bench: cyclictest's histogram: %w", err)
		}
		for range n {
			us = append(us, v)
		}
		if v >= interval {
			t.Missed += uint64(n) * uint64(v/interval)
		}
	}
	t.Wakeup = quantiles(us)
	t.Wakeup.Max = math.Max(t.Wakeup.Max, th.Max)
	return t, nil
}

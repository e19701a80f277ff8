package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hapco/haptics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/machinery/failsafe"
)

// Source is where ticks come from; haptics.Servo is one.
type Source interface {
	Drain(dst []haptics.Record) int
}

// Options of a flight recorder. Zero fields take the value named.
type Options struct {
	Dir    string            // where files go; "": the working directory
	Keep   time.Duration     // of ticks in memory; 60 s
	Rate   float64           // of the servo, Hz; 1000
	Spike  float64           // change of the raw force in one tick that calls for a file, N; 5
	Missed int               // deadlines missed within a second that do; 10
	After  time.Duration     // ticks kept on after what called for the file; 1 s
	Pause  time.Duration     // between two files that nobody asked for; 30 s
	Asked  bool              // write a file only when asked for one
	Notes  map[string]string // kept in every file
}

// Recording is the reason of an Event about a stream that has failed.
const Recording = "recording"

// Event tells of a file that was written, or was not.
type Event struct {
	Reason string
	Path   string
	Ticks  int
	Err    error
}

// Flight keeps the last minute. Run drains the source; the rest may be called from any goroutine.
type Flight struct {
	src   Source
	opt   Options
	start int64
	batch []haptics.Record

	mu     sync.Mutex
	ring   []haptics.Record
	next   int // where the next record goes
	full   bool
	stream *Writer
	listen func(start int64, recs []haptics.Record)
	events []Event

	// of the watch; Run's own, under mu
	last   haptics.Record
	missed []int64 // servo times of missed deadlines
	reason string  // why a file is due; "": none is
	due    int64   // servo time at which it is written
	quiet  int64   // servo time until which nothing unasked-for is written
	wait   failsafe.Group

	periods haptics.Periods
}

// NewFlight makes a recorder; its memory is taken at once.
func NewFlight(src Source, opt Options) *Flight {
	opt.Keep, opt.After = positive(opt.Keep, time.Minute), positive(opt.After, time.Second)
	opt.Pause = positive(opt.Pause, 30*time.Second)
	opt.Rate, opt.Spike, opt.Missed = positive(opt.Rate, 1000), positive(opt.Spike, 5), positive(opt.Missed, 10)
	return &Flight{
		src: src, opt: opt, start: time.Now().UnixNano(),
		batch:  make([]haptics.Record, 512),
		ring:   make([]haptics.Record, max(16, int(opt.Keep.Seconds()*opt.Rate))),
		missed: make([]int64, 0, opt.Missed),
	}
}

// positive is v, or other where v is not above zero.
func positive[T int | time.Duration | float64](v, other T) T {
	if v > 0 {
		return v
	}
	return other
}

// Run drains the source until ctx ends, then ends the stream and waits for files being written.
func (f *Flight) Run(ctx context.Context) {
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for {
		f.poll()
		select {
		case <-ctx.Done():
			f.poll()
			f.StopStream()
			f.wait.Wait()
			return
		case <-t.C:
		}
	}
}

// poll drains the source once. Run does it 20 times a second.
func (f *Flight) poll() {
	for {
		n := f.src.Drain(f.batch)
		if n > 0 {
			f.take(f.batch[:n])
		}
		if n < len(f.batch) {
			return
		}
	}
}

func (f *Flight) take(recs []haptics.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listen != nil {
		f.listen(f.start, recs)
	}
	for i := range recs {
		r := &recs[i]
		f.ring[f.next] = *r
		f.next++
		if f.next == len(f.ring) {
			f.next, f.full = 0, true
		}
		f.watch(r)
	}
	if f.stream != nil {
		f.streamed(f.stream.Write(recs))
	}
}

// streamed ends the stream where it cannot be written, as on a full disk.
func (f *Flight) streamed(err error) {
	if err == nil {
		return
	}
	f.stream.file.Close()
	f.events = append(f.events, Event{Reason: Recording, Path: f.stream.name, Ticks: int(f.stream.n), Err: err})
	f.stream = nil
}

// Periods are the times between ticks since the start, a twentieth of a second ago.
func (f *Flight) Periods() haptics.Periods {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.periods
}

// Listen has every batch of ticks told to listen, which must not wait. start is the wall clock of servo time 0, ns
// since 1970.
func (f *Flight) Listen(listen func(start int64, recs []haptics.Record)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listen = listen
}

// Also adds a message to the stream, on another channel than the ticks'. at is the wall clock, ns since 1970. Without a
// stream it does nothing, and returns false.
func (f *Flight) Also(c *Channel, at int64, data []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stream == nil {
		return false
	}
	f.streamed(f.stream.WriteTo(c, at, data))
	return f.stream != nil
}

// Streaming is the file that is being written and how many ticks it has; "" where there is none.
func (f *Flight) Streaming() (file string, ticks int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stream == nil {
		return "", 0
	}
	return f.stream.name, int(f.stream.n)
}

// watch looks for what calls for a file.
func (f *Flight) watch(r *haptics.Record) {
	if f.last.Tick+1 == r.Tick && f.last.Tick != 0 {
		f.periods.Count(r.Time-f.last.Time, f.opt.Rate)
	}
	if !f.opt.Asked && f.reason == "" && f.last.Tick != 0 && r.Time >= f.quiet {
		period := 1e9 / f.opt.Rate
		lost := int(math.Round(float64(r.Time-f.last.Time)/period)) - 1
		for range min(lost, f.opt.Missed) {
			if len(f.missed) == cap(f.missed) {
				copy(f.missed, f.missed[1:])
				f.missed = f.missed[:len(f.missed)-1]
			}
			f.missed = append(f.missed, r.Time)
		}
		var d2 float64
		for k := range 3 {
			d := r.Raw[k] - f.last.Raw[k]
			d2 += d * d
		}
		switch {
		case !(d2 <= f.opt.Spike*f.opt.Spike):
			f.reason = "force spike"
		case len(f.missed) == cap(f.missed) && r.Time-f.missed[0] < 1e9:
			f.reason, f.missed = "missed deadlines", f.missed[:0]
		}
		f.due = r.Time + f.opt.After.Nanoseconds()
	}
	f.last = *r
	if f.reason != "" && r.Time >= f.due {
		f.write()
	}
}

// write hands a copy of the ring to a goroutine that writes it.
func (f *Flight) write() {
	recs := f.recent(len(f.ring))
	reason := f.reason
	f.reason = ""
	f.quiet = f.last.Time + f.opt.Pause.Nanoseconds()
	name := fmt.Sprintf("flight-%s-%s.mcap", time.Now().Format("20060102-150405.000"), strings.ReplaceAll(reason, " ", "-"))
	path := filepath.Join(f.opt.Dir, name)
	f.wait.Go(func() {
		e := Event{Reason: reason, Path: path, Ticks: len(recs), Err: f.save(path, reason, recs)}
		f.mu.Lock()
		f.events = append(f.events, e)
		f.mu.Unlock()
	})
}

// save writes a file that is there whole or not at all.
func (f *Flight) save(path, reason string, recs []haptics.Record) error {
	notes := map[string]string{"reason": reason}
	maps.Copy(notes, f.opt.Notes)
	file, err := atomicfile.Create(filepath.Dir(path))
	if err != nil {
		return named(path, err)
	}
	defer file.Discard()
	file.Lasting = true
	w := &Writer{file: file.File, name: path, start: f.start}
	if err := w.begin(notes); err != nil {
		return named(path, err)
	}
	if err := w.Write(recs); err != nil {
		return err
	}
	return named(path, errors.Join(w.w.Close(), file.Replace(path)))
}

// Dump writes what is in memory now, e.g. on a key.
func (f *Flight) Dump(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == 0 && !f.full {
		f.events = append(f.events, Event{Reason: reason, Err: fmt.Errorf("record: nothing was recorded yet")})
		return
	}
	quiet := f.quiet
	f.reason = reason
	f.write()
	f.quiet = quiet
}

// Events are the files written since the last call.
func (f *Flight) Events() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.events
	f.events = nil
	return e
}

func (f *Flight) recent(n int) []haptics.Record {
	have := f.next
	if f.full {
		have = len(f.ring)
	}
	n = min(n, have)
	out := make([]haptics.Record, n)
	for i := range n {
		out[i] = f.ring[(f.next-n+i+len(f.ring))%len(f.ring)]
	}
	return out
}

// Stream writes every tick from now on to the file path, or to one beside it where that is there already, until
// StopStream; it returns the file's name. A crash costs the last second at most. Notes are kept in the file besides the
// recorder's own. Where the file cannot be written any more the recording ends, and nothing else: an Event tells of it.
func (f *Flight) Stream(path string, notes map[string]string) (name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stream != nil {
		return "", fmt.Errorf("record: a recording to %s is under way (cure: stop it first)", f.stream.name)
	}
	all := map[string]string{}
	maps.Copy(all, f.opt.Notes)
	maps.Copy(all, notes)
	w, err := createBeside(path, f.start, all)
	if err != nil {
		return "", err
	}
	f.stream = w
	return w.name, nil
}

// StopStream ends the recording. Without one it does nothing. An Event tells where that failed.
func (f *Flight) StopStream() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stream == nil {
		return
	}
	if err := f.stream.Close(); err != nil {
		f.events = append(f.events, Event{Reason: Recording, Path: f.stream.name, Ticks: int(f.stream.n), Err: err})
	}
	f.stream = nil
}

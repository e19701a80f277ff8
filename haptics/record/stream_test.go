package record

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hapco/haptics"
)

// A file that is there stays as it is: the recording goes beside it.
func TestStreamGoesBesideWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "press.mcap")
	var flights []*Flight
	var names []string
	for k := range 3 {
		src := &source{recs: ticks(1, 100*(k+1))}
		f := NewFlight(src, Options{Asked: true})
		name, err := f.Stream(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		flights, names = append(flights, f), append(names, filepath.Base(name))
		f.poll()
	}
	if got := strings.Join(names, " "); got != "press.mcap press-2.mcap press-3.mcap" {
		t.Errorf("the files are %s", got)
	}
	for k, f := range flights { // all were being written at the same time
		f.StopStream()
		if e := f.Events(); len(e) != 0 {
			t.Errorf("%+v", e)
		}
		recs, _, err := Read(filepath.Join(dir, names[k]))
		if err != nil || len(recs) != 100*(k+1) {
			t.Errorf("%s: %d ticks, %v", names[k], len(recs), err)
		}
	}
}

// A disk that is full ends the recording at once, and nothing else.
func TestFullDiskEndsTheRecording(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.mcap")
	src := &source{}
	f := NewFlight(src, Options{Asked: true})
	if _, err := f.Stream(path, nil); err != nil {
		t.Fatal(err)
	}
	full := old
	full.Cur = 100 << 10 // as far as writing goes, a disk with so much room
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_FSIZE, &old) }()
	n, at := 0, -1
	var events []Event
	for ; n < 20000 && len(events) == 0; n += 50 {
		src.recs = ticks(1+n, 50)
		f.poll()
		events = f.Events()
		if info, err := os.Stat(path); err == nil && at < 0 && info.Size() >= 100<<10 {
			at = n
		}
	}
	if len(events) != 1 || events[0].Reason != Recording || !errors.Is(events[0].Err, syscall.EFBIG) || events[0].Path != path {
		t.Fatalf("after %d ticks: %+v", n, events)
	}
	if late := n - 50 - at; late != 0 {
		t.Errorf("told %d ticks after the disk was full", late)
	}
	src.recs = ticks(1+n, 50)
	f.poll()
	f.StopStream()
	if got := len(f.Recent(1 << 20)); got != n+50 || len(f.Events()) != 0 {
		t.Errorf("%d ticks in memory, want %d", got, n+50)
	}
	recs, _, err := Read(path)
	if !errors.Is(err, ErrTruncated) || len(recs) < n-1000 {
		t.Errorf("%d of %d ticks on file, %v", len(recs), n, err)
	}
}

// What was cut before the first tick is a recording of nothing, not another kind of file.
func TestCutAtTheVeryBeginning(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "a.mcap")
	w, err := Create(whole, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ticks(1, 10)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mcap")
	for n := range 200 {
		if err := os.WriteFile(cut, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if recs, _, err := Read(cut); !errors.Is(err, ErrTruncated) || len(recs) != 0 {
			t.Fatalf("cut after %d bytes: %d ticks, %v", n, len(recs), err)
		}
	}
}

// counted is a source that has some ticks whenever it is asked.
type counted struct{ given, next int }

func (c *counted) Drain(dst []haptics.Record) int {
	recs := ticks(1+c.given, min(c.next, len(dst)))
	c.given, c.next = c.given+len(recs), c.next-len(recs)
	return copy(dst, recs)
}

const recorderVariable = "HAPCO_TEST_RECORDER"

// recorder is the child process of TestKill: it records to the file until it is
// killed, up to 60 ticks at a time, and prints how many there are.
func recorder(t *testing.T, path string) {
	src := &counted{}
	f := NewFlight(src, Options{Asked: true})
	if _, err := f.Stream(path, nil); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	for {
		src.next = 1 + rand.IntN(60)
		f.poll()
		fmt.Fprintln(out, "tick", src.given)
		if out.Flush() != nil {
			return
		}
	}
}

// A recording that is killed at any moment reads, but for the ticks of a second at most.
func TestKill(t *testing.T) {
	if path := os.Getenv(recorderVariable); path != "" {
		recorder(t, path)
	}
	kills := 100
	if testing.Short() {
		kills = 8
	}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	var mutex sync.Mutex
	worst := 0
	var group sync.WaitGroup
	slots := make(chan struct{}, 4)
	for k := range kills {
		life := 1 + rng.IntN(100) // lines that it prints
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			path := filepath.Join(dir, strconv.Itoa(k)+".mcap")
			cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
			cmd.Env = append(os.Environ(), recorderVariable+"="+path)
			pipe, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			reached := 0
			for line, lines := 0, bufio.NewScanner(pipe); lines.Scan(); line++ {
				if n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "tick ")); err == nil {
					reached = n
				}
				if line == life { // it goes on until the signal arrives
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Wait()
			recs, _, err := Read(path)
			if !errors.Is(err, ErrTruncated) {
				t.Errorf("killed after %d lines: %v", life, err)
			}
			for i := range recs {
				if recs[i].Tick != uint64(i+1) {
					t.Errorf("killed after %d lines: tick %d in the place of %d", life, recs[i].Tick, i+1)
					break
				}
			}
			mutex.Lock()
			worst = max(worst, reached-len(recs))
			mutex.Unlock()
		})
	}
	group.Wait()
	t.Logf("%d kills, at most %d ticks lost", kills, worst)
	if worst > 1000 || worst == 0 {
		t.Errorf("%d ticks are lost, want 1000 at most", worst)
	}
}

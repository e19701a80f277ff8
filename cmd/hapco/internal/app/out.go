package app

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"hapco/physics/files/atomicfile"
)

func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Finite makes a number that JSON can hold; -1 stands for none.
func Finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return -1
	}
	return x
}

// Table prints rows of cells with tabs behind them, aligned to the right.
func Table(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// List prints rows of cells with tabs between them, aligned to the left.
func List(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// CSV writes a table, whose rows tell hands over one after the other.
func CSV(w io.Writer, tell func(row func(cells ...string))) error {
	out := csv.NewWriter(w)
	tell(func(cells ...string) { _ = out.Write(cells) }) // csv keeps the first error
	out.Flush()
	return out.Error()
}

// Numbers adds numbers to a row, with so many digits; -1: as many as they need.
func Numbers(row []string, digits int, x ...float64) []string {
	for _, v := range x {
		row = append(row, strconv.FormatFloat(v, 'g', digits, 64))
	}
	return row
}

// WriteOut writes to a file, as atomicfile.Write does, or to standard output when name is "". A name that cannot be is
// bad input.
func WriteOut(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(Stdout)
	}
	err := atomicfile.Write(name, write)
	var refused *atomicfile.Refused
	if errors.As(err, &refused) {
		return BadInput(err)
	}
	return err
}

// WriteWanted writes to a file where one is named.
func WriteWanted(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	return WriteOut(name, write)
}

// MayWrite finds out, before there is something to write, that a file cannot be.
func MayWrite(name string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return BadInput(fmt.Errorf("%s: is a directory (cure: the name of a file)", name))
	}
	f, err := atomicfile.Create(filepath.Dir(name))
	if err != nil {
		return BadInput(fmt.Errorf("%s cannot be written: %w", name, err))
	}
	f.Discard()
	return nil
}

// Stdout is standard output. It keeps the first error of a write, for who prints a line looks at none, and main tells
// of it in the end.
var Stdout io.Writer = stdout{}

type stdout struct{}

var unheard atomic.Pointer[error]

func (stdout) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	if err != nil {
		err = fmt.Errorf("standard output cannot be written: %w", atomicfile.Cure(err))
		unheard.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Unheard is the first error of standard output since it was asked last.
func Unheard() error {
	if err := unheard.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// InputError marks an error as the user's input: exit status 2.
type InputError struct{ error }

func (e InputError) Unwrap() error { return e.error }

// BadInput marks err, when there is one, as the user's input.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return InputError{err}
}

// Notes are what a command has to say besides its result: guessed units, what a reader mended, files that have changed.
// They wait until the command has done its work, so that bad input is told in one line alone: whoever reads a failure
// sees its cause, and not what was noticed on the way.
var notes struct {
	sync.Mutex
	lines   []string
	telling bool
}

// Note keeps a line for the end of the command; one that is the same is kept once. After TellNotes it is printed at
// once.
func Note(format string, args ...any) {
	line := "hapco: " + OneLine(fmt.Sprintf(format, args...))
	notes.Lock()
	defer notes.Unlock()
	if slices.Contains(notes.lines, line) {
		return
	}
	notes.lines = append(notes.lines, line)
	if notes.telling {
		fmt.Fprintln(os.Stderr, line)
	}
}

// NoteAll notes some lines.
func NoteAll(lines []string) {
	for _, line := range lines {
		Note("%s", line)
	}
}

// OneLine is a text in one line.
func OneLine(text string) string { return strings.NewReplacer("\r", "", "\n", "; ").Replace(text) }

// TellNotes prints what was noted, and lets what follows be printed at once: the input is good, and what comes now goes
// on for long.
func TellNotes() {
	notes.Lock()
	defer notes.Unlock()
	if !notes.telling {
		for _, l := range notes.lines {
			fmt.Fprintln(os.Stderr, l)
		}
	}
	notes.telling = true
}

// DropNotes forgets what was noted: the command begins, or its input is bad.
func DropNotes() {
	notes.Lock()
	defer notes.Unlock()
	notes.lines, notes.telling = nil, false
}

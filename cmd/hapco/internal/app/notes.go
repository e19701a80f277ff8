package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

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

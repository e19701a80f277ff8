package mesh

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
)

// scanner walks over a text file word by word and knows the line it is on.
type scanner struct {
	name string
	data []byte
	pos  int
	line int // 1-based

	sections map[string]int // line of each section that a file may have only once
}

// newScanner begins at the first word: no format means anything by the blanks before it.
func newScanner(name string, data []byte) *scanner {
	s := &scanner{name: name, data: data, line: 1}
	s.blanks()
	return s
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'
}

func (s *scanner) blanks() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		if s.data[s.pos] == '\n' {
			s.line++
		}
		s.pos++
	}
}

// word is the next run of non-space bytes, nil at the end of the file.
func (s *scanner) word() []byte {
	s.blanks()
	start := s.pos
	for s.pos < len(s.data) && !isSpace(s.data[s.pos]) {
		s.pos++
	}
	if start == s.pos {
		return nil
	}
	return s.data[start:s.pos]
}

// need is the next word; what names it in the error.
func (s *scanner) need(what string) []byte {
	w := s.word()
	if w == nil {
		panic(s.fail(cureTruncated, "the file ends where %s should stand", what))
	}
	return w
}

// firstLine is the first that is neither empty nor a comment, trimmed; nil: there is none.
func firstLine(data []byte, comment string) []byte {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte(comment)) {
			return line
		}
	}
	return nil
}

// rest is what remains of the current line; the scanner goes on to the next.
func (s *scanner) rest() []byte {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
	text := s.data[start:s.pos]
	if s.pos < len(s.data) {
		s.pos++
		s.line++
	}
	return text
}

func (s *scanner) left() int { return len(s.data) - s.pos }

// read is the number of the line just read.
func (s *scanner) read() int {
	if s.left() == 0 && len(s.data) > 0 && s.data[len(s.data)-1] != '\n' {
		return s.line
	}
	return max(1, s.line-1)
}

// once refuses a section that the file has had already: which of the two the rest of the file counts on cannot be
// known.
func (s *scanner) once(section string) {
	if first := s.sections[section]; first > 0 {
		panic(s.fail("keep one of the two, with all its entries", "a second section %s stands here; the first is on line %d", clip([]byte(section)), first))
	}
	if s.sections == nil {
		s.sections = map[string]int{}
	}
	s.sections[section] = s.line
}

// ended refuses what stands behind the last entry that was announced.
func (s *scanner) ended(what string) {
	if w := s.word(); w != nil {
		panic(s.fail("make the count agree with the entries", "%q stands after the last of the %s that are announced", clip(w), what))
	}
}

// bad is an error at the line just read.
func (s *scanner) bad(what string, args ...any) refusal.Fault {
	return errorAt(s.name, s.read(), fmt.Sprintf(what, args...), cureSyntax)
}

// whole is a field's number; what names it in the error at the line just read.
func (s *scanner) whole(field []byte, what string) int64 {
	v, err := strconv.ParseInt(text(field), 10, 64)
	if err != nil {
		panic(s.bad("%q stands where %s should", clip(field), what))
	}
	return v
}

// fail is an error at the current line.
func (s *scanner) fail(cure, what string, args ...any) refusal.Fault {
	return errorAt(s.name, s.line, fmt.Sprintf(what, args...), cure)
}

const (
	cureTruncated = "the file is cut short: export it again"
	cureSyntax    = "correct the line or export the mesh again"
)

// integer reads one whole number; what names it in the error.
func (s *scanner) integer(what string) int64 {
	w := s.need(what)
	v, err := strconv.ParseInt(text(w), 10, 64)
	if err != nil {
		panic(s.fail(cureSyntax, "%q stands where %s should", clip(w), what))
	}
	return v
}

// count reads a number of things that each take at least minBytes of the file, and refuses one that the rest of the
// file cannot hold.
func (s *scanner) count(what string, minBytes int) int {
	return s.plausible(s.integer("the number of "+what), what, minBytes)
}

// plausible refuses a number of things that the rest of the file cannot hold.
func (s *scanner) plausible(v int64, what string, minBytes int) int {
	if v < 0 {
		panic(s.fail(cureSyntax, "the number of %s is %d", what, v))
	}
	if v > int64(s.left()/minBytes)+1 || v > math.MaxInt32 {
		panic(s.fail(cureTruncated, "%d %s are announced, but the file has only %d more bytes", v, what, s.left()))
	}
	return int(v)
}

func (s *scanner) float(what string) float64 {
	w := s.need(what)
	v, err := parseFloat(w)
	if err != nil {
		panic(s.fail(cureSyntax, "%q stands where %s should", clip(w), what))
	}
	return v
}

func (s *scanner) place() (x mgl64.Vec3) {
	for k := range x {
		x[k] = s.float("a coordinate")
	}
	return x
}

// parseFloat reads a finite number, as C and Fortran write it: 1.5e3, 1.5D+03.
func parseFloat(w []byte) (float64, error) {
	v, err := strconv.ParseFloat(text(w), 64)
	if err != nil {
		if k := bytes.IndexAny(w, "dD"); k > 0 {
			v, err = strconv.ParseFloat(string(w[:k])+"e"+string(w[k+1:]), 64)
		}
	}
	if err == nil && v-v != 0 {
		err = strconv.ErrRange
	}
	return v, err
}

// text is b as a string without a copy, for calls that do not keep it.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// clip shortens a word for a message.
func clip(w []byte) string {
	if len(w) > 40 {
		return string(w[:40]) + "..."
	}
	return string(w)
}

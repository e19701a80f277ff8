package setting

import (
	"strconv"
	"strings"
)

// keyLines finds the line of every key of a TOML text that the TOML reader has accepted; that reader does not tell.
// Keys are dotted, elements of arrays by index: the size of the second body's box is "body.1.box.size". A table's own
// key is the line of its header.
func keyLines(text string) map[string]int {
	f := lineFinder{text: text, line: 1, lines: map[string]int{}, last: map[string]int{}}
	for !f.end() {
		f.skip(" \t\r\n")
		switch {
		case f.end():
		case f.at("#"):
			f.toLineEnd()
		case f.at("[["):
			f.pos += 2
			f.table = f.enter(f.key(), true)
			f.toLineEnd()
		case f.at("["):
			f.pos++
			f.table = f.enter(f.key(), false)
			f.toLineEnd()
		default:
			f.keyValue(f.table)
		}
	}
	return f.lines
}

type lineFinder struct {
	text  string
	pos   int
	line  int
	table string         // dotted key of the table that the lines below belong to
	lines map[string]int // result
	last  map[string]int // index of the newest element of each array of tables
}

func (f *lineFinder) end() bool          { return f.pos >= len(f.text) }
func (f *lineFinder) at(s string) bool   { return strings.HasPrefix(f.text[f.pos:], s) }
func (f *lineFinder) in(set string) bool { return strings.IndexByte(set, f.text[f.pos]) >= 0 }

// next steps over one byte and counts lines.
func (f *lineFinder) next() {
	if f.text[f.pos] == '\n' {
		f.line++
	}
	f.pos++
}

func (f *lineFinder) skip(set string) {
	for !f.end() && f.in(set) {
		f.next()
	}
}

func (f *lineFinder) toLineEnd() {
	for !f.end() && f.text[f.pos] != '\n' {
		f.pos++
	}
}

// skipGaps passes blanks, line ends and comments, as they may stand inside arrays.
func (f *lineFinder) skipGaps() {
	for f.skip(" \t\r\n"); !f.end() && f.at("#"); f.skip(" \t\r\n") {
		f.toLineEnd()
	}
}

// record notes the line of a key the first time that it is seen.
func (f *lineFinder) record(key string, line int) {
	if _, known := f.lines[key]; !known {
		f.lines[key] = line
	}
}

// enter resolves a table header to a dotted key with array indices.
func (f *lineFinder) enter(parts []string, array bool) string {
	path := ""
	for i, p := range parts {
		path = Join(path, p)
		n, isArray := f.last[path]
		switch {
		case i == len(parts)-1 && array:
			if isArray {
				n++
			}
			f.last[path] = n
			f.record(path, f.line)
			path = Join(path, strconv.Itoa(n))
		case isArray:
			path = Join(path, strconv.Itoa(n))
		}
		f.record(path, f.line)
	}
	return path
}

// key reads a dotted key up to '=' or ']'.
func (f *lineFinder) key() []string {
	var parts []string
	for !f.end() {
		f.skip(" \t")
		if f.end() {
			break
		}
		switch c := f.text[f.pos]; c {
		case '.':
			f.pos++
		case '"', '\'':
			start := f.pos + 1
			f.quoted()
			part := f.text[start:max(start, f.pos-1)]
			if c == '"' {
				if u, err := strconv.Unquote(`"` + part + `"`); err == nil {
					part = u
				}
			}
			parts = append(parts, part)
		case '=', ']', '\n':
			return parts
		default:
			start := f.pos
			for !f.end() && !f.in(" \t.=]\n\"'") {
				f.pos++
			}
			parts = append(parts, f.text[start:f.pos])
		}
	}
	return parts
}

// keyValue reads KEY = VALUE inside a table.
func (f *lineFinder) keyValue(table string) {
	line := f.line
	path := table
	for _, p := range f.key() {
		path = Join(path, p)
		f.record(path, line)
	}
	if f.end() {
		return
	}
	f.next() // '='
	f.skip(" \t")
	f.value(path)
}

// value passes one value, noting keys inside it.
func (f *lineFinder) value(path string) {
	if f.end() {
		return
	}
	switch f.text[f.pos] {
	case '"', '\'':
		f.quoted()
	case '[':
		f.pos++
		for i := 0; ; i++ {
			f.skipGaps()
			if f.end() || f.at("]") {
				break
			}
			element := Join(path, strconv.Itoa(i))
			f.record(element, f.line)
			f.value(element)
			f.skipGaps()
			if !f.end() && f.at(",") {
				f.pos++
			}
		}
		if !f.end() {
			f.pos++
		}
	case '{':
		f.pos++
		for {
			f.skipGaps()
			if f.end() || f.at("}") {
				break
			}
			f.keyValue(path)
			f.skipGaps()
			if !f.end() && f.at(",") {
				f.pos++
			}
		}
		if !f.end() {
			f.pos++
		}
	default:
		start := f.pos
		for !f.end() && !f.in(",]}#\r\n") {
			f.pos++
		}
		if f.pos == start { // never stand still
			f.next()
		}
	}
}

// quoted passes a string of any of the four kinds.
func (f *lineFinder) quoted() {
	quote := f.text[f.pos : f.pos+1]
	long := strings.Repeat(quote, 3)
	if f.at(long) {
		f.pos += 3
		for !f.end() && !f.at(long) {
			f.escape(quote)
		}
		// Up to two more quotes may stand right before the closing three.
		f.pos = min(f.pos+3, len(f.text))
		for i := 0; i < 2 && !f.end() && f.at(quote); i++ {
			f.pos++
		}
		return
	}
	f.pos++
	for !f.end() && !f.at(quote) {
		f.escape(quote)
	}
	f.pos = min(f.pos+1, len(f.text))
}

// escape passes one character of a string, with its backslash where it has one.
func (f *lineFinder) escape(quote string) {
	if quote == `"` && f.at(`\`) {
		f.next()
	}
	if !f.end() {
		f.next()
	}
}

func Join(path, part string) string {
	if path == "" {
		return part
	}
	return path + "." + part
}

package setting

import (
	"regexp"
	"strconv"
	"strings"
)

// tomlToken is the next token of a TOML text, after blanks and comments: a string of any of the four kinds, a bracket
// and the like, or a bare word, which may have dots. Up to two more quotes may stand right before the closing three. A
// quote alone opens a string that never ends.
var tomlToken = regexp.MustCompile(`^(?s:#[^\n]*\n|\s)*(?s:(` +
	`"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|` +
	`[\[\]{}=,"']|[^\s\[\]{}=,#"']+))`)

type lexer struct {
	rest  string
	line  int    // of the token
	token string // "": the text has ended
	lines int    // of the token
}

func newLexer(text string) *lexer {
	l := &lexer{rest: text, line: 1}
	l.next()
	return l
}

func (l *lexer) next() {
	l.line += l.lines
	at := tomlToken.FindStringSubmatchIndex(l.rest)
	if at == nil {
		l.token, l.rest = "", ""
		return
	}
	l.line += strings.Count(l.rest[:at[2]], "\n")
	l.token, l.rest = l.rest[at[2]:at[3]], l.rest[at[3]:]
	l.lines = strings.Count(l.token, "\n")
}

// take passes a token if it is the one that is wanted, or the text has ended.
func (l *lexer) take(wanted string) bool {
	is := l.token == wanted || l.token == ""
	if is {
		l.next()
	}
	return is
}

// quoted tells of a string.
func (l *lexer) quoted() bool { return strings.IndexAny(l.token, `"'`) == 0 }

// keyLines finds the line of every key of a TOML text that the TOML reader has accepted; that reader does not tell.
// Keys are dotted, elements of arrays by index: the size of the second body's box is "body.1.box.size". A table's own
// key is the line of its header.
func keyLines(text string) map[string]int {
	f := lineFinder{lexer: newLexer(text), lines: map[string]int{}, last: map[string]int{}}
	table := ""
	for f.token != "" {
		if !f.take("[") {
			f.keyValue(table)
			continue
		}
		array := f.take("[")
		table = f.enter(f.line, f.key(), array)
		f.take("]")
		if array {
			f.take("]")
		}
	}
	return f.lines
}

type lineFinder struct {
	*lexer
	lines map[string]int // result
	last  map[string]int // index of the newest element of each array of tables
}

// record notes the line of a key the first time that it is seen.
func (f *lineFinder) record(key string, line int) {
	if _, known := f.lines[key]; !known {
		f.lines[key] = line
	}
}

// enter resolves a table header to a dotted key with array indices.
func (f *lineFinder) enter(line int, parts []string, array bool) string {
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
			f.record(path, line)
			path = Join(path, strconv.Itoa(n))
		case isArray:
			path = Join(path, strconv.Itoa(n))
		}
		f.record(path, line)
	}
	return path
}

// key reads a dotted key up to '=' or ']'.
func (f *lineFinder) key() (parts []string) {
	for ; f.token != "" && f.token != "=" && f.token != "]"; f.next() {
		if !f.quoted() {
			parts = append(parts, strings.FieldsFunc(f.token, func(r rune) bool { return r == '.' })...)
			continue
		}
		part := f.token[1 : len(f.token)-1]
		if u, err := strconv.Unquote(f.token); err == nil && f.token[0] == '"' {
			part = u
		}
		parts = append(parts, part)
	}
	return parts
}

// keyValue reads KEY = VALUE inside a table.
func (f *lineFinder) keyValue(path string) {
	line := f.line
	for _, p := range f.key() {
		path = Join(path, p)
		f.record(path, line)
	}
	f.next() // '='
	f.value(path)
}

// value passes one value, noting keys inside it.
func (f *lineFinder) value(path string) {
	switch {
	case f.take("["):
		for i := 0; !f.take("]"); i++ {
			element := Join(path, strconv.Itoa(i))
			f.record(element, f.line)
			f.value(element)
			f.take(",")
		}
	case f.take("{"):
		for !f.take("}") {
			f.keyValue(path)
			f.take(",")
		}
	default:
		line := f.line
		f.next()
		for f.line == line && f.token != "" && !strings.Contains(",]}", f.token) { // a date has two words
			f.next()
		}
	}
}

// mostNested is how deep tables, lists and names with dots may be in each other: scenes, sheets and studies have four
// levels at most. The decoder calls itself once a level, and a megabyte of brackets would be the end of the stack.
const mostNested = 32

// tooNested is the first line that is nested too deep; 0: none. Text that is no TOML may pass.
func tooNested(text string) int {
	depth, dots, line := 0, 0, 0
	for l := newLexer(text); l.token != ""; l.next() {
		if l.line > line {
			dots, line = 0, l.line
		}
		switch l.token {
		case `"`, `'`:
			return 0 // no TOML, which the decoder says
		case "[", "{":
			depth, dots = depth+1, 0
		case "]", "}":
			depth = max(0, depth-1)
		case ",", "=":
			dots = 0
		default:
			if !l.quoted() {
				dots += strings.Count(l.token, ".")
			}
		}
		if depth+dots > mostNested {
			return l.line
		}
	}
	return 0
}

// Join is a dotted key.
func Join(path, part string) string {
	if path == "" {
		return part
	}
	return path + "." + part
}

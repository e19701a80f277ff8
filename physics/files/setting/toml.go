package setting

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// mostNested is how deep tables, lists and names with dots may be in each other: scenes, sheets and studies have four
// levels at most. The decoder calls itself once a level, and a megabyte of brackets would be the end of the stack.
const mostNested = 32

// Decode reads TOML as toml.Decode does, but for what is nested deeper than anything of ours.
func Decode(text string, into any) (toml.MetaData, error) {
	if line := tooNested(text); line > 0 {
		return toml.MetaData{}, toml.ParseError{Message: fmt.Sprintf("nested more than %d deep", mostNested), Position: toml.Position{Line: line}}
	}
	return toml.Decode(text, into)
}

// tooNested is the first line that is nested too deep; 0: none. Text that is no TOML may pass.
func tooNested(text string) (line int) {
	line = 1
	depth, dots := 0, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end - 1
				continue
			}
			return 0
		case '"', '\'':
			mark, escapes := text[i:i+1], c == '"'
			if long := strings.Repeat(mark, 3); strings.HasPrefix(text[i:], long) {
				mark = long
			}
			for i += len(mark); i < len(text) && !strings.HasPrefix(text[i:], mark); i++ {
				switch {
				case text[i] == '\n' && len(mark) == 1:
					return 0 // no TOML, which the decoder says
				case text[i] == '\n':
					line++
				case text[i] == '\\' && escapes:
					i++
				}
			}
			i += len(mark) - 1
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = max(0, depth-1), 0
		case '.':
			dots++
		case ',', '=', '\n':
			dots = 0
			if c == '\n' {
				line++
			}
		}
		if depth+dots > mostNested {
			return line
		}
	}
	return 0
}

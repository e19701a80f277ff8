package setting

import (
	"fmt"
	"strings"
)

// Error says in one line what is wrong in a scene, where, and how to cure it.
type Error struct {
	At   string // FILE:LINE, "--set KEY=VALUE", or the scene's name
	Key  string // dotted, arrays by index: "body.0.box.size"; "" when none is at fault
	What string
	Cure string
}

// Error is "scene: AT: what (cure)", always one line.
func (e *Error) Error() string {
	text := e.What
	if e.At != "" {
		text = e.At + ": " + text
	}
	if e.Cure != "" {
		text += " (" + e.Cure + ")"
	}
	return "scene: " + OneLine(text)
}

// OneLine keeps a message on one line whatever a file's text brought into it.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

// Fault makes an Error whose place is found from its key later.
func Fault(key, cure, format string, args ...any) *Error {
	return &Error{Key: key, What: fmt.Sprintf(format, args...), Cure: cure}
}

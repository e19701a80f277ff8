package telemetry

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl64"
)

// writer appends JSON to its text. Numbers read back are the same to the last bit.
type writer struct {
	b    []byte
	more bool // a comma is due
}

func (w *writer) begin(mark byte) { w.b, w.more = append(w.b, mark), false }
func (w *writer) end(mark byte)   { w.b, w.more = append(w.b, mark), true }

// next is what stands before an element of a list.
func (w *writer) next() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}

// name is what stands before a value of an object.
func (w *writer) name(s string) {
	w.next()
	w.quoted(s)
	w.b = append(w.b, ':')
}

// open begins an object or a list of that name.
func (w *writer) open(name string, mark byte) {
	w.name(name)
	w.begin(mark)
}

func (w *writer) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		w.b = append(w.b, "null"...) // JSON has no word for it
		return
	}
	w.b = strconv.AppendFloat(w.b, x, 'g', -1, 64)
}

func (w *writer) number(name string, x float64) {
	w.name(name)
	w.float(x)
}

func (w *writer) integer(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *writer) unsigned(name string, n uint64) {
	w.name(name)
	w.b = strconv.AppendUint(w.b, n, 10)
}

func (w *writer) boolean(name string, on bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, on)
}

func (w *writer) text(name, s string) {
	w.name(name)
	w.quoted(s)
}

// quoted writes a string as JSON does, which is not as Go does: a scene's bodies may have any name.
func (w *writer) quoted(s string) {
	w.b = append(w.b, '"')
	for _, r := range s { // what is no UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r < ' ':
			w.b = fmt.Appendf(w.b, "\\u%04x", r)
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}

func (w *writer) list(name string, x ...float64) {
	w.open(name, '[')
	for _, v := range x {
		w.next()
		w.float(v)
	}
	w.end(']')
}

func (w *writer) vector(name string, v mgl64.Vec3) { w.list(name, v[0], v[1], v[2]) }

func (w *writer) rotation(name string, q mgl64.Quat) { w.list(name, q.V[0], q.V[1], q.V[2], q.W) }

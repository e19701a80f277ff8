package record

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl64"
)

// JSON appends messages to Bytes, without an allocation once these have room. Numbers read back are the same to the last
// bit; what is not finite is null.
type JSON struct {
	Bytes []byte
	more  bool // a comma is due
}

// Begin and End write the brackets of an object or a list.
func (w *JSON) Begin(mark byte) { w.Bytes, w.more = append(w.Bytes, mark), false }
func (w *JSON) End(mark byte)   { w.Bytes, w.more = append(w.Bytes, mark), true }

// Next is what stands before an element of a list.
func (w *JSON) Next() {
	if w.more {
		w.Bytes = append(w.Bytes, ',')
	}
	w.more = true
}

// name is what stands before a value of an object.
func (w *JSON) name(s string) {
	w.Next()
	w.Quoted(s)
	w.Bytes = append(w.Bytes, ':')
}

// Open begins an object or a list of that name.
func (w *JSON) Open(name string, mark byte) {
	w.name(name)
	w.Begin(mark)
}

func (w *JSON) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		w.Bytes = append(w.Bytes, "null"...) // JSON has no word for it
		return
	}
	w.Bytes = strconv.AppendFloat(w.Bytes, x, 'g', -1, 64)
}

// Number is a value of an object, as are the others.
func (w *JSON) Number(name string, x float64) {
	w.name(name)
	w.float(x)
}

func (w *JSON) Integer(name string, n int64) {
	w.name(name)
	w.Bytes = strconv.AppendInt(w.Bytes, n, 10)
}

func (w *JSON) Unsigned(name string, n uint64) {
	w.name(name)
	w.Bytes = strconv.AppendUint(w.Bytes, n, 10)
}

func (w *JSON) Boolean(name string, on bool) {
	w.name(name)
	w.Bytes = strconv.AppendBool(w.Bytes, on)
}

func (w *JSON) Text(name, s string) {
	w.name(name)
	w.Quoted(s)
}

// Quoted writes a string as JSON does, which is not as Go does: a scene's bodies may have any name.
func (w *JSON) Quoted(s string) {
	w.Bytes = append(w.Bytes, '"')
	if plain(s) { // as most are
		w.Bytes = append(append(w.Bytes, s...), '"')
		return
	}
	for _, r := range s { // what is no UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			w.Bytes = append(w.Bytes, '\\', byte(r))
		case r < ' ':
			w.Bytes = fmt.Appendf(w.Bytes, "\\u%04x", r)
		default:
			w.Bytes = utf8.AppendRune(w.Bytes, r)
		}
	}
	w.Bytes = append(w.Bytes, '"')
}

// plain tells whether a string stands in JSON as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (w *JSON) List(name string, x ...float64) {
	w.Open(name, '[')
	for _, v := range x {
		w.Next()
		w.float(v)
	}
	w.End(']')
}

func (w *JSON) Vector(name string, v mgl64.Vec3) { w.List(name, v[0], v[1], v[2]) }

func (w *JSON) Rotation(name string, q mgl64.Quat) { w.List(name, q.V[0], q.V[1], q.V[2], q.W) }

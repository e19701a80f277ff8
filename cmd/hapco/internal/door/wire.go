// Package door lets programs of the same user into a world, through a Unix socket.
//
// A message is two sizes, a JSON object of the first size, and bytes of the second: sizes are uint32, and all numbers
// little-endian. A client asks with a Request, without bytes, and gets one Reply, whose bytes are the arrays that it
// names, one after the other. Whoever asks wrongly is answered what is wrong; whoever breaks the form is answered, too,
// and let go. The Foxglove protocol of package telemetry is for listeners, over TCP, and wants a library for websockets.
package door

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unsafe"

	"hapco/cmd/internal/stepped"
)

// Version of the protocol: a Request says which it means.
const Version = 1

const (
	mostAsked = 64 << 10 // bytes of a request
	headSize  = 8
)

// Request is what a client asks for. Fields that an op has no use for are left out.
type Request struct {
	Op      string    `json:"op"`
	Version int       `json:"version,omitempty"` // of hello
	Hold    bool      `json:"hold,omitempty"`    // of hello: take the stylus
	Pose    []float64 `json:"pose,omitempty"`    // position, m, and a quaternion x, y, z, w; missing: the last one
	Dt      *float64  `json:"dt,omitempty"`      // s; missing: the world's own step
	Buttons uint32    `json:"buttons,omitempty"` // of the stylus
	Index   int64     `json:"index,omitempty"`   // of a surface, shape, body, or snapshot
	Field   int64     `json:"field,omitempty"`
	Key     string    `json:"key,omitempty"`
	Value   float64   `json:"value,omitempty"`
	Word    string    `json:"word,omitempty"`
	From    int64     `json:"from,omitempty"` // byte of a recording
}

// Reply answers a request. Code is hapco_code of hapco.h; but for 0, Text says what went wrong, in one line.
type Reply struct {
	Code   stepped.Code `json:"code"`
	Text   string       `json:"text,omitempty"`
	Data   any          `json:"data,omitempty"`
	Arrays []Array      `json:"arrays"`
}

// Array is one of the arrays that follow a reply, row-major. Type is f8, f4, i4, i8 or u1, or a structure of hapco.h:
// report, contact, body.
type Array struct {
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
	bytes []byte
}

// array makes an Array of a copy of numbers or structures.
func array[T any](kind string, x []T, columns ...int) Array {
	size := len(x) * int(unsafe.Sizeof(*new(T)))
	rows := len(x)
	a := Array{Type: kind, Shape: append([]int{rows}, columns...)}
	if size > 0 {
		a.bytes = bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), size))
	}
	return a
}

// malformed is a request that breaks the form: what follows it on the wire cannot be told.
type malformed struct{ error }

func (m malformed) Unwrap() error { return m.error }

// readHead reads the two sizes of a request.
func readHead(r io.Reader) (size uint32, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, err
	}
	size, more := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if size == 0 || size > mostAsked || more != 0 {
		return 0, malformed{stepped.Invalid("a message of %d and %d bytes (cure: a request of 1 to %d bytes, and 0)", size, more, mostAsked)}
	}
	return size, nil
}

// readBody reads the object of a request. What is no such object is an error of stepped, after which the next message
// can be read.
func readBody(r io.Reader, size uint32, q *Request) error {
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	*q = Request{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return stepped.Invalid("not understood: %v (cure: a JSON object as docs/library.md has it)", err)
	}
	if d.More() {
		return stepped.Invalid("more than one object in a message (cure: one)")
	}
	return nil
}

// write writes a reply.
func write(w io.Writer, p *Reply) error {
	if p.Arrays == nil {
		p.Arrays = []Array{}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var more int
	for i := range p.Arrays {
		more += len(p.Arrays[i].bytes)
	}
	if int64(more) > 1<<32-1 {
		return fmt.Errorf("a reply of %d bytes", more)
	}
	b := make([]byte, 0, headSize+len(text)+more)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, uint32(more))
	b = append(b, text...)
	for i := range p.Arrays {
		b = append(b, p.Arrays[i].bytes...)
	}
	_, err = w.Write(b)
	return err
}

package mesh

import (
	"encoding/binary"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// numberType is how a binary file stores a number. Integers above 2^53 lose digits, which no valid node number has.
type numberType struct {
	bytes int
	read  func(o binary.ByteOrder, d []byte) float64
}

// numberTypes go by the names that VTU has for them.
var numberTypes = map[string]*numberType{
	"int8":    {1, func(_ binary.ByteOrder, d []byte) float64 { return float64(int8(d[0])) }},
	"uint8":   {1, func(_ binary.ByteOrder, d []byte) float64 { return float64(d[0]) }},
	"int16":   {2, func(o binary.ByteOrder, d []byte) float64 { return float64(int16(o.Uint16(d))) }},
	"uint16":  {2, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint16(d)) }},
	"int32":   {4, func(o binary.ByteOrder, d []byte) float64 { return float64(int32(o.Uint32(d))) }},
	"uint32":  {4, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint32(d)) }},
	"int64":   {8, func(o binary.ByteOrder, d []byte) float64 { return float64(int64(o.Uint64(d))) }},
	"uint64":  {8, func(o binary.ByteOrder, d []byte) float64 { return float64(o.Uint64(d)) }},
	"float32": {4, func(o binary.ByteOrder, d []byte) float64 { return float64(math.Float32frombits(o.Uint32(d))) }},
	"float64": {8, func(o binary.ByteOrder, d []byte) float64 { return math.Float64frombits(o.Uint64(d)) }},
}

// array are the numbers of a section or DataArray: those of a text, or packed as they stand in the file until they are
// used, for a byte would become eight.
type array struct {
	values []float64
	kind   *numberType // nil: values holds them
	data   []byte
	order  binary.ByteOrder
}

func (a *array) len() int {
	if a.kind == nil {
		return len(a.values)
	}
	return len(a.data) / a.kind.bytes
}

func (a *array) at(i int) float64 {
	if a.kind == nil {
		return a.values[i]
	}
	return a.kind.read(a.order, a.data[i*a.kind.bytes:])
}

// whole converts numbers that must be whole; bad is the error of another.
func (a *array) whole(bad func(x float64) refusal.Fault) []int64 {
	v := make([]int64, a.len())
	for i := range v {
		x := a.at(i)
		if !(math.Abs(x) < 1<<53) || x != math.Trunc(x) {
			panic(bad(x))
		}
		v[i] = int64(x)
	}
	return v
}

// positions appends points of three coordinates; bad is the first that is not finite, -1 if none.
func (a *array) positions(x []mgl64.Vec3) (points []mgl64.Vec3, bad int) {
	for i := range a.len() / 3 {
		p := mgl64.Vec3{a.at(3 * i), a.at(3*i + 1), a.at(3*i + 2)}
		if !num.FiniteVec(p) {
			return nil, i
		}
		x = append(x, p)
	}
	return x, -1
}

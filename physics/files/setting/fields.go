package setting

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Field is one key of a T: the single place that knows its name, unit, help and how to read it. Reading a file, --set,
// the documentation and the panel all go through tables of fields.
type Field[T any] struct {
	Name string
	Unit Quantity
	Help string
	read func(t *T, v any, u Units) *Error
	// Live says how the panel shows the value; nil: it does not change while the world runs. Get and Put are then the
	// value as a number: a switch is 0 or 1, a word its place among Words.
	Live  *Live
	Get   func(t *T) float64
	Put   func(t *T, x float64)
	Words []string
	// Scale multiplies a number or vector; nil: the value is neither.
	Scale func(t *T, by float64)
}

// Live is how the panel shows a parameter that may change while the world runs.
type Live struct {
	Label  string // "": the last word of the name, with spaces
	Symbol string // such as "ρ_min"
	About  string // what it does and what to expect; "": the field's help
	Source string // where the literature defines it
	Clock  bool   // it ends work by the clock: which forces come of a step depends on the machine then
	Act    bool   // each change does something once, such as to write a file, and changes no state
	Range
}

// Range is that of a slider. Typed values may go beyond its ends, down to Floor and up to Ceil where these are given.
// SI units.
type Range struct {
	Min, Max    float64
	Step        float64 // of a linear slider's values; 0: continuous
	Floor, Ceil float64 // 0: Min, Max
	Log         bool    // equal travel is an equal factor; Min must be above 0
	Zero        bool    // Log only: the leftmost position is exactly 0
	Auto        bool    // 0 is allowed as well and lets the program choose; no slider reaches it
	ZeroWord    string  // what 0 is called then; "": automatic
	Decade      bool    // Log only: the slider's whole width is a decade about the default
	Off         float64 // a value from which on the parameter does nothing; 0: there is none
}

// Ends are the least and the largest value, but for 0 where r.Zero or r.Auto. Of an empty range they are those of any
// number.
func (r Range) Ends() (least, largest float64) {
	if r.Min == 0 && r.Max == 0 && r.Floor == 0 && r.Ceil == 0 {
		return -largestNumber, largestNumber
	}
	return cmp.Or(r.Floor, r.Min), cmp.Or(r.Ceil, r.Max)
}

// Holds says whether a value lies in the range. Ends may be missed by rounding: a value comes through units and the
// logarithm of a slider.
func (r Range) Holds(x float64) bool {
	const rounding = 1e-12
	least, largest := r.Ends()
	return x >= least-rounding*math.Abs(least) && x <= largest+rounding*math.Abs(largest) || (r.Zero || r.Auto) && x == 0
}

// Check is what is wrong with a value, in a unit of so many SI units and that name.
func (r Range) Check(x, unit float64, name string) *Error {
	if r.Holds(x) {
		return nil
	}
	least, largest := r.Ends()
	in := func(x float64) string { return strconv.FormatFloat(x/unit, 'g', 6, 64) }
	cure := "from " + in(least) + " to " + in(largest)
	if name != "" {
		cure += " " + name
	}
	if (r.Zero || r.Auto) && least > 0 {
		cure = "0, or " + cure
	}
	return Fault("", cure, "%s is out of range", in(x))
}

// Set reads a value into t. A number that is outside of its range is refused: t is then not to be used.
func (f *Field[T]) Set(t *T, v any, u Units) *Error {
	err := f.read(t, v, u)
	if err != nil || f.Get == nil || len(f.Words) > 0 {
		return err
	}
	r := Range{}
	if f.Live != nil {
		r = f.Live.Range
	}
	return r.Check(f.Get(t), u.ToSI(f.Unit), u.name(f.Unit))
}

// Then is the field with more to be done once a value was read; before is t as it was.
func (f Field[T]) Then(more func(t, before *T, u Units)) Field[T] {
	read := f.read
	f.read = func(t *T, v any, u Units) *Error {
		before := *t
		err := read(t, v, u)
		if err == nil {
			more(t, &before, u)
		}
		return err
	}
	return f
}

// Lives is the field as one that may change while the world runs.
func (f Field[T]) Lives(l Live) Field[T] {
	f.Live = &l
	return f
}

// Custom is a key with a reader of its own.
func Custom[T any](name string, unit Quantity, help string, set func(t *T, v any, u Units) *Error) Field[T] {
	return Field[T]{Name: name, Unit: unit, Help: help, read: set}
}

// Typed makes a field from a reader of values and the place that they go to.
func Typed[T, V any](name string, unit Quantity, help string, read func(v any, u Units) (V, *Error), at func(*T) *V) Field[T] {
	return Custom(name, unit, help, func(t *T, v any, u Units) *Error {
		x, err := read(v, u)
		if err == nil {
			*at(t) = x
		}
		return err
	})
}

// Rotation is three angles about the fixed axes x, then y, then z.
func Rotation[T any](name string, unit Quantity, help string, at func(*T) *mgl64.Quat) Field[T] {
	return Typed(name, unit, help, func(v any, _ Units) (mgl64.Quat, *Error) { return ReadRotation(v) }, at)
}

// Number is a number with a unit.
func Number[T any](name string, unit Quantity, help string, at func(*T) *float64) Field[T] {
	f := Typed(name, unit, help, func(v any, u Units) (float64, *Error) { return Measured(v, unit, u) }, at)
	f.Get = func(t *T) float64 { return *at(t) }
	f.Put = func(t *T, x float64) { *at(t) = x }
	f.Scale = func(t *T, by float64) { *at(t) *= by }
	return f
}

// Integer is a whole number.
func Integer[T any](name, help string, at func(*T) *int) Field[T] {
	f := Typed(name, Pure, help, func(v any, _ Units) (int, *Error) { return ReadInteger(v) }, at)
	f.Get = func(t *T) float64 { return float64(*at(t)) }
	f.Put = func(t *T, x float64) { *at(t) = int(math.Round(x)) }
	return f
}

// Switch is true or false.
func Switch[T any](name, help string, at func(*T) *bool) Field[T] {
	f := Typed(name, Pure, help, func(v any, _ Units) (bool, *Error) { return readBool(v) }, at)
	f.Get = func(t *T) float64 {
		if *at(t) {
			return 1
		}
		return 0
	}
	f.Put = func(t *T, x float64) { *at(t) = x != 0 }
	f.Words = SwitchWords
	return f
}

// LengthUnit is the name of a unit of length.
func LengthUnit[T any](name, help string, at func(*T) *string) Field[T] {
	return Typed(name, Pure, help, unitOf("length", "m, cm, mm, um or in", func(unit string) bool {
		_, bad := mesh.LengthUnit(unit)
		return bad == nil
	}), at)
}

// unitOf reads the name of a unit; is tells which there are.
func unitOf(what, known string, is func(unit string) bool) func(v any, _ Units) (string, *Error) {
	return func(v any, _ Units) (string, *Error) {
		unit, err := ReadText(v)
		if err == nil && !is(unit) {
			err = Fault("", known, "unknown unit of %s %q", what, unit)
		}
		return unit, err
	}
}

// SwitchWords are those of a Switch.
var SwitchWords = []string{"off", "on"}

// Text is a text in quotes.
func Text[T any](name, help string, at func(*T) *string) Field[T] {
	return Typed(name, Pure, help, func(v any, _ Units) (string, *Error) { return ReadText(v) }, at)
}

func texts[T any](name, help string, at func(*T) *[]string) Field[T] {
	return Typed(name, Pure, help, func(v any, _ Units) ([]string, *Error) {
		list, err := ReadList(v, -1, `a list of texts, ["a", "b"]`)
		if err != nil {
			return nil, err
		}
		out := make([]string, len(list))
		for i := range list {
			if out[i], err = ReadText(list[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}, at)
}

// Vector is three numbers with a unit.
func Vector[T any](name string, unit Quantity, help string, at func(*T) *mgl64.Vec3) Field[T] {
	f := Typed(name, unit, help, func(v any, u Units) (mgl64.Vec3, *Error) { return ReadVector(v, u.ToSI(unit)) }, at)
	f.Scale = func(t *T, by float64) { *at(t) = at(t).Mul(by) }
	return f
}

// Color is a colour, sRGB.
func Color[T any](name, help string, at func(*T) *mgl64.Vec3) Field[T] {
	return Typed(name, Pure, help+`, [r, g, b] with 0 to 1, or "#rrggbb"`, func(v any, _ Units) (mgl64.Vec3, *Error) { return ReadColor(v) }, at)
}

// Word is one of a few words.
func Word[T any, V comparable](name, help string, words []string, values []V, at func(*T) *V) Field[T] {
	f := Typed(name, Pure, help+": "+strings.Join(words, ", "), func(v any, _ Units) (V, *Error) { return ReadWord(v, words, values) }, at)
	f.Get = func(t *T) float64 { return float64(slices.Index(values, *at(t))) }
	f.Put = func(t *T, x float64) { *at(t) = values[int(x)] }
	f.Words = words
	return f
}

// Direction is a vector of which the length does not count.
func Direction[T any](name, help string, at func(*T) *mgl64.Vec3) Field[T] {
	return Typed(name, Pure, help, func(v any, _ Units) (mgl64.Vec3, *Error) {
		x, err := ReadVector(v, 1)
		if err != nil {
			return x, err
		}
		n := x.Len()
		if !(n > 0) || math.IsInf(n, 0) {
			return x, Fault("", "give a direction such as [0, -1, 0]", "a direction cannot be %v", x)
		}
		return x.Mul(1 / n), nil
	}, at)
}

// Lift makes the fields of a part those of the whole.
func Lift[T, U any](fields []Field[U], part func(*T) *U) []Field[T] {
	out := make([]Field[T], len(fields))
	for i := range fields {
		f := fields[i]
		out[i] = Field[T]{Name: f.Name, Unit: f.Unit, Help: f.Help, Live: f.Live, Words: f.Words,
			read: func(t *T, v any, u Units) *Error { return f.read(part(t), v, u) }}
		if f.Scale != nil {
			out[i].Scale = func(t *T, by float64) { f.Scale(part(t), by) }
		}
		if f.Get != nil {
			out[i].Get = func(t *T) float64 { return f.Get(part(t)) }
			out[i].Put = func(t *T, x float64) { f.Put(part(t), x) }
		}
	}
	return out
}

// Rescale multiplies every number and vector by what its dimension makes of the factors of length, time and mass: what
// a world does in a scene that is changed so is the same but for these factors (dimensional similarity).
func Rescale[T any](fields []Field[T], t *T, length, time, mass float64) {
	for i := range fields {
		f := &fields[i]
		if q := &quantities[f.Unit]; f.Scale != nil && f.Unit != Pure {
			f.Scale(t, power(length, q.length)*power(time, q.time)*power(mass, q.mass))
		}
	}
}

// power is x^n, exact where x is a power of 2.
func power(x float64, n int) float64 {
	y := 1.0
	for range max(n, -n) {
		y *= x
	}
	if n < 0 {
		return 1 / y
	}
	return y
}

// Names lists the keys of a table of fields.
func Names[T any](fields []Field[T]) []string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].Name
	}
	return out
}

// Find is the field of a name, or nil.
func Find[T any](fields []Field[T], name string) *Field[T] {
	i := slices.IndexFunc(fields, func(f Field[T]) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// Suggest is the cure for an unknown word: the nearest known ones, or all of a short list.
func Suggest(name string, known []string, prefix string) string {
	if len(name) > 60 {
		return "see docs/scene-format.md"
	}
	type candidate struct {
		word     string
		distance int
	}
	var near []candidate
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if i := strings.LastIndexByte(k, '.'); i >= 0 {
			d = min(d, 2+distance(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), strings.ToLower(k[i+1:])))
		}
		if d <= max(2, len(name)/3) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	if len(near) > 3 {
		near = near[:3]
	}
	if len(near) == 0 && len(known) > 20 {
		return "see docs/scene-format.md"
	}
	if len(near) == 0 {
		return "known are " + strings.Join(known, ", ")
	}
	var words []string
	for _, c := range near {
		words = append(words, prefix+c.word)
	}
	return "did you mean " + strings.Join(words, " or ") + "?"
}

// distance is the number of letters to change, add, drop or swap with a neighbour.
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

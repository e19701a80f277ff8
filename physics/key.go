package physics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hapco/physics/files/setting"
)

// Key is one live parameter of a world: all that file, command line, panel, tooltips and traces need to know of it. A
// value is a number in SI units; a word is its place among Choices, a switch is 0 or 1.
//
// The panel works on a copy of all values, in the order of the keys, and sends it whole; it acts at the next step. The
// hooks at the end are for keys that depend on others. They are called by whoever holds such a copy, never together
// with Get and Put.
type Key struct {
	Name    string // as in scene files and --set: "contact.tolerance", "liver.E"
	Section string // of the panel; "": not shown
	Body    string // surface under whose heading it stands; "": none
	Label   string // in the panel
	Symbol  string // such as "ρ_min"
	Unit    string // SI, such as "N/m"; "": a pure number
	Help    string // what it does and what to expect
	Source  string // where the literature defines it
	Clock   bool   // it ends work by the clock: who makes steps again leaves it at 0, none
	Act     bool   // each change does something once, such as to write a file: who makes steps again leaves it alone
	setting.Range
	Switch  bool     // off or on
	Choices []Choice // words; empty: a number
	Buttons bool     // Choices are all in sight
	Press   string   // letter on the keyboard that turns a switch on and off; "": none
	Default float64

	Get func() float64
	Put Setter // Set gives it a value

	// A view of other keys has Value and Change in place of Get and Put: what it shows, and what choosing another value
	// makes of the others. Where a key has Put and Change, Change follows a person's choice. f is the newest frame, or
	// nil.
	Value  func(v []float64) float64
	Change func(v []float64, x float64, f *Frame)
	Off    func(v []float64) bool        // it has no effect now
	Hidden func(v []float64) bool        // it is not shown now: another key of the same name is
	Offers func(v []float64, i int) bool // choice i can be had now
	Home   func(v []float64) float64     // what it goes back to, in place of Default
	Live   string                        // number of the frame that is shown while the key is off, and that it goes back to where the default is 0
}

// Setter gives a world a value. Key.Set alone can call it, so that nothing reaches a world that its key does not allow,
// whoever sends it.
type Setter struct{ set func(x float64) error }

// Puts makes a Setter; an error of set changes nothing.
func Puts(set func(x float64) error) Setter { return Setter{set} }

// Settable says whether a key has a value of its own, to be read and set; a view of others has none.
func (k *Key) Settable() bool { return k.Get != nil && k.Put.set != nil }

// Set gives a key a value: one of its choices, or a number of its range. An error changes nothing.
func (k *Key) Set(x float64) error {
	if err := k.Check(x); err != nil {
		return err
	}
	return k.Put.set(x)
}

// Choice is one word of a key.
type Choice struct {
	Name  string // in scene files
	Short string // on a button; "": Name
	Title string // in a long list; "": the list is a short one
	About string
	Group string // heading that it stands under in a long list
}

// KeysOf are the keys of those fields of a table that live, as they stand in t. The name of each is prefix and the
// field's. Changed is called with the field's name after a value was put into t; where it fails, the old value is put
// back. A key of a custom field has neither Get nor Put: the caller completes it.
func KeysOf[T any](fields []setting.Field[T], t *T, prefix, section string, changed func(name string) error) []Key {
	var keys []Key
	for i := range fields {
		f := &fields[i]
		if f.Live == nil {
			continue
		}
		k := Key{
			Name: prefix + f.Name, Section: section, Label: f.Live.Label, Symbol: f.Live.Symbol, Unit: f.Unit.SI(),
			Help: f.Live.About, Source: f.Live.Source, Clock: f.Live.Clock, Act: f.Live.Act, Range: f.Live.Range,
		}
		k.Label = cmp.Or(k.Label, Label(f.Name))
		if k.Help == "" {
			k.Help = strings.ToUpper(f.Help[:1]) + f.Help[1:] + "."
		}
		if f.Get == nil { // the caller completes it
			keys = append(keys, k)
			continue
		}
		k.Default = f.Get(t)
		for _, w := range f.Words {
			k.Choices = append(k.Choices, Choice{Name: w})
		}
		k.Switch = slices.Equal(f.Words, setting.SwitchWords)
		k.Get = func() float64 { return f.Get(t) }
		k.Put = Puts(func(x float64) error {
			old := f.Get(t)
			f.Put(t, x)
			if changed == nil {
				return nil
			}
			err := changed(f.Name)
			if err != nil {
				f.Put(t, old)
			}
			return err
		})
		keys = append(keys, k)
	}
	return keys
}

// Check refuses a value that is none of the key's.
func (k *Key) Check(x float64) error {
	words := len(k.Choices)
	if k.Switch {
		words = 2
	}
	if words > 0 {
		if !(x >= 0 && x < float64(words) && x == math.Trunc(x)) {
			return fmt.Errorf("%s = %g is none of its %d choices (cure: one of 0 to %d)", k.Name, x, words, words-1)
		}
		return nil
	}
	if err := k.Range.Check(x, 1, k.Unit); err != nil {
		return fmt.Errorf("%s = %s (cure: %s)", k.Name, err.What, err.Cure)
	}
	return nil
}

// Label is the last word of a key, with spaces and a capital: what the panel calls it.
func Label(name string) string {
	name = strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "_", " ")
	if len(name) <= 2 { // a symbol such as E or nu
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Place is the place of a key among keys, -1 where there is none of that name.
func Place(keys []Key, name string) int {
	return slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
}

// Values are the present values of keys; views get their Value.
func Values(keys []Key) []float64 {
	v := make([]float64, len(keys))
	for i := range keys {
		if keys[i].Get != nil {
			v[i] = keys[i].Get()
		}
	}
	Refresh(keys, v)
	return v
}

// Defaults are the values that the scene gives.
func Defaults(keys []Key) []float64 {
	v := make([]float64, len(keys))
	for i := range keys {
		v[i] = keys[i].Default
	}
	Refresh(keys, v)
	return v
}

// Refresh makes those values that are views of others follow them.
func Refresh(keys []Key, v []float64) {
	for i := range keys {
		if keys[i].Value != nil {
			v[i] = keys[i].Value(v)
		}
	}
}

// Choose gives key i a value as a person does: what depends on it follows.
func Choose(keys []Key, v []float64, i int, x float64, f *Frame) {
	if keys[i].Change != nil {
		keys[i].Change(v, x, f)
	} else {
		v[i] = x
	}
	Refresh(keys, v)
}

// Word is the word of a value; "" where the key has none.
func (k *Key) Word(x float64) string {
	if i := int(x); i >= 0 && i < len(k.Choices) {
		return k.Choices[i].Name
	}
	return ""
}

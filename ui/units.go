package ui

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hapco/physics/files/setting"
)

// quantity says what a number measures, and with that the units it is shown and typed in. Inside the program every
// number is SI.
type quantity uint8

const (
	plain quantity = iota // no unit
	length
	force
	pressure
	stiffness
	duration
	frequency
	arrow // the length of an arrow for a force
	damping
	energy
	speed
	mass
	density
	viscosity
	acceleration
	angle
	perSecond
)

type unit struct {
	name  string
	scale float64 // SI value of one
}

// quantities are what is known of each.
var quantities = [...]struct {
	si   string // its unit in the description of a world; "": a world has none of it
	home string // the unit in which zero is shown
	// The smallest range that an axis has: less of a quantity is rounding, or nothing that is looked for. A logarithmic
	// axis goes a million times lower, and a number of a world that is below that reads 0.
	least float64
	units []unit // ascending; the first is the one meant by a bare number where no other is on screen
}{
	plain:     {"", "", 1e-9, []unit{{"", 1}}},
	length:    {"m", "mm", 1e-6, []unit{{"nm", 1e-9}, {"µm", 1e-6}, {"mm", 1e-3}, {"m", 1}}},
	force:     {"N", "N", 1e-3, []unit{{"µN", 1e-6}, {"mN", 1e-3}, {"N", 1}, {"kN", 1e3}, {"MN", 1e6}}},
	pressure:  {"Pa", "kPa", 1, []unit{{"Pa", 1}, {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}}},
	stiffness: {"N/m", "N/m", 1, []unit{{"mN/m", 1e-3}, {"N/m", 1}, {"kN/m", 1e3}, {"MN/m", 1e6}}},
	duration:  {"s", "ms", 1e-5, []unit{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}},
	frequency: {"Hz", "Hz", 1, []unit{{"Hz", 1}, {"kHz", 1e3}}},
	arrow:     {"", "mm/N", 1e-6, []unit{{"µm/N", 1e-6}, {"mm/N", 1e-3}, {"m/N", 1}}},
	damping:   {"N s/m", "N s/m", 1e-3, []unit{{"mN s/m", 1e-3}, {"N s/m", 1}, {"kN s/m", 1e3}}},
	energy: {"J", "mJ", 1e-6, []unit{{"pJ", 1e-12}, {"nJ", 1e-9}, {"µJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}, {"kJ", 1e3},
		{"MJ", 1e6}, {"GJ", 1e9}}},
	speed:        {"m/s", "m/s", 1e-4, []unit{{"µm/s", 1e-6}, {"mm/s", 1e-3}, {"m/s", 1}}},
	mass:         {"kg", "g", 1e-6, []unit{{"µg", 1e-9}, {"mg", 1e-6}, {"g", 1e-3}, {"kg", 1}}},
	density:      {"kg/m^3", "kg/m³", 1, []unit{{"kg/m³", 1}}},
	viscosity:    {"Pa s", "Pa s", 1e-6, []unit{{"µPa s", 1e-6}, {"mPa s", 1e-3}, {"Pa s", 1}}},
	acceleration: {"m/s^2", "m/s²", 1e-3, []unit{{"m/s²", 1}}},
	angle:        {"rad", "rad", 1e-5, []unit{{"mrad", 1e-3}, {"rad", 1}}},
	perSecond:    {"1/s", "1/s", 1e-2, []unit{{"1/s", 1}}},
}

// quantityOf is the quantity that an SI unit measures; plain for one that is not known.
func quantityOf(si string) quantity {
	for q := range quantities {
		if quantities[q].si == si {
			return quantity(q)
		}
	}
	return plain
}

func (q quantity) least() float64 { return quantities[q].least }

// unitFor is the unit in which v has one to three digits before the point.
func (q quantity) unitFor(v float64) unit {
	list := quantities[q].units
	v = math.Abs(v)
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		for _, u := range list {
			if u.name == quantities[q].home {
				return u
			}
		}
	}
	best := list[0]
	for _, u := range list {
		if v >= 0.9995*u.scale { // 999.6 kPa reads 1.00 MPa
			best = u
		}
	}
	return best
}

// text writes v with three significant digits and its unit, such as "20.0 kPa".
func (q quantity) text(v float64) string {
	u := q.unitFor(v)
	s := digits(v/u.scale, 3)
	if u.name == "" {
		return s
	}
	return s + " " + u.name
}

// digits writes v with n significant digits, and in powers of ten only where zeros would make it hard to read.
func digits(v float64, n int) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "-∞"
	case v == 0:
		return "0"
	case a < 0.9995e-3 || a >= 99999.5:
		return power(v, max(n-2, 0))
	default:
		// the decimals that leave n digits, after rounding
		before := int(math.Floor(math.Log10(a*(1+0.5*math.Pow(10, float64(-n)))))) + 1
		return strconv.FormatFloat(v, 'f', max(n-before, 0), 64)
	}
}

// power writes v as 2.5e-4, without the zeros that Go pads with.
func power(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'e', decimals, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return s
	}
	return mantissa + "e" + strconv.Itoa(n)
}

// parse reads what a user typed: a number, with a unit or without one. A bare number is in the unit shown, which
// belongs to the present value.
func (q quantity) parse(s string, shown unit) (float64, error) {
	s = strings.TrimSpace(s)
	end := len(s)
	var v float64
	var err error
	for ; end > 0; end-- {
		if v, err = strconv.ParseFloat(strings.TrimSpace(strings.ReplaceAll(s[:end], ",", ".")), 64); err == nil {
			break
		}
	}
	if end == 0 || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	name := strings.TrimSpace(s[end:])
	if name == "" {
		return v * shown.scale, nil
	}
	name = strings.NewReplacer("μ", "µ", "us", "µs", "um", "µm", "uN", "µN").Replace(name)
	for _, u := range quantities[q].units {
		if u.name != "" && u.name == name {
			return v * u.scale, nil
		}
	}
	for _, u := range quantities[q].units { // "mpa" can only be MPa here: no unit list holds milli and mega of one name
		if u.name != "" && strings.EqualFold(u.name, name) && q != stiffness && q != damping {
			return v * u.scale, nil
		}
	}
	return 0, fmt.Errorf("%q is no unit of this number", name)
}

// bounds is the range of a slider. A drag on one of a decade goes on from the present value.
type bounds setting.Range

// zeroTravel is the part of a logarithmic slider that stands for zero.
const zeroTravel = 0.03

// at is the value at position t, 0..1, rounded to what a hand can mean.
func (b *bounds) at(t float64) float64 {
	t = min(max(t, 0), 1)
	if b.Log {
		if b.Zero {
			if t < zeroTravel/2 {
				return 0
			}
			t = max(0, (t-zeroTravel)/(1-zeroTravel))
		}
		v := math.Exp(math.Log(b.Min) + t*(math.Log(b.Max)-math.Log(b.Min)))
		return min(max(roundDigits(v, 2), b.Min), b.Max)
	}
	v := b.Min + t*(b.Max-b.Min)
	if b.Step > 0 {
		v = b.Min + math.Round((v-b.Min)/b.Step)*b.Step
		v = roundDigits(v, 12) // 0.30000000000000004 is not what was meant
	}
	return min(max(v, b.Min), b.Max)
}

// dragged is the value that a drag by part of the slider's width makes of from.
func (b *bounds) dragged(from, part float64) float64 {
	return min(max(roundDigits(from*math.Pow(10, part), 3), b.Min), b.Max)
}

// about is where v lies on a decade slider that came from home, 0..1.
func (b *bounds) about(v, home float64) float64 {
	if !(v > 0 && home > 0) {
		return 0
	}
	return min(max(0.5+math.Log10(v/home), 0), 1)
}

// nudged is the next value in the direction of an arrow key, which coarse ones take ten times as far.
func (b *bounds) nudged(v float64, up, coarse bool) float64 {
	sign, times := pick(up, 1.0, -1.0), pick(coarse, 10.0, 1.0)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return v
	case !b.Log:
		v = roundDigits(v+sign*times*cmp.Or(b.Step, (b.Max-b.Min)/100), 12)
	case b.Zero && !up && v <= b.Min:
		v = 0
	case b.Zero && v == 0:
		v = b.Min
	default:
		next := roundDigits(v*math.Pow(10, sign*times/100), 3) // 2.3 %, or 26 %
		if math.Abs(next-v) < b.Step {
			next = v + sign*b.Step
		}
		v = next
	}
	return min(max(v, b.low()), b.Max)
}

// low is the least value of the slider.
func (b *bounds) low() float64 {
	if b.Zero {
		return 0
	}
	return b.Min
}

// position is where on the slider v lies, 0..1.
func (b *bounds) position(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	if !b.Log {
		return min(max((v-b.Min)/(b.Max-b.Min), 0), 1)
	}
	if v <= 0 {
		return 0
	}
	t := min(max((math.Log(v)-math.Log(b.Min))/(math.Log(b.Max)-math.Log(b.Min)), 0), 1)
	if b.Zero {
		t = zeroTravel + t*(1-zeroTravel)
	}
	return t
}

// admit brings a typed value into the range that may be typed.
func (b *bounds) admit(v float64) float64 {
	return min(max(v, cmp.Or(b.Floor, b.low())), cmp.Or(b.Ceil, b.Max))
}

func roundDigits(v float64, n int) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', n-1, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// finite is v, or -1 where JSON has no word for it.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return -1
	}
	return v
}

package render

import (
	"math"

	"hapco/physics"
)

// colorMap is the table behind the colours of a field, sRGB, from low to high.
//
// It is a path through OKLab: lightness rises linearly, so equal steps of value are equal steps of brightness and the
// map survives grey print and colour blindness; the hue runs from violet over blue and green to yellow.
var colorMap = makeColorMap()

func makeColorMap() (table [256][3]uint8) {
	for i := range table {
		t := float64(i) / 255
		l := 0.30 + 0.62*t
		hue := (292 - 186*t) * math.Pi / 180
		// As much colour as the screen can show at this lightness and hue, up to a limit that keeps the steps even.
		chroma := 0.155
		rgb := okToLinear(l, chroma, hue)
		for min(rgb[0], rgb[1], rgb[2]) < 0 || max(rgb[0], rgb[1], rgb[2]) > 1 {
			chroma -= 0.001
			rgb = okToLinear(l, chroma, hue)
		}
		for c := range 3 {
			table[i][c] = uint8(math.Round(255 * encode(rgb[c])))
		}
	}
	return table
}

// okToLinear converts OKLab lightness, chroma and hue to linear sRGB.
func okToLinear(l, chroma, hue float64) [3]float64 {
	sin, cos := math.Sincos(hue)
	a, b := chroma*cos, chroma*sin
	p := l + 0.3963377774*a + 0.2158037573*b
	q := l - 0.1055613458*a - 0.0638541728*b
	r := l - 0.0894841775*a - 1.2914855480*b
	p, q, r = p*p*p, q*q*q, r*r*r
	return [3]float64{
		4.0767416621*p - 3.3077115913*q + 0.2309699292*r,
		-1.2684380046*p + 2.6097574011*q - 0.3413193965*r,
		-0.0041960863*p - 0.7034186147*q + 1.7076147010*r,
	}
}

// encode is the sRGB transfer function, decode its inverse.
func encode(c float64) float64 {
	if c <= 0.0031308 {
		return 12.92 * c
	}
	return 1.055*math.Pow(c, 1/2.4) - 0.055
}

// colorScale says what the colours mean.
type colorScale struct {
	Title    string  // what is coloured
	Unit     string  // such as Pa, kPa or MPa
	Min, Max float64 // ends of colorMap, in Unit
	Step     float64 // between ticks, in Unit: a round number
}

// fieldNames are what a field is called, and its unit with each of prefixes.
type fieldNames struct {
	name   string
	units  [len(prefixes)]string
	signed bool
}

// prefixes are those of units, by their size in ascending order.
var prefixes = [...]struct {
	name string
	size float64
}{{"n", 1e-9}, {"µ", 1e-6}, {"m", 1e-3}, {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}

// namesOf are those of a world's fields.
func namesOf(fields []physics.Field) (list []fieldNames) {
	for i := range fields {
		n := fieldNames{name: fields[i].Name, signed: fields[i].Signed}
		for k := range prefixes {
			if fields[i].Unit != "" {
				n.units[k] = prefixes[k].name + fields[i].Unit
			}
		}
		list = append(list, n)
	}
	return list
}

// legend makes one for a field up to most, and down to -most where it is signed.
func legend(most float64, of *fieldNames) colorScale {
	l, scale := colorScale{Title: of.name}, 1.0
	for k := range prefixes {
		if of.units[k] != "" && (k == 0 || most >= prefixes[k].size) {
			l.Unit, scale = of.units[k], prefixes[k].size
		}
	}
	l.Max = most / scale
	l.Step = roundDown(l.Max / 4)
	if of.signed {
		l.Min, l.Step = -l.Max, roundDown(l.Max/2)
	}
	return l
}

// roundDown is the largest of 1, 2, 5 times a power of ten that is at most x; 0 for x that is not positive and finite.
func roundDown(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(x)*(1+1e-15)))
	for _, k := range [...]float64{5, 2, 1} {
		if k*p <= x*(1+1e-9) {
			return k * p
		}
	}
	return p
}

// RoundUp is the smallest of 1, 2, 5 times a power of ten that is at least x; 0 as roundDown.
func RoundUp(x float64) float64 {
	d := roundDown(x)
	if d == 0 || d >= x*(1-1e-9) {
		return d
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range [...]float64{2, 5, 10} {
		if k*p >= x*(1-1e-9) {
			return k * p
		}
	}
	return d
}

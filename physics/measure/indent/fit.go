package indent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/stat/distuv"

	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

// Material is a law with its parameters. E and nu are those at small strains.
type Material struct {
	Law   string  // a name of Laws
	Young float64 // E, Pa
	Nu    float64
	Alpha float64 // exponent of Ogden's law
	Ratio float64 // c01/c10 of Mooney and Rivlin's
}

// laws are the names of the laws: of small strains, and those of package solid.
var laws = []string{"linear", "neo-hookean", "mooney-rivlin", "ogden", "saint-venant-kirchhoff"}

// Check tells what of the material makes no sense.
func (m *Material) Check() error {
	switch {
	case !slices.Contains(laws, m.Law):
		return fmt.Errorf("indent: law %q is unknown (use %s)", m.Law, strings.Join(laws, ", "))
	case !(m.Nu >= 0 && m.Nu <= mostNu):
		return fmt.Errorf("indent: nu = %g (give 0 to %g)", m.Nu, mostNu)
	case m.Law == "ogden" && !(math.Abs(m.Alpha) >= leastAlpha && math.Abs(m.Alpha) <= mostAlpha):
		return fmt.Errorf("indent: alpha = %g (give a number whose size is %g to %g)", m.Alpha, leastAlpha, mostAlpha)
	case m.Law == "mooney-rivlin" && !(m.Ratio >= 0 && m.Ratio <= mostRatio):
		return fmt.Errorf("indent: c01/c10 = %g (give 0 to %g)", m.Ratio, mostRatio)
	}
	return nil
}

const mostNu, leastAlpha, mostAlpha, mostRatio = 0.4999, 0.1, 60.0, 20.0

// law is the material with E = 1: forces are proportional to E.
func (m *Material) law() solid.Law {
	lambda, mu := solid.Lame(1, m.Nu)
	kappa := lambda + 2*mu/3
	switch m.Law {
	case "linear":
		return solid.Linear{Lambda: lambda, Mu: mu}
	case "mooney-rivlin": // mu = 2 (c10 + c01)
		c10 := mu / 2 / (1 + m.Ratio)
		return solid.MooneyRivlin{C10: c10, C01: m.Ratio * c10, Kappa: kappa}
	case "ogden":
		return solid.Ogden{Mu: []float64{mu}, Alpha: []float64{m.Alpha}, Kappa: kappa}
	case "saint-venant-kirchhoff":
		return solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	}
	return solid.NeoHookeanIsovol(mu, kappa)
}

// Point is one row of a measurement.
type Point struct{ Depth, Force float64 } // m, N

// Loading is the part of a measurement up to its greatest depth: what comes after is the way out, on which tissue gives
// back less.
func Loading(points []Point) []Point {
	last := 0
	for i, p := range points {
		if p.Depth > points[last].Depth {
			last = i
		}
	}
	return points[:min(len(points), last+1)]
}

// freeNames are the names of what Fit may vary: E, nu, alpha, ratio, and contact, the depth at which the punch first
// touches.
var freeNames = []string{"E", "nu", "alpha", "ratio", "contact"}

// Options of a fit.
type Options struct {
	Free       []string // what to vary; empty: E
	Confidence float64  // of the intervals; 0: 0.95
	Relative   bool     // errors count over the force, not by newtons
	Progress   func(iteration int, rms float64)
}

// Value is a fitted parameter: the true one lies within the bounds with the stated confidence, where the model is right
// and errors of the force are independent and normal.
type Value struct {
	Name            string
	Unit            string
	Value           float64
	Low, High       float64
	StandardError   float64
	WithoutInterval bool `json:",omitempty"` // no more points than parameters
}

// Result is the outcome of a fit.
type Result struct {
	Material    Material
	Contact     float64 // depth of the first touch, m
	Values      []Value
	Correlation [][]float64
	Confidence  float64
	Points      int
	RMS         float64 // of the force's errors, N
	R2          float64 // coefficient of determination
	Iterations  int
	Model       []float64          // force at each point, N
	Formulas    map[string]float64 // Young's modulus, Pa, that the formulas of small depth give
	Deepest     float64            // greatest depth over the radius
}

// tables keep the model's curves at E = 1: one for each nu, alpha and ratio.
type tables struct {
	test    *Test
	deepest float64
	known   map[[3]float64]*table
}

// table is a curve: of F^(2/3) for a ball, of F for a flat end, which hardly bend.
type table struct {
	power  float64
	last   float64
	spline interp.FritschButland
}

const knots = 10

func (t *tables) of(ctx context.Context, m *Material) *table {
	key := [3]float64{m.Nu}
	switch m.Law {
	case "ogden":
		key[1] = m.Alpha
	case "mooney-rivlin":
		key[2] = m.Ratio
	}
	if known, ok := t.known[key]; ok {
		return known
	}
	depths := make([]float64, knots)
	for i := range depths {
		depths[i] = t.deepest * float64(i+1) / knots
	}
	forces, err := t.test.curve(ctx, m.law(), depths)
	refusal.If(err != nil, "%w at %.3g mm, with %s", err, 1e3*depths[min(len(forces), knots-1)], m.describe())
	out := &table{power: 1, last: t.deepest}
	if t.test.Punch == Ball {
		out.power = 1.5
	}
	x, y := []float64{0}, []float64{0}
	for i, f := range forces {
		x, y = append(x, depths[i]), append(y, math.Pow(math.Max(f, 0), 1/out.power))
	}
	refusal.Need(out.spline.Fit(x, y))
	t.known[key] = out
	return out
}

func (m *Material) describe() string {
	s := fmt.Sprintf("%s, nu = %.4g", m.Law, m.Nu)
	switch m.Law {
	case "ogden":
		s += fmt.Sprintf(", alpha = %.4g", m.Alpha)
	case "mooney-rivlin":
		s += fmt.Sprintf(", c01/c10 = %.4g", m.Ratio)
	}
	return s
}

// at is the force and its slope, over E.
func (t *table) at(depth float64) (force, slope float64) {
	if depth <= 0 {
		return 0, 0
	}
	dy := t.spline.PredictDerivative(math.Min(depth, t.last))
	y := t.spline.Predict(math.Min(depth, t.last)) + dy*math.Max(0, depth-t.last)
	return math.Pow(y, t.power), t.power * math.Pow(y, t.power-1) * dy
}

// Fit finds the material with which the test comes nearest to the points, by least squares. start gives what is not
// varied, and where alpha, ratio and nu begin; E and the contact are guessed by a formula where they are varied.
func Fit(ctx context.Context, test Test, start Material, points []Point, o Options) (*Result, error) {
	return refusal.Caught(func() *Result { return fitted(ctx, &test, start, points, &o) })
}

func fitted(ctx context.Context, test *Test, start Material, points []Point, o *Options) *Result {
	refusal.Need(test.Check())
	refusal.Need(start.Check())
	free, confidence := o.Free, cmp.Or(o.Confidence, 0.95)
	if len(free) == 0 {
		free = freeNames[:1]
	}
	refusal.Unless(confidence > 0 && confidence < 1, "indent: confidence %g (give a number between 0 and 1, such as 0.95)", confidence)
	for i, name := range free {
		refusal.Unless(slices.Contains(freeNames, name), "indent: parameter %q is unknown (use %s)", name, strings.Join(freeNames, ", "))
		refusal.If(slices.Contains(free[:i], name), "indent: parameter %s is named twice (name it once)", name)
		refusal.If(name == "alpha" && start.Law != "ogden" || name == "ratio" && start.Law != "mooney-rivlin",
			"indent: the law %s has no %s (leave it out, or choose ogden or mooney-rivlin)", start.Law, name)
	}
	varies := func(name string) bool { return slices.Contains(free, name) }
	refusal.If(len(points) < len(free) || len(points) < 2,
		"indent: %d points for %d parameters (measure more points, or fit less)", len(points), len(free))
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	for i, p := range points {
		refusal.Unless(num.Finite(p.Depth) && num.Finite(p.Force),
			"indent: point %d is %g m, %g N (give finite numbers)", i+1, p.Depth, p.Force)
		low, high, most = math.Min(low, p.Depth), math.Max(high, p.Depth), math.Max(most, p.Force)
	}
	refusal.If(!(high > 0) && !varies("contact") || high == low,
		"indent: all depths are the same, or below 0 (depth grows into the body, from 0 at the first touch)")
	refusal.Unless(most > 0, "indent: no force is above 0 (a punch that is pushed back feels a positive force)")

	f := &fitter{ctx: ctx, points: points, free: free, material: start, weight: make([]float64, len(points))}
	for i, p := range points {
		f.weight[i] = 1
		if o.Relative {
			f.weight[i] = 1 / math.Max(math.Abs(p.Force), 0.05*most)
		}
	}
	reach := high
	if varies("contact") {
		f.contact = touch(points, test.Punch)
		reach = high - math.Min(f.contact, low) // depths up to here are computed; beyond, a straight line
		reach = math.Max(1.1*(high-f.contact), math.Min(reach, 1.3*(high-f.contact)))
	}
	f.tables = tables{test: test, deepest: reach, known: map[[3]float64]*table{}}
	if varies("E") {
		shape := f.tables.of(ctx, &f.material)
		f.material.Young = f.young(func(depth float64) float64 { g, _ := shape.at(depth); return g })
		refusal.Unless(f.material.Young > 0, "indent: the forces do not grow with depth (depth grows into the body)")
	} else {
		refusal.Unless(start.Young > 0, "indent: E = %g Pa (give a number above 0, or fit it)", start.Young)
	}
	return f.result(test, confidence, f.levenberg(o.Progress))
}

// young is the modulus that comes nearest to the points with the forces of a unit one; forces are proportional to it.
func (f *fitter) young(unit func(depth float64) float64) float64 {
	up, down := 0.0, 0.0
	for i, p := range f.points {
		g, w := unit(p.Depth-f.contact), f.weight[i]*f.weight[i]
		up, down = up+w*g*p.Force, down+w*g*g
	}
	return up / down
}

// touch guesses the depth of the first touch: where a line through F^(2/3), or F, of the stronger half meets 0.
func touch(points []Point, punch Punch) float64 {
	power := 2. / 3
	if punch != Ball {
		power = 1
	}
	most := 0.0
	for _, p := range points {
		most = math.Max(most, p.Force)
	}
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		if p.Force < 0.3*most {
			continue
		}
		x, y := p.Depth, math.Pow(p.Force, power)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	at := sx/n - sy/n/slope
	low, high := points[0].Depth, points[0].Depth
	for _, p := range points {
		low, high = math.Min(low, p.Depth), math.Max(high, p.Depth)
	}
	if !(slope > 0) || !num.Finite(at) {
		return low
	}
	return math.Min(math.Max(at, low-0.5*(high-low)), high-0.05*(high-low))
}

// fitter is a fit under way.
type fitter struct {
	ctx      context.Context
	tables   tables
	points   []Point
	weight   []float64
	free     []string
	material Material
	contact  float64
	jacobian []float64 // of the weighted model, points x free, in the parameters' own units
	residual []float64 // weighted, model - measured
}

func (f *fitter) parameter(name string) *float64 {
	switch name {
	case "E":
		return &f.material.Young
	case "nu":
		return &f.material.Nu
	case "alpha":
		return &f.material.Alpha
	case "ratio":
		return &f.material.Ratio
	}
	return &f.contact
}

// evaluate fills residual, and gives its sum of squares.
func (f *fitter) evaluate() (sum float64) {
	t := f.tables.of(f.ctx, &f.material)
	f.residual = f.residual[:0]
	for i, p := range f.points {
		g, _ := t.at(p.Depth - f.contact)
		r := f.weight[i] * (f.material.Young*g - p.Force)
		f.residual = append(f.residual, r)
		sum += r * r
	}
	return sum
}

// differentiate fills jacobian. What changes the curve is differenced, the rest is exact.
func (f *fitter) differentiate() {
	n := len(f.free)
	f.jacobian = make([]float64, len(f.points)*n)
	t := f.tables.of(f.ctx, &f.material)
	for k, name := range f.free {
		at := f.parameter(name)
		old := *at
		var other *table
		step := 0.0
		switch name {
		case "nu":
			step = 0.01
			if old+step > mostNu {
				step = -step
			}
			if old > 0.45 { // where the force rises steeply
				step = -0.1*(0.5-old) - 1e-3
			}
		case "alpha":
			step = 0.05 * math.Max(math.Abs(old), 1)
			if old+step > mostAlpha || old < 0 && old+step > -leastAlpha {
				step = -step
			}
		case "ratio":
			step = 0.05 * (1 + old)
		}
		if step != 0 {
			*at = old + step
			other = f.tables.of(f.ctx, &f.material)
			*at = old
		}
		for i, p := range f.points {
			g, slope := t.at(p.Depth - f.contact)
			var d float64
			switch {
			case other != nil:
				more, _ := other.at(p.Depth - f.contact)
				d = f.material.Young * (more - g) / step
			case name == "E":
				d = g
			default:
				d = -f.material.Young * slope
			}
			f.jacobian[i*n+k] = f.weight[i] * d
		}
	}
}

// normal is J^T J and -J^T r.
func (f *fitter) normal() (a, b []float64) {
	n := len(f.free)
	a, b = make([]float64, n*n), make([]float64, n)
	for i, r := range f.residual {
		row := f.jacobian[i*n : (i+1)*n]
		for p := range n {
			b[p] -= row[p] * r
			for q := range n {
				a[p*n+q] += row[p] * row[q]
			}
		}
	}
	return a, b
}

// clamp keeps the parameters where the laws are defined.
func (f *fitter) clamp(old Material) {
	m := &f.material
	m.Young = math.Max(m.Young, old.Young/10)
	m.Nu = math.Min(math.Max(m.Nu, 0), mostNu)
	m.Ratio = math.Min(math.Max(m.Ratio, 0), mostRatio)
	if m.Law == "ogden" { // of the sign it began with
		size := math.Min(math.Max(math.Copysign(1, old.Alpha)*m.Alpha, leastAlpha), mostAlpha)
		m.Alpha = math.Copysign(math.Min(math.Max(size, math.Abs(old.Alpha)/2), math.Abs(old.Alpha)*2), old.Alpha)
	}
}

// levenberg improves the parameters: (J^T J + damping diag) step = -J^T r.
func (f *fitter) levenberg(progress func(int, float64)) (iterations int) {
	n, sum, damping := len(f.free), f.evaluate(), 1e-3
	const most = 25
	for iterations = range most {
		if progress != nil {
			progress(iterations, math.Sqrt(sum/float64(len(f.points))))
		}
		f.differentiate()
		a, b := f.normal()
		inverse := f.invert(a)
		better := false
		for range 6 {
			m, step := slices.Clone(a), slices.Clone(b)
			for p := range n {
				m[p*n+p] += damping * a[p*n+p]
			}
			refusal.Unless(num.Solve(m, step), "indent: the curve does not depend on a parameter (fit less)")
			before := fitter{material: f.material, contact: f.contact}
			for p, name := range f.free {
				*f.parameter(name) += step[p]
			}
			f.clamp(before.material)
			next, err := refusal.Caught(f.evaluate)
			if !errors.Is(err, errNoForce) {
				refusal.Need(err)
			}
			if better = err == nil && next <= sum; better {
				done := true // where no parameter has moved by more than a hundredth of its error
				for p, name := range f.free {
					moved := *f.parameter(name) - *before.parameter(name)
					spread := math.Sqrt(next / float64(len(f.points)) * inverse[p*n+p])
					done = done && math.Abs(moved) <= math.Max(1e-2*spread, 1e-6*math.Abs(*f.parameter(name)))
				}
				if sum, damping = next, math.Max(damping/10, 1e-12); done {
					return iterations + 1
				}
				break
			}
			f.material, f.contact = before.material, before.contact
			damping *= 10
		}
		if !better {
			f.evaluate()
			return iterations + 1
		}
	}
	panic(refusal.Of("indent: the fit does not come to an end (fit less, or begin nearer)"))
}

// invert is (J^T J)^-1. Where one parameter makes up for another, so that together they are known a hundred times worse
// than each alone, it is an error.
func (f *fitter) invert(a []float64) []float64 {
	n := len(f.free)
	inverse := make([]float64, n*n)
	for k := range n {
		m, e := make([]float64, n*n), make([]float64, n) // scaled: units do not matter
		for p := range n {
			for q := range n {
				m[p*n+q] = a[p*n+q] / math.Sqrt(a[p*n+p]*a[q*n+q])
			}
		}
		e[k] = 1
		refusal.Unless(num.Solve(m, e) && math.Abs(e[k]) < 1e4,
			"indent: this curve cannot tell %s apart (fit less, or press deeper)", strings.Join(f.free, " and "))
		for p := range n {
			inverse[p*n+k] = e[p] / math.Sqrt(a[p*n+p]*a[k*n+k])
		}
	}
	return inverse
}

// result states the parameters with their confidence: with s^2 = |r|^2/(points - parameters) the covariance is s^2 (J^T
// J)^-1, and the bounds are those of Student's distribution.
func (f *fitter) result(test *Test, confidence float64, iterations int) *Result {
	n, points, sum := len(f.free), len(f.points), f.evaluate()
	f.differentiate()
	a, _ := f.normal()
	inverse := f.invert(a)
	r := &Result{Material: f.material, Contact: f.contact, Confidence: confidence, Points: points, Iterations: iterations, Formulas: map[string]float64{}}
	freedom := points - n
	s2, quantile := 0.0, 0.0
	if freedom > 0 {
		s2 = sum / float64(freedom)
		quantile = distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile((1 + confidence) / 2)
	}
	units := map[string]string{"E": "Pa", "contact": "m"}
	for k, name := range f.free {
		v := Value{Name: name, Unit: units[name], Value: *f.parameter(name), StandardError: math.Sqrt(s2 * inverse[k*n+k]), WithoutInterval: freedom <= 0}
		v.Low, v.High = v.Value-quantile*v.StandardError, v.Value+quantile*v.StandardError
		r.Values = append(r.Values, v)
		row := make([]float64, n)
		for q := range n {
			row[q] = inverse[k*n+q] / math.Sqrt(inverse[k*n+k]*inverse[q*n+q])
		}
		r.Correlation = append(r.Correlation, row)
	}
	mean, total, errors := 0.0, 0.0, 0.0
	for _, p := range f.points {
		mean += p.Force / float64(points)
	}
	for i, p := range f.points {
		e := f.residual[i] / f.weight[i]
		r.Model = append(r.Model, p.Force+e)
		errors, total = errors+e*e, total+(p.Force-mean)*(p.Force-mean)
		r.Deepest = math.Max(r.Deepest, (p.Depth-f.contact)/test.Radius)
	}
	r.RMS, r.R2 = math.Sqrt(errors/float64(points)), 1-errors/total
	nu := f.material.Nu
	if test.Punch == Ball {
		hertz := func(d float64) float64 { return Hertz(1, nu, test.Radius, d) }
		r.Formulas["Hertz"] = f.young(hertz)
		if test.Thickness > 0 {
			r.Formulas["Dimitriadis"] = f.young(func(d float64) float64 {
				return hertz(d) * dimitriadis(nu, test.Radius, test.Thickness, d, !test.Slips)
			})
		}
	} else {
		flat := func(d float64) float64 { return flatPunch(1, nu, test.Radius, d) }
		r.Formulas["flat punch"] = f.young(flat)
		if test.Thickness > 0 {
			kappa := hayes(nu, test.Radius/test.Thickness, !test.Slips)
			r.Formulas["Hayes"] = f.young(func(d float64) float64 { return kappa * flat(d) })
		}
	}
	return r
}

package thesis

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"hapco/physics/measure/bench"
)

// Exhibit is one of the thesis's tables or figures, made anew.
type Exhibit struct {
	ID     string           `json:"id"`   // the thesis's number, such as 3.20
	Kind   string           `json:"kind"` // table or figure
	Title  string           `json:"title"`
	Thesis string           `json:"thesis"`            // what it gives to compare with
	Header []string         `json:"columns,omitempty"` // of a table, in order
	Rows   []map[string]any `json:"rows,omitempty"`    // of a table, by column
	Panels []Panel          `json:"panels"`            // what to plot
}

// Name is the exhibit's file name without ending.
func (e *Exhibit) Name() string { return e.Kind + "-" + e.ID }

// Panel is one set of axes.
type Panel struct {
	Title  string   `json:"title"`
	X      string   `json:"x"` // label with unit
	Y      string   `json:"y"`
	LogX   bool     `json:"log_x,omitempty"`
	LogY   bool     `json:"log_y,omitempty"`
	Labels []string `json:"labels,omitempty"` // names of x = 0, 1, ... where x is no number
	Base   float64  `json:"base,omitempty"`   // where bars start
	Series []Series `json:"series"`
}

// Style is how a series is drawn.
type Style string

// The styles.
const (
	Line   Style = "line"   // with points
	Points Style = "points" // points only, over a line of the same values
	Dashed Style = "dashed" // the thesis's number, or a fit
	Bars   Style = "bars"
)

// Series is a curve or a set of bars. X and Y are of one length and finite.
type Series struct {
	Name  string    `json:"name"`
	Style Style     `json:"style"`
	Look  int       `json:"-"` // which colour
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Marks []string  `json:"marks,omitempty"` // by point: "diverges" or nothing
}

// add appends a point; values that are not finite are left out.
func (s *Series) add(x, y float64, mark string) {
	if math.IsNaN(x-x) || math.IsNaN(y-y) {
		return
	}
	s.X, s.Y, s.Marks = append(s.X, x), append(s.Y, y), append(s.Marks, mark)
}

// put adds those series that have points.
func (p *Panel) put(series ...Series) {
	for _, s := range series {
		if len(s.X) == 0 {
			continue
		}
		if !slices.ContainsFunc(s.Marks, func(m string) bool { return m != "" }) {
			s.Marks = nil
		}
		p.Series = append(p.Series, s)
	}
}

// level adds a dashed line at the height of a mean that the thesis gives.
func (p *Panel) level(name string, look int, y float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, x := range s.X {
			low, high = math.Min(low, x), math.Max(high, x)
		}
	}
	s := Series{Name: name, Style: Dashed, Look: look}
	s.add(low, y, "")
	s.add(high, y, "")
	p.put(s)
}

// finite is x, or nil where x is no finite number: what JSON can hold.
func finite(x float64) any {
	if math.IsNaN(x - x) {
		return nil
	}
	return x
}

// Table gives the exhibit as rows of text, the header first: a table's rows, or a figure's points with one column a
// series. Numbers have that many digits.
func (e *Exhibit) Table(digits int) [][]string {
	if len(e.Header) > 0 {
		rows := [][]string{e.Header}
		for _, r := range e.Rows {
			row := make([]string, len(e.Header))
			for i, h := range e.Header {
				row[i] = text(r[h], digits)
			}
			rows = append(rows, row)
		}
		return rows
	}
	rows := [][]string{{"panel", "x"}}
	for _, p := range e.Panels {
		for _, s := range p.Series {
			if !slices.Contains(rows[0], s.Name) {
				rows[0] = append(rows[0], s.Name)
			}
		}
	}
	for _, p := range e.Panels {
		rows = append(rows, p.table(rows[0], digits)...)
	}
	return rows
}

// table lists the panel's points by x under the given header.
func (p *Panel) table(header []string, digits int) [][]string {
	var xs []float64
	for _, s := range p.Series {
		xs = append(xs, s.X...)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	var rows [][]string
	for _, x := range xs {
		row := make([]string, len(header))
		row[0], row[1] = p.name(), number(x, digits)
		for _, s := range p.Series {
			if i := slices.Index(s.X, x); i >= 0 {
				row[slices.Index(header, s.Name)] = number(s.Y[i], digits)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// name says what the panel shows: its title and axes.
func (p *Panel) name() string {
	axes := p.Y + " over " + p.X
	if p.Title == "" {
		return axes
	}
	return p.Title + ": " + axes
}

func number(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

func text(v any, digits int) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return number(v, digits)
	}
	return fmt.Sprint(v)
}

// styles are how tables and figures show the solvers: their names, in the thesis's words, those under bars, and a colour
// that is the same in all figures.
var styles = map[string]struct {
	name, short string
	look        int
}{
	"uzawa":                      {"Uzawa global", "global", 0},
	"uzawa-star":                 {"Uzawa global*", "global*", 1},
	"uzawa-star-consistent":      {"global*, consistent", "", 4},
	"uzawa-local":                {"Uzawa local", "local", 2},
	"uzawa-local-star":           {"Uzawa local*", "local*", 3},
	"uzawa-local-signorini":      {"local Signorini", "local\nSignorini", 4},
	"uzawa-local-signorini-star": {"local Signorini*", "local\nSignorini*", 5},
	"pseudo":                     {"pseudo-pot., right sign", "", 3},
	"pseudo-printed":             {"pseudo-pot., as printed", "", 2},
}

// exactLook is the colour of the exact solution.
const exactLook = 6

// title is a method's name, with its factor on rho.
func (m Method) title() string {
	if m.Factor == 1 {
		return styles[m.Solver].name
	}
	return fmt.Sprintf("%s, ρ × %g", styles[m.Solver].name, m.Factor)
}

// pairNames and pathNames are the words of titles.
var (
	pairNames = map[string]string{"alu-tissue": "aluminium on soft tissue", "alu-rubber": "aluminium on rubber", "tissue-tissue": "soft tissue on soft tissue"}
	pathNames = map[string]string{"pen": "penetration", "slide": "sliding"}
	axisNames = map[string]string{"pen": "depth, mm", "slide": "displacement, mm"}
)

// curve is a value of a run along its path.
func (r *Results) curve(c bench.Case, m Method, value func(*Answer) float64) Series {
	s := Series{Name: m.title(), Style: Line, Look: styles[m.Solver].look}
	if run := r.run(c, m); run != nil {
		for i := range run.Answers {
			s.add(float64(run.Answers[i].Increment), value(&run.Answers[i]), "")
		}
	}
	return s
}

// exactCurve is a value of the exact solution along a path.
func (r *Results) exactCurve(c bench.Case, value func(p *Path, k int) float64) Series {
	s := Series{Name: "exact solution", Style: Points, Look: exactLook}
	if p := r.path(c); p != nil {
		for k := range p.Norm {
			s.add(float64(p.Increment[k]), value(p, k), "")
		}
	}
	return s
}

// Values of an answer.
func timeMS(a *Answer) float64      { return a.MS }
func sweeps(a *Answer) float64      { return float64(a.Sweeps) }
func forceNorm(a *Answer) float64   { return a.Norm }
func slidingOf(a *Answer) float64   { return float64(a.Sliding) }
func deviationOf(a *Answer) float64 { return a.Deviation }
func errorOf(a *Answer) float64     { return a.Error }

func normOf(p *Path, k int) float64       { return p.Norm[k] }
func slidingExact(p *Path, k int) float64 { return float64(p.Sliding[k]) }

// Exhibits arranges the measurements as the thesis's tables and figures, in its order.
func Exhibits(r *Results) []*Exhibit {
	return slices.Concat(r.formulationExhibits(), r.factorExhibits(), r.youngExhibits(),
		r.frictionExhibits(), r.contactExhibits(), r.couplingExhibits())
}

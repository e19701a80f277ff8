package study

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hapco/physics/machinery/refusal"
)

// Report is what a folder's answers come to.
type Report struct {
	Protocol *Protocol
	People   int // who answered
	Finished int // of them, all trials
	Trials   int // finished, of all people
	Each     int // trials of one person
	Subjects []Subject
}

// Subject is a question, or a quantity that was measured in each trial.
type Subject struct {
	Name, Ask, Unit string
	Low, High       string
	Conditions      []Row // of numbers
	Effects         []Effect
	Choices         []string
	Counts          []CountRow // of choices, by condition
	Remarks         []Remark   // of texts
}

// Row is a condition or level with its numbers.
type Row struct {
	Name string
	Summary
}

// Effect is what one factor does: every person's mean over the other factors, by level.
type Effect struct {
	Factor  string
	Levels  []Row
	Left    int     // people left out: they have not felt every level
	Chi2    float64 // of Friedman's test
	Freedom float64
	P       float64
	Pairs   []Pair
	Plot    template.HTML
}

// Pair compares two levels over the same people.
type Pair struct {
	A, B       string
	Difference Summary // B less A
	T, PT      float64 // Student's paired t
	W, PW      float64 // Wilcoxon's signed ranks
	Holm       float64 // PW, corrected for the number of pairs
}

// CountRow is how often each choice was taken.
type CountRow struct {
	Name   string
	Counts []int
}

// Remark is a text that somebody typed.
type Remark struct {
	Person, Trial   int
	Condition, Text string
}

// NewReport sums up what a folder holds.
func (f *Folder) NewReport() (*Report, error) { return refusal.Caught(f.report) }

func (f *Folder) report() *Report {
	all := refusal.Must(f.All())
	refusal.If(len(all) == 0, "no trial is finished yet (cure: hapco study ... --out with this folder)")
	p := f.Protocol
	r := &Report{Protocol: p, Trials: len(all), Each: len(p.Trials(1))}
	count := map[int]int{}
	for i := range all {
		count[all[i].Person]++
	}
	r.People = len(count)
	for _, n := range count {
		if n == r.Each {
			r.Finished++
		}
	}
	for i := range p.Questions {
		q := &p.Questions[i]
		s := Subject{Name: q.Name, Ask: q.Ask, Low: q.Low, High: q.High, Choices: q.Choices}
		switch {
		case q.Scale > 0:
			s.numbers(p, all, func(g *Given) float64 {
				x, err := strconv.ParseFloat(g.Answers[q.Name], 64)
				if err != nil {
					return math.NaN() // it was checked when it was read
				}
				return x
			}, 1, float64(q.Scale))
		case len(q.Choices) > 0:
			s.count(p, all, q)
		default:
			s.remarks(p, all, q)
		}
		r.Subjects = append(r.Subjects, s)
	}
	for _, m := range []struct {
		name, ask, unit string
		of              func(g *Given) float64
	}{
		{"largest force", "Measured: the largest force that was sent to the hand in a trial", "N", func(g *Given) float64 { return g.ForceMax }},
		{"rate of physics", "Measured: the mean rate of physics while the tool touched something", "Hz", func(g *Given) float64 {
			if g.PhysicsHz == 0 {
				return math.NaN() // nothing was touched
			}
			return g.PhysicsHz
		}},
	} {
		s := Subject{Name: m.name, Ask: m.ask, Unit: m.unit}
		s.numbers(p, all, m.of, math.NaN(), math.NaN())
		r.Subjects = append(r.Subjects, s)
	}
	return r
}

// numbers sums up a quantity by condition and by factor. From low to high are the plots.
func (s *Subject) numbers(p *Protocol, all []Given, of func(*Given) float64, low, high float64) {
	byCondition := map[string][]float64{}
	for i := range all {
		if x := of(&all[i]); !math.IsNaN(x) {
			name := p.Condition(all[i].Levels)
			byCondition[name] = append(byCondition[name], x)
		}
	}
	for _, name := range p.conditions() {
		s.Conditions = append(s.Conditions, Row{name, summarize(byCondition[name])})
	}
	for f := range p.Factors {
		if len(p.Factors[f].Levels) < 2 {
			continue
		}
		e, people := newEffect(p, all, of, f)
		if len(people) > 0 {
			e.Plot = e.draw(people, s.label(), low, high)
		}
		s.Effects = append(s.Effects, e)
	}
}

func (s *Subject) label() string {
	if s.Unit != "" {
		return s.Name + ", " + s.Unit
	}
	if s.Low+s.High != "" {
		return fmt.Sprintf("%s (%s to %s)", s.Name, s.Low, s.High)
	}
	return s.Name
}

// conditions are the names of all, in the order of the file.
func (p *Protocol) conditions() []string {
	ordered := *p
	ordered.Fixed = true
	var names []string
	for _, t := range ordered.Trials(1) {
		names = append(names, p.Condition(t.Levels))
	}
	return names
}

// newEffect is that of factor f. people has a row for each person who has felt all its levels: the mean of each level.
func newEffect(p *Protocol, all []Given, of func(*Given) float64, f int) (e Effect, people [][]float64) {
	levels := p.Factors[f].Levels
	e = Effect{Factor: p.Factors[f].Name, Chi2: math.NaN(), Freedom: math.NaN(), P: math.NaN()}
	type sum struct{ of, n float64 }
	sums := map[int][]sum{}
	for i := range all {
		g := &all[i]
		if sums[g.Person] == nil {
			sums[g.Person] = make([]sum, len(levels))
		}
		if x := of(g); !math.IsNaN(x) {
			at := &sums[g.Person][g.Levels[f]]
			at.of, at.n = at.of+x, at.n+1
		}
	}
	for _, person := range slices.Sorted(maps.Keys(sums)) {
		row := make([]float64, len(levels))
		whole := true
		for l, s := range sums[person] {
			row[l] = s.of / s.n
			whole = whole && s.n > 0
		}
		if whole {
			people = append(people, row)
		} else {
			e.Left++
		}
	}
	column := func(l int) []float64 {
		x := make([]float64, len(people))
		for i := range people {
			x[i] = people[i][l]
		}
		return x
	}
	for l := range levels {
		e.Levels = append(e.Levels, Row{levels[l].Name, summarize(column(l))})
	}
	if len(levels) > 2 {
		e.Chi2, e.Freedom, e.P = friedman(people)
	}
	var ps []float64
	for a := range levels {
		for b := a + 1; b < len(levels); b++ {
			difference := column(b)
			for i, x := range column(a) {
				difference[i] -= x
			}
			pair := Pair{A: levels[a].Name, B: levels[b].Name, Difference: summarize(difference)}
			pair.T, pair.PT = pairedT(difference)
			pair.W, pair.PW = wilcoxon(difference)
			e.Pairs, ps = append(e.Pairs, pair), append(ps, pair.PW)
		}
	}
	for i, h := range holm(ps) {
		e.Pairs[i].Holm = h
	}
	return e, people
}

// count tells how often each choice was taken in each condition.
func (s *Subject) count(p *Protocol, all []Given, q *Question) {
	for _, name := range p.conditions() {
		row := CountRow{name, make([]int, len(q.Choices))}
		for i := range all {
			if p.Condition(all[i].Levels) == name {
				row.Counts[slices.Index(q.Choices, all[i].Answers[q.Name])]++
			}
		}
		s.Counts = append(s.Counts, row)
	}
}

func (s *Subject) remarks(p *Protocol, all []Given, q *Question) {
	for i := range all {
		if text := all[i].Answers[q.Name]; text != "" {
			s.Remarks = append(s.Remarks, Remark{all[i].Person, all[i].Trial, p.Condition(all[i].Levels), text})
		}
	}
}

//go:embed report.html
var page string

// number writes a number of the page; what a sample is too small for is a dash.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// chance writes a p value.
func chance(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "< 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

var layout = template.Must(template.New("report").Funcs(template.FuncMap{
	"number": number, "chance": chance,
	"clear": func(p float64) bool { return p < 0.05 },
	"some":  func(p float64) bool { return !math.IsNaN(p) },
}).Parse(page))

// Write writes the report as a page that needs no other file.
func (r *Report) Write(w io.Writer) error { return layout.Execute(w, r) }

var (
	personColor = color.RGBA{0x9a, 0xa6, 0xb6, 0xff}
	meanColor   = color.RGBA{0x1f, 0x6f, 0xc4, 0xff}
)

// spans are means with their confidence intervals, one a row.
type spans struct {
	plotter.XYs
	plotter.XErrors
}

// draw draws an effect: levels from top to bottom, a grey dot a person, the mean with its confidence interval in blue.
// From low to high is the axis; NaN: as it comes.
func (e *Effect) draw(people [][]float64, label string, low, high float64) template.HTML {
	p := plot.New()
	p.X.Label.Text = label
	n := len(e.Levels)
	names := make([]string, n)
	var dots plotter.XYs
	var mean spans
	for l := range e.Levels {
		y := float64(n - 1 - l)
		names[n-1-l] = e.Levels[l].Name
		for i := range people {
			beside := 0.0 // so that equal answers do not hide each other
			if len(people) > 1 {
				beside = 0.36 * (float64(i)/float64(len(people)-1) - 0.5)
			}
			dots = append(dots, plotter.XY{X: people[i][l], Y: y + beside})
		}
		s := &e.Levels[l]
		mean.XYs = append(mean.XYs, plotter.XY{X: s.Mean, Y: y})
		half := struct{ Low, High float64 }{}
		if !math.IsNaN(s.Low) {
			half.Low, half.High = s.Mean-s.Low, s.High-s.Mean
		}
		mean.XErrors = append(mean.XErrors, half)
	}
	each := refusal.Must(plotter.NewScatter(dots))
	each.Color, each.Radius, each.Shape = personColor, vg.Points(2), draw.CircleGlyph{}
	middle := refusal.Must(plotter.NewScatter(mean.XYs))
	middle.Color, middle.Radius, middle.Shape = meanColor, vg.Points(4), draw.CircleGlyph{}
	bars := refusal.Must(plotter.NewXErrorBars(mean))
	bars.Color, bars.Width, bars.CapWidth = meanColor, vg.Points(1.5), vg.Points(6)
	p.Add(plotter.NewGrid(), each, bars, middle)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	if !math.IsNaN(low) {
		p.X.Min, p.X.Max = min(p.X.Min, low), max(p.X.Max, high)
	}
	c := vgsvg.New(18*vg.Centimeter, vg.Length(1.8+0.9*float64(n))*vg.Centimeter)
	p.Draw(draw.New(c))
	var text bytes.Buffer
	refusal.Must(c.WriteTo(&text))
	_, svg, _ := bytes.Cut(text.Bytes(), []byte("<svg")) // without the head of a file
	return template.HTML("<svg" + string(svg))
}

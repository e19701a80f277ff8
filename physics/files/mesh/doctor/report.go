package doctor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// Grade says how bad a finding is.
type Grade uint8

const (
	Note    Grade = iota // good to know
	Warning              // computes, but badly or not as meant
	Error                // cannot be computed
)

// String is the grade in a word.
func (g Grade) String() string { return [...]string{"note", "warning", "error"}[g] }

// MarshalText is String, for JSON.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

const maxIDs = 10

// Finding is one kind of fault, and all that have it.
type Finding struct {
	Kind  string  `json:"kind"` // one word, such as "inverted"
	Grade Grade   `json:"grade"`
	Count int     `json:"count"`
	Of    string  `json:"of"`            // what is counted: elements, nodes, edges ...
	IDs   []int64 `json:"ids,omitempty"` // the file's numbers of the first maxIDs, or the worst first
	Text  string  `json:"text"`
	Cure  string  `json:"cure"`

	elements []int32    // to be marked in the picture: elements of a mesh, triangles of a surface
	edges    [][2]int32 // node pairs
	nodes    []int32
}

// Report is what the doctor found.
type Report struct {
	File     string    `json:"file"`
	Format   string    `json:"format"`
	Surface  bool      `json:"surface"` // triangles only, no volume
	Nodes    int       `json:"nodes"`
	Elements int       `json:"elements"` // triangles of a surface
	Quality  *Quality  `json:"quality,omitempty"`
	Findings []Finding `json:"findings"`
}

// Quality is the spread of the elements' quality; see mesh.Quality.
type Quality struct {
	Least    float64 `json:"least"`
	Mean     float64 `json:"mean"`
	Smallest float64 `json:"smallest_dihedral_deg"`
	Greatest float64 `json:"greatest_dihedral_deg"`
}

// Fine reports whether nothing worse than a note was found.
func (r *Report) Fine() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Grade > Note })
}

// Find is the finding of a kind, nil when there is none.
func (r *Report) Find(kind string) *Finding {
	for i := range r.Findings {
		if r.Findings[i].Kind == kind {
			return &r.Findings[i]
		}
	}
	return nil
}

// Reason is the first finding of the worst grade above Note, as one line with its cure; "" when the report is Fine.
func (r *Report) Reason() string {
	var worst Finding
	for _, f := range r.Findings {
		if f.Grade > worst.Grade {
			worst = f
		}
	}
	if worst.Grade == Note {
		return ""
	}
	return fmt.Sprintf("%s (%s)", worst.Text, worst.Cure)
}

// add takes a finding that something has.
func (r *Report) add(f Finding) {
	if f.Count > 0 {
		r.Findings = append(r.Findings, f)
	}
}

// ids are the file's numbers of the first of some elements or nodes.
func ids(list []int32, number func(int) int64) []int64 {
	var ids []int64
	for _, k := range list[:min(maxIDs, len(list))] {
		ids = append(ids, number(int(k)))
	}
	return ids
}

func plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// plausible sizes of what is pressed here, m.
const (
	smallest = 2e-3 // an ossicle
	largest  = 3.0
)

// unit compares the size with the unit, or guesses it. unit is "" when unknown.
func (r *Report) unit(low, high mgl64.Vec3, unit string) {
	diagonal := high.Sub(low).Len()
	if !(diagonal > 0) || math.IsInf(diagonal, 0) {
		return
	}
	guess, _ := mesh.GuessUnit(diagonal)
	if unit == "" {
		r.add(Finding{Kind: "unit", Grade: Note, Count: 1, Of: "unit",
			Text: fmt.Sprintf("the file says no unit of length; its diagonal of %.3g is probably %s", diagonal, sizes(diagonal, guess)),
			Cure: "name it: --length-unit " + guess})
		return
	}
	scale, err := mesh.LengthUnit(unit)
	if err != nil {
		return // the caller checks the unit
	}
	if size := diagonal * scale; !(size >= smallest && size <= largest) {
		r.add(Finding{Kind: "unit", Grade: Warning, Count: 1, Of: "unit",
			Text: fmt.Sprintf("with lengths in %s the diagonal is %s, an odd size for what a hand presses", unit, length(size)),
			Cure: fmt.Sprintf("use --length-unit %s: it is then %s", guess, sizes(diagonal, guess))})
	}
}

func sizes(diagonal float64, unit string) string {
	scale, _ := mesh.LengthUnit(unit)
	s := fmt.Sprintf("%.3g %s", diagonal, unit)
	if l := length(diagonal * scale); l != s {
		s += " = " + l
	}
	return s
}

// length words a length given in m.
func length(m float64) string {
	if m < 1 {
		return fmt.Sprintf("%.3g mm", 1e3*m)
	}
	return fmt.Sprintf("%.3g m", m)
}

// Text is the report for a terminal: a line a finding, its numbers and cure below.
func (r *Report) Text() string {
	var out strings.Builder
	what := "elements"
	if r.Surface {
		what = "triangles"
	}
	fmt.Fprintf(&out, "%s: %s, %d nodes, %d %s\n", r.File, r.Format, r.Nodes, r.Elements, what)
	if q := r.Quality; q != nil {
		fmt.Fprintf(&out, "quality: least %.3g, mean %.3g; angles between faces %.3g to %.3g degrees\n", q.Least, q.Mean, q.Smallest, q.Greatest)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&out, "%s: %s: %s\n", f.Grade, f.Kind, f.Text)
		if len(f.IDs) > 0 {
			fmt.Fprintf(&out, "    %s:", f.Of)
			for _, id := range f.IDs {
				fmt.Fprintf(&out, " %d", id)
			}
			if len(f.IDs) < f.Count {
				fmt.Fprint(&out, " ...")
			}
			fmt.Fprintln(&out)
		}
		fmt.Fprintf(&out, "    cure: %s\n", f.Cure)
	}
	if r.Fine() {
		fmt.Fprintln(&out, "fine: nothing worse than a note")
	}
	return out.String()
}

// Package thesis repeats the thesis's experiments.
package thesis

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench/thesis"
)

// Command repeats the thesis's experiments with the contact solvers.
type Command struct {
	output.Flags
	Brief bool `help:"Print only how many findings hold."`
}

// thesisReport is thesis.json.
type thesisReport struct {
	Machine  string            `json:"machine"`
	Quick    bool              `json:"quick"`
	Findings []thesis.Finding  `json:"findings"`
	Exhibits []*thesis.Exhibit `json:"exhibits"`
	Results  *thesis.Results   `json:"results"`
}

// Run measures, writes every table and figure, and judges the findings.
func (c *Command) Run(ctx context.Context) error {
	return c.Measure(func() {
		results := refusal.Must(thesis.Measure(ctx, c.Quick, progressLine()))
		c.write(&thesisReport{Machine: app.Machine(), Quick: c.Quick, Findings: thesis.Findings(results),
			Exhibits: thesis.Exhibits(results), Results: results})
	})
}

// write writes all files and prints the summary.
func (c *Command) write(report *thesisReport) {
	c.WriteJSON("thesis", report)
	for _, e := range report.Exhibits {
		c.WriteCSV(e.Name(), e.Table(6))
		refusal.Need(figure.DrawExhibit(e, c.File(e.Name()+".png")))
	}
	refusal.Need(app.WriteOut(c.File("thesis.md"), func(w io.Writer) error {
		return thesis.Markdown(w, report.Machine, report.Results, report.Findings, report.Exhibits)
	}))
	refusal.Need(c.summary(app.Stdout, report))
}

// summary prints the findings.
func (c *Command) summary(w io.Writer, report *thesisReport) error {
	out := bufio.NewWriter(w)
	counts := map[thesis.Verdict]int{}
	for _, f := range report.Findings {
		if counts[f.Verdict]++; c.Brief {
			continue
		}
		fmt.Fprintf(out, "%-13s  %-10s  %s\n", f.Verdict, f.Where, f.Claim)
		for _, line := range Fold(f.Measured, 100) {
			fmt.Fprintf(out, "%29s%s\n", "", line)
		}
	}
	fmt.Fprintf(out, "\nOf the thesis's %d findings %d hold, %d hold in part, %d do not.\n", len(report.Findings), counts[thesis.Holds], counts[thesis.InPart], counts[thesis.Fails])
	fmt.Fprintf(out, "%d tables and figures, thesis.json and thesis.md are in %s (%s)\n", len(report.Exhibits), c.Out, report.Machine)
	return out.Flush()
}

// Fold breaks a text into lines of about width letters.
func Fold(text string, width int) []string {
	return figure.Fold(text, func(line string) bool { return len(line) <= width })
}

// progressLine shows on a terminal which path is being measured.
func progressLine() func(done, of int, what string) {
	if !app.IsTerminal(os.Stderr) {
		return func(int, int, string) {}
	}
	return func(done, of int, what string) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %d: %s", done+1, of, what)
		if done+1 == of {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}

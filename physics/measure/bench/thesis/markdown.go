package thesis

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the summary: the findings, every table, and the figures by name.
func Markdown(w io.Writer, machine string, r *Results, findings []Finding, exhibits []*Exhibit) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The thesis's experiments, made anew\n\nMeasured on %s with `hapco bench thesis%s`. ", machine, quickFlag(r.Quick))
	b.WriteString("Times are processor times, the least of a few repetitions, in ms; the thesis's are of other machines, of about 2007: compare ratios. ")
	b.WriteString("\"diverged k/n\": on k of n increments the method did not meet its criterion within the thesis's limit of sweeps. ")
	b.WriteString("\"deviation\" is from Uzawa global\\* at 1e-8, the thesis's reference, \"error\" from the exact solution; both are means.\n\n## Findings\n\n")
	rows := [][]string{{"section", "the thesis finds", "here", "measured"}}
	for _, f := range findings {
		rows = append(rows, []string{f.Where, f.Claim, "**" + string(f.Verdict) + "**", f.Measured})
	}
	writeTable(&b, rows)
	b.WriteString("\n## Tables\n")
	for _, e := range exhibits {
		if e.Kind == "table" {
			fmt.Fprintf(&b, "\n### %s: %s\n\nThe thesis gives %s.\n\n![](%s.png)\n\n", e.ID, escape(e.Title), escape(e.Thesis), e.Name())
			writeTable(&b, e.Table(4))
		}
	}
	b.WriteString("\n## Figures\n\nThe thesis's figures are pictures; what its text says of them stands beside.\n")
	for _, e := range exhibits {
		if e.Kind == "figure" {
			fmt.Fprintf(&b, "\n### %s: %s\n\nThe thesis: %s. Values: [%s.csv](%s.csv)\n\n![](%s.png)\n", e.ID, escape(e.Title), escape(e.Thesis), e.Name(), e.Name(), e.Name())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func quickFlag(quick bool) string {
	if quick {
		return " --quick"
	}
	return ""
}

// writeTable writes rows, the header first.
func writeTable(b *strings.Builder, rows [][]string) {
	for i, row := range rows {
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(" " + escapeCell(cell) + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
}

// escape keeps the asterisks of solver names from starting emphasis, and bars from ending cells.
func escape(s string) string { return strings.NewReplacer("*", "\\*", "|", "\\|").Replace(s) }

func escapeCell(s string) string {
	if strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") && len(s) > 4 {
		return s
	}
	return escape(s)
}

package collision

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
)

// Summary prints the largest of each surface and kind, and the exponents over all.
func (r *Report) Summary(w io.Writer) error {
	t := app.Table(w)
	fmt.Fprint(t, "surface\tkind\ttriangles or boxes\tqueries (near)\tus\tcpu us\tp99\tnodes asked\t")
	if len(r.Peers) > 0 {
		fmt.Fprint(t, "FCL us\tcpu us\tratio\t")
	}
	fmt.Fprintln(t)
	for i := range r.Points {
		p := &r.Points[i]
		if slices.ContainsFunc(r.Points[i+1:], func(q Point) bool { return q.Name == p.Name && q.Kind == p.Kind }) {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%d (%d)\t%.1f\t%.1f\t%.1f\t%d\t", p.Name, p.Kind, sizeOf(p), p.Queries, p.Near, p.Median, p.CPU.Median, p.CPU.P99, p.Located)
		switch {
		case p.FCL > 0:
			fmt.Fprintf(t, "%.0f\t%.0f\t%.1f (%s)\t", p.FCL, p.FCLCPU, p.Ratio, p.FCLVolume)
		case len(r.Peers) > 0:
			fmt.Fprint(t, "\t\t\t")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, r.exponentLine())
	if line := r.agreement(); line != "" {
		fmt.Fprintln(w, line)
	}
	return nil
}

func (r *Report) exponentLine() string {
	var parts []string
	for _, k := range Kinds {
		if e, ok := r.Exponents[k]; ok {
			parts = append(parts, fmt.Sprintf("%s %.2f", k, e))
		}
	}
	for _, kind := range []string{KindSway, KindStill} {
		if e, ok := r.Exponents["FCL, "+kind]; ok {
			parts = append(parts, fmt.Sprintf("FCL (%s) %.2f", kind, e))
		}
	}
	return "exponents of the processor time over triangles: " + strings.Join(parts, ", ")
}

// agreement says how far FCL's distances are from ours.
func (r *Report) agreement() string {
	if len(r.Peers) == 0 {
		return r.PeerNote
	}
	worst, missed := 0.0, 0
	for i := range r.Peers {
		worst = max(worst, r.Peers[i].Difference)
		missed += r.Peers[i].Missed
	}
	return fmt.Sprintf("FCL's distances differ from ours by at most %.1e of the surface's size; points that only one of them finds within reach: %d", worst, missed)
}

// plot draws the processor time of a step over triangles.
func (r *Report) plot(file string) error {
	var curves []figure.Curve
	for _, k := range []string{KindPress, KindSway, KindRefit, KindStillCold, KindStill, KindApart} {
		curves = append(curves, figure.CurveOf(k, r.series(k), sizeOf, cpuOf))
	}
	for _, k := range []struct{ name, kind string }{{"FCL, refit and queries", KindSway}, {"FCL, queries", KindStill}} {
		c := figure.CurveOf(k.name, r.series(k.kind), sizeOf, func(p *Point) float64 { return p.FCLCPU })
		c.Peer = true
		curves = append(curves, c)
	}
	return figure.SaveLogLog(file, "36 points near a deforming surface: processor time of a step", "triangles", "us", curves)
}

package collision

import (
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
)

func (r *Report) rows() [][]string {
	rows := [][]string{{"name", "kind", "triangles", "queries", "near", "steps", "us_median", "us_p99", "cpu_us_median", "cpu_us_p99", "refit_us",
		"queries_per_s", "nodes_located", "fcl_us", "fcl_cpu_us", "fcl_refit_us", "fcl_volume", "ratio", "difference"}}
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	for i := range r.Points {
		p := &r.Points[i]
		rows = append(rows, []string{p.Name, p.Kind, strconv.Itoa(p.Triangles), strconv.Itoa(p.Queries), strconv.Itoa(p.Near), strconv.Itoa(p.Steps),
			number(p.Median), number(p.P99), number(p.CPU.Median), number(p.CPU.P99), number(p.Refit), number(p.Rate), strconv.Itoa(p.Located),
			number(p.FCL), number(p.FCLCPU), number(p.FCLRefit), p.FCLVolume, number(p.Ratio), number(p.Differ)})
	}
	return rows
}

// Summary prints the table and the exponents.
func (r *Report) Summary(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "surface\tkind\ttriangles or boxes\tqueries (near)\tus\tcpu us\tp99\tnodes asked\t")
	if len(r.Peers) > 0 {
		fmt.Fprint(t, "FCL us\tcpu us\tratio\t")
	}
	fmt.Fprintln(t)
	for i := range r.Points {
		p := &r.Points[i]
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
	p := plot.New()
	p.Title.Text = "36 points near a deforming surface: processor time of a step"
	p.X.Label.Text, p.Y.Label.Text = "triangles", "us"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	drawn := 0
	curve := func(name string, points []Point, y func(*Point) float64, dashed bool) error {
		var xy plotter.XYs
		for i := range points {
			if v := y(&points[i]); v > 0 {
				xy = append(xy, plotter.XY{X: float64(points[i].Triangles), Y: v})
			}
		}
		if len(xy) < 2 {
			return nil
		}
		line, marks, err := plotter.NewLinePoints(xy)
		if err != nil {
			return err
		}
		line.Color, marks.GlyphStyle = app.SeriesColors[drawn%len(app.SeriesColors)], app.SeriesGlyph(drawn)
		if dashed { // black, then grey
			shade := color.Gray{Y: uint8(90 * (drawn % 2))}
			line.Color, line.Dashes = shade, []vg.Length{vg.Points(4), vg.Points(3)}
			marks.GlyphStyle = draw.GlyphStyle{Color: shade, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
		}
		drawn++
		p.Add(line, marks)
		p.Legend.Add(fmt.Sprintf("%s, exponent %.2f", name, output.LogSlope(xy, func(a *plotter.XY) float64 { return a.X }, func(a *plotter.XY) float64 { return a.Y })), line, marks)
		return nil
	}
	for _, k := range []string{KindPress, KindSway, KindRefit, KindStillCold, KindStill, KindApart} {
		if err := curve(k, r.series(k), cpuOf, false); err != nil {
			return err
		}
	}
	fcl := func(p *Point) float64 { return p.FCLCPU }
	for _, k := range []struct{ name, kind string }{{"FCL, refit and queries", KindSway}, {"FCL, queries", KindStill}} {
		if err := curve(k.name, r.series(k.kind), fcl, true); err != nil {
			return err
		}
	}
	if drawn == 0 {
		return nil
	}
	p.X.Min, p.X.Max = p.X.Min/1.3, p.X.Max*1.3
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*30 // room for the legend
	return figure.Save(p, 18*vg.Centimeter, 14*vg.Centimeter, file)
}

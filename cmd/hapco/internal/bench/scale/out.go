package scale

import (
	"fmt"
	"path/filepath"
	"slices"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
)

// NodesOf is what exponents and plots over nodes have along X.
func NodesOf(p *Point) float64 { return float64(p.Nodes) }

func contactsOf(p *Point) float64 { return float64(max(1, p.Contacts)) }

func (r *report) fit() {
	many := slices.DeleteFunc(slices.Clone(r.OverContacts), func(p Point) bool { return p.Contacts < 36 })
	median := func(p *Point) float64 { return p.Median }
	cpu := func(p *Point) float64 { return p.CPU.Median }
	r.ExponentNodes = output.LogSlope(r.Larger, NodesOf, median)
	r.ExponentFiner = output.LogSlope(r.Finer, NodesOf, median)
	r.ExponentCPU = output.LogSlope(r.Larger, NodesOf, cpu)
	r.ExponentBuild = output.LogSlope(r.Larger, NodesOf, func(p *Point) float64 { return p.Precompute })
	r.ExponentContacts = output.LogSlope(many, contactsOf, median)
	r.ExponentFCPU = output.LogSlope(r.Finer, NodesOf, cpu)
	r.ExponentCCPU = output.LogSlope(many, contactsOf, cpu)
}

// plot draws the step and its parts over nodes and contacts, and what comes before the first step over the nodes.
func (r *report) plot(dir string) error {
	type series struct {
		name string
		y    func(*Point) float64
	}
	parts := []series{
		{"step, median", func(p *Point) float64 { return p.Median }},
		{"step, processor time", func(p *Point) float64 { return p.CPU.Median }},
		{"the same, 99 %", func(p *Point) float64 { return p.CPU.P99 }},
		{"collision", func(p *Point) float64 { return p.Parts.Collision }},
		{"W", func(p *Point) float64 { return p.Parts.Assemble }},
		{"contact forces", func(p *Point) float64 { return p.Parts.Contact }},
		{"displacements", func(p *Point) float64 { return p.Parts.Displacement }},
	}
	before := []series{
		{"precomputation, s", func(p *Point) float64 { return p.Precompute }},
		{"compliance, MB", func(p *Point) float64 { return p.Memory }},
		{"first touch, ms", func(p *Point) float64 { return p.FirstTouch }},
	}
	for _, f := range []struct {
		file, title, x, y string
		points            []Point
		at                func(*Point) float64
		series            []series
	}{
		{"scale-nodes.png", fmt.Sprintf("36 contacts: step over nodes, larger bodies of the same elements, exponent %.2f (processor time %.2f)", r.ExponentNodes, r.ExponentCPU), "nodes", "ms", r.Larger, NodesOf, parts},
		{"scale-refinement.png", fmt.Sprintf("36 contacts: step over nodes, same body, finer elements, exponent %.2f", r.ExponentFiner), "nodes", "ms", r.Finer, NodesOf, parts},
		{"scale-contacts-whole.png", "step over contacts, all of them solved (contact.reduction=0)", "contacts", "ms", r.Whole, contactsOf, parts},
		{"scale-contacts.png", fmt.Sprintf("step over contacts, exponent %.2f from 36 on (processor time %.2f)", r.ExponentContacts, r.ExponentCCPU), "contacts", "ms", r.OverContacts, contactsOf, parts},
		{"scale-precompute.png", fmt.Sprintf("before the first step, exponent %.2f", r.ExponentBuild), "nodes", "", r.Larger, NodesOf, before},
	} {
		var curves []figure.Curve
		for _, c := range f.series {
			curves = append(curves, figure.CurveOf(c.name, f.points, f.at, c.y))
		}
		if err := figure.SaveLogLog(filepath.Join(dir, f.file), f.title, f.x, f.y, curves); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) summary() error {
	t := app.Table(app.Stdout)
	fmt.Fprint(t, "body\tnodes\tcontacts (loaded)\ttolerance\tms\tcpu ms\tp99\tfirst touch ms\tprecompute s\tMB\t")
	if len(r.Meshes) > 0 {
		fmt.Fprint(t, "SOFA ms\tp99\ts\t")
	}
	fmt.Fprintln(t)
	for i := range r.Points {
		p := &r.Points[i]
		fmt.Fprintf(t, "%s\t%d\t%d (%d)\t%.0e\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.1f\t", p.Name, p.Nodes, p.Contacts, p.Loaded, p.Tolerance,
			p.Median, p.CPU.Median, p.CPU.P99, p.FirstTouch, p.Precompute, p.Memory)
		switch {
		case p.Peer > 0:
			fmt.Fprintf(t, "%.3g\t%.3g\t%.3g\t", p.Peer, p.PeerP99, p.PeerS)
		case len(r.Meshes) > 0:
			fmt.Fprint(t, "\t\t\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(app.Stdout, "exponent of the step time over nodes %.2f (processor time %.2f), with finer elements %.2f, over contacts from 36 on %.2f (%.2f)\n",
		r.ExponentNodes, r.ExponentCPU, r.ExponentFiner, r.ExponentContacts, r.ExponentCCPU)
	return nil
}

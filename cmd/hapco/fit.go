package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/measure/indent"
)

// fitCommand fits a material to a measured indentation.
type fitCommand struct {
	File       string   `arg:"" help:"Table of depth and force; its first row: depth_mm,force_mN."`
	Punch      string   `help:"What pressed: ball, flat (smooth cylinder's end) or bonded (one that sticks)." enum:"ball,flat,bonded" default:"ball"`
	Radius     string   `help:"Of the ball or cylinder, such as 5mm." required:"" of:"length" in:"1e-9..1000"`
	Thickness  string   `help:"Of the layer on its rigid base, such as 12mm; without it a half-space." of:"length" in:"1e-9..1000"`
	Slips      bool     `help:"The layer slides on its base; else it is bonded."`
	Law        string   `help:"linear, neo-hookean, mooney-rivlin, ogden or saint-venant-kirchhoff." default:"neo-hookean"`
	Nu         float64  `help:"Poisson's ratio." default:"0.49" in:"0..0.4999"`
	E          string   `name:"E" help:"Young's modulus, such as 5kPa, where it is not fitted." of:"pressure" in:"1e-6..1e12"`
	Alpha      float64  `help:"Exponent of Ogden's law, or where its fit begins." default:"2" in:"-60..-0.1|0.1..60"`
	Ratio      float64  `help:"c01/c10 of Mooney and Rivlin, or where its fit begins." default:"0" in:"0..20"`
	Fit        []string `help:"What to fit: E, nu, alpha, ratio, contact (depth of the first touch)." default:"E"`
	Confidence float64  `help:"Of the intervals." default:"0.95" in:"0.01..0.9999"`
	Relative   bool     `help:"Minimise relative errors of the force."`
	Fine       int      `help:"Elements between the axis and the edge of the contact." default:"12" in:"1..200"`
	JSON       bool     `name:"json" help:"Print JSON."`
	Plot       string   `help:"Write a picture of the points and the fit." type:"path" placeholder:"FILE.png"`
}

// Run fits and prints.
func (c *fitCommand) Run(ctx context.Context) error {
	test, start, err := c.experiment()
	if err != nil {
		return app.BadInput(err)
	}
	points, err := readIndentation(c.File)
	if err != nil {
		return app.BadInput(err)
	}
	loading := indent.Loading(points)
	if n := len(points) - len(loading); n > 0 {
		app.Note("%s: %d points after the greatest depth are left out", c.File, n)
	}
	r, err := indent.Fit(ctx, test, start, loading, indent.Options{Free: c.Fit, Confidence: c.Confidence, Relative: c.Relative})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return app.BadInput(fmt.Errorf("%s: %w", c.File, err))
	}
	if c.Plot != "" {
		if err := plotFit(c.Plot, loading, r); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(app.Stdout).Encode(fitJSON(c.File, test, r))
	}
	printFit(c.File, r)
	return nil
}

// experiment checks the flags.
func (c *fitCommand) experiment() (test indent.Test, start indent.Material, err error) {
	measured := func(flag, value string, q setting.Quantity) float64 {
		if value == "" || err != nil {
			return 0
		}
		x, bad := setting.Measured(value, q, setting.Units{Length: "m", Pressure: "Pa"})
		if bad != nil {
			err = fmt.Errorf("fit: --%s %s: %w", flag, value, bad)
		}
		return x
	}
	test = indent.Test{Radius: measured("radius", c.Radius, setting.Length), Thickness: measured("thickness", c.Thickness, setting.Length), Slips: c.Slips, Fine: c.Fine}
	test.Punch = map[string]indent.Punch{"ball": indent.Ball, "flat": indent.Flat, "bonded": indent.BondedEnd}[c.Punch]
	start = indent.Material{Law: c.Law, Young: measured("E", c.E, setting.Pressure), Nu: c.Nu, Alpha: c.Alpha, Ratio: c.Ratio}
	if err == nil {
		err = test.Check()
	}
	if err == nil {
		err = start.Check()
	}
	return test, start, err
}

var forceUnits = map[string]float64{"N": 1, "kN": 1e3, "mN": 1e-3, "uN": 1e-6, "nN": 1e-9}

// readIndentation reads a table of depth and force. What names neither is left out.
func readIndentation(name string) ([]indent.Point, error) {
	f, err := budget.Table.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: a file of depth and force)", err)
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if err := budget.SkipMark(text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := csv.NewReader(text)
	r.Comment, r.TrimLeadingSpace, r.FieldsPerRecord, r.ReuseRecord = '#', true, -1, true
	columns := [2]column{
		{name: "depth", at: 0, scale: 1, unit: func(unit string) float64 { x, _ := mesh.LengthUnit(unit); return x }},
		{name: "force", at: 1, scale: 1, unit: func(unit string) float64 { return forceUnits[unit] }},
	}
	var points []indent.Point
	for first := true; ; first = false {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (cure: a table with commas)", name, err)
		}
		line, _ := r.FieldPos(0)
		if _, err := strconv.ParseFloat(strings.TrimSpace(row[0]), 64); first && err != nil {
			if err := cmp.Or(columns[0].find(row), columns[1].find(row)); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			continue
		}
		if max(columns[0].at, columns[1].at) >= len(row) {
			return nil, fmt.Errorf("%s:%d: %d values (cure: depth and force in every row)", name, line, len(row))
		}
		var x [2]float64
		for k, c := range columns {
			if x[k], err = strconv.ParseFloat(strings.TrimSpace(row[c.at]), 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %s %q (cure: a number)", name, line, c.name, row[c.at])
			}
			x[k] *= c.scale
		}
		points = append(points, indent.Point{Depth: x[0], Force: x[1]})
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: no points (cure: rows of depth and force)", name)
	}
	return points, nil
}

// column is one of a table, and what its unit is in SI.
type column struct {
	name  string
	at    int
	scale float64
	unit  func(word string) float64 // 0: there is no such unit
}

// find finds a column by its name, which may have a unit: depth_mm, depth (mm).
func (c *column) find(head []string) error {
	for i, word := range head {
		word = strings.TrimSpace(strings.TrimPrefix(word, "\ufeff"))
		rest, ok := strings.CutPrefix(strings.ToLower(word), c.name)
		if !ok {
			continue
		}
		own := strings.Trim(word[len(word)-len(rest):], " _()[]")
		c.at = i
		if own != "" {
			c.scale = c.unit(own)
		}
		if c.scale > 0 {
			return nil
		}
		return fmt.Errorf("column %q: the unit %q is unknown (cure: depth in m, cm, mm or um, force in N, mN, uN or nN)", word, own)
	}
	return fmt.Errorf("no column %s (cure: a first row such as depth_mm,force_mN)", c.name)
}

// fitJSON is what --json prints: SI units in the names.
func fitJSON(file string, test indent.Test, r *indent.Result) any {
	type value struct {
		Value         float64 `json:"value"`
		Low           float64 `json:"low"`
		High          float64 `json:"high"`
		StandardError float64 `json:"standard_error"`
	}
	fitted := map[string]value{}
	var names []string
	for _, v := range r.Values {
		name := v.Name
		if v.Unit != "" {
			name += "_" + v.Unit
		}
		names = append(names, name)
		fitted[name] = value{v.Value, v.Low, v.High, v.StandardError}
	}
	formulas := map[string]float64{}
	for name, e := range r.Formulas {
		formulas[strings.ReplaceAll(strings.ToLower(name), " ", "_")+"_E_Pa"] = app.Finite(e)
	}
	return struct {
		File        string             `json:"file"`
		Law         string             `json:"law"`
		E           float64            `json:"E_Pa"`
		Nu          float64            `json:"nu"`
		Alpha       float64            `json:"alpha,omitempty"`
		Ratio       float64            `json:"ratio,omitempty"`
		Contact     float64            `json:"contact_m"`
		Fitted      map[string]value   `json:"fitted"`
		Order       []string           `json:"correlation_of"`
		Correlation [][]float64        `json:"correlation"`
		Confidence  float64            `json:"confidence"`
		Points      int                `json:"points"`
		RMS         float64            `json:"rms_N"`
		R2          float64            `json:"r2"`
		Iterations  int                `json:"iterations"`
		Deepest     float64            `json:"depth_over_radius"`
		Thickness   float64            `json:"thickness_m,omitempty"`
		Model       []float64          `json:"model_N"`
		Formulas    map[string]float64 `json:"formulas"`
	}{file, r.Material.Law, r.Material.Young, r.Material.Nu, onlyOf(r, "ogden", r.Material.Alpha), onlyOf(r, "mooney-rivlin", r.Material.Ratio), r.Contact,
		fitted, names, r.Correlation, r.Confidence, r.Points, r.RMS, app.Finite(r.R2), r.Iterations, r.Deepest, test.Thickness, r.Model, formulas}
}

func onlyOf(r *indent.Result, law string, x float64) float64 {
	if r.Material.Law != law {
		return 0
	}
	return x
}

func printFit(file string, r *indent.Result) {
	out := app.Stdout
	fmt.Fprintf(out, "%s: %d points, %s, nu = %.4g\n", file, r.Points, r.Material.Law, r.Material.Nu)
	t := app.Table(out)
	fmt.Fprintf(t, "parameter\tvalue\tfrom\tto\t%.0f %%\t\n", 100*r.Confidence)
	for _, v := range r.Values {
		scale, unit := 1.0, v.Unit
		switch v.Unit {
		case "Pa":
			scale, unit = 1e-3, "kPa"
		case "m":
			scale, unit = 1e3, "mm"
		}
		if v.WithoutInterval {
			fmt.Fprintf(t, "%s\t%.5g\t-\t-\t%s\t\n", v.Name, scale*v.Value, unit)
			continue
		}
		fmt.Fprintf(t, "%s\t%.5g\t%.5g\t%.5g\t%s\t\n", v.Name, scale*v.Value, scale*v.Low, scale*v.High, unit)
	}
	t.Flush()
	for i := range r.Values {
		for j := range i {
			if c := r.Correlation[i][j]; c > 0.9 || c < -0.9 {
				fmt.Fprintf(out, "%s and %s make up for each other: correlation %.3f\n", r.Values[j].Name, r.Values[i].Name, c)
			}
		}
	}
	fmt.Fprintf(out, "rms %.3g N, R2 %.5f, depth up to %.2g of the radius\n", r.RMS, r.R2, r.Deepest)
	for _, name := range slices.Sorted(maps.Keys(r.Formulas)) {
		fmt.Fprintf(out, "by the formula of small depth, %s: E = %.5g kPa\n", name, 1e-3*r.Formulas[name])
	}
}

// plotFit draws points and model, and below them what is left.
func plotFit(file string, points []indent.Point, r *indent.Result) error {
	above, below := figure.New("depth, mm", "force, N"), figure.New("depth, mm", "model - measured, N")
	var dots, line, left plotter.XYs
	for i, p := range points {
		dots = append(dots, plotter.XY{X: 1e3 * p.Depth, Y: p.Force})
		line = append(line, plotter.XY{X: 1e3 * p.Depth, Y: r.Model[i]})
		left = append(left, plotter.XY{X: 1e3 * p.Depth, Y: r.Model[i] - p.Force})
	}
	slices.SortFunc(line, func(a, b plotter.XY) int { return int(1e9 * (a.X - b.X)) })
	measured, model, rest := above.Dots("measured", dots), above.Line(r.Material.Law, line), below.Dots("", left)
	measured.GlyphStyle, rest.GlyphStyle = app.SeriesGlyph(0), app.SeriesGlyph(0)
	model.Color, model.Width = app.SeriesColors[1], vg.Points(1.5)
	title := fmt.Sprintf("E = %.4g kPa, rms %.3g N", 1e-3*r.Material.Young, r.RMS)
	return figure.SavePlots(file, title, above, below)
}

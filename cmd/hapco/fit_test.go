package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/measure/indent"
)

// hapco fit reads millimetres and millinewtons, leaves out the way back, and finds E of
// Hertz's curve; a picture is drawn.
func TestFitCommand(t *testing.T) {
	dir := t.TempDir()
	file, png := filepath.Join(dir, "hertz.csv"), filepath.Join(dir, "fit.png")
	text := "# ball of 10 mm\nForce (mN), time_s, Depth_mm\n"
	for i := range 41 {
		d := 1e-4 * (1 - math.Abs(float64(i)-30)/30)
		f := indent.Hertz(4000, 0.4, 0.01, d) * (1 + 0.001*math.Sin(7*float64(i)))
		if i > 30 {
			f /= 2
		}
		text += fmt.Sprintf("%g,%d,%g\n", 1e3*f, i, 1e3*d)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"fit", file, "--radius", "10mm", "--nu", "0.4", "--fine", "6"}
	status := 0
	out := captured(t, func() { status = run(context.Background(), append(args, "--json", "--plot", png)) })
	var got struct {
		E      float64 `json:"E_Pa"`
		Points int
		Fitted map[string]struct{ Low, High float64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("status %d: %v: %s", status, err, out)
	}
	e := got.Fitted["E_Pa"]
	if got.Points != 31 || math.Abs(got.E-4000) > 0.03*4000 || !(e.Low < got.E && got.E < e.High && e.High-e.Low < 50) {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(png); err != nil || info.Size() < 5000 {
		t.Errorf("no picture: %v", err)
	}
	if out := captured(t, func() { status = run(context.Background(), args) }); status != 0 || !strings.Contains(out, "95 %") || !strings.Contains(out, "Hertz") {
		t.Errorf("status %d: %s", status, out)
	}
	bad := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, more := range [][]string{
		{file}, // without --radius
		{file, "--radius", "10 apples"},
		{file, "--radius", "10mm", "--law", "wood"},
		{file, "--radius", "10mm", "--fit", "beauty"},
		{file, "--radius", "10mm", "--fit", "contact"}, // no E
		{filepath.Join(dir, "none.csv"), "--radius", "1mm"},
		{bad("empty.csv", ""), "--radius", "1mm"},
		{bad("names.csv", "depth_mm,torque\n1,2\n"), "--radius", "1mm"},
		{bad("units.csv", "depth_feet,force_N\n1,2\n"), "--radius", "1mm"},
		{bad("words.csv", "depth_mm,force_N\n1,two\n"), "--radius", "1mm"},
		{bad("flat.csv", "0,0\n0,1\n"), "--radius", "1mm"},
	} {
		if status := run(context.Background(), append([]string{"fit"}, more...)); status != exitBadInput {
			t.Errorf("fit %v: status %d", more, status)
		}
	}
}

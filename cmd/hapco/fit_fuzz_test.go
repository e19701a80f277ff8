package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

const pressText = "depth_mm,force_N\n0,0\n1,0.02\n2,0.06\n3,0.11\n4,0.18\n"

// The seed of the fuzzing is good.
func TestIndentationSeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "press.csv")
	if err := os.WriteFile(file, []byte("\ufeff"+pressText), 0o644); err != nil {
		t.Fatal(err)
	}
	if points, err := readIndentation(file); err != nil || len(points) != 5 {
		t.Errorf("%d points, %v", len(points), err)
	}
}

// Whatever a table of an indentation holds, its points are finite, or it is refused.
func FuzzIndentation(f *testing.F) {
	f.Add([]byte(pressText))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "press.csv")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		points, err := readIndentation(file)
		if err != nil {
			return
		}
		for _, p := range points {
			if s := p.Depth + p.Force; math.IsNaN(s) || math.IsInf(s, 0) {
				t.Errorf("point %v", p)
			}
		}
	})
}

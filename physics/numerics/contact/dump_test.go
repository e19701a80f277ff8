package contact_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hapco/physics/numerics/contact"
)

// Every third step's problems are written, so many at most, and read back as they were.
func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "problems")
	d, err := contact.NewDump(dir, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	p := &contact.Problem{N: 1, W: []float64{2, 0, 0, 0, 2, 0, 0, 0, 2}, Q: []float64{-1, 0.25, 0}, Mu: []float64{0.5}}
	r := []float64{0.5, -0.125, 0}
	for range 12 {
		if d.Step() {
			d.Take(&contact.Problem{}, nil)
			d.Take(p, r)
			d.Take(p, r)
		}
	}
	if written, large, err := d.Done(); written != 5 || large != 0 || err != nil {
		t.Fatal(written, large, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.fc3d.gz"))
	if len(files) != 5 || filepath.Base(files[4]) != "step-000007-5.fc3d.gz" {
		t.Fatal(files)
	}
	got, forces, err := contact.LoadFC3D(files[2])
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 1 || !slices.Equal(got.W, p.W) || !slices.Equal(got.Q, p.Q) || !slices.Equal(forces, r) {
		t.Errorf("%+v %v", got, forces)
	}
	var none *contact.Dump
	if none.Step() {
		t.Error("a nil dump wants problems")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := contact.NewDump(file, 1, 1); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := contact.NewDump(dir, 0, 1); err == nil {
		t.Error("every 0 steps")
	}
}

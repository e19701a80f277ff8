package solvers

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hapco/physics/numerics/contact"
)

// Siconos solves what it is given: its forces, as they come through the pipe, pass the test that ours have to pass.
func TestSiconos(t *testing.T) {
	s, err := buildSiconos(t.Context())
	if err != nil {
		t.Skip(err)
	}
	defer s.Remove()
	s.patience = []float64{600} // however busy the machine is
	s.settings = []string{"nsgs-hybrid/dense", "nsgs-hybrid/blocks", "newton-ac/sparse"}
	var p contact.Problem
	randomProblem(rand.New(rand.NewPCG(1, 2)), &p, 4)
	for i := range 12 {
		p.W[13*i] += 2
	}
	p.W[1] += 0.1 // rows are no columns
	row, err := s.against(t.Context(), &p, true)
	if err != nil || row.Solved != 3 || !(row.Ratio > 0) || !(row.Low <= row.Ratio && row.Ratio <= row.High) {
		t.Errorf("%+v, %v", row, err)
	}
	table := peerReport{Rows: []peerRow{row}}
	table.sumUp()
	if text := string(table.table()); strings.Contains(text, "not solved") || table.Classes[0].Problems != 1 {
		t.Error(text)
	}
}

// Without a compiler one line says so, and how to get one.
func TestNoSiconosIsOneLine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := buildSiconos(t.Context())
	if err == nil || !strings.Contains(err.Error(), "apt-get install") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

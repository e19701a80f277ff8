package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every command that reads a mesh makes the same guess, and says it; a unit that
// is named is taken without a word.
func TestOneGuessOfTheUnit(t *testing.T) {
	dir, _ := meshFiles(t) // 40 x 20 x 30 of something
	good := filepath.Join(dir, "good.msh")
	const said = "40 mm wide: unit guessed, mm; --length-unit cm for 400 mm"
	for _, args := range [][]string{
		{"mesh", "info", good},
		{"mesh", "convert", good, filepath.Join(dir, "x.vtu"), "--to-unit", "m"},
		{"mesh", "tetrahedralize", filepath.Join(dir, "skin.stl"), filepath.Join(dir, "y.vtu"), "--mesher", "builtin"},
		{"trace", "liver", "--mesh", good},
		{"run", "--headless", "--seconds", "0.1", "--device", "mouse", "--mesh", good},
		{"bench", "bodies", "--hostile", "1", "--gesture", "0", "--tries", "0", "--mesh", good, "--out", dir},
		{"bench", "scale", "--mesh", good, "--out", dir, "--time-limit", "1ms"},
	} {
		if testing.Short() && (args[0] == "run" || args[0] == "bench") {
			continue
		}
		name := strings.Join(args[:2], " ")
		_, out, errors := hapco(t, args...)
		if name != "bench scale" && !strings.Contains(out+errors, said) { // it measures other bodies first
			t.Errorf("%s says nothing of its guess: %s%s", name, out, errors)
		}
		_, out, errors = hapco(t, append(args, "--length-unit", "mm")...)
		if strings.Contains(out+errors, "guessed") {
			t.Errorf("%s guesses though it knows: %s%s", name, out, errors)
		}
		if status, _, errors := hapco(t, append(args, "--length-unit", "ell")...); status != 2 || !strings.Contains(errors, `"ell" is unknown`) {
			t.Errorf("%s --length-unit ell: exit status %d, %s", name, status, errors)
		}
	}
	_, named, _ := hapco(t, "trace", "liver-linear", "--mesh", good, "--length-unit", "mm", "--csv")
	if _, guessed, _ := hapco(t, "trace", "liver-linear", "--mesh", good, "--csv"); column5(guessed) != column5(named) {
		t.Error("the guess is not what is computed with")
	}
}

// column5 are the first five columns of a table, which hold no times.
func column5(table string) string {
	var out strings.Builder
	for _, line := range strings.Split(table, "\n") {
		cells := strings.SplitN(line, ",", 6)
		out.WriteString(strings.Join(cells[:min(5, len(cells))], ",") + "\n")
	}
	return out.String()
}

// --set says the unit in which it takes a number that names none.
func TestSetSaysItsUnit(t *testing.T) {
	_, plain, errors := hapco(t, "trace", "liver-linear", "--set", "liver.E=6", "--csv")
	if !strings.Contains(errors, "hapco: liver.E = 6 kPa\n") {
		t.Errorf("says %q", errors)
	}
	_, named, errors := hapco(t, "trace", "liver-linear", "--set", "liver.E=0.006MPa", "--csv")
	if strings.Contains(errors, "liver.E") || column5(plain) != column5(named) {
		t.Errorf("says %q", errors)
	}
}

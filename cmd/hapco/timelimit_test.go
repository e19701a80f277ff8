package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
)

const endlessProblem = "contacts 1\nmu 0.4\nq -1 0.3 0.2\nW\n0 0 2\n1 1 1\n2 2 3\n"

// A solve that does not end, since its steps are too long, says where it stands, and stops at its limit with
// forces that are admissible.
func TestSolveTimeLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin, dir := buildProgram(t), t.TempDir()
	problem, out := filepath.Join(dir, "p.fc3d"), filepath.Join(dir, "r.txt")
	if err := os.WriteFile(problem, []byte(endlessProblem), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "solve", problem, "--solver", "uzawa", "--rho-factor", "3", "--tol", "1e-30", "--max-iter", "1000000000", "--time-limit", "2500ms", "--json", "--out", out)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit status %d: %v", cmd.ProcessState.ExitCode(), err)
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if last := len(lines) - 1; last < 1 || !strings.Contains(lines[0], "uzawa, 1 contacts: ") || !strings.Contains(lines[0], "iterations, natural-map error ") || !strings.Contains(lines[last], "--time-limit after 2.5s") {
		t.Errorf("says %q", stderr.String())
	}
	var result app.SolveResult
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	if result.Converged || result.NaturalError == nil || !(*result.NaturalError > 1e-3) {
		t.Errorf("result %+v", result)
	}
	var n, t1, t2 float64
	forces, err := os.ReadFile(out)
	if _, bad := fmt.Sscan(string(forces), &n, &t1, &t2); err != nil || bad != nil || len(strings.Fields(string(forces))) != 3 || !(n > 0) || !(math.Hypot(t1, t2) <= 0.4*n*(1+1e-9)) {
		t.Errorf("forces %q: %v", forces, err)
	}
}

func TestBenchTimeLimit(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.fc3d"), []byte(endlessProblem), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"solvers", dir}, {"scale"}, {"bodies"}, {"collision"}, {"thesis"}} {
		status := run(context.Background(), append(append([]string{"bench"}, args...), "--time-limit", "300ms", "--out", filepath.Join(dir, args[0])))
		if status != 1 {
			t.Errorf("%s: exit status %d", args[0], status)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "solvers", "solvers.json")); err != nil {
		t.Error("what was measured by then:", err)
	}
	if status := run(context.Background(), []string{"bench", "scale", "--time-limit=-1s"}); status != 2 {
		t.Errorf("a time below 0: exit status %d", status)
	}
}

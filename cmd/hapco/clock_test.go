package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
)

// TestNoTestJudgesByTheClock: what a test wants is counted, or waited for as long as it
// takes (testkit.Eventually, testkit.Await). Who looks at a clock or sleeps says why that
// decides nothing. Benchmarks measure time, and are left out.
func TestNoTestJudgesByTheClock(t *testing.T) {
	exceptions := map[string]string{
		"haptics/haply/haply_test.go":              "the service answers slowly: that is the input",
		"haptics/haply/panic_test.go":              "the pace of a loop",
		"haptics/phantom/panic_test.go":            "the pace of a loop",
		"haptics/phantom/phantom_test.go":          "the pace of loops",
		"haptics/record/stream_test.go":            "the seed of random numbers",
		"haptics/servo/example_device_test.go":     "the example's stylus moves in time; it is waited for",
		"haptics/servo/servo_test.go":              "the pace of a double",
		"haptics/servo/silence_test.go":            "where a made clock begins",
		"physics/numerics/flex/cache_test.go":      "times of files, by which they are ordered",
		"physics/worlds/limits_test.go":            "what it prints where asked to",
		"physics/worlds/finitestrain/live_test.go": "of benchmarks",
		"physics/worlds/tissue/panic_test.go":      "a time that is never reached",
		"physics/worlds/tissue/sequence_test.go":   "of benchmarks",
		"render/balls_test.go":                     "of benchmarks",
		"ui/desk_test.go":                          "the guard against hanging",
		"ui/fake_test.go":                          "the clock of a double",
		"ui/mouse_test.go":                         "the pace of a hand; what is wanted is waited for",
		"cmd/hapco/bomb_test.go":                   "the guard against hanging",
		"cmd/hapco/change_test.go":                 "the pace of a hand",
		"cmd/hapco/devices_test.go":                "the pace of a double",
		"cmd/hapco/e2e_test.go":                    "the guard against hanging, and the pace of a hand",
		"cmd/hapco/internal/door/door_test.go":     "the guard against hanging",
		"cmd/libhapco/lib_test.go":                 "what it prints",
		"cmd/hapco/internal/app/easing_test.go":    "where a made clock begins",
		"cmd/hapco/replay_test.go":                 "where a made clock begins",
		"cmd/hapco/signal_test.go":                 "the pace of a loop",
		"cmd/hapco/slurm_test.go":                  "another program's start, without which the test is skipped, and the guard against hanging",
		"cmd/hapco/twohands_test.go":               "the pace of a hand",
	}
	root, used, looked := testkit.Repository(), map[string]bool{}, 0
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		looked++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Benchmark") {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := s.X.(*ast.Ident)
				if !ok {
					return true
				}
				switch of.Name + "." + s.Sel.Name {
				case "time.Now", "time.Since", "time.Until", "time.Sleep", "cputime.Thread", "syscall.Getrusage", "unix.Getrusage":
					used[name] = true
					if exceptions[name] == "" {
						t.Errorf("%s: %s.%s (cure: count, or testkit.Eventually)", files.Position(n.Pos()), of.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil || looked < 100 {
		t.Errorf("%d files of tests, %v", looked, err)
	}
	for name := range exceptions {
		if !used[name] {
			t.Errorf("%s looks at no clock: the exception is needed no more", name)
		}
	}
}

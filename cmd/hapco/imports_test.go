package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImportsRunDownwards keeps the arrows of docs/architecture.md.
func TestImportsRunDownwards(t *testing.T) {
	// By prefix: what a package may import of ours. A prefix that ends in a dot is that
	// package alone, without what lies beneath it.
	seam := []string{"hapco/physics.", "hapco/physics/setting", "hapco/physics/local", "hapco/physics/frame", "hapco/physics/guard", "hapco/physics/latest", "hapco/physics/sets"}
	kind := func(more ...string) []string {
		return append(more, append([]string{"hapco/physics/team", "hapco/physics/verify", "hapco/physics/contact", "hapco/collision", "hapco/assets"}, seam...)...)
	}
	allowed := map[string][]string{
		"hapco/collision":               {},
		"hapco/assets":                  {},
		"hapco/assets/gen":              {"hapco/physics/mesh", "hapco/physics/whole"},
		"hapco/physics/budget":          {},
		"hapco/physics/cputime":         {},
		"hapco/physics/mesh":            {"hapco/physics/mesh", "hapco/physics/budget", "hapco/physics/sets", "hapco/physics/whole"},
		"hapco/physics/contact/lcp":     {},
		"hapco/physics/frame":           {},
		"hapco/physics/latest":          {},
		"hapco/physics/local":           {},
		"hapco/physics/sets":            {},
		"hapco/physics/verify":          {"hapco/physics/budget"},
		"hapco/physics/guard":           {},
		"hapco/physics/whole":           {},
		"hapco/physics/setting":         {"hapco/physics/budget", "hapco/physics/mesh", "hapco/assets"},
		"hapco/physics/contact.":        {"hapco/physics/contact/internal", "hapco/physics/budget", "hapco/physics/cputime", "hapco/physics/whole"},
		"hapco/physics/contact":         {"hapco/physics/contact.", "hapco/physics/contact/internal"},
		"hapco/physics/contact/thesis":  {"hapco/physics/contact.", "hapco/physics/contact/internal", "hapco/physics/contact/exact", "hapco/physics/contact/lcp"},
		"hapco/physics/contact/solvers": {"hapco/physics/contact/exact", "hapco/physics/contact/thesis"},
		"hapco/physics/fem":             {"hapco/physics/mesh", "hapco/physics/fem"},
		"hapco/physics/fem/equilibrium": {"hapco/physics/mesh", "hapco/physics/fem", "hapco/physics/flex", "hapco/physics/contact"},
		"hapco/physics/flex":            {"hapco/physics/fem", "hapco/physics/guard", "hapco/physics/mesh", "hapco/physics/whole"},
		"hapco/physics.":                append([]string{"hapco/physics/contact.", "hapco/physics/mesh", "hapco/physics/cputime", "hapco/assets"}, seam...), // the seam knows no kind
		"hapco/physics/bead":            seam,
		"hapco/physics/grain":           kind("hapco/physics/grain", "hapco/physics/mesh"),
		"hapco/physics/floe":            kind("hapco/physics/floe", "hapco/physics/contact/lcp", "hapco/physics/budget", "hapco/physics/cputime"),
		"hapco/physics/tissue":          kind("hapco/physics/tissue", "hapco/physics/fem", "hapco/physics/flex", "hapco/physics/mesh", "hapco/physics/scene", "hapco/physics/budget"),
		"hapco/physics/scene":           {"hapco/physics.", "hapco/physics/setting", "hapco/physics/contact", "hapco/physics/fem", "hapco/physics/flex", "hapco/physics/frame", "hapco/physics/mesh", "hapco/physics/budget", "hapco/assets", "hapco/collision"},
		"hapco/physics/cases":           {"hapco/physics", "hapco/collision"},
		"hapco/physics":                 {"hapco/physics", "hapco/collision", "hapco/assets"}, // benches, kinds
		"hapco/haptics":                 {"hapco/haptics", "hapco/physics/budget", "hapco/physics/frame", "hapco/physics/guard", "hapco/physics/latest", "hapco/physics/local", "hapco/physics/whole"},
		"hapco/haptics/lastword":        {"hapco/haptics", "hapco/physics/frame", "hapco/physics/guard", "hapco/physics/local", "hapco/physics/testkit"}, // for tests
		"hapco/telemetry":               append([]string{"hapco/haptics", "hapco/physics/frame"}, seam...),
		"hapco/render":                  append([]string{"hapco/render"}, seam...),
		"hapco/ui":                      append([]string{"hapco/ui", "hapco/render", "hapco/haptics", "hapco/physics/budget", "hapco/physics/whole"}, seam...),

		"hapco/physics/contact/internal/contacttest": {"hapco/physics/contact.", "hapco/physics/testkit"}, // for tests
		"hapco/physics/verify/verifytest":            {"hapco/physics/verify"},
		"hapco/physics/largestrain":                  kind("hapco/physics/largestrain", "hapco/collision", "hapco/physics/fem", "hapco/physics/flex", "hapco/physics/mesh", "hapco/physics/scene"),
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "hapco/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	within := func(path, prefix string) bool {
		if alone, ok := strings.CutSuffix(prefix, "."); ok {
			return path == alone
		}
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		longest := ""
		for prefix := range allowed {
			if within(words[0], prefix) && len(prefix) > len(longest) {
				longest = prefix
			}
		}
		if longest == "" { // cmd/hapco may import everything
			continue
		}
		for _, imported := range words[1:] {
			if !strings.HasPrefix(imported, "hapco/") {
				continue
			}
			if within(imported, "hapco/physics/cases") && !within(words[0], "hapco/physics/cases") {
				t.Errorf("%s imports %s: cases are for the program alone", words[0], imported)
			}
			ok := false
			for _, prefix := range allowed[longest] {
				ok = ok || within(imported, prefix)
			}
			if !ok {
				t.Errorf("%s imports %s", words[0], imported)
			}
		}
	}
}

// Outside internal/bench the program meets worlds through the seam only: package kinds
// alone names them.
func TestProgramKnowsNoKind(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("internal/app/*.go")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, name := range append(names, more...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		looked++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch path := strings.Trim(spec.Path.Value, `"`); path {
			case "hapco/physics/tissue", "hapco/physics/scene", "hapco/physics/grain", "hapco/physics/fem":
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d files were looked at", looked)
	}
}

// TestGoroutinesAreGuarded: every goroutine of the program is started by package
// guard, so that a panic on it lets the hand go.
func TestGoroutinesAreGuarded(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} {{join .CgoFiles " "}}`, "hapco/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	started := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		for _, name := range words[2:] {
			file, err := parser.ParseFile(files, filepath.Join(words[1], name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				bad := ""
				switch n := n.(type) {
				case *ast.GoStmt:
					bad = "a go statement: guard.Go"
				case *ast.SelectorExpr:
					switch of, _ := n.X.(*ast.Ident); {
					case of == nil:
					case of.Name == "sync" && n.Sel.Name == "WaitGroup":
						bad = "a sync.WaitGroup: guard.Group"
					case of.Name == "guard" && (n.Sel.Name == "Go" || n.Sel.Name == "Group"):
						started++
					}
				case *ast.CallExpr: // its function runs on a goroutine of its own
					if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "AfterFunc" {
						if _, literal := n.Args[len(n.Args)-1].(*ast.FuncLit); literal {
							bad = "a function literal on a timer: guard.Go"
						}
					}
				}
				if bad != "" && words[0] != "hapco/physics/guard" {
					t.Errorf("%s: %s", files.Position(n.Pos()), bad)
				}
				return true
			})
		}
	}
	if started < 20 {
		t.Errorf("only %d guarded goroutines were found", started)
	}
}

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
	seam := []string{"hapco/physics.", "hapco/physics/files/setting", "hapco/physics/local", "hapco/physics/frame", "hapco/physics/machinery/failsafe", "hapco/physics/machinery/latest", "hapco/physics/machinery/unionfind"}
	kind := func(more ...string) []string {
		return append(more, append([]string{"hapco/physics/machinery/team", "hapco/physics/measure/verify", "hapco/physics/numerics/contact", "hapco/collision", "hapco/assets"}, seam...)...)
	}
	allowed := map[string][]string{
		"hapco/collision":                         {},
		"hapco/assets":                            {},
		"hapco/assets/gen":                        {"hapco/physics/files/mesh", "hapco/physics/files/atomicfile"},
		"hapco/physics/machinery/budget":          {},
		"hapco/physics/machinery/cputime":         {},
		"hapco/physics/files/mesh":                {"hapco/physics/files/mesh", "hapco/physics/machinery/budget", "hapco/physics/machinery/unionfind", "hapco/physics/files/atomicfile"},
		"hapco/physics/numerics/contact/lcp":      {},
		"hapco/physics/frame":                     {},
		"hapco/physics/numerics/num":              {},
		"hapco/physics/machinery/latest":          {},
		"hapco/physics/local":                     {},
		"hapco/physics/machinery/unionfind":       {},
		"hapco/physics/measure/verify":            {"hapco/physics/machinery/budget"},
		"hapco/physics/machinery/failsafe":        {},
		"hapco/physics/machinery/checkpoint":      {},
		"hapco/physics/files/atomicfile":          {},
		"hapco/physics/files/setting":             {"hapco/physics/machinery/budget", "hapco/physics/files/mesh", "hapco/physics/frame", "hapco/assets"},
		"hapco/physics/numerics/contact.":         {"hapco/physics/numerics/contact/internal", "hapco/physics/machinery/budget", "hapco/physics/machinery/cputime", "hapco/physics/files/atomicfile"},
		"hapco/physics/numerics/contact":          {"hapco/physics/numerics/contact.", "hapco/physics/numerics/contact/internal"},
		"hapco/physics/numerics/contact/exact":    {"hapco/physics/numerics/contact.", "hapco/physics/numerics/contact/internal", "hapco/physics/numerics/contact/mixing"},
		"hapco/physics/numerics/contact/thesis":   {"hapco/physics/numerics/contact.", "hapco/physics/numerics/contact/internal", "hapco/physics/numerics/contact/exact", "hapco/physics/numerics/contact/lcp"},
		"hapco/physics/numerics/contact/blackbox": {"hapco/physics/numerics/contact.", "hapco/physics/numerics/contact/internal", "hapco/physics/numerics/contact/exact", "hapco/physics/numerics/contact/thesis"},
		"hapco/physics/numerics/contact/solvers":  {"hapco/physics/numerics/contact/exact", "hapco/physics/numerics/contact/thesis"},
		"hapco/physics/numerics/fem":              {"hapco/physics/files/mesh", "hapco/physics/numerics/fem"},
		"hapco/physics/numerics/fem/equilibrium":  {"hapco/physics/files/mesh", "hapco/physics/numerics/fem", "hapco/physics/numerics/flex", "hapco/physics/numerics/contact"},
		"hapco/physics/numerics/flex":             {"hapco/physics/numerics/fem", "hapco/physics/machinery/failsafe", "hapco/physics/files/mesh", "hapco/physics/files/atomicfile"},
		"hapco/physics.":                          append([]string{"hapco/physics/numerics/contact.", "hapco/physics/files/mesh", "hapco/physics/machinery/cputime", "hapco/assets"}, seam...), // the seam knows no kind
		"hapco/physics/worlds/bead":               seam,
		"hapco/physics/worlds/grain":              kind("hapco/physics/worlds/grain", "hapco/physics/files/mesh", "hapco/physics/machinery/budget"),
		"hapco/physics/worlds/floe":               kind("hapco/physics/worlds/floe", "hapco/physics/numerics/contact/lcp", "hapco/physics/machinery/budget", "hapco/physics/machinery/cputime"),
		"hapco/physics/worlds/tissue":             kind("hapco/physics/worlds/tissue", "hapco/physics/numerics/fem", "hapco/physics/numerics/flex", "hapco/physics/files/mesh", "hapco/physics/files/scene", "hapco/physics/machinery/budget"),
		"hapco/physics/files/scene":               {"hapco/physics.", "hapco/physics/files/setting", "hapco/physics/numerics/contact", "hapco/physics/numerics/fem", "hapco/physics/numerics/flex", "hapco/physics/frame", "hapco/physics/files/mesh", "hapco/physics/machinery/budget", "hapco/assets", "hapco/collision"},
		"hapco/physics/measure/cases":             {"hapco/physics", "hapco/collision"},
		"hapco/physics":                           {"hapco/physics", "hapco/collision", "hapco/assets"}, // benches, kinds
		"hapco/haptics":                           {"hapco/haptics", "hapco/physics/machinery/budget", "hapco/physics/frame", "hapco/physics/machinery/failsafe", "hapco/physics/machinery/latest", "hapco/physics/local", "hapco/physics/files/atomicfile"},
		"hapco/haptics/lastforce":                 {"hapco/haptics", "hapco/physics/frame", "hapco/physics/machinery/failsafe", "hapco/physics/local", "hapco/physics/machinery/testkit"}, // for tests
		"hapco/telemetry":                         append([]string{"hapco/haptics", "hapco/physics/frame"}, seam...),
		"hapco/render":                            append([]string{"hapco/render"}, seam...),
		"hapco/ui":                                append([]string{"hapco/ui", "hapco/collision", "hapco/render", "hapco/haptics", "hapco/physics/machinery/budget", "hapco/physics/files/atomicfile"}, seam...),

		"hapco/physics/numerics/contact/internal/contacttest": {"hapco/physics/numerics/contact.", "hapco/physics/machinery/testkit"}, // for tests
		"hapco/physics/measure/verify/verifytest":             {"hapco/physics/measure/verify"},
		"hapco/physics/worlds/finitestrain":                   kind("hapco/physics/worlds/finitestrain", "hapco/collision", "hapco/physics/worlds/tissue/touch", "hapco/physics/numerics/fem", "hapco/physics/numerics/flex", "hapco/physics/files/mesh", "hapco/physics/files/scene"),
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
			if imported == "hapco/physics/numerics/num" || imported == "hapco/physics/machinery/refusal" { // leaves, for all
				continue
			}
			if within(imported, "hapco/physics/measure/cases") && !within(words[0], "hapco/physics/measure/cases") {
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

// Outside internal/bench the program meets worlds through the seam only: package worlds
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
			case "hapco/physics/worlds/tissue", "hapco/physics/files/scene", "hapco/physics/worlds/grain", "hapco/physics/numerics/fem":
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d files were looked at", looked)
	}
}

// TestGoroutinesAreGuarded: every goroutine of the program is started by package
// failsafe, so that a panic on it lets the hand go.
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
					bad = "a go statement: failsafe.Go"
				case *ast.SelectorExpr:
					switch of, _ := n.X.(*ast.Ident); {
					case of == nil:
					case of.Name == "sync" && n.Sel.Name == "WaitGroup":
						bad = "a sync.WaitGroup: failsafe.Group"
					case of.Name == "failsafe" && (n.Sel.Name == "Go" || n.Sel.Name == "Group"):
						started++
					}
				case *ast.CallExpr: // its function runs on a goroutine of its own
					if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "AfterFunc" {
						if _, literal := n.Args[len(n.Args)-1].(*ast.FuncLit); literal {
							bad = "a function literal on a timer: failsafe.Go"
						}
					}
				}
				if bad != "" && words[0] != "hapco/physics/machinery/failsafe" {
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

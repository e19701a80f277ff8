package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportsRunDownwards keeps the arrows of docs/architecture.md.
func TestImportsRunDownwards(t *testing.T) {
	allowed := map[string][]string{ // by prefix: what it may import of ours
		"hapco/collision":       {},
		"hapco/assets":          {},
		"hapco/assets/gen":      {"hapco/physics/mesh"},
		"hapco/physics/mesh":    {"hapco/physics/mesh"},
		"hapco/physics/lcp":     {},
		"hapco/physics/frame":   {},
		"hapco/physics/latest":  {},
		"hapco/physics/verify":  {},
		"hapco/physics/contact": {"hapco/physics/lcp", "hapco/physics/contact"},
		"hapco/physics/fem":     {"hapco/physics/mesh"},
		"hapco/physics/flex":    {"hapco/physics/fem", "hapco/physics/mesh"},
		"hapco/physics":         {"hapco/physics", "hapco/collision", "hapco/assets"},
		"hapco/haptics":         {"hapco/haptics", "hapco/physics/contact", "hapco/physics/frame", "hapco/physics/latest"},
		"hapco/render":          {"hapco/render", "hapco/physics"},
		"hapco/ui":              {"hapco/ui", "hapco/render", "hapco/haptics", "hapco/physics"},
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "hapco/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	within := func(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
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

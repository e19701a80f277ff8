package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are all pages for readers, relative to this folder.
func documents(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// anchors are the places of a page that links may name, as GitHub makes them of headings.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		plain := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(strings.ToLower(heading[1]), "$1")
		all[strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(plain, ""), " ", "-")] = true
	}
	for _, id := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		all[id[1]] = true
	}
	return all
}

// Every relative link of README and docs leads to a file that is there, and to a heading in it; a link to source that is
// called like a function or type leads to a file that has that name. Every picture of docs/images is shown.
func TestLinksOfTheDocsLead(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range documents(t) {
		text := readText(t, page)
		prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
		for _, link := range regexp.MustCompile(`\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)`).FindAllStringSubmatch(prose, -1) {
			if strings.Contains(link[2], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link[2], "#")
			to := filepath.Join(filepath.Dir(page), file)
			if file == "" {
				to = page
			}
			shown[filepath.Base(to)] = true
			info, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s: %s is not there", page, link[2])
				continue
			}
			if info.IsDir() {
				continue
			}
			if anchor != "" && !anchors(readText(t, to))[anchor] {
				t.Errorf("%s: %s has no heading #%s", page, to, anchor)
			}
			name := regexp.MustCompile("^`([A-Za-z_]+)`$").FindStringSubmatch(link[1])
			if ext := filepath.Ext(to); name != nil && (ext == ".go" || ext == ".c") && !strings.Contains(readText(t, to), name[1]) {
				t.Errorf("%s: %s has no %s", page, to, name[1])
			}
		}
	}
	pictures, err := filepath.Glob("../../docs/images/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		if !shown[filepath.Base(p)] {
			t.Errorf("no page shows %s", p)
		}
	}
}

// Every key of a scene file stands in the page of its kind.
func TestEveryKeyIsInItsPage(t *testing.T) {
	for _, kind := range []struct{ page, folder string }{
		{"rigid", "rigid"}, {"floes", "floe"}, {"particles", "grain"}, {"tissue", "finitestrain"},
	} {
		page := readText(t, "../../docs/"+kind.page+".md")
		files, err := filepath.Glob("../../physics/worlds/" + kind.folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(`(?:setting\.(?:Number|Integer|Switch|Word|Text|Vector|Direction|Color|Custom)|turn|pairOf)\((?:name\+)?"\.?([\w.]+)", `).FindAllStringSubmatch(readText(t, file), -1) {
				keys++
				name := m[1][strings.LastIndex(m[1], ".")+1:]
				if !regexp.MustCompile("[`.]" + name + "`").MatchString(page) {
					t.Errorf("docs/%s.md does not know the key %s", kind.page, m[1])
				}
			}
		}
		if keys < 15 {
			t.Errorf("%s: %d keys were found", kind.folder, keys)
		}
	}
}

// All pages together are an afternoon's reading: 25 000 words, measured tables and the reference included.
func TestDocsAreShort(t *testing.T) {
	words := 0
	for _, page := range documents(t) {
		words += len(strings.Fields(readText(t, page)))
	}
	if words > 25_000 {
		t.Errorf("the pages have %d words, 25 000 are wanted at most", words)
	}
	if lines := strings.Count(readText(t, "../../README.md"), "\n"); lines > 70 {
		t.Errorf("the README has %d lines, 70 are wanted at most", lines)
	}
}

// Every word of a row of the panel, of a world's numbers and of its live parameters stands in the glossary.
func TestPanelWordsAreInTheGlossary(t *testing.T) {
	glossary := strings.ToLower(readText(t, "../../docs/glossary.md"))
	labels := 0
	for _, pattern := range []string{"../../physics/worlds/*/*.go", "../../physics/files/scene/*.go", "../../ui/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(`[lL]abel: *"([^"]+)"`).FindAllStringSubmatch(readText(t, file), -1) {
				labels++
				if !strings.Contains(glossary, strings.ToLower(strings.TrimSpace(m[1]))) {
					t.Errorf("docs/glossary.md does not have %q of %s", m[1], file)
				}
			}
		}
	}
	if labels < 80 {
		t.Errorf("%d labels were found", labels)
	}
}

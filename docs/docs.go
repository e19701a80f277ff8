// Package docs holds the pages of this folder, so that the program can show them wherever it is installed.
package docs

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Names are those of the pages, sorted.
func Names() (names []string) {
	list, err := fs.ReadDir(pages, ".")
	if err != nil {
		panic("docs: " + err.Error()) // they are in the program
	}
	for _, e := range list {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

// Page is a page's text in Markdown; ok is false where there is none of that name.
func Page(name string) (text string, ok bool) {
	data, err := pages.ReadFile(name + ".md")
	return string(data), err == nil
}

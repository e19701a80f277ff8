package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"hapco/assets"
)

// Version is the release: its tag, and its heading in CHANGELOG.md.
const Version = assets.Version

// The linker sets these where the compiler does not look for a repository: see the Makefile.
var revision, revisionTime string

// BuildFacts are what a program was built from.
type BuildFacts struct {
	Version  string // of the release
	Revision string // of the sources; "" where the build does not know
	Time     string // of that revision
	Modified bool   // the sources had changes besides
	Go       string // compiler, system and processor
}

// Facts are those of this program.
func Facts() BuildFacts {
	f := BuildFacts{Version: Version, Revision: revision, Time: revisionTime, Go: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				f.Revision = s.Value
			case "vcs.time":
				f.Time = s.Value
			case "vcs.modified":
				f.Modified = s.Value == "true"
			}
		}
	}
	return f
}

// String is one line.
func (f BuildFacts) String() string {
	words := []string{"hapco " + f.Version}
	if f.Revision != "" {
		r := "revision " + f.Revision[:min(12, len(f.Revision))]
		if f.Modified {
			r += " and changes"
		}
		words = append(words, r)
	}
	if f.Time != "" {
		words = append(words, f.Time)
	}
	return strings.Join(append(words, f.Go), ", ")
}

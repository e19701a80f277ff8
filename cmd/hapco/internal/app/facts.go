package app

import (
	"bufio"
	"fmt"
	"image/color"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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

// Machine names what the measurements were made on.
func Machine() string {
	name := runtime.GOARCH
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		scan := bufio.NewScanner(f)
		for scan.Scan() {
			if _, model, ok := strings.Cut(scan.Text(), "model name\t: "); ok {
				name = model
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", name, runtime.NumCPU(), runtime.GOOS, runtime.Version())
}

// SeriesColors can be told apart by colour-blind readers (Okabe and Ito).
var SeriesColors = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}, {240, 228, 66, 255},
}

// SeriesGlyph is the mark of the i-th series of a plot.
func SeriesGlyph(i int) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}}
	return draw.GlyphStyle{Color: SeriesColors[i%len(SeriesColors)], Radius: vg.Points(3), Shape: shapes[i%len(shapes)]}
}

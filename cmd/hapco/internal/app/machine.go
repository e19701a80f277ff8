package app

import (
	"bufio"
	"fmt"
	"image/color"
	"os"
	"runtime"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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

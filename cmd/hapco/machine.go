package main

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

// machine names what the measurements were made on.
func machine() string {
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

// seriesColors can be told apart by colour-blind readers (Okabe and Ito).
var seriesColors = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}, {240, 228, 66, 255},
}

// seriesGlyph is the mark of the i-th series of a plot.
func seriesGlyph(i int) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}}
	return draw.GlyphStyle{Color: seriesColors[i%len(seriesColors)], Radius: vg.Points(3), Shape: shapes[i%len(shapes)]}
}

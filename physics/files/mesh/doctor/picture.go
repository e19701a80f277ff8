package doctor

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"hapco/physics/files/mesh"
)

// pictureSide is the width and height of each of the two views, pixels.
const pictureSide = 800

// oversample is how many samples a pixel takes along each axis.
const oversample = 2

// palette holds the colours of the findings, in order; one after the other.
var palette = []color.RGBA{
	{214, 39, 40, 255}, {31, 119, 180, 255}, {255, 127, 14, 255}, {148, 103, 189, 255},
	{23, 158, 80, 255}, {227, 119, 194, 255}, {140, 86, 75, 255}, {23, 190, 207, 255},
}

var (
	background = color.RGBA{250, 250, 248, 255}
	skinColour = mgl64.Vec3{0.80, 0.78, 0.72}
)

// WritePicture writes a PNG of a mesh from two opposite sides: its surface, and on it in colour what was found. What
// lies inside or behind shines through.
func (r *Report) WritePicture(w io.Writer, m *mesh.Mesh) error {
	p := &picture{nodes: m.Nodes, surface: m.Surface().OnMesh()}
	for _, f := range r.marked() {
		k := p.mark(f)
		wanted := make([]bool, m.Elements())
		for _, element := range f.elements {
			wanted[element] = true
		}
		for face := range m.Faces() {
			if c := face.Corners(); wanted[face.Element] {
				for i := 2; i < len(c); i++ {
					k.triangles = append(k.triangles, [3]int32{c[0], c[i-1], c[i]})
				}
			}
		}
	}
	return p.write(w, r)
}

// WriteSurfacePicture is WritePicture for a surface.
func (r *Report) WriteSurfacePicture(w io.Writer, s *mesh.Triangles) error {
	p := &picture{nodes: s.Nodes, surface: s.Triangles}
	for _, f := range r.marked() {
		k := p.mark(f)
		for _, t := range f.elements {
			k.triangles = append(k.triangles, s.Triangles[t])
		}
	}
	return p.write(w, r)
}

// marked lists the findings that have a place.
func (r *Report) marked() []*Finding {
	var out []*Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; len(f.elements)+len(f.edges)+len(f.nodes) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// mark is one finding's share of the picture.
type mark struct {
	colour    color.RGBA
	triangles [][3]int32
	edges     [][2]int32
	nodes     []int32
}

type picture struct {
	nodes   []mgl64.Vec3
	surface [][3]int32
	marks   []*mark
}

func (p *picture) mark(f *Finding) *mark {
	k := &mark{colour: palette[len(p.marks)%len(palette)], edges: f.edges, nodes: f.nodes}
	p.marks = append(p.marks, k)
	return k
}

func (p *picture) write(w io.Writer, r *Report) error {
	legend := r.marked()
	rows := len(legend) + 1
	const row = 24
	out := image.NewRGBA(image.Rect(0, 0, 2*pictureSide, pictureSide+row*rows+16))
	draw.Draw(out, out.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	for side, direction := range []mgl64.Vec3{{0.45, 0.4, 0.8}, {-0.45, 0.4, -0.8}} {
		v := newView(p.nodes, direction)
		v.paint(p)
		v.shrink(out, side*pictureSide)
	}
	face, err := legendFace()
	if err != nil {
		return err
	}
	defer face.Close()
	line := func(k int, text string, c color.RGBA) {
		y := pictureSide + row*k + 8
		draw.Draw(out, image.Rect(16, y+4, 34, y+18), image.NewUniform(c), image.Point{}, draw.Src)
		d := font.Drawer{Dst: out, Src: image.NewUniform(color.RGBA{30, 30, 30, 255}), Face: face, Dot: fixed.P(44, y+17)}
		d.DrawString(text)
	}
	of := "elements"
	if r.Surface {
		of = "triangles"
	}
	line(0, fmt.Sprintf("%s: %d nodes, %d %s; front and back", r.File, r.Nodes, r.Elements, of), toRGBA(skinColour))
	for k, f := range legend {
		line(k+1, fmt.Sprintf("%s: %s", f.Kind, f.Text), p.marks[k].colour)
	}
	return png.Encode(w, out)
}

func legendFace() (font.Face, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: 15, DPI: 72})
}

func toRGBA(c mgl64.Vec3) color.RGBA {
	return color.RGBA{uint8(255 * c[0]), uint8(255 * c[1]), uint8(255 * c[2]), 255}
}

// view is one parallel projection with a depth buffer.
type view struct {
	side   int // samples along each axis
	colour []mgl64.Vec3
	depth  []float64    // of the surface, towards the viewer; -Inf: nothing
	at     []mgl64.Vec3 // nodes: x and y in samples, z towards the viewer
	place  []mgl64.Vec3 // nodes where they are
	eye    mgl64.Vec3   // direction towards the viewer
	light  mgl64.Vec3
	thick  float64 // depth of the body, in samples
}

func newView(nodes []mgl64.Vec3, direction mgl64.Vec3) *view {
	n := pictureSide * oversample
	v := &view{side: n, colour: make([]mgl64.Vec3, n*n), depth: make([]float64, n*n), place: nodes, at: make([]mgl64.Vec3, len(nodes))}
	for i := range v.depth {
		v.depth[i] = math.Inf(-1)
		v.colour[i] = mgl64.Vec3{float64(background.R) / 255, float64(background.G) / 255, float64(background.B) / 255}
	}
	v.eye = direction.Normalize()
	right := mgl64.Vec3{0, 1, 0}.Cross(v.eye).Normalize()
	up := v.eye.Cross(right)
	v.light = v.eye.Add(up.Mul(0.5)).Sub(right.Mul(0.3)).Normalize()
	for i, x := range nodes {
		v.at[i] = mgl64.Vec3{right.Dot(x), up.Dot(x), v.eye.Dot(x)}
	}
	low, high := mesh.Bounds(v.at)
	size := high.Sub(low)
	scale := 0.92 * float64(n) / math.Max(math.Max(size[0], size[1]), 1e-300)
	middle := low.Add(high).Mul(0.5)
	for i, x := range v.at {
		d := x.Sub(middle).Mul(scale)
		v.at[i] = mgl64.Vec3{float64(n)/2 + d[0], float64(n)/2 - d[1], d[2]}
	}
	v.thick = size[2] * scale
	return v
}

// paint draws the surface, then the marks on it and through it.
func (v *view) paint(p *picture) {
	for _, t := range p.surface {
		shade := v.shade(t)
		v.triangle(t, func(at int, z float64) {
			if z > v.depth[at] {
				v.depth[at] = z
				v.colour[at] = skinColour.Mul(shade)
			}
		})
	}
	grid := mgl64.Vec3{0.35, 0.34, 0.32}
	if len(p.surface) < 40000 { // more would be a grey haze
		for _, t := range p.surface {
			for k := range t {
				v.line(t[k], t[(k+1)%3], 0, func(at int, z float64) {
					if z > v.depth[at]-0.004*v.thick {
						v.colour[at] = v.colour[at].Mul(0.6).Add(grid.Mul(0.4))
					}
				})
			}
		}
	}
	// The first findings are the worst: they come on top.
	for i := len(p.marks) - 1; i >= 0; i-- {
		k := p.marks[i]
		c := mgl64.Vec3{float64(k.colour.R) / 255, float64(k.colour.G) / 255, float64(k.colour.B) / 255}
		// What is hidden shines through the surface.
		put := func(shade float64) func(int, float64) {
			return func(at int, z float64) {
				part := 0.55
				if z > v.depth[at]-0.01*v.thick-2 {
					part = 1
				}
				v.colour[at] = v.colour[at].Mul(1 - part).Add(c.Mul(shade * part))
			}
		}
		for _, t := range k.triangles {
			v.triangle(t, put(0.4+0.6*v.shade(t)))
			for j := range t { // a sliver has no area to be seen by
				v.line(t[j], t[(j+1)%3], 1, put(0.8))
			}
		}
		for _, e := range k.edges {
			v.line(e[0], e[1], 3, put(1))
		}
		for _, n := range k.nodes {
			v.dot(v.at[n], 5, put(1))
		}
	}
}

// shade is how bright a triangle is, from either side.
func (v *view) shade(t [3]int32) float64 {
	a := v.place[t[0]]
	n := v.place[t[1]].Sub(a).Cross(v.place[t[2]].Sub(a))
	l := n.Len()
	if !(l > 0) {
		return 1
	}
	if n.Dot(v.eye) < 0 {
		l = -l
	}
	return 0.35 + 0.65*math.Max(0, n.Dot(v.light)/l)
}

// triangle calls put with each sample that a triangle covers, and its depth there.
func (v *view) triangle(t [3]int32, put func(at int, z float64)) {
	a, b, c := v.at[t[0]], v.at[t[1]], v.at[t[2]]
	area := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	if !(math.Abs(area) > 1e-9) {
		return
	}
	x0, x1 := v.span(a[0], b[0], c[0])
	y0, y1 := v.span(a[1], b[1], c[1])
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			wa := ((b[0]-px)*(c[1]-py) - (b[1]-py)*(c[0]-px)) / area
			wb := ((c[0]-px)*(a[1]-py) - (c[1]-py)*(a[0]-px)) / area
			if wc := 1 - wa - wb; wa >= 0 && wb >= 0 && wc >= 0 {
				put(y*v.side+x, wa*a[2]+wb*b[2]+wc*c[2])
			}
		}
	}
}

// span is the range of samples that three coordinates cover, within the picture.
func (v *view) span(a, b, c float64) (from, to int) {
	low, high := math.Min(a, math.Min(b, c)), math.Max(a, math.Max(b, c))
	return max(0, int(low)), min(v.side-1, int(high))
}

// line calls put along an edge; radius widens it, in samples.
func (v *view) line(a, b int32, radius int, put func(at int, z float64)) {
	p, q := v.at[a], v.at[b]
	steps := int(math.Ceil(math.Max(math.Abs(q[0]-p[0]), math.Abs(q[1]-p[1])))) + 1
	for i := range steps + 1 {
		v.dot(p.Add(q.Sub(p).Mul(float64(i)/float64(steps))), radius, put)
	}
}

func (v *view) dot(p mgl64.Vec3, radius int, put func(at int, z float64)) {
	cx, cy := int(p[0]), int(p[1])
	for y := max(0, cy-radius); y <= min(v.side-1, cy+radius); y++ {
		for x := max(0, cx-radius); x <= min(v.side-1, cx+radius); x++ {
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) <= radius*radius {
				put(y*v.side+x, p[2])
			}
		}
	}
}

// shrink averages the samples into the picture, from column x on.
func (v *view) shrink(out *image.RGBA, x int) {
	for j := range pictureSide {
		for i := range pictureSide {
			var sum mgl64.Vec3
			for s := range oversample * oversample {
				sum = sum.Add(v.colour[(j*oversample+s/oversample)*v.side+i*oversample+s%oversample])
			}
			out.SetRGBA(x+i, j, toRGBA(sum.Mul(1.0/(oversample*oversample))))
		}
	}
}

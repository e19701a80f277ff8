package grain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
)

// form is a shape of the scene: what a tool or an obstacle looks like, to a grain and to the eye. A grain rests half a
// sigma and more away from a surface; so forms are drawn with a skin, half a sigma thick.
type form struct {
	Kind   string
	Size   mgl64.Vec3 // of a brick or a scoop, m
	Radius float64    // m
	Length float64    // of a cylinder, m
	File   string     // of a mesh: a path, or "asset:NAME"
	Unit   string     // of the lengths in File
	body   *solid     // what File holds, once the scene is opened
}

// solid is a closed surface that a scene names.
type solid struct {
	*mesh.Triangles
	field *collision.Field
}

// Forms of obstacles, and of tools.
var (
	obstacleForms = []string{"sphere", "brick", "cylinder", "bowl", "mesh"}
	toolForms     = []string{"ball", "bowl", "scoop", "mesh"}
)

// load reads the file of a mesh.
func (f *form) load() (err error) {
	if f.Kind != "mesh" {
		return nil
	}
	b := &solid{}
	if b.Triangles, err = setting.ReadSurface(f.File, f.Unit); err != nil {
		return err
	}
	if b.field, err = collision.NewField(b.Triangles.Triangles, b.Nodes); err != nil {
		return err
	}
	f.body = b
	return nil
}

// check says which measure is missing, or not above 0; path is where the form stands.
func (f *form) check(path string) *setting.Error {
	need := func(ok bool, key string, value any, cure string) *setting.Error {
		return setting.Need(ok, setting.Join(path, key), value, cure)
	}
	const above = "above 0; this is in m"
	switch f.Kind {
	case "mesh":
		return need(f.File != "", "mesh", `""`, "the name of a surface or mesh file")
	case "brick", "scoop":
		return need(setting.Positive(f.Size[:]...), "size", f.Size, above)
	}
	return setting.First(
		need(f.Kind != "cylinder" || setting.Positive(f.Length), "length", f.Length, above),
		need(setting.Positive(f.Radius), "radius", f.Radius, above))
}

// shape is what grains touch, about the form's own origin.
func (f *form) shape() Shape {
	x, y := mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0}
	half := f.Size.Mul(0.5)
	switch f.Kind {
	case "brick":
		return &Brick{Origin: mgl64.Vec3{-half[0], half[1], half[2]}, Normal: y, Along: x, Length: f.Size[0], Width: f.Size[2], Height: f.Size[1]}
	case "cylinder":
		return &Cylinder{Axis: y, Radius: f.Radius, Length: f.Length}
	case "bowl": // an obstacle is open above
		return &Bowl{Opening: y, Radius: f.Radius}
	case "cap": // a bowl in the hand is open below
		return &Bowl{Opening: y.Mul(-1), Radius: f.Radius}
	case "scoop": // open above and towards -z
		var s Nearest
		for _, q := range scoopWalls(half) {
			s = append(s, q.shape())
		}
		return s
	case "mesh":
		return &body{f.body.field}
	}
	return &Ball{Radius: f.Radius}
}

// scoopWalls are floor, back and sides.
func scoopWalls(h mgl64.Vec3) []wall {
	low, up := mgl64.Vec3{-h[0], -h[1], -h[2]}, mgl64.Vec3{0, 2 * h[1], 0}
	along, across := mgl64.Vec3{0, 0, 2 * h[2]}, mgl64.Vec3{2 * h[0], 0, 0}
	return []wall{{low, along, across}, {low.Add(along), across, up}, {low, along, up}, {low.Add(across), along, up}}
}

// look is the form's surface, with its skin.
func (f *form) look(skin float64) (m physics.Shape) {
	half := f.Size.Mul(0.5)
	switch f.Kind {
	case "brick":
		block(&m, half, mgl64.Vec3{}, skin)
	case "cylinder":
		turned(&m, cylinderLine(f.Radius, f.Length/2, skin))
	case "bowl", "cap":
		turned(&m, bowlLine(f.Radius, skin, f.Kind == "bowl"))
	case "scoop":
		for _, q := range scoopWalls(half) {
			side := q.a.Add(q.b).Mul(0.5)
			block(&m, side, q.corner.Add(side), skin)
		}
	case "mesh":
		m.Triangles = f.body.Triangles.Triangles
		m.Vertices = make([]mgl64.Vec3, len(f.body.Nodes))
		for _, t := range m.Triangles { // the sum of the triangles' normals, by their areas
			a, b, c := f.body.Nodes[t[0]], f.body.Nodes[t[1]], f.body.Nodes[t[2]]
			n := b.Sub(a).Cross(c.Sub(a))
			for _, i := range t {
				m.Vertices[i] = m.Vertices[i].Add(n)
			}
		}
		for i, n := range m.Vertices {
			if size := n.Len(); size > 0 {
				n = n.Mul(skin / size)
			}
			m.Vertices[i] = f.body.Nodes[i].Add(n)
		}
	default:
		turned(&m, ballLine(f.Radius+skin))
	}
	return m
}

// reach is how far a point of the form is from its origin, at most, m.
func (f *form) reach() float64 {
	switch f.Kind {
	case "brick", "scoop":
		return f.Size.Len() / 2
	case "cylinder":
		return math.Hypot(f.Radius, f.Length/2)
	case "mesh":
		return frame.Reach(f.body.Nodes)
	}
	return f.Radius
}

// block adds all that is no farther than a skin from a box: its edges are round.
func block(m *physics.Shape, half, center mgl64.Vec3, skin float64) {
	const quarter = 4 // parts of a quarter of a turn
	first := int32(len(m.Vertices))
	const around, rows = 4 * (quarter + 1), 2 * (quarter + 1)
	for r := range rows { // from below; the middle of each quarter ball is a corner of the box
		up := r / (quarter + 1)
		lat := math.Pi / 2 * (float64(r%(quarter+1))/quarter + float64(up) - 1)
		for j := range around {
			q := j / (quarter + 1)
			lon := math.Pi / 2 * (float64(j%(quarter+1))/quarter + float64(q))
			corner := half
			for k, low := range [3]bool{q == 1 || q == 2, up == 0, q >= 2} {
				if low {
					corner[k] = -corner[k]
				}
			}
			round := mgl64.Vec3{math.Cos(lat) * math.Cos(lon), math.Sin(lat), math.Cos(lat) * math.Sin(lon)}
			if r == 0 || r == rows-1 {
				round = mgl64.Vec3{0, math.Sin(lat), 0}
			}
			m.Vertices = append(m.Vertices, center.Add(corner).Add(round.Mul(skin)))
		}
	}
	at := func(r, j int) int32 { return first + int32(r*around+j%around) }
	add := func(a, b, c int32) {
		if x := m.Vertices; x[a] != x[b] && x[b] != x[c] && x[c] != x[a] {
			m.Triangles = append(m.Triangles, [3]int32{a, b, c})
		}
	}
	for r := range rows - 1 {
		for j := range around {
			add(at(r, j), at(r+1, j), at(r+1, j+1))
			add(at(r, j), at(r+1, j+1), at(r, j+1))
		}
	}
	for k := 1; k < 3; k++ { // below and above
		const q = quarter + 1
		add(at(0, 0), at(0, k*q), at(0, (k+1)*q))
		add(at(rows-1, 0), at(rows-1, (k+1)*q), at(rows-1, k*q))
	}
}

// Lines in the plane of radius and height, from bottom to top where outside lies to the
// right of them: turned about the axis they make a surface.

func ballLine(radius float64) (line [][2]float64) {
	const n = 20
	for k := range n + 1 {
		a := math.Pi * (float64(k)/n - 0.5)
		line = append(line, [2]float64{max(0, radius*math.Cos(a)), radius * math.Sin(a)})
	}
	return line
}

// cylinderLine has round edges, but where there is no skin sharp ones.
func cylinderLine(radius, half, skin float64) [][2]float64 {
	line := [][2]float64{{0, -half - skin}, {radius, -half - skin}, {radius, -half - skin}}
	const n = 4
	for s := -1.0; s <= 1; s += 2 {
		for k := range n + 1 {
			a := math.Pi / 2 * (float64(k)/n - max(0, -s))
			line = append(line, [2]float64{radius + skin*math.Cos(a), s*half + skin*math.Sin(a)})
		}
	}
	return append(line, [2]float64{radius, half + skin}, [2]float64{radius, half + skin}, [2]float64{0, half + skin})
}

// bowlLine is open towards +y, or towards -y.
func bowlLine(radius, skin float64, up bool) (line [][2]float64) {
	const n = 12
	for k := range 2 * (n + 1) { // outside, then inside; the rim is round, nearly
		r, a := radius+skin, math.Pi/2*(float64(k)/n-1)
		if k > n {
			r, a = radius-skin, -math.Pi/2*float64(k-n-1)/n
		}
		line = append(line, [2]float64{max(0, r*math.Cos(a)), r * math.Sin(a)})
	}
	if !up { // turned over, the line runs the other way
		for k := range line {
			line[k][1] *= -1
		}
		slices.Reverse(line)
	}
	return line
}

// turned adds the surface that a line makes about the y axis.
func turned(m *physics.Shape, line [][2]float64) {
	const around = 40
	first := int32(len(m.Vertices))
	for _, p := range line {
		for j := range around {
			a := 2 * math.Pi * float64(j) / around
			m.Vertices = append(m.Vertices, mgl64.Vec3{p[0] * math.Cos(a), p[1], -p[0] * math.Sin(a)})
		}
	}
	for r := range int32(len(line) - 1) {
		if line[r] == line[r+1] {
			continue // a crease: the sides have corners of their own
		}
		for j := range int32(around) {
			a, b := first+r*around+j, first+r*around+(j+1)%around
			if line[r][0] > 0 {
				m.Triangles = append(m.Triangles, [3]int32{a, b, b + around})
			}
			if line[r+1][0] > 0 {
				m.Triangles = append(m.Triangles, [3]int32{a, b + around, a + around})
			}
		}
	}
}

// Obstacle is a form that stands in the scene.
type Obstacle struct {
	form
	Pose     frame.Pose
	Color    mgl64.Vec3 // sRGB
	Material string     // for the eye
}

var obstacleFields = []setting.Field[Obstacle]{
	setting.Word("shape", "of the obstacle: a bowl is half a hollow sphere, open above", obstacleForms, obstacleForms, func(o *Obstacle) *string { return &o.Kind }),
	setting.Text("mesh", "of a mesh: its file, a closed surface or a volume mesh; asset:NAME for one that the program carries", func(o *Obstacle) *string { return &o.File }),
	setting.Text("file_unit", "unit of length of that file; default units.length", func(o *Obstacle) *string { return &o.Unit }),
	setting.Vector("position", setting.Length, "of its centre; of a mesh: where its file's origin is", func(o *Obstacle) *mgl64.Vec3 { return &o.Pose.Position }),
	setting.Rotation("rotation", setting.Angle, "angles about the fixed axes x, then y, then z",
		func(o *Obstacle) *mgl64.Quat { return &o.Pose.Rotation }),
	setting.Vector("size", setting.Length, "of a brick", func(o *Obstacle) *mgl64.Vec3 { return &o.Size }),
	setting.Number("radius", setting.Length, "of a sphere, cylinder or bowl", func(o *Obstacle) *float64 { return &o.Radius }),
	setting.Number("length", setting.Length, "of a cylinder, along y", func(o *Obstacle) *float64 { return &o.Length }),
	setting.Color("color", "of the obstacle", func(o *Obstacle) *mgl64.Vec3 { return &o.Color }),
	setting.Word("material", "for the eye only", physics.ShapeMaterials, physics.ShapeMaterials, func(o *Obstacle) *string { return &o.Material }),
}

package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// Frame is what there is to see of a world after a step: plain data, reused from step
// to step, so that it allocates nothing once it has grown. Everything is in world axes
// and SI units. A world fills what it has and empties the rest.
type Frame struct {
	Want Want // what whoever looks would like to see; for Draw to read

	Memo uint64 // the world's own, kept from Draw to Draw of this frame

	Step   uint64
	Time   float64    // simulated since the start, s; 0 where a world does not advance in time
	Pace   float64    // how fast it runs: 1 keeps up with the clock, less is slow motion; 0: not known
	Stylus frame.Pose // in this step
	Force  mgl64.Vec3 // on the stylus, N
	Torque mgl64.Vec3 // about its origin, N m
	Second Driven     // the same of a second hand's, where Info.Second is
	Turned bool       // whoever shows the frame has put the second hand's in the place of the first's

	Held Held

	Surfaces  []Surface   // as many as Info.Surfaces
	Field     int         // that Surface.Scalar holds: its place among Info.Fields, from 1; 0: none
	Instances []Instance  // rigid bodies
	Points    []Point     // drawn as spheres
	Grains    string      // what Points are, for the eye: "sand", "snow", "water"; else balls
	Vertices  []Vertex    // of Triangles
	Triangles [][3]uint32 // flat ones that may be others in each frame; counter-clockwise from outside
	Lines     []Line      //
	Arrows    []Arrow     //
	Contacts  []Contact   //
	Numbers   []float64   // as many as Info.Numbers; NaN: there is none now
	Series    []Series    // curves over an index, such as the convergence of a solver
	Jobs      []Job       // under way in the background
	Status    string      // a word on the step for the status line, such as "not converged"
	Softest   float64     // Young's modulus of the softest body, Pa; 0: not known. Forces far below what it bears are noise

	// The Runner's to fill in.
	Report   Report        // of the last step
	Mean     Mean          // of the durations of some steps
	Target   frame.Pose    // that the device asks for; differs while the stylus catches up
	When     time.Duration // since the Runner started
	RateHz   float64       // steps per second, smoothed
	Message  string        // what could not be done, or is under way; "" when there is nothing to say
	Progress float64       // of that, 0..1; 1 when done
}

// Mean is what steps have taken in the mean, of those of some time past: Total, and each of Info.Phases.
type Mean struct {
	Total  time.Duration
	Phases [MaxPhases]time.Duration
}

// Driven is a stylus with its tool.
type Driven struct {
	Stylus frame.Pose // in this step
	Target frame.Pose // that the device asks for; the Runner's to fill in
	Force  mgl64.Vec3 // on the stylus, N
	Torque mgl64.Vec3 // about its origin, N m
}

// Held is the spring of a Grasp as it is.
type Held struct {
	On     bool       // something is held
	At, To mgl64.Vec3 // its ends: on what is held, and at the stylus, m
	Force  mgl64.Vec3 // on what is held, N
}

// Want is what a frame holds on demand only, since it costs time.
type Want struct {
	Field  int  // that Surface.Scalar holds: its place among Info.Fields, from 1; 0: none
	Series bool // Series
}

// Surface is one deformable surface; its triangles are in Info.
type Surface struct {
	Vertices []mgl64.Vec3 // m
	Scalar   []float64    // at the vertices: the frame's Field; empty where there is none
}

// Place puts the vertices where a rigid shape has them in a pose.
func (s *Surface) Place(shape []mgl64.Vec3, pose frame.Pose) {
	if len(s.Vertices) != len(shape) {
		s.Vertices = make([]mgl64.Vec3, len(shape))
	}
	for i, x := range shape {
		s.Vertices[i] = pose.Point(x)
	}
}

// Instance is a rigid body: one of Info.Shapes in a pose.
type Instance struct {
	Shape int32
	Pose  frame.Pose
	Color mgl64.Vec3 // sRGB, 0..1
}

// Single is a point or a colour as the graphics card takes it.
func Single(x mgl64.Vec3) [3]float32 { return [3]float32{float32(x[0]), float32(x[1]), float32(x[2])} }

// Point is a small ball, laid out as the graphics card takes it.
type Point struct {
	Position [3]float32 // m
	Radius   float32    // m
	Color    [3]float32 // sRGB, 0..1
	Scalar   float32    // what the world colours points by; for files
}

// Vertex is a corner of Frame.Triangles, laid out as the graphics card takes it. Colours
// run evenly from corner to corner.
type Vertex struct {
	Position [3]float32 // m
	Color    [3]float32 // sRGB, 0..1
}

// Line is a straight line.
type Line struct {
	A, B  mgl64.Vec3 // m
	Color mgl64.Vec3 // sRGB, 0..1
}

// Arrow is a vector at a point: Vector metres long.
type Arrow struct {
	At, Vector mgl64.Vec3 // m
	Color      mgl64.Vec3 // sRGB, 0..1
}

// Status of a contact: open, sticking or slipping.
type Status = contact.Status

const (
	Open  = contact.Open
	Stick = contact.Stick
	Slip  = contact.Slip
)

// StatusColors are those of open, sticking and slipping contacts, 0xRRGGBB.
var StatusColors = [3]uint32{Open: 0xb8bdc4, Stick: 0x57b5e8, Slip: 0xf29e0d}

// Contact is one contact at the end of a step. P is on the impactor, Q on the obstacle,
// n points from the obstacle to the impactor, components are ordered n, t1, t2, and r is
// the force on the impactor: r_n >= 0.
type Contact struct {
	ID        uint64     // the same from step to step for the same features; never 0
	Node      int32      // impactor vertex; negative where something else touches
	Edges     bool       // two edges meet
	P, Q      mgl64.Vec3 // m
	N, T1, T2 mgl64.Vec3 // unit
	Force     mgl64.Vec3 // r in world axes, N
	R         [3]float64 // r_n, r_t1, r_t2, N
	X         [3]float64 // relative displacement, m
	Residual  [3]float64 // how far r is from the contact law, N
	Mu        float64    // friction coefficient
	Hold      float64    // what a grip adds, N: the laws are those of (r_n + Hold, r_t1, r_t2)
	Status    Status
}

// Series is a curve over an index, from 1 on.
type Series struct {
	Values []float64 // empty where there are none
	Goal   float64   // a value to be reached; 0: none
	Label  string    // what the values are
	Unit   string    // of the values, SI
}

// Job is something that is being prepared in the background.
type Job struct {
	Title    string  // such as "Compliance of liver"
	What     string  // is being done
	Plan     string  // what follows, and how long it may take
	Note     string  // what this means for the hand meanwhile
	Fraction float64 // done, 0..1
	Failed   bool    // it could not be done; What says why
}

// Info is what does not change about a world.
type Info struct {
	Start    frame.Pose  // of the stylus
	Second   *frame.Pose // of a second stylus, for a second hand; nil: there is none. The world is TwoHanded then
	Lever    float64     // how far the tool reaches from the stylus's origin, m, where a spring may turn it; else 0
	Advances bool        // it integrates in time: Input.Dt counts
	Level    bool        // the world is flat: a mouse moves the stylus at its height, and its wheel lifts it
	Ground   *float64    // height of the floor, m, where the grid and shadows lie; nil: just below the bodies
	// Container is the box of walls that hold what there is, where some do; m.
	Container *[2]mgl64.Vec3
	Every     time.Duration // frames need not come faster than this; 0: every step

	Surfaces []SurfaceInfo
	Shapes   []Shape
	Fields   []Field  // by which surfaces can be coloured
	Numbers  []Number // of a frame
	Phases   []string // of a step; see Report
	Pages    []Page   // of plots
	Tables   []Table  // of the panel
}

// SurfaceInfo is what does not change about a surface.
type SurfaceInfo struct {
	Name      string
	Material  string // for the eye: "steel", ...; and for the reader
	About     string // for a tooltip
	Driven    bool   // moves with the stylus
	Second    bool   // with that of the second hand
	Rigid     bool   // does not deform
	Triangles [][3]int32
	Fixed     []bool     // vertices that cannot move; may be empty
	Color     mgl64.Vec3 // sRGB, 0..1
}

// Shape is a rigid shape about its own origin; its triangles face outward.
type Shape struct {
	Vertices  []mgl64.Vec3 // m
	Triangles [][3]int32
	Ghost     bool   // it is seen, but touches nothing
	Material  string // for the eye: one of ShapeMaterials; "": the first
}

// ShapeMaterials are what a rigid shape may look like.
var ShapeMaterials = []string{"paint", "brick", "book", "wood", "stone", "domino"}

// Field is a scalar on the surfaces.
type Field struct {
	Name   string // such as "von Mises stress"
	Unit   string // SI; "": a pure number
	About  string // for a tooltip
	Signed bool   // it can be below 0
}

// Format says how a number is written.
type Format uint8

const (
	Digits Format = iota // with its unit
	Count                // a whole number
	Share                // a percentage
	YesNo                // 1 is yes
)

// Number is one named number of a frame.
type Number struct {
	Name    string // in traces, such as "penetration_m"
	Unit    string // SI; "": a pure number
	Format  Format
	Label   string  // of its row in the panel
	Section string  // of the panel that shows it; "": none
	About   string  // for a tooltip
	Warn    float64 // from this on its row warns; 0: never
	Rare    bool    // its row shows only where it is above 0
}

// Page is a page of plots.
type Page struct {
	Name, About string
	// Key names a parameter that is a word: while it has its first word, dashed curves
	// do not show. Together with Base it says what the page compares: Base is drawn
	// solid. Both may be empty.
	Base, Key string
	Differ    string // number: how far the two are apart, a share
	Series    *Plot  // where Frame.Series is drawn, before the others; nil: nowhere
	Plots     []Plot
}

// Plot is one plot over time.
type Plot struct {
	Title, About string
	Unit         string  // SI
	Log          bool    // the axis is logarithmic
	Integer      bool    // values are whole numbers
	Stacked      bool    // curves are areas on top of each other; the corner shows the sum
	Top          float64 // that the axis shows at least
	Curves       []Curve
	Key          int    // curve whose value stands in the corner
	Mark         string // number where a dotted line is drawn; "": none
	Corner       string // number that stands in the corner instead; "": none
	CornerText   string // that follows it, or precedes it where it ends in a space
}

// Curve is one curve of a plot: a number, or a phase of the step as "phase:NAME".
type Curve struct {
	Name     string // in the legend
	NameOf   string // key whose word is the name instead
	Number   string
	While    string // number that must be above 0, else the curve has a gap
	Dashed   bool
	Mate     int    // solid curves: the dashed curve with the same meaning; 0: none
	Unlisted bool   // not in the legend by itself
	Color    uint32 // 0xRRGGBB; 0 chooses
}

// Table is a section of the panel that shows numbers side by side.
type Table struct {
	Section string
	Key     string // parameter that must not have its first word
	While   string // number that must be above 0, else Empty is written
	Empty   string
	Columns []Column
	Rows    []Row
}

// Column heads a column.
type Column struct {
	Title string
	Key   string // whose word is its tooltip
	Color uint32
}

// Row is a row of a table: for each column the numbers that stand in it, in a row with
// strokes between them.
type Row struct {
	Name, About string
	Cells       [][]string
}

// Number is the place of a number among a frame's, -1 where there is none of that name.
func (i *Info) Number(name string) int {
	for k := range i.Numbers {
		if i.Numbers[k].Name == name {
			return k
		}
	}
	return -1
}

// Resize gives the frame room for a world's surfaces and numbers, and empties the rest.
func (f *Frame) Resize(i *Info) {
	if len(f.Surfaces) != len(i.Surfaces) {
		f.Surfaces = make([]Surface, len(i.Surfaces))
	}
	if len(f.Numbers) != len(i.Numbers) {
		f.Numbers = make([]float64, len(i.Numbers))
	}
	for k := range f.Surfaces {
		f.Surfaces[k].Scalar = f.Surfaces[k].Scalar[:0]
	}
	f.Vertices, f.Triangles = f.Vertices[:0], f.Triangles[:0]
	f.Instances, f.Points, f.Lines, f.Arrows = f.Instances[:0], f.Points[:0], f.Lines[:0], f.Arrows[:0]
	f.Contacts, f.Jobs, f.Status, f.Field, f.Held = f.Contacts[:0], f.Jobs[:0], "", 0, Held{}
	for k := range f.Series {
		f.Series[k].Values = f.Series[k].Values[:0]
	}
}

// Counts are the numbers of contacts by status.
func (f *Frame) Counts() (n [3]int) {
	for i := range f.Contacts {
		n[f.Contacts[i].Status]++
	}
	return n
}

package scene

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// Scene is all that the scene file of a tissue world says, in SI units. It is plain
// data: change fields freely, then call Validate.
type Scene struct {
	setting.Setting
	Gravity  mgl64.Vec3 // m/s^2; acts on bodies with a density
	Friction float64    // mu, -, of pairs without a value of their own
	Pairs    []Pair     //
	Bodies   []Body     // in file order
	Contact  Contact    //
	Probes   []Probe    // by name, ascending
}

// Pair says how two bodies touch, or one body itself (A and B the same).
type Pair struct {
	A, B     string      // names of bodies
	Friction float64     // mu, -; NaN: the scene's
	Contact  PairContact //
}

// PairContact says which features of two bodies meet.
type PairContact uint8

const (
	// ContactDefault: full for two bodies, but one for a driven generated tool
	// (ToolShape), whose nodes are many and round; none for two rigid bodies, and
	// for a body with itself unless a pair names it: then both.
	ContactDefault PairContact = iota
	ContactNone                // they pass through each other
	ContactOne                 // A's nodes, B's triangles
	ContactBoth                // both ways
	ContactFull                // both ways, and edges on edges
)

// Role says what moves a body.
type Role uint8

const (
	Fixed  Role = iota // an obstacle: its frame stays where it is
	Driven             // the impactor: its frame follows the stylus
)

// Body is one solid. Its shape, supports and contact region are given in the
// body's own frame; Pose places that frame in the world.
type Body struct {
	Name     string     // first word of its keys in Set
	Role     Role       //
	Shape    Shape      //
	Material string     // a preset's name, or "custom"
	Preset   string     // of material that the file names; "": none. What of it does not act Idle says
	Young    float64    // E, Pa
	Poisson  float64    // nu, -
	Density  float64    // kg/m^3, for gravity
	Rigid    bool       // no elastic displacements; needs no support and no E
	Touch    Touch      // how others find a rigid body's surface
	Clamp    Selector   // Dirichlet nodes: u = 0 in the body's frame
	Surface  Selector   // nodes (impactor) or triangles (obstacle) that may touch; SelectAll by default
	Color    mgl64.Vec3 // sRGB, 0..1
	Pose     frame.Pose // world from body at the start; of a driven body: of the stylus
}

// Touch says how others find the surface of a rigid body. Tools in closed form
// have their own way.
type Touch uint8

const (
	TouchMesh     Touch = iota // by its nodes and triangles
	TouchDistance              // by its signed distance: their nodes against the exact surface
)

// ShapeKind says where a body's mesh comes from.
type ShapeKind uint8

const (
	NoShape     ShapeKind = iota
	BoxShape              // structured hexahedra
	MeshShape             // a volume mesh file in any format that package mesh reads
	ToolShape             // a rigid tool, generated
	ObjectShape           // the object file of figure 4.23, see parseObject
)

// Shape is a body's geometry. Only the fields of its Kind count.
type Shape struct {
	Kind ShapeKind
	File string // MeshShape, ObjectShape: a path, or "asset:NAME" for one that the program carries
	Unit string // length unit of File, as Units.Length
	Box  Box
	Tool Tool

	Element mesh.ElementType // of a box and a mesh file: Tet4, Tet10 or Hex8; 0: tetrahedra and hexahedra as they are
}

// Box is a structured mesh of Elements hexahedra, numbered as in the thesis's
// benches: node i + (nx+1)*(j + (ny+1)*k).
type Box struct {
	Origin   mgl64.Vec3 // corner with the least coordinates, m
	Size     mgl64.Vec3 // m
	Elements [3]int     // along x, y, z
}

// ToolKind names a generated rigid tool.
type ToolKind uint8

// The tools. A tool's origin is the centre of its tip sphere, or of the scoop's bowl; its
// shaft points to +Y. The tools from SphereTool on touch in closed form, without a mesh.
const (
	ProbeTool    ToolKind = iota // a shaft with a hemispherical tip of the same radius
	BallTool                     // a sphere on a thinner shaft
	ScoopTool                    // a spoon: a hollow bowl, open towards +Z, on a shaft
	SphereTool                   // a sphere about the origin
	CapsuleTool                  // the points within Radius of a segment from the origin to (0, Length, 0)
	CylinderTool                 // from the disc about the origin to that about (0, Length, 0)
	BoxTool                      // of Size about the origin, its edges rounded to Radius
)

// Tool is a rigid tool. Its surface mesh is dense around the tip; for a tool in
// closed form it is a picture only.
type Tool struct {
	Kind    ToolKind
	Radius  float64    // of the tip, m; of a scoop's bowl, half its width; of a box's edges, which may be 0
	Length  float64    // of the shaft, from the tip's centre, m; of a cylinder; none of a sphere or box
	Size    mgl64.Vec3 // of a box, along x, y, z, m
	Spacing float64    // between nodes of the tip, m; 0 chooses, see nodeSpacing
}

// SelectorKind says how nodes are picked.
type SelectorKind uint8

const (
	SelectNone    SelectorKind = iota
	SelectAll                  // every node
	SelectSide                 // nodes on one side of the bounding box
	SelectSet                  // a named node set of the mesh
	SelectBox                  // nodes inside a box
	SelectNodes                // given numbers
	SelectDefault              // what the file says, else a choice that is reported
)

// Side names a face of the bounding box.
type Side uint8

// The sides; "end", the benches' word, is another word for Left.
const (
	Left   Side = iota // least X
	Right              // greatest X
	Bottom             // least Y
	Top                // greatest Y
	Back               // least Z
	Front              // greatest Z
)

// Selector picks nodes of a mesh, in the body's frame.
type Selector struct {
	Kind     SelectorKind
	Side     Side
	Set      string
	Min, Max mgl64.Vec3 // SelectBox, m
	Nodes    []int32    // SelectNodes
}

// Normals says which normal a contact takes.
type Normals uint8

const (
	FaceNormals   Normals = iota // of the obstacle's triangle
	SmoothNormals                // interpolated between its vertices
)

// Contact are the parameters of detection and of the contact solver.
type Contact struct {
	Solver          string            // a name that contact.New knows
	Shadow          string            // a second solver to compare with; "": none
	Criterion       contact.Criterion //
	Tolerance       float64           // eps_Gauss-Seidel; - , or m for the criterion Physical
	MaxIterations   int               //
	Rho             float64           // imposed rho_min, N/m; 0: computed from W (3.1)
	RhoFactor       float64           // multiplies the computed rho, -
	UzawaError      float64           // eps_Uzawa, - (3.6, 3.7); times Length
	UzawaIterations int               // at most
	Length          float64           // characteristic length L, m
	NewtonTolerance float64           // eps_Newton-Raphson, m (2.59)
	DDCTolerance    float64           // m; +Inf makes every impactor node a contact
	Reduction       float64           // m; how deep contacts that are left out may stay inside, where there are many; 0: none is left out
	Deadline        float64           // s; of a step's solves: then they end with what they have; 0: none
	StrainLimit     float64           // largest compression of a soft surface in its own plane, 0..1; 0: none
	DropOverhang    bool              // no contact for nodes that project over an open edge of the contact surface
	Anchored        bool              // a sticking contact remembers the material point it stuck to
	Normals         Normals           //
}

// Probe is a named node whose displacement is reported: the node of the body
// that is nearest to Point.
type Probe struct {
	Name  string
	Body  string
	Point mgl64.Vec3 // in the undeformed body's frame, m
}

// Body returns the body with this name and its index, or nil and -1.
func (s *Scene) Body(name string) (*Body, int) {
	for i := range s.Bodies {
		if s.Bodies[i].Name == name {
			return &s.Bodies[i], i
		}
	}
	return nil, -1
}

// Pair returns what the scene says of two bodies, in either order, or nil.
func (s *Scene) Pair(a, b string) *Pair {
	for i := range s.Pairs {
		if p := &s.Pairs[i]; p.A == a && p.B == b || p.A == b && p.B == a {
			return p
		}
	}
	return nil
}

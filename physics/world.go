package physics

import (
	"context"
	"io"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// World is a simulation with a stylus in it. One goroutine owns it and calls all of its methods; what is shown and felt
// leaves it as plain data.
type World interface {
	// Info is what does not change while the world exists. It may be kept and read from any goroutine.
	Info() *Info
	// Step moves on by one step. It must not allocate once the world is warm.
	Step(in Input) Report
	// Local fills m with what the hand feels until the next step: contacts, a force field, or both. Stamp, Tick and
	// Period are the Runner's to fill in.
	Local(m *local.Model)
	// Draw fills f with the state after the last step, reusing its memory.
	Draw(f *Frame)
	// Keys are the parameters that may change while the world runs. The slice is fresh; each call of a key's Get and
	// Set is on the goroutine that owns the world.
	Keys() []Key
	// Reset puts everything back to the start. Parameters stay.
	Reset()
	// Close ends the world and what it works on in the background.
	Close() error
}

// Input is what a step starts from.
type Input struct {
	Target frame.Pose // that the stylus should take
	Hand   frame.Pose // where the hand is: the same, unless a spring is between them
	Second frame.Pose // that the second stylus should take, where there is one; no pose at all leaves it where it is

	// Placed says that the tool of a quasi-static world is put to Target, and does not go there: the world has just
	// been put back to its start, and the tool touched nothing.
	Placed bool

	// Coupling is the spring from Hand to the tool, for worlds in which the tool's own place is an unknown. It is
	// recorded, so that they can make recordings again: tissue.
	Coupling Coupling
	Grasp    Grasp
	Dt       float64 // time to advance at most, s; quasi-static worlds need none

	// Deadline is what the step may ask of the clock; nil, of batch commands: nothing. What comes of such a step
	// depends on the world and the rest of the input alone: not on how busy the machine is, nor on how many threads
	// there are.
	Deadline *Deadline
}

// Coupling is a spring by which a tool hangs on a hand. The zero value is none: the tool is where it is told to be.
type Coupling struct {
	Stiffness float64 // N/m
	Angle     float64 // N m/rad
	Limit     float64 // N, at which it saturates; 0: it does not
}

// over is the spring in a scene whose forces the hand feels so many times as strong.
func (c Coupling) over(times float64) Coupling {
	return Coupling{c.Stiffness / times, c.Angle / times, c.Limit / times}
}

// Grasp is a spring by which a stylus draws at a point of a body, node, grain or floe. The zero value is none. Its end at
// the stylus moves with that, as if it were a part of it, and is where the point is when it is taken hold of: so a spring
// begins without a force. How stiff it is, and where it gives way, is the world's to say.
type Grasp struct {
	// Number of the grasp. Another than in the step before takes hold of what is nearest to At, by the stylus of Hand; 0
	// lets go. A world that is put back lets go, too.
	Number uint32
	Hand   uint8      // 0, or 1: the second
	At     mgl64.Vec3 // on the surface of what is to be held, m
}

// MaxPhases is the largest number of Info.Phases.
const MaxPhases = 8

// Report is what came of a step.
type Report struct {
	Reached       bool                     // the stylus stands where it was asked to; else step again
	Advanced      float64                  // how much time it has advanced, s: in steps of the world's own, no more than Input.Dt
	Stopped       error                    // why the world advances no more; nil: it does
	Stylus        frame.Pose               // where it stands after the step, of worlds without time
	Force, Torque mgl64.Vec3               // on the stylus, world, N; about its origin, N m
	Total         time.Duration            // that the step took; 0: the Runner measures it
	Phases        [MaxPhases]time.Duration // what each of Info.Phases took
}

// The interfaces below are for worlds that have something to give besides.

// Timed is a world that advances in time, in steps of its own: Info.Advances says so. A Step with less to advance
// leaves the world as it is; the caller owes it the rest. Who makes one of its steps at a time decides where the stylus
// is in each.
type Timed interface {
	// OwnStep is how long the next one is at most, s.
	OwnStep() float64
}

// Owed is the time that a world has not advanced yet, s: less than one of its steps.
type Owed float64

// Step lets the world advance by in.Dt and by what it is owed.
func (o *Owed) Step(w World, in Input) Report {
	in.Dt += float64(*o)
	r := w.Step(in)
	*o = Owed(max(0, in.Dt-r.Advanced))
	return r
}

// TwoHanded is a world that may have a second stylus, with a tool of its own, for a second hand: Info.Second tells
// whether this one has.
type TwoHanded interface {
	// LocalSecond is Local for that hand.
	LocalSecond(m *local.Model)
}

// Background is a world that works beside its steps: on preparations that take long, or on what is for the eye only.
type Background interface {
	// Start begins that work; it ends with ctx, and wait returns when it has. The goroutines are started by package
	// failsafe.
	Start(ctx context.Context) (wait func())
	// Between takes over what has become ready, before each step; stepping tells that one follows.
	Between(stepping bool)
}

// Accountant is a world that tells more of its last step than a frame holds, for tables and tests: it may take long and
// allocate. Costly asks for what takes longest. Of the same name in every kind that has contacts with friction:
// cone_violation is by how much of its force a contact of the state that is shown leaves Coulomb's cone, at most, and
// friction_lag how far the mu that one obeys is from the one that is set, at most.
type Accountant interface {
	Account(costly bool) []Entry
}

// Entries of an account by which whoever moves a world can tell whether its laws hold. A world has those that it can
// answer for; each counts from the start, or from the last change of a parameter where that gives or takes energy.
const (
	EnergyUnexplained   = "energy_unexplained_J" // energy there is beyond what the hand, weight and all else that acts have given: below 0 where some was lost
	EnergyMoved         = "energy_moved_J"       // largest energy there was, and the sum of what was given and taken
	MomentumUnexplained = "momentum_unexplained_N_s"
	MomentumMoved       = "momentum_moved_N_s" // sum of all impulses
	Escaped             = "escaped"            // things that have gone through a wall
	Apart               = "apart"              // [][2]int: pairs of a frame's instances, or tools, that may be in each other now; -1: any
	PutBack             = "put_back"           // times that all was put back to the start, since a motion was no number
)

// ApartTool is how the tool of a hand, from 0, stands in a pair of Apart.
func ApartTool(hand int) int { return -2 - hand }

// Sampler is a world that can write down the state of its bodies: what `hapco trace --seconds` prints. The entries'
// values are anything that package json takes.
type Sampler interface {
	Sample() []Entry
}

// Sounder is a world whose bodies ring.
type Sounder interface {
	// Listen keeps the sound from now on; false: nothing rings in this scene.
	Listen() bool
	// WriteWAV writes the sound of the last seconds.
	WriteWAV(out io.Writer) error
}

// Mapper is a world that lies in a plane, as outlines on a map.
type Mapper interface {
	// WriteGeoJSON writes the outlines as they are now, in metres.
	WriteGeoJSON(out io.Writer) error
}

// Entry is one value of a table.
type Entry struct {
	Name   string // in JSON; "ms.total" is total in the object ms
	Value  any
	Column string  // heading in CSV; "": not there
	Scale  float64 // of the value in CSV; 0: 1
	Short  string  // heading of the printed table; "": not there
	Format string  // in the printed table, such as "%.1e"; "": %v
}

// Mesher is a scene that can take a mesh file in the place of its obstacle.
type Mesher interface {
	// TakeMesh puts a surface or volume mesh in the place of the obstacle; unit is the length unit of the file, in
	// which the mesh is no longer: it is in metres.
	TakeMesh(file, unit string, nodes []mgl64.Vec3) error
}

// MeshScener is a scene around which a scene file can be written for another mesh: what opening a mesh in a window asks
// for.
type MeshScener interface {
	// MeshChoices are ways to hold a mesh, and what it can be made of; the usual ones first.
	MeshChoices() (supports, materials []Choice)
	// MeshText is the text of a scene file with that mesh as the obstacle. The scene itself does not change.
	MeshText(m *MeshScene) ([]byte, error)
}

// MeshScene says what a scene is made of around a mesh.
type MeshScene struct {
	File, Unit string        // of the mesh
	Nodes      []mgl64.Vec3  // its nodes, m
	Support    string        // one of MeshChoices; "box": all nodes within Box
	Material   string        // one of MeshChoices
	Box        [2]mgl64.Vec3 // least and greatest coordinates, m
}

// Tooler is a scene whose tool can be another.
type Tooler interface {
	// Tools are the tools to choose from. Changes are for Set, KEY=VALUE; where Own is set the file of the user's own
	// tool, Own=FILE, comes before them.
	Tools() []Tool
}

// Tool is one that the stylus can drive.
type Tool struct {
	Name, About string
	Changes     []string
	Own         string // key of the file of an own tool; "": none is needed
}

// Holder is a scene of soft bodies that can be held at any nodes of their surface.
type Holder interface {
	// Hold is the change, KEY=VALUE for Set, by which a body is held at the marked vertices of its surface and nowhere
	// else. It may read the body's mesh.
	Hold(body string, held []bool) (change string, err error)
}

// Filer is a scene that is made from files besides its own, such as meshes: who keeps results of a scene looks whether
// they have changed.
type Filer interface {
	Files() []string
}

// Solids is a world that can tell the inside of its bodies, for files: it takes long and allocates.
type Solids interface {
	// Solids are the bodies after the last step, in the order of Info.Surfaces. The memory of dst is used again.
	Solids(dst []Solid) []Solid
}

// Solid is a deformable body with its inside. Vectors and tensors are in world axes.
type Solid struct {
	Mesh         *mesh.Mesh   // undeformed, in the body's own frame; it does not change. nil: what follows is of the surface's vertices, without tensors
	Positions    []mgl64.Vec3 // of its nodes, m
	Displacement []mgl64.Vec3 // from where the undeformed body would have them in its present pose, m
	Force        []mgl64.Vec3 // of contacts on its nodes, N; empty: not known
	Strain       [][6]float64 // at its nodes, components of the tensor: xx, yy, zz, xy, yz, zx; logarithmic where strains are large; empty: it is rigid
	Stress       [][6]float64 // the same, Pa; Cauchy's where strains are large
}

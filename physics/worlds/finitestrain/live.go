package finitestrain

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/flex"
)

// LiveOptions tune a Live body. DefaultLiveOptions fills them.
type LiveOptions struct {
	Friction    float64
	Contacts    int           // at most at a time, a third of that: the nearest
	Reach       float64       // the length by which steps are measured, m: tool and nodes go some in a correction
	Corrections int           // of the equilibrium, at most a step
	Tolerance   float64       // ends the corrections under a hand that rests: the residual over the sum of the contact forces
	Accept      float64       // the same under one that moves: what counts as an equilibrium
	Refresh     bool          // a second thread factorises the newest tangent, again and again
	Patch       int           // nodes around the contacts that are relaxed after a correction, at most; 0: none
	Lag         int           // a factor comes so many steps after it was begun, waited for; 0: after one, and with Live.Deadline as soon as it is there
	Motion      Motion        // in time; the zero value: none
	Prony       []solid.Prony // of each block
}

// DefaultLiveOptions are for a body of the given extent, m.
func DefaultLiveOptions(extent float64) LiveOptions {
	return LiveOptions{Friction: 0.3, Contacts: 36, Reach: 0.03 * extent, Corrections: 6, Tolerance: 0.005, Accept: 0.01, Patch: 150, Refresh: true}
}

// LiveReport tells what a step has come to.
type LiveReport struct {
	Contacts    int        // that press
	Force       mgl64.Vec3 // of the tool on the body, N
	Pressed     float64    // sum of the sizes of the contact forces, N
	Residual    float64    // size of what is missing to equilibrium of the bodies, N
	Broken      float64    // size of what the contact forces miss to Signorini's and Coulomb's laws, N; see broken
	BrokenShare float64    // the same, over what Options.Accept allows
	Corrections int        // made
	Relaxed     int        // times that the nodes around the contacts were relaxed
	Shortened   int        // corrections that were taken in part, or not at all
	Bound       float64    // least share of a correction up to which nothing crosses
	Joined      int        // pairs that bound one and joined its contacts
	LeastJ      float64    // smallest det F
	Age         int        // steps since the tangent of the factor in use
	Fresh       bool       // a newer factor came into use in this step
	Late        bool       // the deadline ended the corrections: Residual is what it has cost
	Settled     bool       // the bodies are in equilibrium to Options.Accept with the tool where it stands
	Reached     bool       // and so is the tool with the hand: where no spring holds it, it is there
	Shows       bool       // Shown is new, in equilibrium or not: nothing in it crosses
	Tool        frame.Pose
}

// givenUp is the residual that a deadline has left, N.
func (r *LiveReport) givenUp() float64 {
	if r.Late && !r.Settled {
		return r.Residual
	}
	return 0
}

// Live is bodies in quasi-static equilibrium with a tool that
// moves, step by step, in real time. Each step improves the equilibrium as far as
// its time allows, and says what is missing:
//
//   - the residual f_ext + H^T r - f_int is exact, at the law's own forces;
//   - it is corrected by the newest factor of the tangent that there is, which a
//     second thread makes;
//   - what the older tangent leaves around the contacts is relaxed on the present one,
//     by some hundreds of nodes alone;
//   - the contact forces r come from x = W r + q with W of the same factor, whose
//     columns are computed for the nodes in reach alone, and of the tool;
//   - no correction goes farther than nothing crosses and no element turns over, so that what it comes to may be
//     shown.
//
// One goroutine calls Step. Nothing is allocated in it but when nodes come into
// reach.
type Live struct {
	Options LiveOptions // Wake tells of a change
	// Deadline of the steps: after the first, no correction begins that would end later. Who
	// steps begins it before each. nil: none, and what comes of a step does not depend on when
	// the second thread is ready.
	Deadline *physics.Deadline
	Load     []float64 // dead forces, 3 a node, N
	Pull     float64   // of a hand in it, N: it may be missed by as large a share as the tool's

	state           // under way
	committed state // of the last equilibrium
	Shown     state // that is shown, in equilibrium or not

	body     *solid.Body
	cells    *solid.Cells
	relaxing *solid.Relaxing // nil: no body does
	k        *fem.Matrix
	surfaces surfaces
	stiff    float64 // of a free unknown at rest, N/m
	start    start

	tool       held
	grip       grip
	contacts   contactSet
	tangents   tangents
	problem    contactProblem
	correction correction
	patch      patch
	past       history

	force, load []float64 // under way, 3 a node, N
	least       float64   // det F
	hardly      float64   // residual that counts, where no contact force is its measure, N
	scale       float64   // largest sum of contact forces of an equilibrium so far, N
	saved       []mgl64.Vec3
	steps       int
	report      LiveReport
	rest        rest
}

// state is where the bodies are, and what touches them there.
type state struct {
	X           []float64 // places, 3 a node, m
	constraints []contactConstraint
}

// take makes it another one of the same bodies.
func (s *state) take(o *state) {
	copy(s.X, o.X)
	s.constraints = append(s.constraints[:0], o.constraints...)
}

// start is where Reset goes back to.
type start struct{ x, load []float64 }

// surfaces are those of the bodies.
type surfaces struct {
	skins      []Skin
	met        []Meeting
	whose      []int32   // body of each node of a surface
	area, firm []float64 // of a node: of the surface, m2; what it bears at a mean pressure of one shear modulus, N
}

// tangents are the factor in use, the one that the second thread makes, and that thread.
type tangents struct {
	now, spare       *factoredTangent
	done             chan *factoredTangent // at most one
	ctx              context.Context
	stop             context.CancelFunc
	working          bool
	outdated         bool // the law is another than that of the tangent in use
	newest           bool // a newer tangent would be no better
	due              int  // step from which a factor may be taken
	failure          error
	wanted, columned []int32
}

// contactProblem is that of a correction: the bodies, their layers and the tool.
type contactProblem struct {
	contact.Problem
	solver       contact.Solver
	laws         contact.Options
	watch        contact.Watch // of a step with a deadline
	r            []float64     // 3 a constraint, in its frame, N
	at           []float64     // how far the spots go with the first half of the solve, m
	less         []float64
	solved       []contactConstraint // as the last solution has them
	compliance   []float64           // without the tool's
	world        []float64           // between the contacts, in the world's axes, without the layers
	frames, rows []float64           // of the contacts, and room
	leads, gives []float64           // of their directions where the tool is, and how far that gives way to them: 6 rows
}

// correction is one of Newton's, of all bodies: its direction, where a share of it leads, and how much of it may be taken.
type correction struct {
	residual, du []float64 // free unknowns: N, m
	trial, force []float64 // places and forces there, 3 a node: m, N
	share        float64   // that is taken at most
	strict       bool      // it is not relaxed; see relaxes
	exact        bool      // it is refined, whatever that takes
	rests        bool      // the hand does, and nothing else is new
	cost         time.Duration
}

// rest is what is known where the last step has changed nothing.
type rest struct {
	resting   bool    // it has come to rest, and would again with the same hand and loads
	left      float64 // what it missed to equilibrium and contact laws, N
	validated bool    // the state at rest has been looked at
	invalid   int     // how many such were not valid
}

// NewLive prepares a body at rest and a tool. nodes may touch that; fixed do not move.
func NewLive(b *solid.Body, fixed, nodes []int32, tool *Shape, options LiveOptions) (*Live, error) {
	skin := Skin{Triangles: b.Mesh.Surface().OnMesh(), Friction: math.NaN()}
	return NewLiveOf(b, []Skin{skin}, nil, fixed, nodes, tool, options)
}

// NewLiveOf is NewLive for several bodies in one mesh, without elements in common. A body
// all of whose nodes are fixed is rigid and needs no elements. Each is met by the tool, where
// nodes are its, and by itself; pairs of them meet where met says so.
func NewLiveOf(b *solid.Body, skins []Skin, met []Meeting, fixed, nodes []int32, tool *Shape, options LiveOptions) (*Live, error) {
	k, err := fem.Pattern(b.Mesh, fixed)
	if err != nil {
		return nil, err
	}
	b.Bind(k)
	relaxing := b.Relax(options.Prony)
	solver, err := contact.New("auto")
	if err != nil {
		return nil, err
	}
	n := 3 * len(b.Mesh.Nodes)
	l := &Live{Options: options, Load: make([]float64, n), state: state{X: b.Rest()}, committed: state{X: b.Rest()}, Shown: state{X: b.Rest()},
		body: b, cells: b.Cells(), relaxing: relaxing, k: k, surfaces: surfaces{skins: skins, met: met}, start: start{b.Rest(), make([]float64, n)},
		force: make([]float64, n), load: make([]float64, n)}
	l.problem.solver = solver
	l.tangents.done = make(chan *factoredTangent, 1)
	l.correction = correction{residual: make([]float64, k.N), du: make([]float64, k.N), trial: make([]float64, n), force: make([]float64, n)}
	l.problem.laws = contact.DefaultOptions()
	l.problem.watch.When(func() bool { return l.Deadline.PartLate() })
	l.problem.laws.Criterion, l.problem.laws.MaxIterations, l.problem.laws.UnitFree = contact.Scaled, 500, true
	l.tangents.ctx, l.tangents.stop = context.WithCancel(context.Background())
	l.prepareFirm(b.Mesh)
	l.patch.prepare(l)
	l.past.prepare(l)
	l.stiffen()
	if err := l.prepareContacts(nodes, tool); err != nil {
		l.Close()
		return nil, err
	}
	most := 4 * options.Contacts
	if len(skins) > 1 {
		most = 6 * options.Contacts
	}
	for _, to := range []**factoredTangent{&l.tangents.now, &l.tangents.spare} {
		var f *flex.Factor
		if l.tangents.now == nil {
			f, err = flex.Analyze(k)
		} else {
			f, err = l.tangents.now.factor.Twin()
		}
		if err != nil {
			l.Close()
			return nil, err
		}
		*to = &factoredTangent{body: b.Twin().Momentary(), factor: f, quick: flex.NewQuick(), values: make([]float64, len(k.Row)), x: make([]float64, n),
			slot: map[int32]int{}, half: make([]flex.Half, most), used: make([]int, most), joins: make([]bool, most), comp: make([][9]float64, most*most), most: most}
	}
	if err := l.factorise(); err != nil {
		l.Close()
		return nil, fmt.Errorf("finite strain: the body is not held: %w (fix at least three nodes that are not on one line)", err)
	}
	l.Put(frame.Identity())
	l.Reset()
	return l, nil
}

// prepareFirm finds for each node of the surface what its share of the surface bears.
func (l *Live) prepareFirm(m *mesh.Mesh) {
	l.surfaces.area, l.surfaces.firm = make([]float64, len(m.Nodes)), make([]float64, len(m.Nodes))
	for _, skin := range l.surfaces.skins {
		for _, t := range skin.Triangles {
			a, b, c := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]]
			for _, n := range t {
				l.surfaces.area[n] += b.Sub(a).Cross(c.Sub(a)).Len() / 6
			}
		}
	}
	for i := range m.Blocks {
		l.firmOf(i)
	}
}

// firmOf takes over the law of a block.
func (l *Live) firmOf(block int) {
	shear := l.body.Shear(block)
	for _, n := range l.body.Mesh.Blocks[block].Nodes {
		l.surfaces.firm[n] = shear * l.surfaces.area[n]
	}
}

// stiffen takes over how stiff the body is.
func (l *Live) stiffen() {
	values := make([]float64, len(l.k.Row))
	l.body.Tangent(values, l.body.Rest())
	l.stiff = 0
	for col := range l.k.N {
		l.stiff += values[l.k.ColPtr[col+1]-1] / float64(l.k.N)
	}
}

// SetLaw changes the law of a block of the mesh. The next steps find the equilibrium.
func (l *Live) SetLaw(block int, law solid.Law) {
	l.halt() // the second thread reads the law
	was, mean := l.body.Shear(block), l.stiff
	l.body.SetLaw(block, law)
	l.relaxing.Harden(block, l.body.Shear(block)/was)
	if block < len(l.body.Mesh.Blocks) { // else a membrane
		l.firmOf(block)
	}
	l.past.soften(l)
	l.stiffen()
	l.tangents.now.shift *= l.stiff / mean
	l.tangents.outdated = true
	l.Wake()
	l.least = l.forces(l.force, l.X)
}

// Relax lets the bodies relax for h seconds as they are shown.
func (l *Live) Relax(h float64) {
	if l.relaxing != nil {
		l.relaxing.Pass(h, l.Shown.X)
		l.least = l.forces(l.force, l.X)
	}
}

// Energy is the elastic energy of what is shown, J.
func (l *Live) Energy() float64 {
	if l.relaxing != nil {
		return l.relaxing.Energy(l.Shown.X)
	}
	return l.body.Energy(l.Shown.X)
}

// Reset puts the bodies back to where they start, at rest, untouched. Factors stay.
func (l *Live) Reset() {
	copy(l.X, l.start.x)
	copy(l.load, l.start.load)
	l.past.begin(l.X)
	l.relaxing.Forget()
	l.least = l.forces(l.force, l.X)
	l.Release()
	l.Put(l.tool.at)
	l.scale, l.correction.strict, l.correction.share, l.rest.invalid = 0, false, 1, 0
	l.committed.take(&l.state)
	l.Shown.take(&l.state)
}

// Close ends the second thread and frees the factors.
func (l *Live) Close() {
	l.tangents.stop()
	l.halt()
	for _, f := range []*factoredTangent{l.tangents.now, l.tangents.spare} {
		if f != nil {
			f.factor.Close()
		}
	}
}

// Err is what last kept a factor from being made, nil if nothing did.
func (l *Live) Err() error { return l.tangents.failure }

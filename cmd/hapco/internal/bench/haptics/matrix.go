package haptics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/refusal"
	"hapco/physics/worlds/tissue"
)

// The thesis's haptic experiments (4.4.3, table 4.25) in simulated time: its bench A, a hand that presses and drags,
// and the servo's kernel between them.

// matrixPair is an interaction of table 4.25.
type matrixPair struct {
	name     string
	impactor string  // a preset
	hard     float64 // E of the impactor, Pa
	obstacle string  // a preset, for its Poisson's ratio
	soft     float64 // E of the obstacle, Pa
}

// matrixPairs are those of the table, to the letter, the softer tissue that the text names for rubber, and the stiff
// pair that bounced (4.5).
var matrixPairs = []matrixPair{
	{"aluminium/tissue 45 MPa", "aluminium", 69e9, "tissue", 45e6},
	{"aluminium/tissue 90 MPa", "aluminium", 69e9, "tissue", 90e6},
	{"rubber/tissue 90 MPa", "rubber", 800e6, "tissue", 90e6},
	{"rubber/tissue 0.9 MPa", "rubber", 800e6, "tissue", 0.9e6},
	{"aluminium/rubber 800 MPa", "aluminium", 69e9, "rubber", 800e6},
}

// tissuePoisson is that of the thesis's haptic experiments.
const tissuePoisson = 0.49

// The table's values, and the rates at which physics may answer, Hz. Bodies are linear and a step solves once, so that
// eps_Newton-Raphson has no say: a cell's outcome is the same for both.
var (
	matrixNewton   = []float64{1e-3, 1}
	matrixGS       = []float64{1e-8, 1e-4, 1e-2}
	matrixFriction = []float64{0.3, 0.7}
	matrixContacts = []int{16, 36}
	matrixRates    = []float64{50, 100, 300, 1000}
)

// MatrixCell is one experiment.
type MatrixCell struct {
	pair      matrixPair
	mu        float64
	epsGS     float64
	epsNR     float64 // the thesis's number, mm
	contacts  int
	physicsHz float64
	coupling  haptics.Coupling
	hand      string // of virtual.Hands
}

// StabilityRow is a cell and what came of it.
type StabilityRow struct {
	Materials string  `json:"materials"`
	Mu        float64 `json:"mu"`
	EpsGS     float64 `json:"eps_gs"`
	EpsNR     float64 `json:"eps_nr"`
	Contacts  int     `json:"contacts"`
	PhysicsHz float64 `json:"physics_hz"`
	Coupling  string  `json:"coupling"`
	Hand      string  `json:"hand"`
	bench.Outcome
	StepMS float64 `json:"step_ms"` // median time of a physics step on this machine, ms
}

// cells lists the experiments; quick ones are fewer.
func MatrixCells(quick bool) []MatrixCell {
	newton, gs, contacts, rates := matrixNewton, matrixGS, matrixContacts, matrixRates
	if quick {
		newton, gs, contacts, rates = newton[1:], gs[1:2], contacts[:1], []float64{100, 1000}
	}
	var cells []MatrixCell
	for _, p := range matrixPairs {
		for _, n := range contacts {
			for _, mu := range matrixFriction {
				for _, eg := range gs {
					for _, en := range newton {
						for _, hz := range rates {
							for _, c := range []haptics.Coupling{haptics.Direct, haptics.Virtual} {
								cells = append(cells, MatrixCell{p, mu, eg, en, n, hz, c, matrixGrip})
							}
						}
					}
				}
			}
		}
	}
	return cells
}

// worldKind tells worlds apart that need a compliance of their own.
type worldKind struct {
	impactor, obstacle string
	contacts           int
}

// workbench keeps the worlds of one goroutine.
type workbench map[worldKind]*tissue.Live

// prepare makes the cell's world as new, under a hand whose floor is at y = 0.
func (b workbench) prepare(ctx context.Context, c *MatrixCell) (*tissue.Live, *handedScene) {
	kind := worldKind{c.pair.impactor, c.pair.obstacle, c.contacts}
	w := b[kind]
	if w == nil {
		s := refusal.Must(scene.Load(fmt.Sprintf("bench-a-%d", c.contacts)))
		settings := []string{"impactor.material=" + c.pair.impactor, "obstacle.material=" + c.pair.obstacle, "contact.solver=nsgs", "contact.anchored=true"}
		if c.pair.obstacle == "tissue" {
			settings = append(settings, fmt.Sprintf("obstacle.nu=%g", tissuePoisson))
		}
		for _, set := range settings {
			refusal.Need(scene.Set(s, set))
		}
		made, _, err := tissue.New(ctx, s, nil)
		refusal.Need(err)
		w = tissue.NewLive(made)
		b[kind] = w
	}
	p := w.DefaultParams() // a copy
	p.Friction, p.Tolerance = c.mu, c.epsGS
	for i, body := range w.Bodies() {
		if body.Driven {
			p.Bodies[i].Young = c.pair.hard
		} else {
			p.Bodies[i].Young = c.pair.soft
		}
	}
	refusal.Need(w.SetParams(p))
	w.Reset()
	return w, &handedScene{world: w, rate: c.physicsHz, origin: w.StartPose().Position}
}

// The hand's way: down from above, hold, drag, hold, up.
const (
	matrixHeight = 0.01 // m above first contact
	matrixDepth  = 0.02 // m below it, where the hand tries to get
	matrixDrag   = 0.01 // m
	matrixDevice = "desktop"
	matrixGrip   = "grip"
	matrixRate   = 1000.0 // of the servo, Hz
)

func pressAndDrag(grip virtual.Hand) (h virtual.Hand, settle [2]float64, seconds float64) {
	h = grip
	h.Path = []virtual.Point{
		{Time: 0.4, Position: mgl64.Vec3{0, matrixHeight, 0}},
		{Time: 1.0, Position: mgl64.Vec3{0, -matrixDepth, 0}},
		{Time: 2.0, Position: mgl64.Vec3{0, -matrixDepth, 0}},
		{Time: 2.5, Position: mgl64.Vec3{matrixDrag, -matrixDepth, 0}},
		{Time: 2.9, Position: mgl64.Vec3{matrixDrag, -matrixDepth, 0}},
		{Time: 3.3, Position: mgl64.Vec3{matrixDrag, matrixHeight, 0}},
	}
	return h, [2]float64{1.2, 2.0}, 3.4
}

// servoParams are what the servo starts with on the matrix's device, with a short ramp and without the long-term limit,
// whose giving way would look like motion.
func servoParams(c haptics.Coupling) haptics.Params {
	p := haptics.DefaultParams(virtual.Devices[matrixDevice], matrixRate)
	p.Coupling, p.Passivity = c, c == haptics.Virtual
	p.Ramp, p.Continuous = 200*time.Millisecond, 0
	return p
}

// play does one experiment.
func (b workbench) play(ctx context.Context, c *MatrixCell) (StabilityRow, error) {
	row := StabilityRow{
		Materials: c.pair.name, Mu: c.mu, EpsGS: c.epsGS, EpsNR: c.epsNR,
		Contacts: c.contacts, PhysicsHz: c.physicsHz, Coupling: c.coupling.String(), Hand: c.hand,
	}
	return refusal.Caught(func() StabilityRow {
		_, world := b.prepare(ctx, c)
		hand, settle, seconds := pressAndDrag(virtual.Hands[c.hand])
		row.Outcome = feel(world, c.physicsHz, servoParams(c.coupling), hand, settle, seconds)
		row.StepMS = output.Rank(world.millis, 0.5)
		return row
	})
}

// feel lets a hand feel a world through the servo's kernel.
func feel(world bench.Physics, hz float64, p haptics.Params, h virtual.Hand, settle [2]float64,
	seconds float64) bench.Outcome {
	kernel := servo.NewKernel(matrixRate, 0)
	defer kernel.Close()
	return refusal.Must(bench.Run(bench.Case{
		Rate: matrixRate, PhysicsHz: hz, Seconds: seconds, Settle: settle,
		Device: virtual.Config{
			Limits: virtual.Devices[matrixDevice], Hand: h, Start: frame.At(mgl64.Vec3{0, matrixHeight, 0}), Seed: 1,
		},
		Params: p,
	}, kernel, world))
}

// eachCell plays n experiments on all cores, each core with worlds of its own.
func eachCell(ctx context.Context, n int, play func(ctx context.Context, b workbench, i int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	app.Share(ctx, runtime.GOMAXPROCS(0), n, func() func(int) {
		b := workbench{}
		return func(i int) {
			if _, err := refusal.Caught(func() (none struct{}) { play(ctx, b, i); return none }); err != nil {
				cancel(err)
			}
		}
	})
	return context.Cause(ctx)
}

// playMatrix does all experiments; done is called once for each, from any goroutine, one at a time.
func playMatrix(ctx context.Context, cells []MatrixCell, done func(finished int)) ([]StabilityRow, error) {
	rows := make([]StabilityRow, len(cells))
	var mu sync.Mutex
	finished := 0
	err := eachCell(ctx, len(cells), func(ctx context.Context, b workbench, i int) {
		rows[i] = refusal.Must(b.play(ctx, &cells[i]))
		rows[i].Force, rows[i].Speed = nil, nil
		mu.Lock()
		defer mu.Unlock()
		finished++
		done(finished)
	})
	return rows, err
}

// Any scene under the simulated hands, in the place of the thesis's matrix.

// sceneHands hold the device: the heavier the hand, the less a jump of the force moves it.
var sceneHands = []string{"pinch", "grip", "firm"}

// sceneCell is one experiment.
type sceneCell struct {
	scene     string
	friction  float64 // of the keys that say so; 0: the scene's own
	physicsHz float64
	coupling  haptics.Coupling
	hand      string
}

// sceneCells lists the experiments; quick ones are fewer.
func sceneCells(scenes []string, quick bool) (cells []sceneCell) {
	hands, rates, friction := sceneHands, matrixRates, matrixFriction
	if quick {
		hands, rates, friction = hands[1:2], []float64{100}, friction[:1]
	}
	for _, s := range scenes {
		for _, hand := range hands {
			for _, mu := range friction {
				for _, hz := range rates {
					for _, c := range []haptics.Coupling{haptics.Direct, haptics.Virtual} {
						cells = append(cells, sceneCell{s, mu, hz, c, hand})
					}
				}
			}
		}
	}
	return cells
}

// handedScene is a world under a hand whose zero is at the first contact straight below where the scene puts the
// stylus.
type handedScene struct {
	world  physics.World
	owed   physics.Owed
	origin mgl64.Vec3
	rate   float64
	spring physics.Coupling
	millis []float64 // of the steps
	depth  []float64 // of the stylus below first contact at each, m
	most   int       // contacts felt
}

// Step brings the stylus to its pose, as far as a step of the world does, or lets it hang on the hand.
func (h *handedScene) Step(stylus, hand frame.Pose, m *local.Model) {
	turned := h.world.Info().Start.Rotation
	h.depth = append(h.depth, -stylus.Position.Y())
	for _, p := range []*frame.Pose{&stylus, &hand} {
		p.Position, p.Rotation = p.Position.Add(h.origin), p.Rotation.Mul(turned)
	}
	begin := time.Now()
	h.owed.Step(h.world, physics.Input{Target: stylus, Hand: hand, Coupling: h.spring, Dt: 1 / h.rate})
	h.millis = append(h.millis, app.Milliseconds(time.Since(begin)))
	h.world.Local(m)
	m.Origin, m.Rotation = m.Origin.Sub(h.origin), m.Rotation.Mul(turned.Conjugate())
	h.most = max(h.most, m.N)
}

// find lets the stylus down to the first contact, then puts the world back.
func (h *handedScene) find() error {
	start := h.world.Info().Start
	const fall, step = 0.2, 2.5e-4 // m
	for way := 0.0; way < fall; way += step {
		at := start
		at.Position[1] -= way
		force := mgl64.Vec3{}
		for reached, n := false, 0; !reached && n < 100; n++ {
			r := h.owed.Step(h.world, physics.Input{Target: at, Hand: at, Dt: 1 / h.rate})
			reached, force = r.Reached, r.Force
		}
		if force.Len() > 0 {
			h.origin = at.Position
			h.world.Reset()
			return nil
		}
	}
	return errors.New("the stylus meets nothing straight below its start")
}

// tangentSeconds is about how long a second thread takes for a tangent of the slowest embedded scene, liver-stomach.
const tangentSeconds = 20e-3

// playScene does one experiment. Ends of steps by the clock are taken away, and what a second thread computes is as old
// as it would be in real time, so that what is found does not depend on how busy the machine is.
func playScene(ctx context.Context, c *sceneCell) (StabilityRow, error) {
	return refusal.Caught(func() StabilityRow { return c.play(ctx) })
}

func (c *sceneCell) play(ctx context.Context) StabilityRow {
	row := StabilityRow{
		Materials: c.scene, Mu: c.friction, PhysicsHz: c.physicsHz, Coupling: c.coupling.String(), Hand: c.hand,
	}
	flags := app.SceneFlags{Scene: c.scene}
	w, _, err := physics.OpenScene(ctx, refusal.Must(flags.Load()), physics.Options{})
	refusal.Need(err)
	defer func() { refusal.Need(w.Close()) }()
	for _, k := range w.Keys() {
		switch {
		case k.Clock:
			refusal.Need(k.Set(0))
		case k.Name == "friction":
			refusal.Need(k.Set(c.friction))
		case k.Name == "equilibrium.lag":
			refusal.Need(k.Set(math.Ceil(tangentSeconds * c.physicsHz)))
		}
	}
	w.Reset()
	world := &handedScene{world: w, rate: c.physicsHz}
	if err := world.find(); err != nil {
		refusal.Need(app.BadInput(fmt.Errorf("bench haptics: --scene %s: %w (cure: a scene with something below the stylus)", c.scene, err)))
	}
	hand, settle, seconds := pressAndDrag(virtual.Hands[c.hand])
	params := servoParams(c.coupling)
	if c.coupling == haptics.Virtual {
		params.Turn(w.Info().Lever)
		world.spring = app.CouplingOf(&haptics.Sample{Stiffness: params.Stiffness, AngleStiffness: params.AngleStiffness, MaxForce: params.MaxForce})
	}
	row.Outcome = feel(world, c.physicsHz, params, hand, settle, seconds)
	row.Contacts, row.Force, row.Speed = world.most, nil, nil
	row.StepMS = output.Rank(world.millis, 0.5)
	return row
}

// playScenes does all experiments.
func playScenes(ctx context.Context, cells []sceneCell) []StabilityRow {
	rows := make([]StabilityRow, len(cells))
	refusal.Need(eachCell(ctx, len(cells), func(ctx context.Context, _ workbench, i int) {
		rows[i] = refusal.Must(playScene(ctx, &cells[i]))
	}))
	return rows
}

// stabilitySummary is the table of what the simulated hands felt.
func (r *Report) stabilitySummary(out io.Writer) {
	t := app.Table(out)
	defer t.Flush()
	var names []string
	for i := range r.Stability {
		if name := r.Stability[i].Materials; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	fmt.Fprintln(t, strings.Join([]string{"\nstability", "coupling", "stable", "of", "energy at most, mJ", "jitter at most, N", "bounces", "peak, N", "N/s", ""}, "\t"))
	for _, name := range names {
		for _, c := range []haptics.Coupling{haptics.Direct, haptics.Virtual} {
			s := r.tally(func(row *StabilityRow) bool { return row.Materials == name && row.Coupling == c.String() })
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.3g\t%.3g\t%d\t%.3g\t%.0f\t\n", name, c, s.stable, s.cells, 1e3*s.energy, s.jitter, s.bounces, s.peak, s.steepest)
		}
	}
}

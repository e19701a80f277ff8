package haptics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

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

// handedScene is a scene under a hand whose zero is at the first contact straight below where the scene puts the
// stylus.
type handedScene struct {
	world  physics.World
	owed   physics.Owed
	origin mgl64.Vec3
	rate   float64
	spring physics.Coupling
	millis []float64 // of the steps
	most   int       // contacts felt
}

// Step brings the stylus to its pose, as far as a step of the world does, or lets it hang on the hand.
func (h *handedScene) Step(stylus, hand frame.Pose, m *local.Model) {
	turned := h.world.Info().Start.Rotation
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

// tangentSeconds is how long a second thread takes for a tangent of liver-stomach, the slowest embedded scene: 22 ms;
// of liver 15, of organs 2.5. Where a tangent came when the machine had done it, while the cells ran as fast as they
// could side by side, organs put out 0.8 to 1.24 mJ with virtual coupling, another number in each run.
const tangentSeconds = 20e-3

// playScene does one experiment. Ends of steps by the clock are taken away, and what a second thread computes is as old
// as it would be in real time, so that what is found does not depend on how busy the machine is.
func playScene(ctx context.Context, c *sceneCell) (row StabilityRow, err error) {
	row = StabilityRow{Materials: c.scene, Mu: c.friction, PhysicsHz: c.physicsHz, Coupling: c.coupling.String(), Hand: c.hand}
	flags := app.SceneFlags{Scene: c.scene}
	s, err := flags.Load()
	if err != nil {
		return row, err
	}
	w, _, err := physics.OpenScene(ctx, s, physics.Options{})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, k := range w.Keys() {
		switch {
		case k.Clock:
			err = errors.Join(err, k.Set(0))
		case k.Name == "friction":
			err = errors.Join(err, k.Set(c.friction))
		case k.Name == "equilibrium.lag":
			err = errors.Join(err, k.Set(math.Ceil(tangentSeconds*c.physicsHz)))
		}
	}
	if err != nil {
		return row, err
	}
	w.Reset()
	world := &handedScene{world: w, rate: c.physicsHz}
	if err := world.find(); err != nil {
		return row, app.BadInput(fmt.Errorf("bench haptics: --scene %s: %w (cure: a scene with something below the stylus)", c.scene, err))
	}
	hand, settle, seconds := pressAndDrag(virtual.Hands[c.hand])
	limits := virtual.Devices[matrixDevice]
	kernel := servo.NewKernel(matrixRate, 0)
	defer kernel.Close()
	params := servoParams(limits, c.coupling)
	if c.coupling == haptics.Virtual {
		params.Turn(w.Info().Lever)
		world.spring = app.CouplingOf(&haptics.Sample{Stiffness: params.Stiffness, AngleStiffness: params.AngleStiffness, MaxForce: params.MaxForce})
	}
	row.Outcome, err = bench.Run(bench.Case{
		Rate: matrixRate, PhysicsHz: c.physicsHz, Seconds: seconds, Settle: settle,
		Device: virtual.Config{Limits: limits, Hand: hand, Start: frame.At(mgl64.Vec3{0, matrixHeight, 0}), Seed: 1},
		Params: params,
	}, kernel, world)
	row.Contacts, row.Force, row.Speed = world.most, nil, nil
	row.StepMS = output.Rank(world.millis, 0.5)
	return row, err
}

// runScenes measures the scenes in the place of the thesis's experiments.
func (c *Command) runScenes(ctx context.Context) error {
	report := Report{Machine: app.Machine(), Quick: c.Quick}
	cells := sceneCells(c.Scene, c.Quick)
	report.Stability = make([]StabilityRow, len(cells))
	err := eachCell(ctx, len(cells), func(ctx context.Context, _ workbench, i int) (err error) {
		report.Stability[i], err = playScene(ctx, &cells[i])
		return err
	}, func(int) {})
	if err != nil {
		return err
	}
	if report.Timing, err = measureTiming(ctx, c.Seconds, c.Scene[0]); err != nil {
		return err
	}
	report.Judge()
	return c.write(&report)
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
			var s tally
			for i := range r.Stability {
				if row := &r.Stability[i]; row.Materials == name && row.Coupling == c.String() {
					s.add(row)
				}
			}
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.3g\t%.3g\t%d\t%.3g\t%.0f\t\n", name, c, s.stable, s.cells, 1e3*s.energy, s.jitter, s.bounces, s.peak, s.steepest)
		}
	}
}

package bodies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/haptics"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/worlds/finitestrain"
	"hapco/physics/worlds/tissue"
)

// hostileFlags ask for gestures of a hand that means harm.
type hostileFlags struct {
	Hostile  int           `help:"Play so many hostile scripts in each scene, and gestures in tissue: docs/testing.md." placeholder:"N" in:"0..1000000"`
	Seed     uint64        `help:"Seed of the gestures of --hostile." default:"1" in:"0..18446744073709551615"`
	Gesture  int           `help:"Only this script and gesture of --hostile, from 0; -1: all." default:"-1" in:"-1..1000000"`
	Tries    int           `help:"Trials to make a failing gesture shorter." default:"40" in:"0..1000000"`
	Deadline time.Duration `help:"Of a hostile step; 0: the window's in kind tissue, else none; below 0: none." in:"-10000h..10000h"`
	Mesh     []string      `help:"A volume mesh for --hostile instead of the scenes; repeatable." type:"path" placeholder:"FILE"`
	app.UnitFlag
}

// HostileScene is what was found in one scene.
type HostileScene struct {
	Scene    string          `json:"scene"`
	Seed     uint64          `json:"seed"`
	Gestures int             `json:"gestures"`
	Failed   int             `json:"failed"`
	Causes   map[string]int  `json:"causes"` // gestures by what they broke
	Late     int             `json:"late"`   // steps that their deadline ended
	Steps    int             `json:"steps"`
	Turned   float64         `json:"turned_share"`        // of the steps: with tissue turned over
	Crossed  probing.Crossed `json:"crossed_steps"`       // steps with surfaces that go through each other
	Pull     float64         `json:"pull_N_max"`          // while clear of the shape at rest
	Jump     float64         `json:"jump_N_max"`          // change of the force from one increment to the next
	Hand     float64         `json:"hand_N_max"`          // sent to the hand by a simulated device
	HandJump float64         `json:"hand_jump_N_max"`     // change of it in a millisecond
	RawJump  float64         `json:"hand_raw_jump_N_max"` // the same before its limits
	Slewed   float64         `json:"hand_slewed_share"`   // of the milliseconds: the slew limit held the force back
	P99      float64         `json:"ms_p99"`
	Max      float64         `json:"ms_max"`
	CPUP99   float64         `json:"cpu_ms_p99"`
	CPUMax   float64         `json:"cpu_ms_max"`
	Failures []failure       `json:"failures"`
}

// InTime tells whether steps are as short as a hand wants them. What counts is their processor time: what other
// programs take is not theirs.
func (s *HostileScene) InTime() bool {
	return s.CPUP99 <= probing.StepP99MS && s.CPUMax <= probing.StepMaxMS
}

// failure is a gesture or a script that broke a law, and the short one that does.
type failure struct {
	Number   int      `json:"number"`
	What     string   `json:"what"`
	Breaches []string `json:"breaches"`
	Short    string   `json:"short"`
	ShortSay string   `json:"short_breach"`
	Again    string   `json:"again"` // the command that plays it again
}

// fails keeps what broke the law that is broken first, and what a shorter one, found in its place, says of that.
func fails(n int, what fmt.Stringer, v *probing.Verdict, short fmt.Stringer, found *probing.Verdict) *failure {
	f := &failure{Number: n, What: what.String(), Short: short.String()}
	say := func(b probing.Breach) string { return b.Cause.String() + ": " + b.Text }
	for _, b := range v.Breaches {
		f.Breaches = append(f.Breaches, say(b))
	}
	for _, b := range cmp.Or(found, v).Breaches {
		if b.Cause == v.Breaches[0].Cause {
			f.ShortSay = say(b)
		}
	}
	return f
}

// print tells of it; kind is what it is one of.
func (f *failure) print(scene, kind string) {
	fmt.Fprintf(app.Stdout, "%s, %s %d: %s\n", scene, kind, f.Number, f.What)
	for _, b := range f.Breaches {
		fmt.Fprintln(app.Stdout, "    "+b)
	}
	fmt.Fprintf(app.Stdout, "  short: %s\n    %s\n    %s\n", f.Short, f.ShortSay, f.Again)
}

// counted are causes and how many each broke.
func counted(causes map[string]int) string {
	var all []string
	for _, c := range probing.Causes() {
		if k := causes[c.String()]; k > 0 {
			all = append(all, c.String()+" "+strconv.Itoa(k))
		}
	}
	return strings.Join(all, ", ")
}

type HostileReport struct {
	Machine string         `json:"machine"`
	Command string         `json:"command"`
	Scenes  []HostileScene `json:"scenes"` // gestures, of scenes with tissue
	Played  []PlayedScene  `json:"played"` // scripts, of all scenes
}

// Arenas are the scenes that hostile gestures are made in, and the words that name each on a command line.
func (c *Command) Arenas() (flags []app.SceneFlags, words []string, err error) {
	if len(c.Mesh) > 0 {
		if len(c.Scene) > 0 {
			return nil, nil, errors.New("bench bodies: --scene and --mesh together (cure: choose one)")
		}
		for _, m := range c.Mesh {
			if err := c.Check(); err != nil {
				return nil, nil, err
			}
			loaded, err := mesh.Load(m)
			if err != nil {
				return nil, nil, err
			}
			unit, _, err := c.UnitOfMesh(loaded)
			if err != nil {
				return nil, nil, err
			}
			flags = append(flags, app.SceneFlags{Scene: "liver-linear", Mesh: m, UnitFlag: app.UnitFlag{LengthUnit: unit}})
			words = append(words, fmt.Sprintf("liver-linear --mesh %s --length-unit %s", m, unit))
		}
		return flags, words, nil
	}
	names := c.Scene
	if len(names) == 0 {
		names = assets.Scenes()
	}
	for _, n := range names {
		flags = append(flags, app.SceneFlags{Scene: n})
		words = append(words, n)
	}
	return flags, words, nil
}

// runHostile makes the gestures, writes what fails and tabulates. It fails where a law was broken.
func (c *Command) runHostile(ctx context.Context) {
	if c.Hostile == 0 {
		c.Hostile = 20
	}
	if c.Gesture >= c.Hostile {
		refusal.Need(app.BadInput(fmt.Errorf("bench bodies: --hostile %d --gesture %d (cure: the gesture below that)", c.Hostile, c.Gesture)))
	}
	flags, words, err := c.Arenas()
	refusal.Need(app.BadInput(err))
	r := &HostileReport{Machine: app.Machine(), Command: fmt.Sprintf("hapco bench bodies --hostile %d --seed %d", c.Hostile, c.Seed)}
	if c.Deadline != 0 {
		r.Command += fmt.Sprintf(" --deadline %v", c.Deadline)
	}
	fmt.Fprintln(app.Stdout, r.Command)
	for i := range flags {
		s := refusal.Must(flags[i].Load())
		r.Played = append(r.Played, *c.play(ctx, flags[i].Load, words[i]))
		switch t := s.(type) { // gestures have laws of their own in tissue alone
		case *tissue.SceneFile:
			if err := probing.Bears(&t.Scene); err != nil {
				fmt.Fprintln(os.Stderr, "hapco: scripts alone, no gestures:", err)
				continue
			}
		case *finitestrain.SceneFile:
		default:
			continue
		}
		r.Scenes = append(r.Scenes, *c.attack(ctx, s, words[i]))
	}
	c.WriteJSON("hostile", r)
	refusal.Need(r.Summary())
}

// arenaOf is a scene to make gestures in.
func arenaOf(ctx context.Context, s physics.Scene) (*probing.Arena, error) {
	switch s := s.(type) {
	case *tissue.SceneFile:
		return probing.NewArena(ctx, &s.Scene, tissue.Builder{})
	case *finitestrain.SceneFile:
		return probing.NewArenaOf(ctx, s)
	}
	return nil, fmt.Errorf("scene %s is of kind %s (cure: a scene of kind tissue or finite-strain)", s.Common().Name, s.Common().Kind)
}

// deadlineIn is that of the steps in a scene; 0: none.
func (c *Command) deadlineIn(s physics.Scene) time.Duration {
	if t, ok := s.(*tissue.SceneFile); ok && c.Deadline == 0 {
		if t.Contact.Deadline > 0 {
			return 0 // its own
		}
		return time.Duration(tissue.LiveDeadline * float64(time.Second))
	}
	return max(0, c.Deadline)
}

// short is the name of a scene without folder and ending.
func short(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// attack makes the gestures in one scene.
func (c *Command) attack(ctx context.Context, s physics.Scene, words string) *HostileScene {
	name := short(s.Common().Name)
	fmt.Fprintf(os.Stderr, "hapco: %s, %d gestures, seed %d\n", name, c.Hostile, c.Seed)
	arena, err := arenaOf(ctx, s)
	refusal.Need(app.BadInput(err))
	defer arena.Close()
	out := &HostileScene{Scene: name, Seed: c.Seed}
	felt := newDevice()
	defer felt.Close()
	o := probing.JudgeOptions{Clock: cputime.Thread, TimeLimit: time.Minute, Deadline: c.deadlineIn(s), Device: felt}
	turned := 0
	all := c.each(func(n int) (*probing.Verdict, shorten) {
		g := arena.Gesture(c.Seed, uint64(n))
		v := refusal.Must(arena.Judge(ctx, &g, o))
		turned += v.Frames
		out.Crossed.Add(v.Crossed)
		out.Late += v.Late
		out.Pull, out.Jump, out.RawJump = max(out.Pull, v.Pull), max(out.Jump, v.Jump), max(out.RawJump, v.Hand.RawJump)
		return v, func() *failure { return refusal.Must(c.Fail(ctx, arena, n, g, v, o.Deadline, name, words)) }
	})
	out.Gestures, out.Failed, out.Steps = all.made, len(all.failures), len(all.wall)
	out.Causes, out.Failures = all.causes, all.failures
	out.Turned, out.Slewed = float64(turned)/float64(max(1, out.Steps)), all.slewed()
	out.Hand, out.HandJump = all.hand, all.jump
	out.P99, out.Max, out.CPUP99, out.CPUMax = all.times()
	return out
}

// tally is what all gestures or scripts of a scene come to.
type tally struct {
	made, held, ticks int       // ticks of the hand, and those whose force the slew limit held back
	wall, cpu         []float64 // of the steps, ms
	hand, jump        float64   // sent to the hand, and its largest change, N
	causes            map[string]int
	failures          []failure
}

// shorten finds a shorter gesture or script that fails as one did.
type shorten func() *failure

// each makes the gestures or scripts that are asked for. try makes one.
func (c *Command) each(try func(n int) (*probing.Verdict, shorten)) *tally {
	t := &tally{causes: map[string]int{}, failures: []failure{}}
	for n := range c.Hostile {
		if c.Gesture >= 0 && n != c.Gesture {
			continue
		}
		v, shorten := try(n)
		t.made++
		t.wall, t.cpu = append(t.wall, v.StepMS...), append(t.cpu, v.CPUMS...)
		t.held, t.ticks = t.held+v.Hand.Slewed, t.ticks+v.Hand.Ticks
		t.hand, t.jump = max(t.hand, v.Hand.Force), max(t.jump, v.Hand.Jump)
		if len(v.Breaches) == 0 {
			continue
		}
		for _, b := range v.Breaches {
			t.causes[b.Cause.String()]++
		}
		t.failures = append(t.failures, *shorten())
	}
	return t
}

// slewed is the share of the milliseconds in which the slew limit held the force back.
func (t *tally) slewed() float64 { return float64(t.held) / float64(max(1, t.ticks)) }

// times of the steps, ms: the 99th percentile and the most, then the same in processor time.
func (t *tally) times() (p99, most, cpuP99, cpuMost float64) {
	return output.Rank(t.wall, 0.99), output.Rank(t.wall, 1), output.Rank(t.cpu, 0.99), output.Rank(t.cpu, 1)
}

// Fail shortens a gesture that broke a law, and tells how to play it again.
func (c *Command) Fail(ctx context.Context, arena *probing.Arena, n int, g probing.Gesture, v *probing.Verdict, deadline time.Duration, name, words string) (*failure, error) {
	felt := newDevice()
	defer felt.Close()
	o := probing.JudgeOptions{Clock: cputime.Thread, TimeLimit: 10 * time.Second, Deadline: deadline, Device: felt}
	short, found, err := arena.Shrink(ctx, g, v.Breaches[0].Cause, c.Tries, o)
	if err != nil {
		return nil, err
	}
	f := fails(n, &g, v, &short, found)
	f.Again = c.again(n, words)
	f.print(name, "gesture")
	return f, nil
}

// Summary prints the table and fails where a law was broken. Times do not fail.
func (r *HostileReport) Summary() error {
	broken := tabulatePlayed(r.Played)
	if len(r.Scenes) > 0 {
		broken = append(broken, r.gestures()...)
	}
	if len(broken) > 0 {
		return fmt.Errorf("bench bodies: %s", strings.Join(broken, "; "))
	}
	fmt.Fprintln(app.Stdout, "every law held")
	return nil
}

// gestures prints the table of those made in tissue, and tells what was broken.
func (r *HostileReport) gestures() (broken []string) {
	t := app.Table(app.Stdout)
	fmt.Fprintln(t, "scene\tgestures\tfailed\tsteps\tturned over\tcrossed: self, bodies, tool\tpull N\tjump N\thand N\thand's jump N\traw N\tslewed\tms p99\tmost\tCPU ms p99\tmost\tlate\tcauses\t")
	for _, s := range r.Scenes {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.2f %%\t%d, %d, %d\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%.2f %%\t%.2f\t%.1f\t%.2f\t%.1f\t%d\t%s\t\n", s.Scene, s.Gestures, s.Failed, s.Steps, 100*s.Turned,
			s.Crossed.Self, s.Crossed.Bodies, s.Crossed.Tool, s.Pull, s.Jump,
			s.Hand, s.HandJump, s.RawJump, 100*s.Slewed,
			s.P99, s.Max, s.CPUP99, s.CPUMax, s.Late, counted(s.Causes))
		if s.Failed > 0 {
			broken = append(broken, fmt.Sprintf("%s: %d of %d gestures failed", s.Scene, s.Failed, s.Gestures))
		}
		if s.Turned > probing.TurnedShare {
			broken = append(broken, fmt.Sprintf("%s: tissue turned over in %.2f %% of the steps, more than %.2g", s.Scene, 100*s.Turned, 100*probing.TurnedShare))
		}
		if !s.InTime() {
			fmt.Fprintf(os.Stderr, "hapco: %s: steps of %.2f ms (p99) and %.1f ms (most) of processor time, more than %d and %d\n", s.Scene, s.CPUP99, s.CPUMax, probing.StepP99MS, probing.StepMaxMS)
		}
	}
	t.Flush()
	return broken
}

// deviceName is the simulated device by which hostile gestures are felt.
const deviceName = "desktop"

// device is the servo's own kernel, with its coupling and its whole safety chain, in simulated time.
type device struct {
	kernel *servo.Kernel
	params haptics.Params
	rec    haptics.Record
	time   int64 // ns
	last   float64
	model  *local.Model // the newest there was
	clear  local.Model  // of the start
}

const (
	deviceRate = 1000 // Hz
	fallsBy    = 3    // as fast as it rises a force may fall
)

func newDevice() *device {
	d := &device{kernel: servo.NewKernel(deviceRate, 0), params: haptics.DefaultParams(virtual.Devices[deviceName], deviceRate)}
	d.params.Budget = 0 // time is simulated
	local.Make(&d.clear, 0)
	return d
}

// feltDevice is one for probing.PlayOptions.
func feltDevice() probing.Device { return newDevice() }

// Begin starts a kernel anew: what the last gesture has left in it is forgotten.
func (d *device) Begin(at frame.Pose) {
	d.kernel.Close()
	d.kernel = servo.NewKernel(deviceRate, 0)
	d.time, d.last = 0, 0
	d.clear.Origin, d.clear.Rotation, d.clear.Period = at.Position, at.Rotation, time.Millisecond
	for range int(1.2 * d.params.Ramp.Seconds() * deviceRate) {
		d.Tick(at, &d.clear)
	}
}

// Couple turns the stylus by the coupling's spring, too.
func (d *device) Couple(lever float64) physics.Coupling {
	d.params.Turn(lever)
	return app.CouplingOf(&haptics.Sample{Stiffness: d.params.Stiffness, AngleStiffness: d.params.AngleStiffness, MaxForce: d.params.MaxForce})
}

// Tick is one of the kernel's.
func (d *device) Tick(at frame.Pose, m *local.Model) (f probing.Felt) {
	d.time += 1e9 / deviceRate
	in := haptics.Input{State: haptics.State{Pose: at}, Time: d.time}
	fresh := m != nil
	if fresh {
		d.model = m
	}
	d.kernel.Tick(&in, d.model, fresh, &d.params, &d.rec)
	f.Force, f.Raw, f.Slewed = d.rec.Force, d.rec.Raw, d.rec.Flags&haptics.Slewed != 0
	f.Torque, f.Limit, f.Stylus = mgl64.Vec3(d.rec.Torque), d.params.MaxForce, d.kernel.Tool(at)
	f.Most = d.params.Slew / deviceRate
	now := f.Force.Len()
	if now <= d.last {
		f.Most *= fallsBy
	}
	d.last = now
	if bad := d.rec.Flags & (haptics.BadInput | haptics.BadForce | haptics.BadModel | haptics.Released | haptics.DeviceLost); bad != 0 {
		f.Dropped = bad.String()
	}
	return f
}

// Close frees the kernel.
func (d *device) Close() { d.kernel.Close() }

// PlayedScene is what was found in one scene, of any kind, by scripts.
type PlayedScene struct {
	Scene    string         `json:"scene"`
	Seed     uint64         `json:"seed"`
	Scripts  int            `json:"scripts"`
	Failed   int            `json:"failed"`
	Causes   map[string]int `json:"causes"` // scripts by what they broke
	Ticks    int            `json:"ticks"`
	Steps    int            `json:"steps"`
	Force    float64        `json:"force_N_max"`       // of the world on the tool
	Hand     float64        `json:"hand_N_max"`        // sent to the hand by a simulated device
	HandJump float64        `json:"hand_jump_N_max"`   // change of it in a millisecond
	Slewed   float64        `json:"hand_slewed_share"` // of the milliseconds: the slew limit held the force back
	Deepest  float64        `json:"deepest_share"`     // that rigid bodies were in each other, of the smaller one's reach
	P99      float64        `json:"ms_p99"`            // of steps
	Max      float64        `json:"ms_max"`            //
	CPUP99   float64        `json:"cpu_ms_p99"`        // the same in processor time
	CPUMax   float64        `json:"cpu_ms_max"`        //
	Failures []failure      `json:"failures"`
}

// play plays the scripts in one scene.
func (c *Command) play(ctx context.Context, load func() (physics.Scene, error), words string) *PlayedScene {
	stage := refusal.Must(probing.NewStage(ctx, load))
	defer stage.Close()
	name := short(stage.Name())
	fmt.Fprintf(os.Stderr, "hapco: %s, %d scripts, seed %d\n", name, c.Hostile, c.Seed)
	out := &PlayedScene{Scene: name, Seed: c.Seed}
	o := probing.PlayOptions{Device: feltDevice, Clock: cputime.Thread, Steps: stage.Patience()}
	all := c.each(func(n int) (*probing.Verdict, shorten) {
		script := stage.Script(c.Seed, uint64(n))
		v, err := stage.Play(ctx, &script, o)
		refusal.NeedAt(err, "bench bodies: %s, script %d of seed %d", name, n, c.Seed)
		out.Ticks += v.Rows
		out.Force, out.Deepest = max(out.Force, v.Force), max(out.Deepest, v.Deepest)
		return v, func() *failure {
			short, found, err := stage.Shorten(ctx, script, v.Breaches[0].Cause, c.Tries, o)
			refusal.Need(err)
			f := fails(n, &script, v, &short, found)
			f.Again = c.again(n, words)
			f.print(name, "script")
			return f
		}
	})
	out.Scripts, out.Failed, out.Steps = all.made, len(all.failures), len(all.wall)
	out.Causes, out.Failures = all.causes, all.failures
	out.Hand, out.HandJump, out.Slewed = all.hand, all.jump, all.slewed()
	out.P99, out.Max, out.CPUP99, out.CPUMax = all.times()
	return out
}

// again is the command that plays script n and gesture n once more, on the same spring, and makes them as short; words are
// the scene's.
func (c *Command) again(n int, words string) string {
	where := "--scene " + words
	if len(c.Mesh) > 0 {
		_, where, _ = strings.Cut(words, " ")
	}
	if c.Deadline != 0 {
		where += fmt.Sprintf(" --deadline %v", c.Deadline)
	}
	return fmt.Sprintf("hapco bench bodies --hostile %d --seed %d --gesture %d --tries %d %s", n+1, c.Seed, n, c.Tries, where)
}

// tabulatePlayed prints a table and tells what was broken.
func tabulatePlayed(scenes []PlayedScene) (broken []string) {
	t := app.Table(app.Stdout)
	fmt.Fprintln(t, "scene\tscripts\tfailed\tticks\tsteps\tforce N\thand N\thand's jump N\tslewed\tdeepest\tms p99\tmost\tCPU ms p99\tmost\tcauses\t")
	for _, s := range scenes {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%.3g\t%.3g\t%.3g\t%.2f %%\t%.2g\t%.2f\t%.1f\t%.2f\t%.1f\t%s\t\n", s.Scene, s.Scripts, s.Failed, s.Ticks, s.Steps, s.Force, s.Hand, s.HandJump,
			100*s.Slewed, s.Deepest, s.P99, s.Max, s.CPUP99, s.CPUMax, counted(s.Causes))
		if s.Failed > 0 {
			broken = append(broken, fmt.Sprintf("%s: %d of %d scripts failed", s.Scene, s.Failed, s.Scripts))
		}
	}
	t.Flush()
	return broken
}

package bodies

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/machinery/cputime"
	"hapco/physics/measure/bench/probing"
)

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
func (c *Command) play(ctx context.Context, load func() (physics.Scene, error), words string) (*PlayedScene, error) {
	stage, err := probing.NewStage(ctx, load)
	if err != nil {
		return nil, err
	}
	defer stage.Close()
	file := stage.Name()
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	fmt.Fprintf(os.Stderr, "hapco: %s, %d scripts, seed %d\n", name, c.Hostile, c.Seed)
	out := &PlayedScene{Scene: name, Seed: c.Seed}
	o := probing.PlayOptions{Device: feltDevice, Clock: cputime.Thread, Steps: stage.Patience()}
	all, err := c.each(func(n int) (*probing.Verdict, func(v *probing.Verdict) (*failure, error), error) {
		script := stage.Script(c.Seed, uint64(n))
		v, err := stage.Play(ctx, &script, o)
		if err != nil {
			return nil, nil, fmt.Errorf("bench bodies: %s, script %d of seed %d: %w", name, n, c.Seed, err)
		}
		out.Ticks += v.Rows
		out.Force, out.Deepest = max(out.Force, v.Force), max(out.Deepest, v.Deepest)
		return v, func(v *probing.Verdict) (*failure, error) {
			short, found, err := stage.Shorten(ctx, script, v.Breaches[0].Cause, c.Tries, o)
			if err != nil {
				return nil, err
			}
			f := fails(n, &script, v, &short, found)
			f.Again = fmt.Sprintf("hapco bench bodies --hostile %d --seed %d --gesture %d %s", n+1, c.Seed, n, c.again(words))
			f.print(name, "script")
			return f, nil
		}, nil
	})
	if err != nil {
		return nil, err
	}
	out.Scripts, out.Failed, out.Steps, out.Causes, out.Failures = all.made, len(all.failures), len(all.wall), all.causes, all.failures
	out.Hand, out.HandJump, out.Slewed = all.hand, all.jump, all.slewed()
	out.P99, out.Max, out.CPUP99, out.CPUMax = all.times()
	return out, nil
}

// again is the scene as the flags of this command say it; words are those of a trace.
func (c *Command) again(words string) string {
	if len(c.Mesh) > 0 {
		_, mesh, _ := strings.Cut(words, " ")
		return mesh
	}
	return "--scene " + words
}

// tabulatePlayed prints a table and tells what was broken.
func tabulatePlayed(scenes []PlayedScene) (broken []string) {
	t := app.Table(app.Stdout)
	fmt.Fprintln(t, "scene\tscripts\tfailed\tticks\tsteps\tforce N\thand N\thand's jump N\tslewed\tdeepest\tms p99\tmost\tCPU ms p99\tmost\tcauses\t")
	for i := range scenes {
		s := &scenes[i]
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%.3g\t%.3g\t%.3g\t%.2f %%\t%.2g\t%.2f\t%.1f\t%.2f\t%.1f\t%s\t\n", s.Scene, s.Scripts, s.Failed, s.Ticks, s.Steps, s.Force, s.Hand, s.HandJump,
			100*s.Slewed, s.Deepest, s.P99, s.Max, s.CPUP99, s.CPUMax, counted(s.Causes))
		if s.Failed > 0 {
			broken = append(broken, fmt.Sprintf("%s: %d of %d scripts failed", s.Scene, s.Failed, s.Scripts))
		}
	}
	t.Flush()
	return broken
}

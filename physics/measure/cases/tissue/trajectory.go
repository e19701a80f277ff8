package tissue

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/worlds/tissue"
)

func init() {
	verify.Register("tissue.trajectory", verify.Runner{Run: runTrajectory, Compare: compareTrajectory, Adopt: adoptTrajectory})
}

// Bench is one of the thesis's benches. Its JSON is the input of a tissue.trajectory.
type Bench struct {
	Bench string  `json:"bench"` // A36, A16, B66, C36, C16
	Pair  string  `json:"pair"`  // impactor-obstacle, of alu, tissue and rubber
	Clamp string  `json:"clamp"` // face of the obstacle that is held: end, bottom
	Path  string  `json:"path"`  // pen, slide
	Mu    float64 `json:"mu"`    // friction coefficient, -
}

var (
	benchScenes    = map[string]string{"A36": "bench-a-36", "A16": "bench-a-16", "B66": "bench-b-66", "C36": "bench-c-36", "C16": "bench-c-16"}
	benchMaterials = map[string]string{"alu": "aluminium", "tissue": "tissue", "rubber": "rubber"}
	benchPaths     = map[string]string{"pen": "penetration", "slide": "sliding"}
)

// World opens the bench; tolerance is that of the contact solver.
func (b *Bench) World(ctx context.Context, tolerance float64) (*tissue.World, error) {
	impactor, obstacle, _ := strings.Cut(b.Pair, "-")
	switch {
	case benchScenes[b.Bench] == "":
		return nil, fmt.Errorf("bench %q is unknown (cure: A36, A16, B66, C36 or C16)", b.Bench)
	case benchMaterials[impactor] == "" || benchMaterials[obstacle] == "":
		return nil, fmt.Errorf("pair %q is unknown (cure: impactor and obstacle of alu, tissue and rubber, as alu-tissue)", b.Pair)
	case b.Clamp != "end" && b.Clamp != "bottom":
		return nil, fmt.Errorf("clamp %q is unknown (cure: end or bottom)", b.Clamp)
	}
	s, err := scene.Load(benchScenes[b.Bench])
	if err != nil {
		return nil, err
	}
	for _, set := range []string{
		"impactor.material=" + benchMaterials[impactor], "obstacle.material=" + benchMaterials[obstacle],
		"obstacle.clamp=" + b.Clamp, fmt.Sprintf("friction=%g", b.Mu), fmt.Sprintf("contact.tolerance=%g", tolerance),
	} {
		if err := scene.Set(s, set); err != nil {
			return nil, err
		}
	}
	w, _, err := tissue.New(ctx, s, nil)
	return w, err
}

// increment is what one step of the path gives. Lengths in mm, forces in N, as the reference results have them.
type increment struct {
	D         [3]float64            `json:"d"` // place of the impactor's frame
	N         int                   `json:"n"` // contacts
	Force     [3]float64            `json:"force"`
	RNorm     float64               `json:"rnorm"`
	Stick     int                   `json:"stick"`
	Slip      int                   `json:"slip"`
	Open      int                   `json:"open"`
	U         map[string][3]float64 `json:"u"` // displacement of the named points of the obstacle
	Converged bool                  `json:"converged"`
}

type trajectory struct {
	Increments []increment `json:"increments"`
}

func runTrajectory(ctx context.Context, in *verify.Input) any {
	b := verify.Of[Bench](in)
	refusal.If(benchPaths[b.Path] == "", "path %q is unknown (cure: pen or slide)", b.Path)
	w := refusal.Must(b.World(ctx, 1e-12))
	out := &trajectory{}
	start := w.StartPose()
	for _, offset := range w.Scene().Path(benchPaths[b.Path]).Offsets() {
		refusal.Need(ctx.Err())
		w.Step(frame.Pose{Position: start.Position.Add(offset), Rotation: start.Rotation})
		st := w.Stats()
		force, _ := w.Force()
		inc := increment{D: offset.Mul(1000), Force: force, RNorm: w.RNorm(), N: st.Stick + st.Slip + st.Open,
			Stick: st.Stick, Slip: st.Slip, Open: st.Open, U: map[string][3]float64{}, Converged: st.Solve.Converged}
		for _, p := range w.Scene().Probes {
			u, _ := w.Probe(p.Name)
			inc.U[p.Name] = u.Mul(1000)
		}
		out.Increments = append(out.Increments, inc)
	}
	return out
}

// compareTrajectory compares force, displacements and |r|, each vector relative to its length, and the statuses, up to
// the first increment that is flagged: several solutions exist there, and later increments inherit the choice.
func compareTrajectory(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*trajectory).Increments
	list, _ := c.Expected["increments"].([]any)
	refusal.If(len(list) != len(ours), "expected.increments has %d entries, the path %d steps", len(list), len(ours))
	tol := c.Tol("relative", 1e-6)
	var checks []verify.Check
	for i, v := range list {
		at := fmt.Sprintf("increments[%d].", i)
		members, _ := v.(map[string]any)
		var want struct {
			increment
			Flag string
		}
		for key, to := range map[string]any{"d": &want.D, "n": &want.N, "force": &want.Force, "rnorm": &want.RNorm, "stick": &want.Stick,
			"slip": &want.Slip, "open": &want.Open, "u": &want.U, "flag": &want.Flag} {
			if members[key] == nil && key == "flag" {
				continue
			}
			refusal.Need(verify.Decode(members[key], to, "expected."+at+key))
		}
		got := &ours[i]
		refusal.Unless(mgl64.Vec3(got.D).Sub(want.D).Len() <= 1e-9,
			"expected.%sd is %v mm, the path goes to %v", at, want.D, got.D)
		if want.Flag != "" {
			break
		}
		vector := func(name string, got, want [3]float64) {
			e := mgl64.Vec3(got).Sub(want).Len() / mgl64.Vec3(want).Len()
			for k, axis := range []string{".x", ".y", ".z"} {
				checks = append(checks, verify.Check{Name: at + name + axis, Expected: want[k], Ours: got[k], Error: e, Tolerance: tol})
			}
		}
		count := func(name string, got, want int) {
			checks = append(checks, verify.Check{Name: at + name, Expected: float64(want), Ours: float64(got), Error: math.Abs(float64(got - want))})
		}
		vector("force", got.Force, want.Force)
		for _, p := range []string{"C", "E", "S"} {
			u, ok := got.U[p]
			v, expected := want.U[p]
			refusal.If(ok != expected, "expected.%su.%s: the scene's probes are %v", at, p, got.U)
			if ok {
				vector("u."+p, u, v)
			}
		}
		checks = append(checks, verify.Check{Name: at + "rnorm", Expected: want.RNorm, Ours: got.RNorm,
			Error: math.Abs(got.RNorm-want.RNorm) / want.RNorm, Tolerance: tol})
		count("n", got.N, want.N)
		count("stick", got.Stick, want.Stick)
		count("slip", got.Slip, want.Slip)
		count("open", got.Open, want.Open)
		if !got.Converged {
			checks = append(checks, verify.Check{Name: at + "converged", Expected: 1, Error: 1})
		}
	}
	return checks
}

// adoptTrajectory reads the reference results of the benches, which are older than the form of the cases: inputs and
// increments lie side by side.
func adoptTrajectory(members map[string]any) map[string]any {
	if members["bench"] == nil || members["pair"] == nil || members["world"] != nil {
		return nil
	}
	c := map[string]any{"world": "tissue", "kind": "trajectory"}
	for key, v := range members {
		switch key {
		case "named_nodes", "mode": // how the reference came about
		case "increments":
			c["expected"] = map[string]any{key: v}
		default:
			c[key] = v
		}
	}
	return c
}

package worlds

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/machinery/checkpoint"
	"hapco/physics/machinery/testkit"
)

// Every kind of world goes on after a checkpoint as it went on before, to the last bit, whatever
// has happened between: forces, contacts, bodies and numbers.
func TestCheckpointOfEveryKind(t *testing.T) {
	scenes := []string{"gyroscope", "snowfall", "ice-billiard"}
	if !testing.Short() {
		scenes = append(scenes, "bench-a-16", "liver", "block-neo-hookean", "grasp", "bricks", "ice-ship", "ice-breaking", "tuning-fork", "two-hands", "sandbox")
	}
	if testkit.Race {
		t.Skip("goroutines are few, and it takes long")
	}
	for _, name := range scenes {
		s, err := physics.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := physics.OpenScene(t.Context(), s, physics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		info, dt := w.Info(), 0.0
		if timed, ok := w.(physics.Timed); ok && info.Advances {
			dt = 1.3 * timed.OwnStep()
		}
		var owed physics.Owed
		var f physics.Frame
		n := 0
		step := func() string {
			n++
			p := info.Start
			p.Position = p.Position.Add(mgl64.Vec3{4e-3 * math.Sin(float64(n)/30), -4e-4 * float64(n%60), 2e-3 * math.Sin(float64(n)/17)})
			r := owed.Step(w, physics.Input{Target: p, Hand: p, Dt: dt})
			w.Draw(&f)
			numbers := ""
			for i, x := range f.Numbers {
				if !strings.Contains(info.Numbers[i].Name, "_ms") && !strings.HasSuffix(info.Numbers[i].Name, "_s") { // measured
					numbers += fmt.Sprint(x, " ")
				}
			}
			return fmt.Sprint(r.Reached, r.Advanced, r.Stylus, r.Force, r.Torque, f.Time, f.Surfaces, f.Instances, f.Points, f.Vertices, f.Contacts, numbers)
		}
		for range 25 {
			step()
		}
		m := checkpoint.Take(w, nil)
		before, owing := n, owed
		var after [40]string
		for i := range after {
			after[i] = step()
		}
		if after[0] == after[39] {
			t.Errorf("%s: nothing happens", name)
		}
		for range 2 {
			m.Restore()
			n, owed = before, owing
			for i := range after[:20] {
				if step() != after[i] {
					t.Errorf("%s: another after %d steps", name, i+1)
					break
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

package finitestrain

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// A flat tool on a fine surface has more contacts than the model that the hand feels has room for: it feels all of their force.
func TestMoreContactsThanTheHandHasRoomFor(t *testing.T) {
	testkit.Slow(t)
	w := openWorld(t, "slab.toml", `kind = "finite-strain"
[units]
length = "mm"
[body]
box.origin = [-50, 0, -50]
box.size = [100, 10, 100]
box.elements = [16, 1, 16]
law = "corotational"
E = 5
nu = 0.4
clamp = "bottom"
[tool]
kind = "box"
size = [80, 10, 80]
position = [0, 16, 0]
[device]
max_force = 40
stiffness = 4000
`)
	spring := physics.Coupling{Stiffness: 4000, Angle: 4000 * 0.04 * 0.04, Limit: 40}
	at, most := w.shown.tool, 0
	var m local.Model
	local.Make(&m, 0)
	for n := range 8 {
		to := frame.Pose{Position: at.Position.Add(mgl64.Vec3{0, -5e-4 * float64(n), 0}), Rotation: at.Rotation}
		r := w.Step(physics.Input{Target: to, Hand: to, Coupling: spring})
		w.Local(&m)
		most = max(most, m.N+m.Extra)
		if f, _ := m.Resultant(m.R); f.Sub(r.Force).Len() > 1e-9*(1+r.Force.Len()) {
			t.Errorf("step %d: the hand's model has %v N, the step %v, %d contacts", n, f, r.Force, m.N+m.Extra)
		}
	}
	if most <= local.Capacity {
		t.Fatalf("%d contacts", most)
	}
}

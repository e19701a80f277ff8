package tissue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
)

// similar is a scene with all lengths, times and masses multiplied. Meshes of files stay as they are.
func similar(s *scene.Scene, length, time, mass float64) *scene.Scene {
	own, ofBody := scene.Fields()
	c := *s
	c.Bodies, c.Pairs, c.Probes, c.Paths = slices.Clone(s.Bodies), slices.Clone(s.Pairs), slices.Clone(s.Probes), nil
	setting.Rescale(own, &c, length, time, mass)
	for i := range c.Bodies {
		b := &c.Bodies[i]
		setting.Rescale(ofBody, b, length, time, mass)
		for _, sel := range []*scene.Selector{&b.Clamp, &b.Surface} {
			sel.Min, sel.Max = sel.Min.Mul(length), sel.Max.Mul(length)
		}
	}
	for i := range c.Probes {
		c.Probes[i].Point = c.Probes[i].Point.Mul(length)
	}
	return &c
}

// Every scene moves alike at any size, and of any stiffness, to the last bit: no length and no
// force stands in the detection, the limits or the contact problem (dimensional similarity).
func TestSimilarity(t *testing.T) {
	scales := [][3]int{{-10, 0, 0}, {10, 0, 0}, {0, 0, -20}, {0, 0, 10}, {-10, -5, -20}, {6, 2, 0}}
	steps := 60
	if testing.Short() {
		scales, steps = scales[4:5], 40
	}
	for _, name := range append(assets.Scenes(), "testdata/lump.toml", "testdata/strips.toml") {
		_, text, err := setting.FileText(name)
		if err != nil {
			t.Fatal(err)
		}
		if setting.KindOf(text) != "tissue" || strings.Contains(string(text), "asset:") || testing.Short() && name != "testdata/lump.toml" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, err := scene.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			var worlds []*World
			for _, scale := range append([][3]int{{}}, scales...) {
				length, time, mass := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1]), math.Ldexp(1, scale[2])
				w, _, err := New(t.Context(), similar(s, length, time, mass), nil)
				if err != nil {
					t.Fatal(err)
				}
				worlds = append(worlds, w)
			}
			plain, most := worlds[0], 0.0
			var path []mgl64.Vec3
			if len(s.Paths) > 0 {
				path = s.Paths[0].Offsets()
			}
			var a, b Snapshot
			for step := range steps { // along the scene's path, or down and then aside
				size := s.Contact.DDCTolerance
				d := mgl64.Vec3{0.4 * size * float64(max(0, step-steps/2)), -0.4 * size * float64(min(step, steps/2)), 0.1 * size * float64(max(0, step-steps/2))}
				if len(path) > 0 {
					d = path[min(step/3, len(path)-1)]
				}
				for k, w := range worlds {
					length := 1.0
					if k > 0 {
						length = math.Ldexp(1, scales[k-1][0])
					}
					start := w.StartPose()
					w.Step(frame.Pose{Position: start.Position.Add(d.Mul(length)), Rotation: start.Rotation})
				}
				plain.Snapshot(&a)
				most = max(most, a.Force.Len())
				for k, w := range worlds[1:] {
					scale := scales[k]
					length, force := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[2]+scale[0]-2*scale[1])
					if w.Snapshot(&b); b.Force != a.Force.Mul(force) || len(a.Contacts) != len(b.Contacts) {
						t.Fatalf("step %d, scales 2^%v: %d contacts and %v N, %d and %v where it is scaled", step, scale, len(a.Contacts), a.Force, len(b.Contacts), b.Force.Mul(1/force))
					}
					for i := range a.Surfaces {
						for n, x := range a.Surfaces[i].Vertices {
							if at := b.Surfaces[i].Vertices[n]; at != x.Mul(length) {
								t.Fatalf("step %d, scales 2^%v: node %d of body %d is at %v m, at %v where it is scaled", step, scale, n, i, x, at.Mul(1/length))
							}
						}
					}
				}
			}
			if !(most > 1e-6) {
				t.Error("nothing was touched")
			}
			t.Logf("%d contacts at the end, %.3g N at most", len(a.Contacts), most)
		})
	}
}

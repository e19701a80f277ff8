package rigid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

// The forms of the matrix: each is 40 mm high and 200 mm long along X, the ball but for that.
var pairNames = []string{"ball", "box", "capsule", "cylinder", "ellipsoid", "mesh"}

// longForm is one of them at a scale, and the turn that lays it along X.
func longForm(t testing.TB, name string, s float64) (*Form, quat) {
	t.Helper()
	lie := mgl64.QuatRotate(math.Pi/2, vec3{0, 0, 1}) // from Y
	switch name {
	case "ball":
		return Ball(0.02 * s), mgl64.QuatIdent()
	case "box":
		return Box(0.2*s, 0.04*s, 0.04*s), mgl64.QuatIdent()
	case "capsule":
		return Capsule(0.02*s, 0.16*s), lie
	case "cylinder":
		return Cylinder(0.02*s, 0.2*s), lie
	case "ellipsoid":
		return Ellipsoid(0.1*s, 0.02*s, 0.02*s), mgl64.QuatIdent()
	case "mesh":
		return meshed(t, vec3{0.2 * s, 0.04 * s, 0.04 * s}), mgl64.QuatIdent()
	}
	t.Fatal(name)
	return nil, quat{}
}

// pairWorld of a scale: the step is that of bodies of the matrix's size.
func pairWorld(t testing.TB, s float64) *World {
	return newWorld(t, func(c *Config) { c.Step = 1e-3 * math.Sqrt(s) })
}

// eachPair runs a test of all ordered pairs; few of them in a short run.
func eachPair(t *testing.T, f func(t *testing.T, lower, upper string)) {
	for i, lower := range pairNames {
		for k, upper := range pairNames {
			if testing.Short() && (i+2*k)%5 != 1 {
				continue
			}
			t.Run(upper+" on "+lower, func(t *testing.T) { f(t, lower, upper) })
		}
	}
}

var quarter = mgl64.QuatRotate(math.Pi/2, vec3{0, 1, 0})

// Bodies across each other rest on each other, at the sum of their half heights; of any
// size.
func TestPairsCrossed(t *testing.T) {
	scales := []float64{1, 0.005, 500} // 1 mm to 100 m long
	if testing.Short() {
		scales = scales[:1]
	}
	for _, s := range scales {
		eachPair(t, func(t *testing.T, lower, upper string) {
			w := pairWorld(t, s)
			f, q := longForm(t, lower, s)
			add(t, w, &Body{Name: lower, Form: f, Q: q, Fixed: true})
			f, q = longForm(t, upper, s)
			b := add(t, w, &Body{Name: upper, Form: f, Q: quarter.Mul(q), X: vec3{0, 0.0402 * s, 0}})
			for range 150 {
				w.Step()
			}
			if d := b.X.Sub(vec3{0, 0.04 * s, 0}); d.Len() > 1e-5*s || b.V.Len() > 1e-3*math.Sqrt(s) {
				t.Errorf("scale %g: at %v, %v off, at %v m/s, %d contacts", s, b.X, d, b.V, w.stats.Contacts)
			}
			if n := testing.AllocsPerRun(5, w.Step); n != 0 && !testkit.Race {
				t.Errorf("%g allocations a step", n)
			}
		})
	}
}

// A body lies along the groove between two others, or on both, and stays.
func TestPairsStacked(t *testing.T) {
	const half = 0.026 // between the middles of the two, from the middle
	eachPair(t, func(t *testing.T, lower, upper string) {
		w := pairWorld(t, 1)
		f, q := longForm(t, lower, 1)
		for _, side := range []float64{-1, 1} {
			add(t, w, &Body{Name: lower, Form: f, Q: q, X: vec3{0, 0, half * side}, Fixed: true, Friction: 0.5})
		}
		f, q = longForm(t, upper, 1)
		// Round on round; of a flat one the edges touch the other.
		flat := func(name string) bool { return name == "box" || name == "mesh" }
		height := math.Sqrt(0.04*0.04 - half*half)
		switch edge := half - 0.02; {
		case flat(lower) && flat(upper):
			height = 0.04
		case flat(lower) || flat(upper):
			height = 0.02 + math.Sqrt(0.02*0.02-edge*edge)
		}
		if upper == "box" && lower == "ball" || upper == "mesh" && lower == "ball" || upper == "capsule" && lower == "ball" || upper == "cylinder" && lower == "ball" ||
			lower == "ellipsoid" || upper == "ellipsoid" && lower == "ball" {
			t.Skip("it tips over")
		}
		b := add(t, w, &Body{Name: upper, Form: f, Q: q, X: vec3{0, height + 2e-4, 0}, Friction: 0.5})
		run(w, 0.5)
		at, turn := b.X, b.Q
		run(w, 0.5)
		if d := b.X.Sub(vec3{0, height, 0}); d.Len() > 2e-5 {
			t.Errorf("at %v, %v off, %d contacts", b.X, d, w.stats.Contacts)
		}
		if b.X.Sub(at).Len() > 1e-8 || turnedBy(b.Q, turn) > 1e-6 {
			t.Errorf("it creeps by %.2g m and %.2g rad", b.X.Sub(at).Len(), turnedBy(b.Q, turn))
		}
	})
}

// What is thrown at another body at 150 m/s, in steps of 1 ms, meets it and does not come
// out on its other side, from wherever and however turned; what flies past is not touched.
func TestPairsFlung(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 4
	}
	eachPair(t, func(t *testing.T, lower, upper string) {
		r := rand.New(rand.NewPCG(uint64(len(lower)), uint64(len(upper))))
		f, q := longForm(t, lower, 1)
		o, oq := longForm(t, upper, 1)
		for i := range rounds {
			w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
			add(t, w, &Body{Name: lower, Form: f, Q: q, Fixed: true})
			b := add(t, w, &Body{Name: upper, Form: o, Q: expQuat(vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}).Mul(oq)})
			// Towards a place near the middle, in which both surely are.
			way := vec3{0.3 * r.NormFloat64(), -1, 0.3 * r.NormFloat64()}.Normalize()
			if i == 0 {
				way, b.Q = vec3{0, -1, 0}, quarter.Mul(oq)
			}
			b.X = way.Mul(-0.35 - 0.3*r.Float64()).Add(vec3{0, 0, 0.01 * (2*r.Float64() - 1)})
			b.V = way.Mul(150)
			w.ready()
			deepest, most := 0.0, 5e-3
			for range 8 {
				w.Step()
				deepest = min(deepest, w.stats.Deepest)
				if b.W.Len() > 100 { // struck off its centre it turns by up to three radians in a step
					most = 0.015
				}
			}
			if b.V.Dot(way) > 149.9 || deepest < -most {
				t.Errorf("throw %d: at %v, v %v along %v, %.3g m deep on the way", i, b.X, b.V, way, -deepest)
			}
		}
		// Past it, 1 mm beside.
		w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
		add(t, w, &Body{Name: lower, Form: f, Q: q, Fixed: true})
		b := add(t, w, &Body{Name: upper, Form: o, Q: quarter.Mul(oq), X: vec3{-0.33, 0.041, 0}, V: vec3{150, 0, 0}})
		for range 8 {
			w.Step()
		}
		if b.V != (vec3{150, 0, 0}) || b.W.Len() != 0 {
			t.Errorf("past it: %v m/s, %v 1/s", b.V, b.W)
		}
	})
}

// rollers are round forms of radius 50 mm and their I/(m r^2) about the axis of rolling.
func rollers(t *testing.T) map[string]*Form {
	return map[string]*Form{"ball": Ball(0.05), "capsule": Capsule(0.05, 0.1), "cylinder": Cylinder(0.05, 0.1), "ellipsoid": Ellipsoid(0.05, 0.1, 0.05), "mesh": drum(t, 0.05, 0.1, 256)}
}

// drum is a prism of many sides along Y.
func drum(t *testing.T, radius, length float64, sides int) *Form {
	t.Helper()
	v := []vec3{{0, -length / 2, 0}, {0, length / 2, 0}}
	var tri [][3]int32
	for i := range sides {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		v = append(v, vec3{c * radius, -length / 2, s * radius}, vec3{c * radius, length / 2, s * radius})
		a, b := int32(2+2*i), int32(2+2*((i+1)%sides))
		tri = append(tri, [3]int32{0, a, b}, [3]int32{1, b + 1, a + 1}, [3]int32{a, a + 1, b}, [3]int32{a + 1, b + 1, b})
	}
	f, _, _, _, err := Mesh(v, tri)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// slabs are what is rolled on: flat on top, at y = 0, and long along X.
func slabs(t *testing.T) map[string]func(turn quat) *Body {
	return map[string]func(turn quat) *Body{
		"plane": func(turn quat) *Body { return &Body{Form: Plane(rotate(turn, vec3{0, 1, 0}))} },
		"box": func(turn quat) *Body {
			return &Body{Form: Box(40, 0.2, 4), Q: turn, X: rotate(turn, vec3{0, -0.1, 0})}
		},
		"mesh": func(turn quat) *Body {
			return &Body{Form: meshed(t, vec3{40, 0.2, 4}), Q: turn, X: rotate(turn, vec3{0, -0.1, 0})}
		},
		"cylinder": func(turn quat) *Body {
			return &Body{Form: Cylinder(20, 0.2), Q: turn, X: rotate(turn, vec3{0, -0.1, 0})}
		},
	}
}

// A round form rolls on a flat for ever at 0.3 m/s, its axis at its radius, and down a
// slope with a = g sin(slope)/(1 + I/(m r^2)).
func TestRollsOnFlats(t *testing.T) {
	for on, slab := range slabs(t) {
		for name, form := range rollers(t) {
			if name == "mesh" || testing.Short() && !(on == "box" && name == "cylinder" || on == "mesh" && name == "ellipsoid") {
				continue
			}
			t.Run(name+" on "+on, func(t *testing.T) {
				const slope = 0.2
				lie := mgl64.QuatRotate(math.Pi/2, vec3{1, 0, 0}) // the axis along Z
				seconds := 4.0
				if testing.Short() {
					seconds = 1
				}
				w := newWorld(t, nil)
				base := slab(mgl64.QuatIdent())
				base.Fixed, base.Friction = true, 0.5
				add(t, w, base)
				b := add(t, w, &Body{Form: form, Q: lie, X: vec3{0, 0.05, 0}, V: vec3{0.3, 0, 0}, Friction: 0.5})
				b.W = unrotate(b.Q, vec3{0, 0, -0.3 / 0.05})
				run(w, seconds)
				if d := b.X.Sub(vec3{0.3 * seconds, 0.05, 0}); b.V.Sub(vec3{0.3, 0, 0}).Len() > 1e-5 || d.Len() > 2e-5 {
					t.Errorf("level: %v m/s, %v off", b.V, d)
				}
				turn := mgl64.QuatRotate(-slope, vec3{0, 0, 1})
				w = newWorld(t, nil)
				base = slab(turn)
				base.Fixed, base.Friction = true, 0.5
				add(t, w, base)
				b = add(t, w, &Body{Form: form, Q: turn.Mul(lie), X: rotate(turn, vec3{0, 0.05, 0}), Friction: 0.5})
				run(w, 1)
				k := b.Inertia[4] / (b.Mass * 0.05 * 0.05)
				want := 9.81 * math.Sin(slope) / (1 + k)
				if v := rotate(turn.Conjugate(), b.V); math.Abs(v[0]-want) > 1e-4*want || math.Hypot(v[1], v[2]) > 1e-4 {
					t.Errorf("down the slope: %v m/s, want %.6g", v, want)
				}
			})
		}
	}
}

// What rolls down another round body without slip gains
// (1 + k) v^2/2 = g (R + r) (1 - cos theta).
func TestRollsOnRound(t *testing.T) {
	lie := mgl64.QuatRotate(math.Pi/2, vec3{1, 0, 0})
	lower := map[string]*Form{"ball": Ball(0.5), "capsule": Capsule(0.5, 1), "cylinder": Cylinder(0.5, 1), "ellipsoid": Ellipsoid(0.5, 0.8, 0.5)}
	for on, form := range lower {
		for name, roller := range rollers(t) {
			if name == "mesh" || testing.Short() && !(on == "cylinder" && name == "cylinder" || on == "ellipsoid" && name == "ball") {
				continue
			}
			t.Run(name+" on "+on, func(t *testing.T) {
				w := newWorld(t, func(c *Config) { c.Step = 5e-4 })
				add(t, w, &Body{Form: form, Q: lie, Fixed: true, Friction: 3})
				start := 0.2
				at := func(angle float64) vec3 { return vec3{math.Sin(angle), math.Cos(angle), 0}.Mul(0.55) }
				b := add(t, w, &Body{Form: roller, Q: lie, X: at(start), Friction: 3})
				k := b.Inertia[4] / (b.Mass * 0.05 * 0.05)
				angle := start
				for angle < 0.7 {
					w.Step()
					if angle = math.Atan2(b.X[0], b.X[1]); w.time > 3 {
						t.Fatalf("it stays at %v", b.X)
					}
				}
				want := math.Sqrt(2 * 9.81 * 0.55 * (math.Cos(start) - math.Cos(angle)) / (1 + k))
				if v := b.V.Len(); math.Abs(v-want) > 2e-3*want || math.Abs(b.X.Len()-0.55) > 1e-4 || math.Abs(b.X[2]) > 1e-4 {
					t.Errorf("%.6g m/s, want %.6g, at %v", v, want, b.X)
				}
			})
		}
	}
}

// A cylinder stands on its end, half of it over the edge of a box, and tips over its rim as
// on a plane.
func TestCylinderStandsAndTips(t *testing.T) {
	for on, slab := range slabs(t) {
		if testing.Short() && on != "box" && on != "plane" {
			continue
		}
		for _, lean := range []float64{0, 0.3, 0.5} { // it falls from atan(0.05/0.12) = 0.395 on
			w := newWorld(t, nil)
			base := slab(mgl64.QuatIdent())
			base.Fixed, base.Friction = true, 0.8
			add(t, w, base)
			q := mgl64.QuatRotate(lean, vec3{0.6, 0, 0.8})
			low := math.Cos(lean)*0.12 + math.Sin(lean)*0.05
			b := add(t, w, &Body{Form: Cylinder(0.05, 0.24), Q: q, X: vec3{0, low, 0}, Friction: 0.8})
			run(w, 3)
			up := rotate(b.Q, vec3{0, 1, 0})[1]
			if stands := lean < 0.395; stands && (math.Abs(up-1) > 1e-6 || math.Abs(b.X[1]-0.12) > 2e-5 || b.V.Len() > 1e-5) || !stands && math.Abs(up) > 1e-3 {
				t.Errorf("%s, leaning by %g: at %v, its axis to %g, %v m/s", on, lean, b.X, up, b.V)
			}
		}
	}
	w := newWorld(t, nil)
	add(t, w, &Body{Form: Box(0.4, 0.1, 0.4), X: vec3{0, -0.05, 0}, Fixed: true, Friction: 0.8})
	stays := add(t, w, &Body{Form: Cylinder(0.05, 0.1), X: vec3{0.199, 0.05, 0}, Friction: 0.8})
	falls := add(t, w, &Body{Form: Cylinder(0.05, 0.1), X: vec3{-0.201, 0.05, 0}, Friction: 0.8})
	run(w, 2)
	if stays.X.Sub(vec3{0.199, 0.05, 0}).Len() > 2e-5 || falls.X[1] > -0.5 {
		t.Errorf("at %v and %v", stays.X, falls.X)
	}
}

// A pile of logs, three on two, the outer ones held, stands still, and a tower of cylinders,
// boxes and meshes on their ends.
func TestPilesStandStill(t *testing.T) {
	lie := mgl64.QuatRotate(math.Pi/2, vec3{1, 0, 0})
	w := newWorld(t, nil)
	floor(t, w, 0.5, 0)
	for _, side := range []float64{-1, 1} {
		add(t, w, &Body{Form: Box(0.1, 0.2, 0.4), X: vec3{side * 0.2, 0.1, 0}, Fixed: true, Friction: 0.5})
	}
	var all []*Body
	for row := range 3 {
		for i := range 3 - row {
			x, y := 0.1*(float64(i)-1+float64(row)/2), 0.05+0.05*math.Sqrt(3)*float64(row)
			all = append(all, add(t, w, &Body{Form: Cylinder(0.05, 0.3), Q: lie, X: vec3{x, y, 0}, Friction: 0.5}))
		}
	}
	for i, f := range []*Form{Cylinder(0.05, 0.1), Box(0.1, 0.1, 0.1), Cylinder(0.06, 0.1), meshed(t, vec3{0.1, 0.1, 0.1}), Cylinder(0.04, 0.1), Capsule(0.02, 0.06)} {
		q := mgl64.QuatIdent()
		h := 0.05 + 0.1*float64(i)
		if i == 5 {
			q, h = lie, 0.52
		}
		all = append(all, add(t, w, &Body{Form: f, Q: q, X: vec3{1, h, 0}, Friction: 0.5}))
	}
	var at []vec3
	for _, b := range all {
		at = append(at, b.X)
	}
	run(w, 2)
	for i, b := range all {
		if d := b.X.Sub(at[i]); d.Len() > 5e-5 || b.V.Len() > 1e-6 {
			t.Errorf("body %d is %v off, at %.2g m/s", i, d, b.V.Len())
		}
	}
	sweeps := 0
	for range 200 {
		w.Step()
		sweeps += w.stats.Sweeps
	}
	if t.Logf("%d contacts, %g sweeps a step", w.stats.Contacts, float64(sweeps)/200); sweeps > 200*20 {
		t.Errorf("%g sweeps a step at rest", float64(sweeps)/200)
	}
}

// Random bodies of all forms in each other come apart, and a heap of them loses energy.
func TestPairsInEachOther(t *testing.T) {
	eachPair(t, func(t *testing.T, lower, upper string) {
		r := rand.New(rand.NewPCG(11, uint64(len(lower)*len(upper))))
		for i := range 6 {
			w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
			f, q := longForm(t, lower, 1)
			add(t, w, &Body{Form: f, Q: q, Fixed: true})
			f, q = longForm(t, upper, 1)
			b := add(t, w, &Body{Form: f, Q: expQuat(vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}).Mul(q),
				X: vec3{0.02 * r.NormFloat64(), 0.01 * r.NormFloat64(), 0.01 * r.NormFloat64()}})
			run(w, 2)
			if w.stats.Deepest < -2e-5 || b.V.Len() > 0.05 {
				t.Errorf("%d: %.3g m deep, %v m/s, at %v", i, -w.stats.Deepest, b.V, b.X)
			}
		}
	})
}

// trough is a channel along X with a flat bottom at y = 0, thin walls and open ends: no convex body.
func trough(t testing.TB, inside, wall, height, length float64) *Form {
	t.Helper()
	outer := inside + wall
	section := [][2]float64{{-outer, -wall}, {outer, -wall}, {outer, height}, {inside, height}, {inside, 0}, {-inside, 0}, {-inside, height}, {-outer, height}}
	var v []vec3
	for _, x := range []float64{-length / 2, length / 2} {
		for _, p := range section {
			v = append(v, vec3{x, p[1], p[0]})
		}
	}
	var tri [][3]int32
	n := int32(len(section))
	for i := range n {
		j := (i + 1) % n
		tri = append(tri, [3]int32{i, i + n, j}, [3]int32{j, i + n, j + n})
	}
	for _, q := range [][3]int32{{0, 1, 5}, {1, 4, 5}, {1, 2, 4}, {2, 3, 4}, {0, 5, 7}, {5, 6, 7}} {
		tri = append(tri, q, [3]int32{q[0] + n, q[2] + n, q[1] + n})
	}
	if volume, _, _ := meshInertia(v, tri); volume < 0 {
		for i := range tri {
			tri[i][1], tri[i][2] = tri[i][2], tri[i][1]
		}
	}
	f, offset, _, _, err := Mesh(v, tri)
	if err != nil {
		t.Fatal(err)
	}
	if offset[0] != 0 && math.Abs(offset[0]) > 1e-12 {
		t.Fatal(offset)
	}
	return f
}

// Every form rests in a trough, touches bottom and walls, and is not thrown through its
// walls of 2 mm at 150 m/s.
func TestPairsInTrough(t *testing.T) {
	for _, name := range pairNames {
		if testing.Short() && name != "cylinder" && name != "box" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			const inside, wall, height = 0.0201, 0.002, 0.06
			base := trough(t, inside, wall, height, 0.5)
			_, low := base.solid.Bounds()
			top := low[1] // of the walls, from the centre of mass
			f, q := longForm(t, name, 1)
			w := newWorld(t, nil)
			add(t, w, &Body{Form: base, Fixed: true, Friction: 0.5, X: vec3{0, -top + height, 0}})
			b := add(t, w, &Body{Form: f, Q: q, X: vec3{0.003, 0.0205, 0}, Friction: 0.5})
			run(w, 0.5)
			at := b.X
			run(w, 0.5)
			if math.Abs(b.X[1]-0.02) > 1e-5 || math.Abs(b.X[2]) > 1.1e-4 || b.X.Sub(at).Len() > 1e-7 {
				t.Errorf("rests at %v, creeps by %.2g m", b.X, b.X.Sub(at).Len())
			}
			r := rand.New(rand.NewPCG(5, uint64(len(name))))
			for i := range 20 {
				w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
				add(t, w, &Body{Form: trough(t, 0.4, wall, 0.8, 5), Fixed: true, Friction: 0.3})
				b := add(t, w, &Body{Form: f, Q: expQuat(vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}).Mul(q), Friction: 0.3})
				_, _, d := w.bodies[0].Form.solid.Closest(b.X)
				if d > -0.2 && d < 0.2 {
					t.Fatal("it starts in the wall")
				}
				way := vec3{0.3 * r.NormFloat64(), -0.1 - r.Float64(), 2*r.Float64() - 1}.Normalize()
				b.V = way.Mul(150)
				w.ready()
				lo, hi := w.bodies[0].Form.solid.Bounds()
				for step := range 30 {
					w.Step()
					if b.X[1] > hi[1] || math.Abs(b.X[0]) > 2.4 {
						break // out above or at the ends
					}
					if b.X[1] < lo[1] || math.Abs(b.X[2]) > 0.4 {
						t.Fatalf("throw %d, step %d: at %v, v %v, |W| %.3g, along %v", i, step, b.X, b.V, b.W.Len(), way)
					}
				}
			}
		})
	}
}

// The stylus's tools stop on every form and slide along it.
func TestToolsOnForms(t *testing.T) {
	for _, name := range pairNames {
		for tool, form := range map[string]*Form{"ball": Ball(0.01), "box": Box(0.02, 0.02, 0.02), "capsule": Capsule(0.01, 0.03)} {
			w := newWorld(t, nil)
			f, q := longForm(t, name, 1)
			add(t, w, &Body{Form: f, Q: q, Fixed: true, Friction: 0.2})
			g, err := w.addTool(&Body{Form: form, X: vec3{0, 0.035, 0}, Friction: 0.2})
			if err != nil {
				t.Fatal(err)
			}
			if tool == "capsule" {
				g.Tool.Q = mgl64.QuatRotate(math.Pi/2, vec3{1, 0, 0})
				w.ready()
			}
			for i := range 200 {
				g.move(vec3{0, 0.035 - min(1e-4*float64(i), 0.007), 0}, g.Tool.Q)
				w.Step()
			}
			force, moment := g.force()
			if x := g.Tool.X; math.Abs(x[1]-0.03) > 3e-5 || math.Hypot(x[0], x[2]) > 1e-5 || !(force[1] > 1) || math.Hypot(force[0], force[2]) > 1e-3*force[1] || moment.Len() > 1e-4*force[1] {
				t.Errorf("%s on %s: at %v, %v N, %v N m", tool, name, x, force, moment)
			}
			if n := testing.AllocsPerRun(20, w.Step); n != 0 && !testkit.Race {
				t.Errorf("%s on %s: %g allocations a step", tool, name, n)
			}
		}
	}
}

// The closest point of an ellipsoid is that of a search over its surface, from its inside and
// from the planes across its axes, too.
func TestEllipsoidClosest(t *testing.T) {
	e := ellipsoid{0.3, 0.1, 0.2}
	for _, p := range []vec3{{}, {0.05, 0, 0}, {0.2, 0, 0.05}, {0, 0, 0.1}, {0.29, 0, 0}, {0.1, 0.02, -0.05}, {0.4, 0.1, 0}, {0, 0.3, 0}} {
		q, n, d := e.Closest(p)
		best := math.Inf(1)
		for i := range 400 {
			for k := range 400 {
				s, c := math.Sincos(math.Pi * float64(i) / 399)
				u, v := math.Sincos(2 * math.Pi * float64(k) / 400)
				best = min(best, p.Sub(vec3{e[0] * s * v, e[1] * c, e[2] * s * u}).Len())
			}
		}
		on := q[0]*q[0]/(e[0]*e[0]) + q[1]*q[1]/(e[1]*e[1]) + q[2]*q[2]/(e[2]*e[2])
		if math.Abs(math.Abs(d)-best) > 2e-5 || math.Abs(on-1) > 1e-9 || p.Sub(q).Sub(n.Mul(d)).Len() > 1e-9 {
			t.Errorf("%v: distance %.9g to %v, %.9g by search", p, d, q, best)
		}
	}
}

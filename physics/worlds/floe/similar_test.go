package floe

import (
	"fmt"
	"math"
	"testing"

	"hapco/assets"
	"hapco/physics/files/setting"
)

// similar is a simulation with all lengths, times and masses multiplied.
func (c Config) similar(length, time, mass float64) Config {
	speed, pressure := length/time, mass/(length*time*time)
	flow := func(f *Flow) {
		f.Density *= mass / (length * length * length)
		f.Velocity, f.Swing, f.Rate = f.Velocity.Mul(speed), f.Swing.Mul(speed), f.Rate/time
	}
	outline := func(from []Vec2) (to []Vec2) {
		for _, p := range from {
			to = append(to, p.Mul(length))
		}
		return to
	}
	flow(&c.Environment.Air)
	flow(&c.Environment.Water)
	c.Environment.Coriolis /= time
	c.Environment.Body = c.Environment.Body.Mul(speed / time)
	c.Collision, c.Window, c.MaxStep = c.Collision*length, c.Window*time, c.MaxStep*time
	if c.Tool != nil {
		t := *c.Tool
		t.Outline, t.Position, t.Mass, t.Stiffness = outline(t.Outline), t.Position.Mul(length), t.Mass*mass, t.Stiffness*mass/(time*time)
		c.Tool = &t
	}
	if c.Fracture != nil {
		f := *c.Fracture
		f.Young, f.Strength, f.Duration, f.Away, f.Smallest = f.Young*pressure, f.Strength*pressure, f.Duration*time, f.Away*length, f.Smallest*length*length
		c.Fracture = &f
	}
	floes := c.Floes
	c.Floes = nil
	for _, f := range floes {
		f.Outline, f.Thickness, f.Density = outline(f.Outline), f.Thickness*length, f.Density*mass/(length*length*length)
		f.Position, f.Velocity, f.Rate = f.Position.Mul(length), f.Velocity.Mul(speed), f.Rate/time
		c.Floes = append(c.Floes, f)
	}
	return c
}

// Every scene moves, strikes and breaks alike at any size, speed and weight, to the last bit:
// no length, time or mass stands in the engine (dimensional similarity). Factors are even
// powers of 2, since roots are taken.
func TestSimilarity(t *testing.T) {
	scales := [][3]int{{-10, 0, 0}, {10, 0, 0}, {0, -10, 0}, {0, 10, 0}, {0, 0, -10}, {0, 0, 10}, {-10, -6, -20}}
	steps := 60
	if testing.Short() {
		scales, steps = scales[6:], 15
	}
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		if setting.KindOf(text) != "floe" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			read, err := Read(name, text)
			if err != nil {
				t.Fatal(err)
			}
			scene := read.(*SceneFile)
			if scene.Field.Floes > 100 && testing.Short() {
				t.Skip("long")
			}
			c, _, err := scene.config()
			if err != nil {
				t.Fatal(err)
			}
			c.Threads = 1
			// The hand goes to the nearest floe, back and forth, and breaks it if it breaks.
			from, to := c.Tool.Position, Vec2{math.Inf(1), 0}
			for _, f := range c.Floes {
				if !f.Fixed && f.Position.Sub(from).Len() < to.Sub(from).Len() {
					to = f.Position
				}
			}
			open := func(scale [3]int) *World {
				w, err := New(c.similar(math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1]), math.Ldexp(1, scale[2])))
				if err != nil {
					t.Fatal(err)
				}
				return w
			}
			for _, scale := range scales {
				plain, other := open([3]int{}), open(scale)
				length, time := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1])
				alike := func() error {
					if plain.count() != other.count() {
						return fmt.Errorf("%d and %d floes", plain.count(), other.count())
					}
					for i := range plain.count() {
						a, b := plain.State(i), other.State(i)
						b.Position, b.Velocity, b.Rate = b.Position.Mul(1/length), b.Velocity.Mul(time/length), b.Rate*time
						if a != b {
							return fmt.Errorf("floe %d is %v, and %v where it is scaled", i, a, b)
						}
					}
					return nil
				}
				limit := 0.5
				if c.Window > 0 {
					limit = c.Window
				}
				for step := range steps {
					if err := alike(); err != nil {
						t.Fatalf("scales 2^%v, step %d: %v", scale, step, err)
					}
					share := math.Abs(float64((step+8)%16-8)) / 8 * 1.5
					way := to.Sub(from)
					plain.Hold(State{Position: from.Add(way.Mul(share)), Velocity: way.Mul(1 / (8 * limit))})
					other.Hold(State{Position: from.Add(way.Mul(share)).Mul(length), Velocity: way.Mul(1 / (8 * limit)).Mul(length / time)})
					plain.Step(limit)
					other.Step(limit * time)
				}
				if scale == scales[len(scales)-1] {
					t.Logf("%d floes, %d contacts at the end, %d broken", plain.count(), len(plain.Contacts(nil)), len(plain.breaking.cracks))
				}
				plain.Close()
				other.Close()
			}
		})
	}
}

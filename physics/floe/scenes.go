package floe

import (
	"fmt"
	"math"
	"strings"
)

// Scene is a setting that comes with the program.
type Scene struct {
	Name  string
	Title string
	make  func(o SceneOptions) (Config, error)
}

// SceneOptions vary a scene; each of their zeros is the scene's own choice.
type SceneOptions struct {
	Floes       int      // of a field
	Seed        uint64   // of a field
	Restitution *float64 // nil: the scene's own
}

// Scenes lists them.
var Scenes = []Scene{
	{"newton-cradle", "Newton's cradle of floes that touch: the shock goes through, pair by pair", cradle},
	{"billiard", "A floe is shot into a triangle of fifteen", billiard},
	{"shock-wave", "A shock runs through a chain of forty floes", shockWave},
	{"channel", "Floes drift through a channel under an oblique wind", channel},
	{"strait", "Ice jams in a strait; push it open", strait},
	{"brash", "A ship goes through brash ice", brash},
	{"storm", "A storm on a thousand floes", stormScene},
	{"percussion", "Strike a floe until it breaks", percussion},
}

// MakeScene is the configuration of a scene by name.
func MakeScene(name string, o SceneOptions) (Config, error) {
	names := make([]string, len(Scenes))
	for i, s := range Scenes {
		if names[i] = s.Name; s.Name != name {
			continue
		}
		c, err := s.make(o)
		if err == nil && o.Restitution != nil {
			c.Restitution = *o.Restitution
		}
		return c, err
	}
	return Config{}, fmt.Errorf("floe: scene %q (cure: %s)", name, strings.Join(names, ", "))
}

// sea is the air and the water of all scenes that have them: the values are those
// of the reference cases, as the reports give none.
func sea(wind, current Vec2) Environment {
	return Environment{Air: Flow{Density: 1.3, Drag: 1.5e-3, Velocity: wind}, Water: Flow{Density: 1025, Drag: 5.5e-3, Velocity: current}, Coriolis: 1.4e-4}
}

// Ice is how the floes of the scenes break.
var Ice = Fracture{Young: 9e9, Poisson: 0.3, Strength: 5e5, Duration: 0.01, Smallest: 1}

func row(n int, side, gap float64) []Floe {
	out := make([]Floe, n)
	h := side / 2
	for i := range out {
		out[i] = Floe{Outline: []Vec2{{-h, -h}, {h, -h}, {h, h}, {-h, h}}, Thickness: 1, Density: IceDensity, Position: Vec2{float64(i) * (side + gap), 0}}
	}
	return out
}

func cradle(SceneOptions) (Config, error) {
	const xi = 1e-4
	c := Config{Floes: row(5, 2, xi/2), Restitution: 1, Collision: xi, Repairs: Recommended}
	c.Repairs.Sequential = true
	c.Floes[0].Position[0] -= 4
	c.Floes[0].Velocity[0] = 1
	c.Floes = append(c.Floes, Banks(Vec2{-8, -1.5}, Vec2{16, 1.5}, 1, 0)...)
	return c, nil
}

func billiard(SceneOptions) (Config, error) {
	c := Config{Restitution: 0.95, Friction: 0.05, Collision: 1e-3, Repairs: Recommended,
		Floes: Banks(Vec2{-14, -7}, Vec2{14, 7}, 1, 0)}
	ball := func(p, v Vec2) {
		c.Floes = append(c.Floes, Floe{Outline: DiscOutline(0.7), Thickness: 1, Density: IceDensity, Position: p, Velocity: v})
	}
	ball(Vec2{-9, 0.05}, Vec2{6, 0})
	for i := range 5 {
		for j := range i + 1 {
			ball(Vec2{4 + 1.25*float64(i), 1.45 * (float64(j) - float64(i)/2)}, Vec2{})
		}
	}
	return c, nil
}

func shockWave(SceneOptions) (Config, error) {
	c := Config{Floes: row(40, 1, 0.2), Restitution: 1, Collision: 1e-4, Repairs: Recommended}
	c.Floes[0].Velocity[0] = 2
	return c, nil
}

func channel(o SceneOptions) (Config, error) {
	n := o.Floes
	if n == 0 {
		n = 60
	}
	f := Field{Floes: n, Lo: Vec2{5, 2}, Hi: Vec2{155, 48}, Cover: 0.5, Exponent: 1.5, Spread: 3, Thick: [2]float64{0.5, 1.5}, Seed: o.Seed}
	floes, err := f.Make()
	if err != nil {
		return Config{}, err
	}
	c := Config{Floes: append(Banks(Vec2{0, 0}, Vec2{500, 50}, 8, 0), floes...), Restitution: 0.3, Friction: 0.3, Collision: 0.01, Repairs: Recommended,
		Environment: sea(Vec2{10, -3}, Vec2{}), Window: 0.5}
	return c, nil
}

// funnel are the two shores of a strait that narrows from wide to narrow.
func funnel(wide, narrow, length float64) []Floe {
	var out []Floe
	for _, s := range [2]float64{-1, 1} {
		shore := []Vec2{{-length, s * wide / 2}, {0, s * narrow / 2}, {length / 3, s * narrow / 2}, {length / 2, s * wide / 2},
			{length / 2, s * (wide/2 + 15)}, {-length, s * (wide/2 + 15)}}
		g := SectionOf(shore).Centroid
		for i := range shore {
			shore[i] = shore[i].Sub(g)
		}
		out = append(out, Floe{Outline: shore, Position: g, Thickness: 1, Density: IceDensity, Fixed: true})
	}
	return out
}

func strait(o SceneOptions) (Config, error) {
	n := o.Floes
	if n == 0 {
		n = 120
	}
	// Upstream of the strait, clear of both shores.
	f := Field{Floes: n, Lo: Vec2{-190, -44}, Hi: Vec2{-82, 44}, Cover: 0.8, Exponent: 1.5, Spread: 3, Thick: [2]float64{0.6, 1.2}, Seed: o.Seed}
	floes, err := f.Make()
	if err != nil {
		return Config{}, err
	}
	all := append(funnel(110, 24, 80), floes...)
	all = append(all, Banks(Vec2{-195, -54.9}, Vec2{200, 54.9}, 5, 16)...)
	fracture := Ice
	return Config{Floes: all, Restitution: 0.2, Friction: 0.5, Collision: 0.02, Repairs: Recommended, Environment: sea(Vec2{14, 0}, Vec2{0.3, 0}),
		Window: 0.1, Fracture: &fracture,
		Tool: &Tool{Outline: DiscOutline(2.5), Position: Vec2{35, 0}, Mass: 2e4, Stiffness: 2e5}}, nil
}

func brash(o SceneOptions) (Config, error) {
	n := o.Floes
	if n == 0 {
		n = 400
	}
	f := Field{Floes: n, Lo: Vec2{-60, -50}, Hi: Vec2{90, 50}, Cover: 0.65, Exponent: 1.8, Spread: 4, Thick: [2]float64{0.3, 0.8}, Seed: o.Seed}
	floes, err := f.Make()
	if err != nil {
		return Config{}, err
	}
	fracture := Ice
	fracture.Smallest = 4
	return Config{Floes: append(Banks(Vec2{-110, -52}, Vec2{92, 52}, 5, 0), floes...), Restitution: 0.2, Friction: 0.2, Collision: 0.01, Repairs: Recommended,
		Environment: sea(Vec2{}, Vec2{}), Window: 1. / 30, Fracture: &fracture,
		Tool: &Tool{Outline: ShipOutline(40, 9), Position: Vec2{-85, 0}, Mass: 8e5, Stiffness: 1e6}}, nil
}

func stormScene(o SceneOptions) (Config, error) {
	n := o.Floes
	if n == 0 {
		n = 1000
	}
	size := 8 * math.Sqrt(float64(n))
	f := Field{Floes: n, Hi: Vec2{size, size}, Cover: 0.7, Exponent: 1.8, Spread: 4, Thick: [2]float64{0.4, 1.5}, Seed: o.Seed}
	floes, err := f.Make()
	if err != nil {
		return Config{}, err
	}
	c := Config{Floes: append(Banks(f.Lo, f.Hi, 10, 1), floes...), Restitution: 0.3, Friction: 0.3, Collision: 0.01, Repairs: Recommended,
		Environment: sea(Vec2{20, 0}, Vec2{}), Window: 1. / 30}
	// The wind turns back and forth.
	c.Environment.Air.Swing, c.Environment.Air.Rate = Vec2{0, 20}, 2*math.Pi/60
	return c, nil
}

func percussion(SceneOptions) (Config, error) {
	fracture := Ice
	fracture.Smallest = 2
	return Config{Floes: []Floe{
		{Outline: []Vec2{{-10, -2}, {10, -2}, {10, 2}, {-10, 2}}, Thickness: 0.8, Density: IceDensity, Position: Vec2{0, 6}},
		{Outline: DiscOutline(5), Thickness: 0.8, Density: IceDensity, Position: Vec2{-16, 4}},
		{Outline: []Vec2{{-4, -3}, {5, -4}, {6, 2}, {0, 5}, {-5, 3}}, Thickness: 0.5, Density: IceDensity, Position: Vec2{17, 5}},
	}, Restitution: 0.1, Friction: 0.2, Collision: 0.005, Repairs: Recommended, Environment: sea(Vec2{}, Vec2{}), Window: 1. / 60, Fracture: &fracture,
		Tool: &Tool{Outline: DiscOutline(1), Position: Vec2{0, 0}, Mass: 5e3, Stiffness: 1e5}}, nil
}

package grain

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// seen is what pictures and plots show of all grains. To look at every pair takes as
// long as a step, so it is done the more rarely the more grains there are.
type seen struct {
	age                int // frames since the last look
	kinetic, potential float64
	left               float64   // of the momentum balance, N s
	momentum           float64   // N s
	press              []float32 // by grain: how hard neighbours and obstacles press it, N
	close              []uint8   // by grain: neighbours nearer than closeBy
	meanSpeed          float64   // m/s
	meanPress          float64   // N
}

func (s *seen) reset(room int) {
	*s = seen{age: math.MaxInt32 / 2, press: make([]float32, room), close: make([]uint8, room)}
}

// look measures what seen holds.
func (w *World) look(s *seen) {
	w.forces()
	n := len(w.id)
	clear(s.press[:n])
	clear(s.close[:n])
	press := func(i int32, f float64) { // repulsion is below 0
		if f < 0 {
			s.press[w.id[i]] -= float32(f)
		}
	}
	s.kinetic, s.potential, s.meanSpeed, s.meanPress = 0, 0, 0, 0
	near := closeBy * w.model.Sigma
	for k := range w.tasks {
		t := &w.tasks[k] // one that moves has no neighbours, and one of pairs none near obstacles
		for _, at := range t.near {
			x := mgl64.Vec3(w.pos[4*at.grain:][:3])
			if q, ok := w.obstacles[at.obstacle].Closest(x); ok {
				d := q.Sub(x).Len()
				s.potential += 2 * w.model.Potential(d)
				press(at.grain, 2*w.model.Force(d))
			}
		}
		for a, list := range t.neighboursOf() {
			x := mgl64.Vec3(w.pos[4*a:][:3])
			for _, b := range list {
				d := mgl64.Vec3(w.pos[b:][:3]).Sub(x).Len()
				if !(d < CutOff*w.model.Sigma) {
					continue
				}
				s.potential += w.model.Potential(d)
				if d < near {
					s.close[w.id[a]]++
					s.close[w.id[b/4]]++
					f := w.model.Force(d)
					press(a, f)
					press(b/4, f)
				}
			}
		}
	}
	for i := range n {
		x, v, m := mgl64.Vec3(w.pos[4*i:][:3]), mgl64.Vec3(w.vel[4*i:][:3]), w.vel[4*i+3]
		v2 := v.LenSqr()
		s.kinetic += m * v2 / 2
		s.meanSpeed += math.Sqrt(v2)
		s.meanPress += float64(s.press[i])
		s.potential -= w.model.weighs(m, w.radius[i]) * w.model.gravity.Dot(x)
	}
	s.meanSpeed, s.meanPress = s.meanSpeed/max(1, float64(n)), s.meanPress/max(1, float64(n))
	p := w.Momentum()
	s.momentum, s.left = p.Len(), w.residual(p).Len()
}

// describe says what does not change about the world.
func (l *live) describe() {
	s := &l.scene
	skin := s.sigma() / 2
	tool := s.Tool.look(skin)
	about := fmt.Sprintf("tool: a %s among grains of %.3g mm. It is drawn with the skin that keeps grains off.", map[string]string{"ball": "ball", "cap": "bowl", "scoop": "scoop", "mesh": "mesh"}[s.Tool.Kind], 1e3*s.Radius)
	count := func(name, label, about string) physics.Number {
		return physics.Number{Name: name, Format: physics.Count, Section: "Haptics", Label: label, About: about}
	}
	near := count("near_bound", "Near the core's bound", "Pairs in the core with more than half of the energy that lets them pass through each other (cure: more cohesion, a hard core, or slower motion).")
	near.Rare, near.Warn = true, 1
	lost := count("lost", "Stopped grains", "Grains whose speed was no number any more.")
	lost.Rare, lost.Warn = true, 1
	l.info = &physics.Info{
		Start: frame.At(s.ToolAt), Advances: true, Every: drawEvery,
		Surfaces: []physics.SurfaceInfo{{Name: "tool", Material: "steel", Driven: true, Rigid: true, Triangles: tool.Triangles, Color: s.ToolColor, About: about}},
		Numbers: []physics.Number{
			{Name: "time_s", Unit: "s", Section: "Haptics", Label: "Simulated time", About: "Time that has passed in the simulation."},
			{Name: "tool_force_N", Unit: "N", Section: "Haptics", Label: "Force on the tool", About: "Of all grains, mean over the last step."},
			count("core", "Pressed grains", "Pairs of grains that are closer than sigma."),
			lost,
			count("grains", "Grains", "Grains in the world now."),
			near,
			{Name: "step_s", Unit: "s", Section: "Haptics", Label: "Time step", About: "Of the integration."},
			{Name: "kinetic_J", Unit: "J", Section: "Haptics", Label: "Kinetic energy", About: "Of all grains."},
			{Name: "potential_J", Unit: "J", Section: "Haptics", Label: "Potential energy", About: "Of pairs, obstacles and weight; its zero is grains apart, at the height of the origin."},
			{Name: "dissipated_J", Unit: "J", Section: "Haptics", Label: "Dissipated", About: "Work that the fluid has taken from the grains since the start."},
			{Name: "momentum_Ns", Unit: "N s", Section: "Haptics", Label: "Momentum", About: "Of all grains."},
			{Name: "momentum_left_Ns", Unit: "N s", Section: "Haptics", Label: "Momentum residual", About: "What weight, fluid, pairs, obstacles and source do not explain of the momentum: round-off."},
		},
		Pages: []physics.Page{
			{Name: "Overview", About: "Pressed grains and step time over the last seconds (C).",
				Plots: []physics.Plot{{Title: "Pressed grains", Integer: true, Top: 10, About: "Pairs of grains that are closer than sigma.", Curves: []physics.Curve{{Name: "pairs", Number: "core"}, {Name: "near the bound", Number: "near_bound"}}}}},
			{Name: "Balance", About: "Energies and momentum of all grains over the last seconds (C).",
				Plots: []physics.Plot{
					{Title: "Energy", Unit: "J", About: "Kinetic, potential, and what the fluid has taken since the start.",
						Curves: []physics.Curve{{Name: "kinetic", Number: "kinetic_J"}, {Name: "potential", Number: "potential_J"}, {Name: "dissipated", Number: "dissipated_J"}}},
					{Title: "Momentum", Unit: "N s", Log: true, About: "Of all grains, and what impulses leave unexplained: round-off.",
						Curves: []physics.Curve{{Name: "all grains", Number: "momentum_Ns"}, {Name: "left over", Number: "momentum_left_Ns"}}},
				}},
		},
	}
	if len(l.lines) > 0 {
		half := s.Container.Size.Mul(0.5)
		l.info.Container = &[2]mgl64.Vec3{{-half[0], 0, -half[2]}, {half[0], s.Container.Size[1], half[2]}}
	}
	l.toolAt = tool.Vertices
	for i := range s.Obstacles {
		l.info.Shapes = append(l.info.Shapes, s.Obstacles[i].look(skin))
		l.info.Shapes[i].Material = s.Obstacles[i].Material
	}
}

// Draw shows grains as balls.
func (l *live) Draw(f *physics.Frame) {
	f.Resize(l.info)
	w := l.world
	f.Step, f.Time, f.Stylus, f.Force, f.Torque = l.steps, w.Time(), l.pose, l.force, l.torque
	f.Surfaces[0].Place(l.toolAt, l.pose)
	for i := range l.now.Obstacles {
		o := &l.now.Obstacles[i]
		f.Instances = append(f.Instances, physics.Instance{Shape: int32(i), Pose: o.Pose, Color: o.Color})
	}
	f.Lines = append(f.Lines, l.lines...)
	s := &l.seen
	if s.age++; s.age > w.N()/oftenFor {
		w.look(s)
		s.age = 0
	}
	l.drawGrains(f)
	l.drawHeld(f)
	r := w.Report()
	copy(f.Numbers, []float64{w.Time(), l.force.Len(), float64(r.Core), float64(r.Lost), float64(w.N()), float64(r.Near), w.Dt(),
		s.kinetic, s.potential, w.Dissipated(), s.momentum, s.left})
}

// drawGrains adds the grains in the order of their cells, so that those near to each other follow each other.
func (l *live) drawGrains(f *physics.Frame) {
	w, s := l.world, &l.seen
	own := physics.Single(l.scene.GrainColor)
	paint := l.now.Paint
	f.Grains = ""
	if paint == PaintPlain {
		f.Grains = l.scene.GrainMaterial
	}
	perSpeed, perPress := 1/(3*s.meanSpeed+1e-300), 1/(3*s.meanPress+1e-300)
	for i, id := range w.id {
		p := physics.Point{Position: physics.Single(mgl64.Vec3(w.pos[4*i:][:3])), Radius: float32(w.radius[i])}
		switch paint {
		case PaintPlain:
			const golden = 0.6180339887
			x := float64(id) * golden
			shade := float32(0.8 + 0.25*(x-math.Floor(x))) // neighbours differ a little
			p.Color = [3]float32{min(1, shade*own[0]), min(1, shade*own[1]), min(1, shade*own[2])}
		case PaintSpeed:
			p.Scalar = float32(math.Sqrt(w.vel[4*i]*w.vel[4*i]+w.vel[4*i+1]*w.vel[4*i+1]+w.vel[4*i+2]*w.vel[4*i+2]) * perSpeed)
		case PaintForce:
			p.Scalar = float32(float64(s.press[id]) * perPress)
		case PaintPacking:
			p.Scalar = float32(s.close[id]) / 12
		}
		if paint != PaintPlain {
			p.Color = heat(p.Scalar)
		}
		f.Points = append(f.Points, p)
	}
}

// heat is a colour from dark blue at 0 over violet and orange to yellow at 1, sRGB: it grows lighter all the way.
func heat(x float32) [3]float32 {
	stops := [...][3]float32{{0.10, 0.12, 0.40}, {0.38, 0.17, 0.58}, {0.76, 0.25, 0.48}, {0.96, 0.52, 0.25}, {0.99, 0.88, 0.35}}
	if !(x > 0) {
		return stops[0]
	}
	y := min(x, 1) * float32(len(stops)-1)
	k := min(int(y), len(stops)-2)
	y -= float32(k)
	a, b := &stops[k], &stops[k+1]
	return [3]float32{a[0] + y*(b[0]-a[0]), a[1] + y*(b[1]-a[1]), a[2] + y*(b[2]-a[2])}
}

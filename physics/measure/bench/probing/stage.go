package probing

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// Stage is a scene of any kind as a hostile hand meets it: through the seam, and nothing else. One goroutine at a time.
type Stage struct {
	load  func() (physics.Scene, error)
	scene physics.Scene
	world physics.World
	info  *physics.Info
	keys  []physics.Key // that a hand may change
	home  []float64     // what they are in the scene
	tools []physics.Tool
	other bool // the scene has been changed: it is read anew before the next script

	frame  physics.Frame
	models [2]local.Model
	hands  int
	start  [2]frame.Pose
	reach  float64 // of the tool about the stylus, m
	box            // of all that is there at the start, m
	joined bool    // the stylus hangs on something wherever it is
	solids *solids
}

// NewStage opens a scene. load reads it, each time anew: a hand that changes the tool changes the scene.
func NewStage(ctx context.Context, load func() (physics.Scene, error)) (*Stage, error) {
	s := &Stage{load: load}
	for k := range s.models {
		local.Make(&s.models[k], 0)
	}
	if err := s.again(ctx); err != nil {
		return nil, err
	}
	if err := s.look(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Name is that of the scene.
func (s *Stage) Name() string { return s.scene.Common().Name }

// Close ends the world.
func (s *Stage) Close() error { return s.world.Close() }

// again reads the scene and opens it.
func (s *Stage) again(ctx context.Context) (err error) {
	if s.scene, err = s.load(); err != nil {
		return err
	}
	s.other = false
	return s.reopen(ctx)
}

// reopen opens the scene as it is now.
func (s *Stage) reopen(ctx context.Context) error {
	w, _, err := s.scene.Open(ctx, physics.Options{})
	if err != nil {
		return err
	}
	if s.world != nil {
		s.world.Close()
	}
	s.take(w)
	return nil
}

// take makes a world the one that is played with.
func (s *Stage) take(w physics.World) {
	s.world, s.info, s.frame = w, w.Info(), physics.Frame{}
	s.keys, s.home, s.tools, s.solids = nil, nil, nil, newSolids(s.info)
	for _, k := range w.Keys() {
		if !k.Settable() || k.Act {
			continue // a view of others, or a file to be written
		}
		if k.Clock { // what the clock ends is not the same twice
			_ = k.Set(0)
			continue
		}
		if low, high := ends(&k); !(high > low) {
			continue
		}
		s.keys = append(s.keys, k)
		s.home = append(s.home, k.Get())
	}
	if t, ok := s.scene.(physics.Tooler); ok {
		for _, tool := range t.Tools() {
			if tool.Own == "" {
				s.tools = append(s.tools, tool)
			}
		}
	}
	s.hands, s.start[0] = 1, s.info.Start
	if s.info.Second != nil {
		s.hands, s.start[1] = 2, *s.info.Second
	}
}

// look measures the scene at the start.
func (s *Stage) look() error {
	s.world.Draw(&s.frame)
	s.reach = s.toolReach()
	s.box = boxOf(s.start[0].Position)
	s.eachBox(func(b box) { s.box = s.and(b) })
	if size := s.size(); !(size > 0) || math.IsInf(size, 0) {
		return fmt.Errorf("probing: scene %s is %g m large at the start", s.Name(), size)
	}
	if s.reach == 0 { // a stylus without a tool of its own
		s.reach = s.size() / 20
	}
	s.begin()
	m := &s.models[0]
	var owed physics.Owed
	for range 200 { // a tool that nothing holds comes, and is left in peace
		owed.Step(s.world, physics.Input{Target: s.away(), Hand: s.away(), Second: s.start[1], Dt: 1e-3})
	}
	s.world.Local(m)
	s.joined = m.Field.On && m.Field.K[0] > 0
	return nil
}

// begin puts the world into its start, with the parameters of the scene.
func (s *Stage) begin() {
	for i := range s.keys {
		if x := s.home[i]; s.keys[i].Get() != x {
			_ = s.keys[i].Set(x) // where others forbid it: once more below
		}
	}
	for i := range s.keys {
		_ = s.keys[i].Set(s.home[i])
	}
	s.world.Reset()
}

// size is how large the scene is across, m.
func (s *Stage) size() float64 { return s.box.size().Len() }

// away is a pose far from everything that is there at the start.
func (s *Stage) away() frame.Pose {
	p := s.start[0]
	p.Position = vec{s.low[0] - s.size() - 4*s.reach, s.high[1] + s.size() + 4*s.reach, s.low[2] - s.size() - 4*s.reach}
	return p
}

// toolReach is how far the first tool reaches from the stylus, m.
func (s *Stage) toolReach() (reach float64) {
	for i := range s.info.Surfaces {
		if b := &s.info.Surfaces[i]; b.Driven && !b.Second {
			for _, x := range s.frame.Surfaces[i].Vertices {
				reach = max(reach, x.Sub(s.frame.Stylus.Position).Len())
			}
		}
	}
	return reach
}

// eachBox calls f with the box of each thing in the frame that a tool may touch.
func (s *Stage) eachBox(f func(b box)) {
	fr := &s.frame
	for i := range fr.Surfaces {
		if v := fr.Surfaces[i].Vertices; !s.info.Surfaces[i].Driven && len(v) > 0 {
			f(boxOf(v...))
		}
	}
	for i := range fr.Instances {
		in := &fr.Instances[i]
		if v := s.info.Shapes[in.Shape].Vertices; len(v) > 0 {
			f(placed(v, &in.Pose))
		}
	}
	for i := range fr.Points {
		f(boxOf(at32(fr.Points[i].Position)).wider(float64(fr.Points[i].Radius)))
	}
	if b := s.info.Container; b != nil {
		f(box{b[0], b[1]})
	}
	if len(fr.Vertices) > 0 { // a map, as a whole
		b := boxOf()
		for i := range fr.Vertices {
			b = b.with(at32(fr.Vertices[i].Position))
		}
		f(b)
	}
}

func at32(p [3]float32) vec { return vec{float64(p[0]), float64(p[1]), float64(p[2])} }

// things are how many there are in the frame that a place can be chosen on.
func (s *Stage) things() int {
	n := len(s.frame.Instances) + len(s.frame.Points)
	for i := range s.info.Surfaces {
		if !s.info.Surfaces[i].Driven {
			n++
		}
	}
	return n + min(len(s.frame.Vertices), len(s.frame.Triangles)*3)
}

// place is one on the thing and at the vertex that two numbers from 0 to 1 choose, as things are now; where there is
// nothing, one in the box of the start.
func (s *Stage) place(thing, vertex float64) vec {
	n := s.things()
	if n == 0 {
		return s.low.Add(s.box.size().Mul(vertex))
	}
	k := min(int(thing*float64(n)), n-1)
	pick := func(n int) int { return min(int(vertex*float64(n)), n-1) }
	for i := range s.info.Surfaces {
		v := s.frame.Surfaces[i].Vertices
		if s.info.Surfaces[i].Driven {
			continue
		}
		if k == 0 && len(v) > 0 {
			return v[pick(len(v))]
		}
		k = max(k-1, 0)
	}
	if k < len(s.frame.Instances) {
		in := &s.frame.Instances[k]
		if v := s.info.Shapes[in.Shape].Vertices; len(v) > 0 {
			return in.Pose.Point(v[pick(len(v))])
		}
		return in.Pose.Position
	}
	k -= len(s.frame.Instances)
	if k < len(s.frame.Points) {
		return at32(s.frame.Points[k].Position)
	}
	if len(s.frame.Vertices) > 0 {
		return at32(s.frame.Vertices[pick(len(s.frame.Vertices))].Position)
	}
	return s.start[0].Position
}

// clear tells that every tool, and where its stylus is, is farther than its own reach from everything there is, and
// from the other.
func (s *Stage) clear() bool {
	clear := true
	check := func(points ...vec) {
		room := boxOf(points...).wider(2 * s.reach)
		if g := s.info.Ground; g != nil && room.low[1] < *g {
			clear = false
		}
		s.eachBox(func(b box) { clear = clear && !b.touches(&room) })
	}
	check(s.frame.Stylus.Position)
	if s.hands == 2 {
		check(s.frame.Second.Stylus.Position)
		clear = clear && s.frame.Second.Stylus.Position.Sub(s.frame.Stylus.Position).Len() > 4*s.reach
	}
	for i := range s.info.Surfaces {
		if v := s.frame.Surfaces[i].Vertices; clear && s.info.Surfaces[i].Driven && len(v) > 0 {
			check(v...)
		}
	}
	return clear
}

// holds tells that a grip holds something: the world counts what it does, or it is closed.
func (s *Stage) holds() bool {
	if i := s.info.Number("held"); i >= 0 {
		return s.frame.Numbers[i] > 0
	}
	return slices.ContainsFunc(s.keys, func(k physics.Key) bool { return isGrip(&k) && k.Get() != 0 })
}

// turnedBy is a pose turned about an axis of the world, rad.
func turnedBy(p frame.Pose, axis vec, angle float64) frame.Pose {
	p.Rotation = mgl64.QuatRotate(angle, axis).Mul(p.Rotation).Normalize()
	return p
}

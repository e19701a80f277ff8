package probing

import (
	"context"
	"errors"
	"testing"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/num"
)

// puppet is a world of two cubes and two tools that does what it is told.
type puppet struct {
	info     *physics.Info
	at       [2]frame.Pose
	steps    int
	force    vec
	draws    func(f *physics.Frame)
	local    func(m *local.Model)
	account  []physics.Entry
	sample   any
	key      float64
	takes    bool // any value
	step     func()
	stopped  error
	advanced float64
}

func (p *puppet) Info() *physics.Info { return p.info }

func (p *puppet) Step(in physics.Input) physics.Report {
	p.steps++
	if in.Target.Proper() {
		p.at[0] = in.Target
	}
	if in.Second.Proper() {
		p.at[1] = in.Second
	}
	if p.step != nil {
		p.step()
	}
	r := physics.Report{Reached: true, Force: p.force, Stopped: p.stopped, Advanced: p.advanced}
	if r.Advanced == 0 && in.Dt > 0 && num.Finite(in.Dt) { // it keeps up
		r.Advanced = in.Dt
	}
	return r
}

func (p *puppet) Local(m *local.Model) {
	m.SetN(0)
	m.Origin, m.Rotation, m.Field = p.at[0].Position, p.at[0].Rotation, local.Field{}
	if p.local != nil {
		p.local(m)
	}
}

func (p *puppet) LocalSecond(m *local.Model) { p.Local(m) }

func (p *puppet) Draw(f *physics.Frame) {
	f.Resize(p.info)
	f.Stylus, f.Second.Stylus, f.Force = p.at[0], p.at[1], p.force
	for k := range 2 {
		f.Surfaces[k].Vertices = f.Surfaces[k].Vertices[:0]
		for _, x := range p.info.Shapes[1].Vertices {
			f.Surfaces[k].Vertices = append(f.Surfaces[k].Vertices, p.at[k].Point(x))
		}
		f.Instances = append(f.Instances, physics.Instance{Pose: frame.At(vec{0.1 * float64(k), 0.03, 0})})
	}
	if p.draws != nil {
		p.draws(f)
	}
}

func (p *puppet) Keys() []physics.Key {
	k := physics.Key{Name: "friction", Range: setting.Range{Min: 0, Max: 1}, Get: func() float64 { return p.key }}
	k.Put = physics.Puts(func(x float64) error {
		p.key = x
		if p.takes {
			return errors.New("no")
		}
		return nil
	})
	return []physics.Key{k}
}

func (p *puppet) Reset()                       { p.at = [2]frame.Pose{p.info.Start, *p.info.Second} }
func (p *puppet) Close() error                 { return nil }
func (p *puppet) Account(bool) []physics.Entry { return p.account }
func (p *puppet) Sample() []physics.Entry      { return []physics.Entry{{Name: "state", Value: p.sample}} }

// puppetScene is one that opens a puppet.
type puppetScene struct {
	setting.Setting
	p *puppet
}

func (s *puppetScene) Common() *setting.Setting { return &s.Setting }
func (s *puppetScene) Set(string) error         { return nil }
func (s *puppetScene) Echo(string) string       { return "" }
func (s *puppetScene) Tools() []physics.Tool    { return []physics.Tool{{Name: "cube"}} }
func (s *puppetScene) Open(context.Context, physics.Options) (physics.World, []string, error) {
	return s.p, nil, nil
}

// cube is one of half an edge, m.
func cube(half float64) (s physics.Shape) {
	for i := range 8 {
		s.Vertices = append(s.Vertices, vec{half * float64(i&1*2-1), half * float64(i>>1&1*2-1), half * float64(i>>2&1*2-1)})
	}
	for _, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
		s.Triangles = append(s.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
	}
	return s
}

// puppetStage is a puppet's. Its tools start 200 mm over the floor, its cubes of 40 mm on it.
func puppetStage(t *testing.T, p *puppet) *Stage {
	t.Helper()
	second, ground := frame.At(vec{0.1, 0.2, 0}), 0.0
	p.info = &physics.Info{Start: frame.At(vec{0, 0.2, 0}), Second: &second, Ground: &ground, Advances: true, Shapes: []physics.Shape{cube(0.02), cube(0.005)},
		Numbers: []physics.Number{{Name: "error", Warn: 1e-3}, {Name: "held"}}}
	for k := range 2 {
		p.info.Surfaces = append(p.info.Surfaces, physics.SurfaceInfo{Name: "tool", Driven: true, Second: k == 1, Rigid: true, Triangles: p.info.Shapes[1].Triangles})
	}
	p.Reset()
	s, err := NewStage(t.Context(), func() (physics.Scene, error) { return &puppetScene{p: p}, nil })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/schollz/progressbar/v3"

	"hapco/assets"
	"hapco/physics/flex"
	"hapco/physics/frame"
	"hapco/physics/guard"
	"hapco/physics/mesh"
	"hapco/physics/scene"
	"hapco/physics/tissue"
)

// sceneFlags choose a scene and change it.
type sceneFlags struct {
	Scene string `arg:"" optional:"" help:"Name of an embedded scene or a .toml file."`
	Mesh  string `help:"Replace the obstacle's shape by this mesh file." type:"path"`
	unitFlag
	NoCache bool     `help:"Compute every compliance anew and keep none." env:"HAPCO_NO_CACHE"`
	Set     []string `help:"Change a key of the scene, e.g. --set friction=0.5 --set obstacle.material=tissue --set 'obstacle.E=6 kPa'." placeholder:"KEY=VALUE" sep:"none"`
}

// load reads the scene and says in which units it takes what --set gives.
func (f *sceneFlags) load() (*scene.Scene, error) {
	s, err := f.read()
	if err == nil {
		echo(s, f.Set)
	}
	return s, err
}

// echo says the units of assignments that name none, on standard error.
func echo(s *scene.Scene, assignments []string) {
	for _, a := range assignments {
		if said := scene.Echo(s, a); said != "" {
			fmt.Fprintln(os.Stderr, "hapco: "+said)
		}
	}
}

// Names of the notes of a recording that tell its scene: see notes and noted.
const (
	noteScene    = "scene"
	noteTemplate = "template" // scene that the mesh was put in
	noteMesh     = "mesh"
	noteUnit     = "length_unit"
	noteSet      = "set" // assignments, one a line
)

// notes are kept in a recording, so that the same scene can be built again.
func (f *sceneFlags) notes(s *scene.Scene) map[string]string {
	notes := map[string]string{noteScene: s.Name}
	if len(f.Set) > 0 {
		notes[noteSet] = strings.Join(f.Set, "\n")
	}
	if f.Mesh != "" {
		for i := range s.Bodies {
			if b := &s.Bodies[i]; b.Shape.File == f.Mesh {
				notes[noteTemplate], notes[noteMesh], notes[noteUnit] = cmp.Or(f.Scene, assets.DefaultScene), f.Mesh, b.Shape.Unit
			}
		}
	}
	return notes
}

// noted are the flags that a recording's notes stand for.
func noted(notes map[string]string) sceneFlags {
	f := sceneFlags{Scene: notes[noteScene]}
	if notes[noteMesh] != "" {
		f.Scene, f.Mesh, f.LengthUnit = notes[noteTemplate], notes[noteMesh], notes[noteUnit]
	}
	if notes[noteSet] != "" {
		f.Set = strings.Split(notes[noteSet], "\n")
	}
	return f
}

// read reads the scene and applies the flags to it.
func (f *sceneFlags) read() (*scene.Scene, error) {
	name := f.Scene
	if name == "" {
		name = assets.DefaultScene
	}
	s, err := scene.Load(name)
	if err != nil {
		return nil, badInput(err)
	}
	if f.Mesh != "" {
		if err := replaceMesh(s, f.Mesh, &f.unitFlag); err != nil {
			return nil, badInput(err)
		}
	}
	for _, assignment := range f.Set {
		if err := scene.Set(s, assignment); err != nil {
			return nil, badInput(err)
		}
	}
	if err := s.Validate(); err != nil {
		return nil, badInput(err)
	}
	return s, nil
}

// builder keeps compliances in the user's cache, unless told not to.
func (f *sceneFlags) builder() (build tissue.Builder) {
	if !f.NoCache {
		build.Cache = flex.DefaultCache()
	}
	return build
}

// buildWorld builds the simulation, with a progress bar on a terminal; elsewhere
// it says now and then how far it is, once it takes long.
func buildWorld(ctx context.Context, s *scene.Scene, build tissue.Builder) (*tissue.World, error) {
	bar := progressbar.NewOptions(1000,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(isTerminal(os.Stderr)),
		progressbar.OptionSetDescription("compliance"),
		progressbar.OptionClearOnFinish(),
	)
	lines := slowLines{what: "compliance"}
	if !isTerminal(os.Stderr) {
		done := make(chan struct{})
		defer close(done)
		guard.Go(func() { lines.write(os.Stderr, done) })
	}
	world, notes, err := build.New(ctx, s, func(fraction float64, what string) {
		bar.Describe(what)
		_ = bar.Set(int(1000 * fraction))
		lines.tell(fraction, what)
	})
	_ = bar.Finish()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, badInput(err)
	}
	for _, note := range notes {
		fmt.Fprintln(os.Stderr, "hapco: "+note)
	}
	return world, nil
}

// firstLine after that long, nextLine after that: who reads a log wants to know
// that something goes on, not to read a bar.
const firstLine, nextLine = 10 * time.Second, 20 * time.Second

// slowLines are what a long computation says where there is no terminal.
type slowLines struct {
	mutex    sync.Mutex
	what     string
	fraction float64
}

func (l *slowLines) tell(fraction float64, what string) {
	l.mutex.Lock()
	if !strings.HasPrefix(l.what, what) { // what comes once, such as an estimate, stays
		l.what = what
	}
	l.fraction = fraction
	l.mutex.Unlock()
}

func (l *slowLines) line() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return fmt.Sprintf("hapco: %s: %.0f %%", l.what, 100*l.fraction)
}

// write writes a line now and then until done.
func (l *slowLines) write(out io.Writer, done <-chan struct{}) {
	for wait := firstLine; ; wait = nextLine {
		select {
		case <-done:
			return
		case <-time.After(wait):
			fmt.Fprintln(out, l.line())
		}
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// dirOf is the folder that a file is in.
func dirOf(name string) string { return filepath.Dir(name) }

// scenesCommand lists the embedded scenes.
type scenesCommand struct{}

// Run prints one line a scene.
func (scenesCommand) Run() error {
	list, err := scene.List()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, s.About)
	}
	return t.Flush()
}

// bodyName makes a word of a file's name that --set can start with.
func bodyName(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, stem)
}

// replaceMesh puts a mesh file in the place of the scene's obstacle. Tool,
// tolerance, paths and camera follow the mesh's size, so that a fly and a whale
// can both be pressed; the stylus starts above the highest node.
func replaceMesh(s *scene.Scene, file string, f *unitFlag) error {
	if err := f.check(); err != nil {
		return err
	}
	m, err := mesh.Load(file)
	if err != nil {
		return err
	}
	unit, scale, err := f.unitOfMesh(m)
	if err != nil {
		return err
	}
	m.Scale(scale)
	tool, obstacle := -1, -1
	for i := range s.Bodies {
		if s.Bodies[i].Role == scene.Driven {
			tool = i
		} else if obstacle < 0 {
			obstacle = i
		}
	}
	if tool < 0 || obstacle < 0 || s.Bodies[tool].Shape.Kind != scene.ToolShape {
		return fmt.Errorf("--mesh: scene %s has no tool above one obstacle (cure: --mesh with scene %s)", s.Name, assets.DefaultScene)
	}

	lo, hi := m.Bounds()
	size := hi.Sub(lo)
	diagonal := size.Len()
	top := m.Nodes[0]
	for _, x := range m.Nodes {
		if x[1] > top[1] {
			top = x
		}
	}
	b := &s.Bodies[obstacle]
	b.Name = bodyName(file)
	b.Shape = scene.Shape{Kind: scene.MeshShape, File: file, Unit: unit}
	b.Clamp = scene.Selector{Kind: scene.SelectDefault}
	b.Surface = scene.Selector{Kind: scene.SelectAll}
	b.Pose = frame.Identity()

	radius := diagonal / 30
	t := &s.Bodies[tool]
	t.Shape.Tool.Radius, t.Shape.Tool.Length, t.Shape.Tool.Spacing = radius, 10*radius, 0
	t.Pose = frame.At(top.Add(mgl64.Vec3{0, 1.5 * radius, 0}))

	s.Name = file
	s.Title, s.About = filepath.Base(file), "The mesh of "+filepath.Base(file)
	s.Contact.DDCTolerance = radius / 4
	s.Contact.Length = diagonal / 2
	s.Device.Workspace = size.Mul(2)
	centre := lo.Add(hi).Mul(0.5)
	s.Camera.Target = centre
	s.Camera.Eye = centre.Add(mgl64.Vec3{0.35, 0.45, 1}.Normalize().Mul(1.6 * diagonal))
	s.Camera.Up = mgl64.Vec3{0, 1, 0}
	press := scene.Move{Direction: mgl64.Vec3{0, -1, 0}, Steps: 15, Step: radius / 10}
	slide := scene.Move{Direction: mgl64.Vec3{1, 0, 0}, Steps: 20, Step: radius / 10}
	s.Paths = []scene.Path{{Name: "penetration", Moves: []scene.Move{press}}, {Name: "sliding", Moves: []scene.Move{press, slide}}}
	s.Probes = nil
	return nil
}

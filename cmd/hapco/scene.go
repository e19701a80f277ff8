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

	"github.com/schollz/progressbar/v3"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/guard"
	"hapco/physics/mesh"
)

// sceneFlags choose a scene and change it.
type sceneFlags struct {
	Scene string `arg:"" optional:"" help:"Name of an embedded scene or a .toml file."`
	Mesh  string `help:"Replace the obstacle's shape by this mesh file." type:"path"`
	unitFlag
	meshUnit string   // of Mesh, once it has been read
	NoCache  bool     `help:"Compute every compliance anew and keep none." env:"HAPCO_NO_CACHE"`
	Set      []string `help:"Change a key of the scene, e.g. --set friction=0.5 --set obstacle.material=tissue --set 'obstacle.E=6 kPa'." placeholder:"KEY=VALUE" sep:"none"`
}

// load reads the scene and says in which units it takes what --set gives.
func (f *sceneFlags) load() (physics.Scene, error) {
	s, err := f.read()
	if err == nil {
		echo(s, f.Set)
	}
	return s, err
}

// echo says the units of assignments that name none, on standard error.
func echo(s physics.Scene, assignments []string) {
	for _, a := range assignments {
		if said := s.Echo(a); said != "" {
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
func (f *sceneFlags) notes(s physics.Scene) map[string]string {
	notes := map[string]string{noteScene: s.Common().Name}
	if len(f.Set) > 0 {
		notes[noteSet] = strings.Join(f.Set, "\n")
	}
	if f.Mesh != "" {
		notes[noteTemplate], notes[noteMesh], notes[noteUnit] = cmp.Or(f.Scene, assets.DefaultScene), f.Mesh, f.meshUnit
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
func (f *sceneFlags) read() (physics.Scene, error) {
	s, err := physics.Load(cmp.Or(f.Scene, assets.DefaultScene))
	if err != nil {
		return nil, badInput(err)
	}
	if f.Mesh != "" {
		if err := f.replaceMesh(s); err != nil {
			return nil, badInput(err)
		}
	}
	for _, assignment := range f.Set {
		if err := s.Set(assignment); err != nil {
			return nil, badInput(err)
		}
	}
	return s, nil
}

// buildWorld builds the simulation, with a progress bar on a terminal; elsewhere
// it says now and then how far it is, once it takes long.
func buildWorld(ctx context.Context, s physics.Scene, o physics.Options) (physics.World, error) {
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
	o.Progress = func(fraction float64, what string) {
		bar.Describe(what)
		_ = bar.Set(int(1000 * fraction))
		lines.tell(fraction, what)
	}
	world, notes, err := s.Open(ctx, o)
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
	list, err := physics.List()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, s.About)
	}
	return t.Flush()
}

// replaceMesh puts the mesh file of --mesh in the place of the scene's obstacle.
func (f *sceneFlags) replaceMesh(s physics.Scene) error {
	if err := f.check(); err != nil {
		return err
	}
	m, err := mesh.Load(f.Mesh)
	if err != nil {
		return err
	}
	unit, scale, err := f.unitOfMesh(m)
	if err != nil {
		return err
	}
	m.Scale(scale)
	taker, ok := s.(physics.Mesher)
	if !ok {
		return fmt.Errorf("--mesh: a scene of kind %s has no obstacle that a mesh could replace (cure: --mesh with scene %s)", s.Common().Kind, assets.DefaultScene)
	}
	f.meshUnit = unit
	return taker.TakeMesh(f.Mesh, unit, m.Nodes)
}

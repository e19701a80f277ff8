package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/schollz/progressbar/v3"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/mesh"
	"hapco/physics/scene"
)

// sceneFlags choose a scene and change it.
type sceneFlags struct {
	Scene      string   `arg:"" optional:"" help:"Name of an embedded scene or a .toml file."`
	Mesh       string   `help:"Replace the obstacle's shape by this mesh file." type:"path"`
	LengthUnit string   `help:"Length unit of --mesh: m, cm, mm, um, in." default:"mm"`
	Set        []string `help:"Change a key of the scene, e.g. --set friction=0.5 --set obstacle.material=tissue." placeholder:"KEY=VALUE" sep:"none"`
}

// load reads the scene and applies the flags to it.
func (f *sceneFlags) load() (*scene.Scene, error) {
	name := f.Scene
	if name == "" {
		name = assets.DefaultScene
	}
	s, err := scene.Load(name)
	if err != nil {
		return nil, badInput(err)
	}
	if f.Mesh != "" {
		if err := replaceMesh(s, f.Mesh, f.LengthUnit); err != nil {
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

// buildWorld builds the simulation, with a progress bar on a terminal.
func buildWorld(ctx context.Context, s *scene.Scene) (*physics.World, error) {
	bar := progressbar.NewOptions(1000,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(isTerminal(os.Stderr)),
		progressbar.OptionSetDescription("compliance"),
		progressbar.OptionClearOnFinish(),
	)
	world, notes, err := physics.New(ctx, s, func(fraction float64, what string) {
		bar.Describe(what)
		_ = bar.Set(int(1000 * fraction))
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

// replaceMesh puts a mesh file in the place of the scene's obstacle, moved and
// seen so that the stylus starts just above it.
func replaceMesh(s *scene.Scene, file, unit string) error {
	scale, err := mesh.LengthUnit(unit)
	if err != nil {
		return err
	}
	m, err := mesh.Load(file)
	if err != nil {
		return err
	}
	m.Scale(scale)
	lo, hi := m.Bounds()
	return s.Replace(file, unit, lo, hi)
}

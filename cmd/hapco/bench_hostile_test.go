package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/bodies"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/bench/probing"
	"hapco/physics/worlds/tissue"
)

// After whatever a hand does, tissue lets go of the tool, lies as it was, and was
// never torn, stuck or unsolved on the way: on every scene with tissue and on meshes.
// `hapco bench bodies --hostile 100` does more of it, and measures the times, too.
func TestTissueLetsGoOfAHostileHand(t *testing.T) {
	if testkit.Race {
		t.Skip("minutes")
	}
	gestures, seed := 3, uint64(11)
	if testing.Short() {
		gestures = 1
	}
	c := &bodies.Command{}
	flags, _, err := c.Arenas()
	if err != nil {
		t.Fatal(err)
	}
	if len(flags) < 5 {
		t.Fatalf("%d scenes with tissue", len(flags))
	}
	for name, unit := range map[string]string{"liver.msh": "cm", "liver2.msh": "cm", "truthcylinder1.msh": "mm"} {
		if file, ok := testkit.SharedFile("data", "meshes", name); ok {
			flags = append(flags, app.SceneFlags{Scene: "liver-linear", Mesh: file, UnitFlag: app.UnitFlag{LengthUnit: unit}})
		}
	}
	// Gestures, by seed and number, that have broken a law once.
	once := map[string][][2]uint64{"organs-linear": {{21, 3}}, "truthcylinder1": {{51, 14}}, "stiff-corner": {{3301, 3}}, "spatula": {{3302, 8}}}
	if testing.Short() {
		once = nil
	}
	for i := range flags {
		if s, err := flags[i].Load(); err == nil && s.Common().Kind != setting.DefaultKind {
			continue // bodies at large strains: package probing
		}
		if testing.Short() && i%4 > 0 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(flags[i].Scene+flags[i].Mesh), ".msh")
		t.Run(name, func(t *testing.T) {
			s, err := tissueOf(&flags[i])
			if err != nil {
				t.Fatal(err)
			}
			if probing.Bears(s) != nil {
				return
			}
			arena, err := probing.NewArena(t.Context(), s, tissue.Builder{})
			if err != nil {
				t.Fatal(err)
			}
			steps, turned, made := 0, 0, once[name]
			for n := range uint64(gestures) {
				made = append(made, [2]uint64{seed, n})
			}
			for _, made := range made {
				seed, n := made[0], made[1]
				g := arena.Gesture(seed, n)
				v, err := arena.Judge(t.Context(), &g, probing.JudgeOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range v.Breaches {
					t.Errorf("seed %d, gesture %d, %s: %s: %s", seed, n, &g, b.Cause, b.Text)
				}
				if !(v.Force > 0) || !(v.Press > 0) {
					t.Errorf("gesture %d, %s: felt %g N, a straight press %g", n, &g, v.Force, v.Press)
				}
				steps += len(v.StepMS)
				turned += v.Frames
			}
			share := float64(turned) / float64(steps)
			if share > probing.TurnedShare {
				t.Errorf("tissue turned over in %.2f %% of %d steps", 100*share, steps)
			}
		})
	}
}

// tissueOf is the scene of kind tissue that flags choose.
func tissueOf(f *app.SceneFlags) (*scene.Scene, error) {
	s, err := f.Load()
	if err != nil {
		return nil, err
	}
	t, ok := s.(*tissue.SceneFile)
	if !ok {
		return nil, fmt.Errorf("scene %s is of kind %s, not tissue", s.Common().Name, s.Common().Kind)
	}
	return &t.Scene, nil
}

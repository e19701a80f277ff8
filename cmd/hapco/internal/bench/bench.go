package bench

import (
	"time"

	"hapco/cmd/hapco/internal/bench/bodies"
	"hapco/cmd/hapco/internal/bench/collision"
	"hapco/cmd/hapco/internal/bench/floe"
	"hapco/cmd/hapco/internal/bench/grain"
	"hapco/cmd/hapco/internal/bench/haptics"
	"hapco/cmd/hapco/internal/bench/rigid"
	"hapco/cmd/hapco/internal/bench/scale"
	"hapco/cmd/hapco/internal/bench/solvers"
	"hapco/cmd/hapco/internal/bench/thesis"
	"hapco/cmd/hapco/internal/bench/tissue"
)

// Command groups the measurements. Each writes DIR/NAME.json, tables as CSV, plots as PNG, and prints a summary.
type Command struct {
	TimeLimit time.Duration `help:"Stop after this time, with exit status 1; 0: none. Only solvers then writes what it has." default:"0s" in:"0s|1ns..10000h"`

	All       All               `cmd:"" help:"Run every measurement and print its tables, or write docs/measurements.md."`
	Thesis    thesis.Command    `cmd:"" help:"Repeat the thesis's experiments: tables, figures, findings."`
	Solvers   solvers.Command   `cmd:"" help:"Solve a folder of .fc3d problems with every solver."`
	Scale     scale.Command     `cmd:"" help:"Measure a step of linear tissue over nodes and contacts."`
	Collision collision.Command `cmd:"" help:"Measure proximity queries over triangles, beside FCL where installed."`
	Bodies    bodies.Command    `cmd:"" help:"Probe scenes of several bodies for a minute: penetration, energy, rates; or with a hostile hand."`
	Grain     grain.Command     `cmd:"" help:"Measure a step of packed grains over their number, beside LAMMPS where installed."`
	Floe      floe.Command      `cmd:"" help:"Measure a step of ice floes over their number, beside Box2D where installed."`
	Rigid     rigid.Command     `cmd:"" help:"Compare integrators of rigid rotation; measure a step over contacts."`
	Tissue    tissue.Command    `cmd:"" help:"Measure a step of finite strain over nodes and contacts, beside SOFA's times."`
	Haptics   haptics.Command   `cmd:"" help:"Measure the haptic loop: punctuality, stability, stiffest wall."`
}

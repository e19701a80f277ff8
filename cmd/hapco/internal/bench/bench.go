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

// Command groups the measurements. Each writes DIR/NAME.json, tables as
// CSV, plots as PNG, and prints a summary.
type Command struct {
	TimeLimit time.Duration `help:"Stop after this time, with exit status 1; 0: none. The solvers' bench writes what it has by then, the others nothing." default:"0s"`

	Thesis    thesis.Command    `cmd:"" help:"Repeat the thesis's experiments: its tables and figures beside its numbers, and which findings hold."`
	Solvers   solvers.Command   `cmd:"" help:"Solve a folder of .fc3d problems with every solver."`
	Scale     scale.Command     `cmd:"" help:"Measure a physics step and its parts over the nodes of a body and the number of contacts."`
	Collision collision.Command `cmd:"" help:"Measure proximity queries over the triangles of a deforming surface, beside FCL where it is installed."`
	Bodies    bodies.Command    `cmd:"" help:"Probe scenes of several bodies for a minute: organ on organ, an organ on itself; depth of penetration, energy, rates."`
	Grain     grain.Command     `cmd:"" help:"Measure a step of packed grains over their number and threads, beside LAMMPS where it is installed."`
	Floe      floe.Command      `cmd:"" help:"Measure a step of a field of ice floes over their number, compare laws of contact, beside Box2D where it is installed."`
	Rigid     rigid.Command     `cmd:"" help:"Compare the three integrators of rigid rotation as the paper's figures do, and measure a step over contacts."`
	Tissue    tissue.Command    `cmd:"" help:"Measure a step of a body at large strains over its nodes and contacts: processor time, residual, beside SOFA."`
	Haptics   haptics.Command   `cmd:"" help:"Measure the haptic loop: punctuality, stability of contact, stiffest wall of each device."`
}

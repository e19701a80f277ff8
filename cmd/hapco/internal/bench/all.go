// Package bench lists the measurements of `hapco bench`, one folder each. They are the only part of the program that
// meets kinds of worlds by name.
package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/bodies"
	"hapco/cmd/hapco/internal/bench/collision"
	"hapco/cmd/hapco/internal/bench/floe"
	"hapco/cmd/hapco/internal/bench/grain"
	"hapco/cmd/hapco/internal/bench/haptics"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/cmd/hapco/internal/bench/rigid"
	"hapco/cmd/hapco/internal/bench/scale"
	"hapco/cmd/hapco/internal/bench/solvers"
	"hapco/cmd/hapco/internal/bench/thesis"
	"hapco/cmd/hapco/internal/bench/tissue"
	"hapco/physics/machinery/refusal"
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
	Rigid     rigid.Command     `cmd:"" help:"Compare integrators of rigid rotation; measure walls of bricks, beside Bullet and ODE where installed."`
	Tissue    tissue.Command    `cmd:"" help:"Measure a step of finite strain over nodes and contacts, beside SOFA's times."`
	Haptics   haptics.Command   `cmd:"" help:"Measure the haptic loop: punctuality, stability, stiffest wall."`
}

// All runs every measurement that needs nothing else installed, one after the other.
type All struct {
	output.Flags
	Only     []string `help:"Only these measurements; repeatable." placeholder:"NAME"`
	Write    bool     `help:"Write the tables into --page instead of printing them."`
	Page     string   `help:"Page that --write changes, between its marks." default:"docs/measurements.md" type:"path"`
	Problems string   `help:"Folder with the .fc3d files for the solvers." default:"physics/numerics/contact/testdata" type:"path"`
}

// measurements are the commands of All, in the order of the page.
var measurements = []string{"thesis --brief", "solvers", "scale", "tissue", "bodies", "rigid", "floe", "grain", "collision --no-fcl", "haptics"}

// Run measures, and prints or writes what the measurements print: a section each, which is written as soon as it is
// there and leaves those of the others as they are. A measurement that fails is told of in its section, and in the exit
// status; the others are made all the same.
func (a *All) Run(ctx context.Context) error { return a.Measure(func() { a.measureAll(ctx) }) }

func (a *All) measureAll(ctx context.Context) {
	var names []string
	for _, words := range measurements {
		name, _, _ := strings.Cut(words, " ")
		names = append(names, name)
	}
	for _, name := range a.Only {
		if !slices.Contains(names, name) {
			refusal.Need(app.BadInput(fmt.Errorf("bench all: --only %s (cure: one of %s)", name, strings.Join(names, ", "))))
		}
	}
	var page output.Marked
	if a.Write {
		var err error
		if page, err = output.OpenMarked(a.Page, "bench all"); err != nil {
			refusal.Need(app.BadInput(fmt.Errorf("bench all: --page: %w", err)))
		}
	}
	sections := map[string]string{}
	for _, old := range strings.Split("\n"+page.Text, "\n### ")[1:] {
		name, _, _ := strings.Cut(old, "\n")
		sections[name] = "\n### " + strings.TrimRight(old, "\n") + "\n"
	}
	var failed []error
	for i, words := range measurements {
		if len(a.Only) > 0 && !slices.Contains(a.Only, names[i]) {
			continue
		}
		section, err := a.measure(ctx, words)
		if ctx.Err() != nil {
			refusal.Need(errors.Join(append(failed, ctx.Err())...))
		}
		failed = append(failed, err)
		if !a.Write {
			fmt.Fprint(app.Stdout, section)
			continue
		}
		sections[names[i]] = section
		var text strings.Builder
		for _, name := range names {
			text.WriteString(sections[name])
		}
		refusal.NeedAt(page.Write(text.String()), "bench all: --page")
	}
	refusal.Need(errors.Join(failed...))
}

// measure runs one command as it is typed, and returns its section of the page.
func (a *All) measure(ctx context.Context, words string) (string, error) {
	args := strings.Fields(words)
	if a.Quick {
		args = append(args, "--quick")
	}
	typed := strings.Join(args, " ")
	if args[0] == "solvers" {
		args, typed = append(args, a.Problems), typed+" FOLDER"
	}
	var c Command
	parser, err := kong.New(&c, kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return "", err
	}
	k, err := parser.Parse(append(args, "--out", a.Out))
	if err != nil {
		return "", err
	}
	fmt.Fprintln(os.Stderr, "hapco: bench "+typed)
	var printed bytes.Buffer
	stdout, began := app.Stdout, time.Now()
	app.Stdout = &printed
	defer func() { app.Stdout = stdout }()
	err = k.Run()
	if err != nil {
		err = fmt.Errorf("bench %s: %w", typed, err)
		fmt.Fprintf(&printed, "%v\n", err)
	}
	text := strings.ReplaceAll(strings.Trim(printed.String(), "\n"), a.Out, "DIR")
	return fmt.Sprintf("\n### %s\n\n%s `hapco bench %s`, %s, hapco %s, %s, %.0f s:\n\n```\n%s\n```\n", k.Selected().Name, k.Selected().Help, typed,
		began.Format(time.DateOnly), app.Version, app.Machine(), time.Since(began).Seconds(), text), err
}

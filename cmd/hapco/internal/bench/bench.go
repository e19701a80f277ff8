package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hapco/cmd/hapco/internal/app"
)

// BenchCommand groups the measurements. Each writes DIR/NAME.json, tables as
// CSV, plots as PNG, and prints a summary.
type BenchCommand struct {
	TimeLimit time.Duration `help:"Stop after this time, with exit status 1; 0: none. The solvers' bench writes what it has by then, the others nothing." default:"0s"`

	Thesis    benchThesis    `cmd:"" help:"Repeat the thesis's experiments: its tables and figures beside its numbers, and which findings hold."`
	Solvers   benchSolvers   `cmd:"" help:"Solve a folder of .fc3d problems with every solver."`
	Scale     benchScale     `cmd:"" help:"Measure a physics step and its parts over the nodes of a body and the number of contacts."`
	Collision benchCollision `cmd:"" help:"Measure proximity queries over the triangles of a deforming surface, beside FCL where it is installed."`
	Bodies    BenchBodies    `cmd:"" help:"Probe scenes of several bodies for a minute: organ on organ, an organ on itself; depth of penetration, energy, rates."`
	Grain     benchGrain     `cmd:"" help:"Measure a step of packed grains over their number and threads, beside LAMMPS where it is installed."`
	Floe      BenchFloe      `cmd:"" help:"Measure a step of a field of ice floes over their number, compare laws of contact, beside Box2D where it is installed."`
	Rigid     BenchRigid     `cmd:"" help:"Compare the three integrators of rigid rotation as the paper's figures do, and measure a step over contacts."`
	Tissue    benchTissue    `cmd:"" help:"Measure a step of a body at large strains over its nodes and contacts: processor time, residual, beside SOFA."`
	Haptics   benchHaptics   `cmd:"" help:"Measure the haptic loop: punctuality, stability of contact, stiffest wall of each device."`
}

// BenchFlags are common to all measurements.
type BenchFlags struct {
	Out   string `help:"Folder for tables and plots." default:"out" type:"path"`
	Quick bool   `help:"Fewer repetitions and cases, for a first look."`
}

// folder makes the output folder.
func (f *BenchFlags) folder() error {
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return app.BadInput(fmt.Errorf("--out: %w (cure: a folder that may be written)", err))
	}
	return nil
}

// writeJSON writes DIR/name.json.
func (f *BenchFlags) writeJSON(name string, v any) error {
	return app.WriteOut(filepath.Join(f.Out, name+".json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// writeCSV writes DIR/name.csv.
func (f *BenchFlags) writeCSV(name string, rows [][]string) error {
	return app.WriteOut(filepath.Join(f.Out, name+".csv"), func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// writeMarked writes text to a file, or into it: between the lines <!-- mark -->
// and <!-- end --> where the file has them.
func writeMarked(file, mark, text string) error {
	const end = "<!-- end -->"
	begin := "<!-- " + mark + " -->"
	if old, err := os.ReadFile(file); err == nil {
		before, rest, found := strings.Cut(string(old), begin)
		if found {
			_, after, closed := strings.Cut(rest, end)
			if !closed {
				return fmt.Errorf("%s: %s without %s (cure: the second line where the tables end)", file, begin, end)
			}
			text = before + begin + "\n" + text + end + after
		}
	} else if !os.IsNotExist(err) {
		return err
	}
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

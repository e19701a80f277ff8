// Command hapco is the haptic simulator: the window, and headless commands for tables and measurements.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench"
	"hapco/haptics/devices"
	"hapco/haptics/doctor"
	"hapco/physics/files/atomicfile"
	"hapco/physics/machinery/failsafe"
	_ "hapco/physics/measure/cases" // the reference cases that there are
	_ "hapco/physics/worlds"        // the kinds of worlds that there are
)

// Exit statuses: scripts depend on them.
const (
	exitFailed      = 1
	exitBadInput    = 2
	exitInterrupted = 130
)

// cli is the command line. Scripts depend on its words.
type cli struct {
	Run     runCommand     `cmd:"" help:"Open a scene in the window and press it."`
	Serve   serveCommand   `cmd:"" help:"Let programs of yours into a world, through a Unix socket."`
	Scenes  scenesCommand  `cmd:"" help:"List the embedded scenes, or make their pictures."`
	Trace   traceCommand   `cmd:"" help:"Drive the stylus along a path, without window, as fast as it goes."`
	Indent  indentCommand  `cmd:"" help:"Press a scene's tool in and lift it: force over depth."`
	Sweep   sweepCommand   `cmd:"" help:"Trace a scene over a grid of parameters, on all cores or with Slurm: one table."`
	Study   studyCommand   `cmd:"" help:"Ask people what they feel: trials in the window, answers, recordings."`
	Report  reportCommand  `cmd:"" help:"Sum up a study: one HTML page with plots and statistics."`
	Solve   solveCommand   `cmd:"" help:"Solve one frictional contact problem from a .fc3d file."`
	Replay  replayCommand  `cmd:"" help:"Read a recording: summary, table, picture, and the same hand again."`
	Devices devicesCommand `cmd:"" help:"List haptic devices, and why one is missing."`
	Doctor  doctorCommand  `cmd:"" help:"Check libraries, rights, real time and display; print the cures."`
	Bench   bench.Command  `cmd:"" help:"Measure: tables, plots and a summary."`
	Verify  verifyCommand  `cmd:"" help:"Run reference cases and compare: each expected number beside ours."`
	Fit     fitCommand     `cmd:"" help:"Fit a material to an indentation, with confidence intervals."`
	Mesh    meshCommand    `cmd:"" help:"Look at, check and convert mesh files, and fill surfaces."`
	Docs    docsCommand    `cmd:"" help:"Print or open the documentation."`

	Version kong.VersionFlag `help:"Print version, sources and compiler."`
}

func main() {
	failsafe.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		failsafe.Go(func() { heed(signals, cancel) })
		hearWrites()
		os.Exit(run(ctx, os.Args[1:]))
	})
}

// hearWrites makes a pipe that nobody reads and a file at its size limit errors of a write, not the end of the program.
func hearWrites() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }

// heed lets the hand go at the first signal and asks the program to end. It goes past the window, which may hang in a
// driver of the display.
func heed(signals <-chan os.Signal, cancel context.CancelFunc) {
	<-signals
	failsafe.LetGo()
	cancel()
	outlast(signals, time.After(grace))
	os.Exit(exitInterrupted)
}

// outlast waits for the second signal, or for the end of grace unless the command ends by itself: a scene that is being
// opened, a step that cannot be left, or a pipe that nobody reads, must not keep a command. Files are safe from that:
// they are written whole or not at all.
func outlast(signals <-chan os.Signal, over <-chan time.Time) {
	select {
	case <-signals:
	case <-over:
		if app.EndsItself.Load() {
			<-signals
		}
	}
}

// grace is what a command has for ending, unless it ends by itself.
const grace = 900 * time.Millisecond

// run executes one command and returns the exit status.
func run(ctx context.Context, args []string) int {
	var c cli
	exited := -1
	app.Unheard()
	app.RecordingLost()
	parser, err := kong.New(&c,
		kong.Name("hapco"),
		kong.Description("Press, drag and probe deformable tissue: the force in the hand is the frictional contact force that the simulation computes."),
		kong.Exit(func(status int) { exited = status }),
		kong.Writers(app.Stdout, os.Stderr),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars{"version": app.Facts().String()},
	)
	if err != nil {
		return report(err)
	}
	if len(args) == 0 {
		args = []string{"run", "--gallery"}
	}
	k, err := parser.Parse(args)
	if exited >= 0 { // --help
		return max(exited, ended())
	}
	if err != nil {
		return report(app.BadInput(fmt.Errorf("%w (cure: hapco --help)", err)))
	}
	if err := app.CheckRanges(k); err != nil {
		return report(err)
	}
	limited, stop := app.WithTimeLimit(ctx, c.Bench.TimeLimit)
	defer stop()
	k.BindTo(limited, (*context.Context)(nil))
	app.DropNotes()
	if err := k.Run(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && c.Bench.TimeLimit > 0 && !errors.Is(err, app.ErrTimeLimit) {
			err = app.OverTime(limited, "bench", "nothing is written")
		}
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return exitInterrupted
		}
		return report(err)
	}
	app.TellNotes()
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return ended()
}

// ended is the exit status of a command that went well, but for what nobody has looked at.
func ended() int {
	err, lost := app.Unheard(), app.RecordingLost()
	switch {
	case err != nil:
		return report(err)
	case lost:
		return exitFailed
	}
	return 0
}

// report prints one line on standard error and chooses the exit status.
func report(err error) int {
	if errors.Is(err, syscall.EPIPE) { // as in hapco scenes | head -1: who reads has seen enough
		return exitFailed
	}
	var input app.InputError
	bad := errors.As(err, &input) && !atomicfile.NoRoom(err)
	if !bad {
		app.TellNotes()
	}
	fmt.Fprintln(os.Stderr, "hapco: "+app.OneLine(err.Error()))
	if bad {
		return exitBadInput
	}
	return exitFailed
}

// devicesCommand lists the kinds of devices.
type devicesCommand struct{}

// Run prints a line a kind.
func (devicesCommand) Run() error { return devices.Print(app.Stdout, devices.List()) }

// doctorCommand checks what the haptic loop and the window need.
type doctorCommand struct{}

// Run prints a line a check, with cures. What makes a run impossible is an error.
func (doctorCommand) Run() error {
	all := doctor.Run(doctor.Default())
	if err := doctor.Print(app.Stdout, all); err != nil {
		return err
	}
	if doctor.Worst(all) == doctor.Fail {
		return errors.New("doctor: a check failed (cure: see above)")
	}
	return nil
}

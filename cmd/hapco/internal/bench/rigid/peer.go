package rigid

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/refusal"
	"hapco/physics/worlds/rigid"
)

//go:embed peer/peer.cpp
var peerSource []byte

// wallRow is what one engine makes of the wall in steps of 1/60 s: it stands, then a ball strikes it.
type wallRow struct {
	Who      string  `json:"who"`
	Rest     float64 `json:"rest_ms"`            // processor time of a step, median
	Struck   float64 `json:"struck_ms"`          // mean
	Creep    float64 `json:"creep_m"`            // the most of a brick before the blow
	Standing float64 `json:"deepest_standing_m"` // by the engine's own contacts
	Deepest  float64 `json:"deepest_m"`          // after the blow
	Gain     float64 `json:"gain_J"`             // the most by which the energy rose above its least since
}

// blow is the ball that strikes the wall of so many rows.
func blow(rows int) *rigid.Body {
	b := &rigid.Body{Name: "ball", Form: rigid.Ball(0.05), X: mgl64.Vec3{0.03, 0.06 * float64(rows), 0.105}, V: mgl64.Vec3{0, 0, -3}, Friction: 0.6}
	b.Mass, b.Inertia = b.Form.Solid(8000)
	return b
}

const (
	frame  = 1. / 60 // s
	peerMu = 0.6
)

// stepped is a wall whose rows are each a brick shorter than the one below: none overhangs, so that it stands whatever an
// engine leaves of its errors. The first body is the floor.
func stepped(bricks int) (w *rigid.World, rows int) {
	rows = max(1, int(math.Sqrt(float64(bricks)/2)))
	w = refusal.Must(rigid.NewWorld(rigid.DefaultConfig()))
	floor := &rigid.Body{Name: "floor", Form: rigid.Plane(mgl64.Vec3{0, 1, 0}), Fixed: true, Friction: peerMu}
	form := rigid.Box(0.2, 0.1, 0.1)
	mass, inertia := form.Solid(2000)
	refusal.Need(w.Add(floor))
	for r, first := 0, bricks/rows+rows/2; r < rows; r++ {
		for c := 0; c < first-r && len(w.Bodies()) <= bricks; c++ {
			at := mgl64.Vec3{0.2 * (float64(c) - float64(first-r-1)/2), 0.05 + 0.1*float64(r), 0}
			refusal.Need(w.Add(&rigid.Body{
				Name: fmt.Sprint(r, c), Form: form, Mass: mass, Inertia: inertia, Friction: peerMu, X: at,
			}))
		}
	}
	return w, rows
}

// ours runs the wall with so many steps in a frame, and sweeps in each.
func ours(ctx context.Context, bricks, rest, struck, steps, sweeps int) wallRow {
	row := wallRow{Who: fmt.Sprintf("HapCo, %d x %d sweeps", steps, sweeps)}
	w, rows := stepped(bricks)
	w.Config.Step, w.Config.Sweeps = frame/float64(steps), sweeps
	var at []mgl64.Vec3
	for _, b := range w.Bodies() {
		at = append(at, b.X)
	}
	step := func() {
		for range steps {
			w.Step()
			row.Deepest = max(row.Deepest, -w.Stats().Deepest)
		}
	}
	var times []float64
	timed(ctx, rest, step, func(ms float64) { times = append(times, ms) })
	for k, b := range w.Bodies() {
		row.Creep = max(row.Creep, b.X.Sub(at[k]).Len())
	}
	row.Rest, row.Standing, row.Deepest = output.Median(times), row.Deepest, 0
	refusal.Need(w.Add(blow(rows)))
	least := math.Inf(1)
	timed(ctx, struck, step, func(ms float64) {
		row.Struck += ms / float64(struck)
		energy := w.Energy()
		least = min(least, energy)
		row.Gain = max(row.Gain, energy-least)
	})
	return row
}

// beside runs the wall in each engine that can be had, in turns, three times; times are medians.
func beside(ctx context.Context, bricks int, quick bool) (rows []wallRow, notes []string) {
	rest, struck, turns := output.Either(quick, 60, 240), output.Either(quick, 30, 120), output.Either(quick, 1, 3)
	var runs []func() wallRow
	for _, of := range [][2]int{{4, 200}, {4, 10}, {2, 10}} {
		runs = append(runs, func() wallRow { return ours(ctx, bricks, rest, struck, of[0], of[1]) })
	}
	for _, p := range []struct {
		who, packages string
		flags         []string
	}{
		{"Bullet", "g++ libbullet-dev", []string{"-I/usr/include/bullet", "-lBulletDynamics", "-lBulletCollision", "-lLinearMath"}},
		{"ODE", "g++ libode-dev", []string{"-DODE", "-lode"}},
	} {
		peer, err := output.Compile(ctx, p.who, p.packages, peerSource, p.flags...)
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		defer peer.Remove()
		runs = append(runs, func() wallRow { return theirs(ctx, p.who, peer, bricks, rest, struck) })
	}
	all := make([][2][]float64, len(runs))
	rows = make([]wallRow, len(runs))
	for range turns {
		for i, run := range runs {
			rows[i] = run()
			all[i][0], all[i][1] = append(all[i][0], rows[i].Rest), append(all[i][1], rows[i].Struck)
		}
	}
	for i := range rows {
		rows[i].Rest, rows[i].Struck = output.Median(all[i][0]), output.Median(all[i][1])
	}
	return rows, notes
}

// theirs runs the program of another engine.
func theirs(ctx context.Context, who string, peer output.Peer, bricks, rest, struck int) wallRow {
	w, rows := stepped(bricks)
	all := w.Bodies()[1:]
	b, ball := all[0], blow(rows)
	var in bytes.Buffer
	half := b.Form.Half
	fmt.Fprintln(&in, rest, struck, frame, peerMu, half[0], half[1], half[2], b.Mass, len(all))
	for _, b := range all {
		fmt.Fprintln(&in, b.X[0], b.X[1], b.X[2])
	}
	fmt.Fprintln(&in, ball.Form.Radius, ball.Mass, ball.X[0], ball.X[1], ball.X[2], ball.V[0], ball.V[1], ball.V[2])
	row := wallRow{Who: who}
	refusal.Need(peer.Run(ctx, &in, &row))
	return row
}

// Package rigid compares integrators of rotation and measures steps of rigid bodies.
package rigid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/bench/thesis"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/rigid"
)

// Command compares the three integrators, and measures a step over contacts.
type Command struct {
	output.Flags
	app.DumpFlags
	Bricks int `help:"Bricks of the largest wall." default:"200" in:"4..1000"`
}

// rigidCost is what a step of an integrator costs.
type rigidCost struct {
	Algorithm string  `json:"algorithm"`
	Free      float64 `json:"free_ns"`   // of a free body, processor time, median
	Weight    float64 `json:"weight_ns"` // under a weight about a fixed point
	// Of C1, 1: the paper says 0.67 of C2.
	FreeShare   float64 `json:"free_over_c1"`
	WeightShare float64 `json:"weight_over_c1"`
}

// rigidError is how far an integrator is off after 10 s of the free top.
type rigidError struct {
	Algorithm string  `json:"algorithm"`
	Step      float64 `json:"step_s"`
	Attitude  float64 `json:"attitude_rad"`      // angle from the converged attitude
	Energy    float64 `json:"energy_relative"`   // largest change
	Momentum  float64 `json:"momentum_relative"` // largest change
	Caution   bool    `json:"caution"`           // |W| h is so large that the program warns
	Seconds   float64 `json:"cpu_s_of_10_s"`     // by the cost of a step
	Order     float64 `json:"order,omitempty"`   // from the next longer step to this one
}

// rigidWall is what a step of a wall of bricks costs.
type rigidWall struct {
	Bricks   int     `json:"bricks"`
	Contacts int     `json:"contacts"`
	Rest     float64 `json:"rest_ms"`     // processor time of a step at rest, median
	Pushed   float64 `json:"pushed_ms"`   // while a ball strikes it, mean
	Sweeps   float64 `json:"push_sweeps"` // mean over those steps
	Error    float64 `json:"error"`       // largest error of the contact laws then
}

// Report is what the bench writes.
type Report struct {
	Machine        string       `json:"machine"`
	Quick          bool         `json:"quick"`
	Cost           []rigidCost  `json:"cost"`
	Errors         []rigidError `json:"errors"`
	Long           []rigidError `json:"long"` // 100 s at the paper's step of 0.5 s
	Walls          []rigidWall  `json:"walls"`
	Exponent       float64      `json:"exponent_rest"` // of the cost of a step over contacts
	PushedExponent float64      `json:"exponent_pushed"`
	Beside         []wallRow    `json:"beside"` // the largest wall in steps of 1/60 s
	Notes          []string     `json:"notes,omitempty"`
}

// method is an integrator with the rule that the paper's table names for it.
type method struct {
	rigid.Algorithm
	rigid.TorqueRule
}

var methods = []method{{rigid.NMB, rigid.End}, {rigid.C1, rigid.HalfRotation}, {rigid.C2, rigid.EndAverage}}

// noMoment is none at all.
type noMoment struct{}

func (noMoment) Moment(float64, mgl64.Quat) mgl64.Vec3 { return mgl64.Vec3{} }

// freeTop is the body of the paper's first figure; it gives no numbers, these are ours.
func freeTop() rigid.Rotor {
	return rigid.NewRotor(mgl64.Diag3(mgl64.Vec3{2, 3, 4.5}), mgl64.QuatIdent(), mgl64.Vec3{0.6, 0.8, 1}, noMoment{})
}

// Run measures and writes rigid.json, rigid.csv and the figures.
func (c *Command) Run(ctx context.Context) error {
	return c.MeasureOnThread(func() {
		dump := refusal.Must(c.Begin())
		_, err := refusal.Caught(func() *Report { return c.measure(ctx, dump) })
		refusal.Need(errors.Join(err, c.Say(os.Stderr, dump)))
	})
}

func (c *Command) measure(ctx context.Context, dump *contact.Dump) *Report {
	r := &Report{Machine: app.Machine(), Quick: c.Quick}
	r.cost(c.Quick)
	r.accuracy()
	r.walls(ctx, c.Bricks, c.Quick, dump)
	r.Beside, r.Notes = beside(ctx, c.Bricks, c.Quick)
	for _, e := range []*thesis.Exhibit{figureFree(), figureSoftWall(), figureBook(c.Quick), r.figureAccuracy(), r.figureWalls()} {
		refusal.Need(ctx.Err())
		refusal.Need(figure.DrawExhibit(e, c.File("rigid-"+e.Name()+".png")))
	}
	c.WriteAll("rigid", r, output.Table(r.Errors))
	r.print()
	return r
}

// cost measures a step of each integrator, in turn.
func (r *Report) cost(quick bool) {
	rounds, steps := output.Either(quick, 5, 9), output.Either(quick, 4000, 20_000)
	weight := &rigid.Weight{Arm: mgl64.Vec3{0, 0, 1}, Force: mgl64.Vec3{0, 0, -20}}
	var spent [2][3][]float64
	for range rounds {
		for i, m := range methods {
			free := freeTop()
			top := rigid.NewRotor(mgl64.Diag3(mgl64.Vec3{5, 5, 1}), mgl64.QuatRotate(0.3, mgl64.Vec3{1, 0, 0}), mgl64.Vec3{0, 0, 50}, weight)
			start := cputime.Thread()
			for range steps {
				free.Step(m.Algorithm, m.TorqueRule, 0.01, noMoment{})
			}
			middle := cputime.Thread()
			for range steps {
				top.Step(m.Algorithm, m.TorqueRule, 0.001, weight)
			}
			spent[0][i] = append(spent[0][i], float64((middle-start).Nanoseconds())/float64(steps))
			spent[1][i] = append(spent[1][i], float64((cputime.Thread()-middle).Nanoseconds())/float64(steps))
		}
	}
	for i, m := range methods {
		r.Cost = append(r.Cost, rigidCost{Algorithm: m.String(), Free: output.Median(spent[0][i]), Weight: output.Median(spent[1][i])})
	}
	for i := range r.Cost {
		r.Cost[i].FreeShare, r.Cost[i].WeightShare = r.Cost[i].Free/r.Cost[1].Free, r.Cost[i].Weight/r.Cost[1].Weight
	}
}

// String is the integrator's name.
func (m method) String() string { return m.Algorithm.String() }

// turnOf is the angle between two attitudes, rad.
func turnOf(a, b mgl64.Quat) float64 {
	return 2 * math.Asin(min(1, b.Conjugate().Mul(a).V.Len()))
}

// accuracy measures errors over the step, and what the paper's long step does.
func (r *Report) accuracy() {
	const seconds, finest = 10.0, 1e-3 / 4
	exact, coarse := freeTop(), freeTop()
	for range int(math.Round(seconds / finest)) {
		exact.Step(rigid.C1, rigid.HalfRotation, finest, noMoment{})
	}
	for range int(math.Round(seconds / (2 * finest))) {
		coarse.Step(rigid.C1, rigid.HalfRotation, 2*finest, noMoment{})
	}
	// Errors of C1 fall with h^2: what is left after this falls with h^4.
	truth := exact.R.Scale(4.0 / 3).Sub(coarse.R.Scale(1.0 / 3)).Normalize()
	for i, m := range methods {
		last := 0.0
		for _, h := range []float64{0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.0025} {
			e, b := watch(m, h, seconds)
			e.Attitude, e.Seconds = turnOf(b.R, truth), seconds/h*r.Cost[i].Free*1e-9
			if n := len(r.Errors); last > 0 {
				e.Order = math.Log(last/e.Attitude) / math.Log(r.Errors[n-1].Step/h)
			}
			last = e.Attitude
			r.Errors = append(r.Errors, e)
		}
		e, _ := watch(m, 0.5, 100)
		e.Attitude = -1
		r.Long = append(r.Long, e)
	}
}

// watch moves the free top on, and notes how far energy and momentum stray.
func watch(m method, h, seconds float64) (rigidError, *rigid.Rotor) {
	b := freeTop()
	e := rigidError{Algorithm: m.String(), Step: h, Caution: b.Caution(h)}
	energy, momentum := b.Energy(), b.Momentum()
	for range int(math.Round(seconds / h)) {
		b.Step(m.Algorithm, m.TorqueRule, h, noMoment{})
		e.Energy = max(e.Energy, math.Abs(b.Energy()/energy-1))
		e.Momentum = max(e.Momentum, b.Momentum().Sub(momentum).Len()/momentum.Len())
	}
	return e, &b
}

// timed takes so many steps, and tells the processor time of each, ms.
func timed(ctx context.Context, n int, step func(), each func(ms float64)) {
	for range n {
		refusal.Need(ctx.Err())
		start := cputime.Thread()
		step()
		each(app.Milliseconds(cputime.Thread() - start))
	}
}

// walls measures a step of walls of bricks: at rest, and while a ball strikes them.
func (r *Report) walls(ctx context.Context, most int, quick bool, dump *contact.Dump) {
	rest, pushed := output.Either(quick, 15, 60), output.Either(quick, 10, 40)
	var sizes []int
	for n := most; n >= 4 && len(sizes) < 4; n /= 3 {
		sizes = append(sizes, n)
	}
	slices.Reverse(sizes)
	for _, n := range sizes {
		rows := max(1, int(math.Sqrt(float64(n)/2)))
		w := refusal.Must(rigid.Wall((n+rows-1)/rows, rows, 0.6))
		p := rigidWall{Bricks: len(w.Bodies()) - 1}
		steps := func(n int, each func(ms float64)) {
			timed(ctx, n, w.Step, func(ms float64) {
				each(ms)
				if dump.Step() {
					w.Problems(dump.Take)
				}
			})
		}
		var times []float64
		steps(100+rest, func(ms float64) { times = append(times, ms) })
		p.Rest, p.Contacts = output.Median(times[100:]), w.Stats().Contacts // once it has settled
		refusal.Need(w.Add(blow(rows)))
		steps(pushed, func(ms float64) {
			s := w.Stats()
			p.Pushed += ms / float64(pushed)
			p.Sweeps += float64(s.Sweeps) / float64(pushed)
			p.Error = max(p.Error, s.Errors.Natural, s.Errors.Scaled)
		})
		r.Walls = append(r.Walls, p)
	}
	contacts := func(p *rigidWall) float64 { return float64(p.Contacts) }
	r.Exponent = output.LogSlope(r.Walls, contacts, func(p *rigidWall) float64 { return p.Rest })
	r.PushedExponent = output.LogSlope(r.Walls, contacts, func(p *rigidWall) float64 { return p.Pushed })
}

func (r *Report) print() {
	out := app.Stdout
	t := app.Table(out)
	fmt.Fprintln(t, "integrator\tns a step, free\tof C1\tunder a weight\tof C1\t")
	for _, c := range r.Cost {
		fmt.Fprintf(t, "%s\t%.0f\t%.2f\t%.0f\t%.2f\t\n", c.Algorithm, c.Free, c.FreeShare, c.Weight, c.WeightShare)
	}
	fmt.Fprintln(t, "\nfree top, 10 s\tstep s\tattitude rad\torder\tenergy\tmomentum\twarned\t")
	for i, e := range r.Errors {
		if i%3 != 0 { // the others are in the files
			continue
		}
		fmt.Fprintf(t, "%s\t%g\t%.2e\t%.2f\t%.1e\t%.1e\t%t\t\n", e.Algorithm, e.Step, e.Attitude, e.Order, e.Energy, e.Momentum, e.Caution)
	}
	for _, e := range r.Long {
		fmt.Fprintf(t, "%s, 100 s\t%g\t\t\t%.2g\t%.1e\t%t\t\n", e.Algorithm, e.Step, e.Energy, e.Momentum, e.Caution)
	}
	fmt.Fprintln(t, "\nbricks\tcontacts\tms a step at rest\tstruck\tsweeps\terror\t")
	for _, w := range r.Walls {
		fmt.Fprintf(t, "%d\t%d\t%.3g\t%.3g\t%.0f\t%.1e\t\n", w.Bricks, w.Contacts, w.Rest, w.Pushed, w.Sweeps, w.Error)
	}
	fmt.Fprintln(t, "\nsteps of 1/60 s\tms standing\tstruck\tcreep mm\tdeepest mm\tstruck\tenergy from nowhere J\t")
	for _, w := range r.Beside {
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.2g\t%.2g\t%.2g\t%.2g\t\n", w.Who, w.Rest, w.Struck, 1e3*w.Creep, 1e3*w.Standing, 1e3*w.Deepest, w.Gain)
	}
	t.Flush()
	for _, n := range r.Notes {
		fmt.Fprintln(out, n)
	}
	two := r.Cost[2]
	fmt.Fprintf(out, "C2 costs %.0f %% less than C1 free, %.0f %% less under a weight; the paper says 33 %%. Cost of a step over contacts: exponent %.2f at rest, %.2f struck (%s, processor time)\n",
		100*(1-two.FreeShare), 100*(1-two.WeightShare), r.Exponent, r.PushedExponent, r.Machine)
}

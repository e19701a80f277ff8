package probing

import (
	"context"
	"fmt"
	"math"
	"time"

	"hapco/physics/worlds/tissue"
)

// Limits are what must hold throughout.
type Limits struct {
	Penetration float64 // m
	Energy      float64 // that may come from nowhere, of the largest elastic energy
	Force       float64 // on the stylus, N
}

// DefaultLimits: 0.2 mm is 3 % of the edges of the organs' triangles, and on tissue that takes 200 N/m a difference of
// 40 mN, which no hand tells. What is left comes from edges at which surfaces turn by less than contact detection
// counts, and from contact planes that stay as they are for a step. 5 % of energy is what force times way over a step
// leaves uncertain.
func DefaultLimits() Limits {
	return Limits{Penetration: 0.2e-3, Energy: 0.05, Force: 30}
}

// Options say how a world is probed.
type Options struct {
	Seconds float64              // of simulated time
	Period  time.Duration        // of the hand's poses; 0: 1 ms
	Every   int                  // steps between two checks of the bodies' shapes; a fifth of that where the hand is fast
	Clock   func() time.Duration // processor time; nil: none
}

// Times are what steps take, ms, in their order.
type Times struct {
	StepMS []float64 // wall time
	CPUMS  []float64 // processor time; empty without a clock
}

// take times a step. It returns the processor time where there is a clock: what other programs take is not the step's.
func (t *Times) take(clock func() time.Duration, step func()) time.Duration {
	var cpu time.Duration
	if clock != nil {
		cpu = clock()
	}
	begin := time.Now()
	step()
	took := time.Since(begin)
	t.StepMS = append(t.StepMS, float64(took)/1e6)
	if clock != nil {
		took = clock() - cpu
		t.CPUMS = append(t.CPUMS, float64(took)/1e6)
	}
	return took
}

// Sample is what was found at one check.
type Sample struct {
	Time     float64 // s
	Force    float64 // on the stylus, N
	Contacts int
	Loaded   int
	Node     float64 // deepest node, m
	Edge     float64 // deepest part of an edge, m
	Strain   float64 // elastic energy of all bodies, J
	Work     float64 // that the hand has done so far, J
	Loss     float64 // that friction has taken so far, J
}

// Report is what a run came to.
type Report struct {
	Steps   int
	Seconds float64 // simulated
	Samples []Sample
	Times
	Contacts  []int // by step
	Worst     Depth
	WorstTime float64
	Pairs     []Depth // the worst of each body in each, row by row
	Force     float64 // largest, N
	Strain    float64 // largest elastic energy of all bodies, J
	Work      float64 // of the hand, in all, J
	Loss      float64 // friction's, in all, J
	// Created is the most energy that came from nowhere: the largest fall of work less elastic energy from any moment
	// to a later one, J. It cannot fall while friction and what snaps only lose.
	Created     float64
	CreatedTime float64
	Unsolved    int     // steps whose contact problem was not solved to the tolerance
	Iterations  int     // most
	NotFinite   int     // steps with a force or an energy that is not a number
	Late        int     // steps in which the stylus could not follow the hand
	Behind      float64 // how far it was behind at most, m
}

// Run moves a world's stylus along a hand's way, one step a period as the simulation does, and checks it.
func Run(ctx context.Context, w *tissue.World, c *Checker, h *Hand, o Options) (*Report, error) {
	period := o.Period
	if period == 0 {
		period = time.Millisecond
	}
	dt := period.Seconds()
	r := &Report{Steps: int(math.Round(o.Seconds / dt)), Seconds: o.Seconds, WorstTime: -1, Worst: Depth{A: -1, B: -1}, Pairs: make([]Depth, len(c.pairs))}
	var (
		snapshot tissue.Snapshot
		energies []float64
		force    vec
		torque   vec
		highest  float64 // of work less elastic energy
	)
	pose := w.Pose()
	marks := h.Marks()
	fast := false
	for i := range r.Steps {
		t := float64(i+1) * dt
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for len(marks) > 0 && marks[0].Time <= t {
			fast = marks[0].What == "taps" || marks[0].What == "swipe"
			marks = marks[1:]
		}
		target := h.at(t)
		reached := false
		r.take(o.Clock, func() { reached = w.Step(target) })
		st := w.Stats()
		r.Contacts = append(r.Contacts, st.Open+st.Stick+st.Slip)
		if !st.Solve.Converged && !st.Late {
			r.Unsolved++
		}
		r.Iterations = max(r.Iterations, st.Solve.Iterations)
		now := w.Pose()
		if !reached {
			r.Late++
			r.Behind = max(r.Behind, target.Position.Sub(now.Position).Len())
		}

		f, m := w.Force()
		r.Force = max(r.Force, f.Len())
		turn := now.Rotation.Mul(pose.Rotation.Conjugate())
		angle := turn.V.Mul(2 * math.Copysign(1, turn.W))
		r.Work -= f.Add(force).Dot(now.Position.Sub(pose.Position))/2 + m.Add(torque).Dot(angle)/2
		r.Loss += w.FrictionLoss()
		force, torque, pose = f, m, now
		strain := 0.0
		energies = w.StrainEnergy(energies[:0])
		for _, e := range energies {
			strain += e
		}
		r.Strain = max(r.Strain, strain)
		highest = max(highest, r.Work-strain)
		if lost := highest - (r.Work - strain); lost > r.Created {
			r.Created, r.CreatedTime = lost, t
		}
		if bad := f.Len() + m.Len() + strain + r.Work; math.IsNaN(bad) || math.IsInf(bad, 0) {
			r.NotFinite++
		}

		every := max(1, o.Every)
		if fast {
			every = max(1, every/5)
		}
		if (i+1)%every != 0 {
			continue
		}
		w.Snapshot(&snapshot)
		d := c.Check(&snapshot)
		if d.most() > r.Worst.most() {
			r.WorstTime, r.Worst.A, r.Worst.B, r.Worst.At = t, d.A, d.B, d.At
		}
		for k := range c.pairs {
			if c.pairs[k].most() > r.Pairs[k].most() {
				r.Pairs[k] = c.pairs[k]
			}
		}
		r.Worst.Node, r.Worst.Edge = max(r.Worst.Node, d.Node), max(r.Worst.Edge, d.Edge)
		r.Samples = append(r.Samples, Sample{
			Time: t, Force: f.Len(), Contacts: st.Open + st.Stick + st.Slip, Loaded: st.Stick + st.Slip,
			Node: d.Node, Edge: d.Edge, Strain: strain, Work: r.Work, Loss: r.Loss,
		})
	}
	return r, nil
}

// Check names what broke a limit; empty where everything held.
func (r *Report) Check(l Limits) (broken []string) {
	law := func(holds bool, format string, args ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, args...))
		}
	}
	deep := r.Worst.most()
	law(deep <= l.Penetration, "%.3g mm of penetration at %.3f s, more than %.3g", 1e3*deep, r.WorstTime, 1e3*l.Penetration)
	law(r.Created <= l.Energy*r.Strain, "%.3g mJ from nowhere at %.3f s, more than %.3g %% of %.3g",
		1e3*r.Created, r.CreatedTime, 100*l.Energy, 1e3*r.Strain)
	law(r.Force <= l.Force, "a force of %.3g N, more than %.3g", r.Force, l.Force)
	law(r.Unsolved <= 0, "%d contact problems not solved", r.Unsolved)
	law(r.NotFinite <= 0, "%d steps without a number", r.NotFinite)
	return broken
}

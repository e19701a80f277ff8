package floe

import (
	"fmt"
	"math"
	"slices"

	"hapco/physics/machinery/cputime"
)

// LawResult is what one law made of the contact problems of a run.
type LawResult struct {
	Law      string  `json:"law"`
	Problems int     `json:"problems"`
	Contacts int     `json:"contacts"`
	Failed   int     `json:"failed"`                    // problems left without a solution
	Seconds  float64 `json:"seconds"`                   // of the thread's processor, all problems
	Lost     float64 `json:"energy_lost_J"`             // by the compressions
	Velocity float64 `json:"velocity_difference"`       // largest of a contact's speeds after, from those by the first law, over the fastest
	Impulse  float64 `json:"normal_impulse_difference"` // of the sum of normal impulses, mean of the problems, relative
	Residual float64 `json:"residual"`                  // largest approach that is left, over the fastest
}

// CompareLaws runs a configuration for some steps, and gives each contact problem on the way to several laws; the world
// itself goes on by its own. In the plane the two tangents of the facets of (3.5) are the whole cone: exact solvers
// have to come to the same velocities wherever these are unique. The caller's goroutine must stay on its thread for the
// times to mean something.
func CompareLaws(c Config, laws []string, steps int) ([]LawResult, error) {
	c.Threads = 1
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	out := make([]LawResult, len(laws))
	solvers := make([]collider, len(laws))
	for i, law := range laws {
		out[i].Law = law
		if err := solvers[i].init(law); err != nil {
			return nil, err
		}
	}
	var after []float64
	w.jobs.inspect = func(list []int32) {
		var first []float64
		force := 0.0
		for i := range solvers {
			s, r := &solvers[i], &out[i]
			s.take(w, list)
			s.speeds()
			speed := s.fastest()
			if s.approach() <= roundoff*speed {
				return
			}
			s.pivotsTo, s.tolerance = pivotsOfEvents, tight
			before := s.kinetic()
			kept := slices.Clone(s.keep())
			start := cputime.Thread()
			err := s.compress(laws[i])
			r.Seconds += (cputime.Thread() - start).Seconds()
			r.Problems++
			r.Contacts += len(list)
			if err != nil {
				r.Failed++
				continue
			}
			s.apply(1)
			s.speeds()
			r.Lost += before - s.kinetic()
			after = append(append(after[:0], s.w...), s.s...)
			sum := 0.0
			for k := range s.lambda {
				sum += s.lambda[k]
				r.Residual = max(r.Residual, (-s.w[k]-s.give[k])/speed)
			}
			s.restore(kept)
			for _, j := range s.list {
				j.Impulse, j.Friction = 0, 0
			}
			if first == nil {
				first, force = slices.Clone(after), sum
				continue
			}
			for k := range after {
				r.Velocity = max(r.Velocity, math.Abs(after[k]-first[k])/speed)
			}
			r.Impulse += math.Abs(sum-force) / force
		}
	}
	for range steps {
		w.Step(math.Inf(1))
		if w.Err() != nil {
			return nil, fmt.Errorf("at %g s: %w", w.Time(), w.Err())
		}
	}
	for i := range out {
		if n := out[i].Problems - out[i].Failed; n > 0 {
			out[i].Impulse /= float64(n)
		}
	}
	return out, nil
}

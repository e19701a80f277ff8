package floe

import "errors"

// Drift is a field of floes at one time of its way along a channel.
type Drift struct {
	Restitution float64 `json:"restitution"`
	Time        float64 `json:"time_s"`
	Way         float64 `json:"mean_way_m"`    // of the floes along x since the start
	Leeward     float64 `json:"mean_across_m"` // of their centroids along y
	Kinetic     float64 `json:"kinetic_J"`
	Random      float64 `json:"random_J"` // what of it is left beside the mean velocity of all floes
	Impact      float64 `json:"lost_in_impacts_J"`
	Friction    float64 `json:"lost_in_friction_J"`
	Collisions  int     `json:"collisions"`
	Contacts    int     `json:"contacts"`

	Outlines [][]Vec2 `json:"-"` // m
	Fixed    []bool   `json:"-"` // by outline: an obstacle
}

// Drifts lets the floes of a scene drift without a hand, once for each restitution, and tells how they are at some
// ascending times: the scenario of figures 3.6 and 3.7.
func (s *SceneFile) Drifts(restitutions, times []float64) (out []Drift, err error) {
	c, _, err := s.config()
	if err != nil {
		return nil, err
	}
	c.Tool = nil
	for _, c.Restitution = range restitutions {
		w, err := New(c)
		if err != nil {
			return nil, err
		}
		start := w.means()
		for _, t := range times {
			if w.Advance(t-w.time, 1<<30); w.err != nil {
				w.Close()
				return nil, w.err
			}
			out = append(out, w.drift(c.Restitution, start))
		}
		w.Close()
	}
	if len(out) == 0 {
		return nil, errors.New("floe: no drift (cure: a restitution and a time)")
	}
	return out, nil
}

// means of the floes, weighed by mass.
type means struct {
	mass        float64
	place, pace Vec2
}

func (w *World) means() (m means) {
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed {
			m.mass += b.mass
			m.place, m.pace = m.place.Add(b.g.Mul(b.mass)), m.pace.Add(b.v.Mul(b.mass))
		}
	}
	m.place, m.pace = m.place.Mul(1/m.mass), m.pace.Mul(1/m.mass)
	return m
}

func (w *World) drift(restitution float64, start means) Drift {
	e, m := w.Energy(), w.means()
	d := Drift{Restitution: restitution, Time: w.time, Way: m.place[0] - start.place[0], Leeward: m.place[1],
		Kinetic: e.Kinetic, Random: e.Kinetic - m.mass*m.pace.LenSqr()/2,
		Impact: e.Impact, Friction: e.Friction, Collisions: w.report.Collisions, Contacts: w.report.Contacts}
	for i := range w.count() {
		d.Outlines, d.Fixed = append(d.Outlines, w.outline(i, nil)), append(d.Fixed, w.bodies[w.order[i]].fixed)
	}
	return d
}

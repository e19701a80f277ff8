package export

import (
	"errors"

	"hapco/physics"
)

// Sink takes the states of a world as frames, and writes its file or files at the latest when it is closed. A frame is
// valid until Add returns.
type Sink interface {
	Add(t float64, f *physics.Frame) error
	Close() error
}

// States hands the present state of a world to a series for ParaView and to sinks. It belongs to the goroutine that
// owns the world; nil writes nothing.
type States struct {
	world  physics.World
	frame  physics.Frame
	series *Series
	sinks  []Sink
}

// NewStates hands states to a series (nil: none) that has been begun and to sinks, which get the present state as that
// of time 0.
func NewStates(w physics.World, series *Series, sinks ...Sink) (*States, error) {
	s := &States{world: w, series: series, sinks: sinks}
	return s, s.give(0)
}

func (s *States) give(t float64) (err error) {
	if len(s.sinks) == 0 {
		return nil
	}
	s.world.Draw(&s.frame)
	for _, k := range s.sinks {
		err = errors.Join(err, k.Add(t, &s.frame))
	}
	return err
}

// Add hands on the present state as that of time t.
func (s *States) Add(t float64) error {
	if s == nil {
		return nil
	}
	return errors.Join(s.series.Add(t), s.give(t))
}

// Close ends all files. What was written before an error can be read too.
func (s *States) Close() error {
	if s == nil {
		return nil
	}
	err := s.series.Close()
	for _, k := range s.sinks {
		err = errors.Join(err, k.Close())
	}
	return err
}

package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/record"
	"hapco/physics"
	"hapco/physics/frame"
)

// Motion is what a recording says of physics: each step with what it started from.
type Motion struct {
	Keys   []string // of the values
	Steps  []Step
	Missed uint64            // steps that were made and are not on file
	Notes  map[string]string // of the recording
}

// Step is one step on file.
type Step struct {
	Input         physics.Input
	Force, Torque mgl64.Vec3 // on the stylus, N, N m
	Fresh         bool       // the world was put back to its start before it
	Late          bool       // a deadline ended its solve
	Kept          bool       // Input has what the deadline answered; else, before that was kept, which forces come of a late step depends on the machine
	Values        []float64  // of the keys, where they were told before it; else nil
}

// stepMessage is a message, for reading.
type stepMessage struct {
	Missed uint64   `json:"missed"`
	Fresh  bool     `json:"fresh"`
	Placed bool     `json:"placed"`
	Dt     *float64 `json:"dt_s"`
	Answer []uint32 `json:"answers"`
	Target floats   `json:"target_m"`
	TurnT  floats   `json:"target_xyzw"`
	Hand   floats   `json:"hand_m"`
	TurnH  floats   `json:"hand_xyzw"`
	Spring floats   `json:"coupling"` // N/m, N m/rad, N; none where the tool is where it is told to be, as in recordings of older programs
	Grasp  floats   `json:"grasp"`    // its number, the hand, the place, m; none where nothing is held
	Second floats   `json:"second_m"` // recordings of older programs have no second hand
	TurnS  floats   `json:"second_xyzw"`
	Force  floats   `json:"force_N"`
	Torque floats   `json:"torque_Nm"`
	Values struct {
		Late float64 `json:"late"`
	} `json:"numbers"`
}

// floats is a list of numbers: null, which stands for what is not finite, is none.
type floats []float64

func (f *floats) UnmarshalJSON(data []byte) error {
	var list []*float64
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*f = make(floats, len(list))
	for i, x := range list {
		if x == nil {
			return errors.New("null where a number belongs")
		}
		(*f)[i] = *x
	}
	return nil
}

// check is what is wrong with a message.
func (s *stepMessage) check() error {
	if s.Dt == nil {
		return errors.New("no dt_s")
	}
	if !(*s.Dt >= 0 && *s.Dt <= mostDt) {
		return fmt.Errorf("dt_s = %g (cure: 0 to %g)", *s.Dt, mostDt)
	}
	if len(s.Answer) > physics.MostAnswers {
		return fmt.Errorf("%d answers (cure: at most %d)", len(s.Answer), physics.MostAnswers)
	}
	if s.Second == nil && s.TurnS == nil {
		s.Second, s.TurnS = make(floats, 3), make(floats, 4)
	}
	if s.Spring == nil {
		s.Spring = make(floats, 3)
	}
	if s.Grasp == nil {
		s.Grasp = make(floats, 5)
	}
	for _, m := range []struct {
		name string
		list floats
		n    int
	}{{"target_m", s.Target, 3}, {"target_xyzw", s.TurnT, 4}, {"hand_m", s.Hand, 3}, {"hand_xyzw", s.TurnH, 4},
		{"coupling", s.Spring, 3}, {"grasp", s.Grasp, 5}, {"second_m", s.Second, 3}, {"second_xyzw", s.TurnS, 4}, {"force_N", s.Force, 3}, {"torque_Nm", s.Torque, 3}} {
		if len(m.list) != m.n {
			return fmt.Errorf("%s has %d numbers, not %d", m.name, len(m.list), m.n)
		}
	}
	if n, hand := s.Grasp[0], s.Grasp[1]; !(n >= 0 && n <= math.MaxUint32 && n == math.Trunc(n)) || hand != 0 && hand != 1 {
		return fmt.Errorf("grasp %g of hand %g (cure: a whole number of hand 0 or 1)", n, hand)
	}
	for _, x := range s.Spring {
		if !(x >= 0 && x <= stiffest) {
			return fmt.Errorf("coupling %g (cure: 0 to %g)", x, stiffest)
		}
	}
	return nil
}

func poseOf(at, turn floats) frame.Pose {
	return frame.Pose{Position: mgl64.Vec3(at), Rotation: mgl64.Quat{V: mgl64.Vec3(turn[:3]), W: turn[3]}}
}

// stiffest is beyond any spring of a hand, N/m, N m/rad, and N.
const stiffest = 1e9

// mostDt is longer than a step of any world, s.
const mostDt = 3600.0

// errNoSteps says that a recording has no physics steps.
var errNoSteps = errors.New("no physics steps on file")

// ReadMotion reads a recording's steps. Of one that was cut short it returns what there
// is, and an error that is record.ErrTruncated.
func ReadMotion(path string) (*Motion, error) {
	r := motionReader{m: &Motion{}}
	m := r.m
	notes, err := record.Scan(path, r.take)
	m.Notes = notes
	if err == nil && len(m.Steps) == 0 {
		err = fmt.Errorf("%s: %w (cure: a recording of 'hapco run --record FILE' or of the window's record button)", path, errNoSteps)
	}
	return m, err
}

// motionReader takes the messages of a recording, one after the other.
type motionReader struct {
	m      *Motion
	values []float64 // told since the last step
}

func (r *motionReader) take(topic string, data []byte) error {
	m := r.m
	switch topic {
	case Parameters.Topic:
		var p struct {
			Keys   []string
			Values []*float64
		}
		err := json.Unmarshal(data, &p)
		switch {
		case err != nil:
		case len(p.Keys) != len(p.Values) || m.Keys != nil && !slices.Equal(m.Keys, p.Keys):
			err = errors.New("others than before")
		case len(p.Keys) == 0:
			err = errors.New("no keys")
		}
		if err != nil {
			return fmt.Errorf("parameters before step %d: %w", len(m.Steps)+1, err)
		}
		m.Keys, r.values = p.Keys, make([]float64, len(p.Values))
		for i, x := range p.Values {
			r.values[i] = math.Inf(1) // JSON has no word for it; no key takes another value that is not finite
			if x != nil {
				r.values[i] = *x
			}
		}
	case Steps.Topic:
		var s stepMessage
		err := json.Unmarshal(data, &s)
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return fmt.Errorf("physics step %d: %w", len(m.Steps)+1, err)
		}
		var deadline *physics.Deadline
		if s.Answer != nil {
			deadline = physics.AnswersAgain(s.Answer)
		}
		m.Missed += s.Missed
		m.Steps = append(m.Steps, Step{
			Kept: deadline != nil,
			Input: physics.Input{Target: poseOf(s.Target, s.TurnT), Hand: poseOf(s.Hand, s.TurnH), Second: poseOf(s.Second, s.TurnS), Placed: s.Placed,
				Coupling: physics.Coupling{Stiffness: s.Spring[0], Angle: s.Spring[1], Limit: s.Spring[2]},
				Grasp:    physics.Grasp{Number: uint32(s.Grasp[0]), Hand: uint8(s.Grasp[1]), At: mgl64.Vec3(s.Grasp[2:])}, Dt: *s.Dt, Deadline: deadline},
			Force: mgl64.Vec3(s.Force), Torque: mgl64.Vec3(s.Torque), Fresh: s.Fresh, Late: s.Values.Late != 0, Values: r.values,
		})
		r.values = nil
	}
	return nil
}

// Again makes the steps again in a world that has just been opened, and tells each of the force that came of each.
// change, where it is not nil, may change the parameters before they are set.
func (m *Motion) Again(w physics.World, change func(keys []physics.Key, values []float64), each func(i int, r *physics.Report) error) error {
	keys := w.Keys()
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Name
	}
	same := slices.Equal(names, m.Keys)
	if m.Keys != nil && !same {
		return errors.New("the scene has other parameters now than when it was recorded (cure: the program and scene of the recording)")
	}
	var owed physics.Owed // of batches, and of recordings in which the world itself kept what it had not advanced yet
	timed, _ := w.(physics.Timed)
	for i := range m.Steps {
		s := &m.Steps[i]
		if s.Values != nil {
			values := slices.Clone(s.Values)
			if change != nil {
				change(keys, values)
			}
			for n := range keys {
				if k := &keys[n]; k.Settable() && !k.Act && values[n] != k.Get() {
					if err := k.Set(values[n]); err != nil {
						return fmt.Errorf("parameters before step %d: %w", i+1, err)
					}
				}
			}
		}
		if s.Fresh {
			w.Reset()
			owed = 0
		}
		in := s.Input
		if in.Deadline != nil {
			in.Deadline = in.Deadline.Afresh()
		}
		var r physics.Report
		switch {
		case timed != nil && in.Dt > (physics.LongestAdvance+timed.OwnStep())*(1+1e-9):
			return fmt.Errorf("physics step %d: dt_s = %g, a step of the world %g (cure: a recording of this scene)", i+1, in.Dt, timed.OwnStep())
		case s.Kept:
			r = w.Step(in)
		default:
			r = owed.Step(w, in)
		}
		if err := each(i, &r); err != nil {
			return err
		}
	}
	return nil
}

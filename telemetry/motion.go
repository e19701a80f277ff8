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
	Missed uint64     `json:"missed"`
	Fresh  bool       `json:"fresh"`
	Dt     float64    `json:"dt_s"`
	Answer []uint32   `json:"answers"`
	Target [3]float64 `json:"target_m"`
	TurnT  [4]float64 `json:"target_xyzw"`
	Hand   [3]float64 `json:"hand_m"`
	TurnH  [4]float64 `json:"hand_xyzw"`
	Second [3]float64 `json:"second_m"`
	TurnS  [4]float64 `json:"second_xyzw"`
	Force  [3]float64 `json:"force_N"`
	Torque [3]float64 `json:"torque_Nm"`
	Values struct {
		Late float64 `json:"late"`
	} `json:"numbers"`
}

func poseOf(at [3]float64, turn [4]float64) frame.Pose {
	return frame.Pose{Position: at, Rotation: mgl64.Quat{V: mgl64.Vec3{turn[0], turn[1], turn[2]}, W: turn[3]}}
}

// mostDt is longer than a step of any world, s.
const mostDt = 3600.0

// ErrNoSteps says that a recording has no physics steps.
var ErrNoSteps = errors.New("no physics steps on file")

// ReadMotion reads a recording's steps. Of one that was cut short it returns what there
// is, and an error that is record.ErrTruncated.
func ReadMotion(path string) (*Motion, error) {
	m := &Motion{}
	var values []float64
	notes, err := record.Scan(path, func(topic string, data []byte) error {
		switch topic {
		case Parameters.Topic:
			var p struct {
				Keys   []string
				Values []*float64
			}
			if err := json.Unmarshal(data, &p); err != nil {
				return fmt.Errorf("parameters before step %d: %w", len(m.Steps)+1, err)
			}
			if len(p.Keys) != len(p.Values) || m.Keys != nil && !slices.Equal(m.Keys, p.Keys) {
				return fmt.Errorf("parameters before step %d: others than before", len(m.Steps)+1)
			}
			m.Keys, values = p.Keys, make([]float64, len(p.Values))
			for i, x := range p.Values {
				values[i] = math.NaN() // which no key takes
				if x != nil {
					values[i] = *x
				}
			}
		case Steps.Topic:
			var s stepMessage
			if err := json.Unmarshal(data, &s); err != nil {
				return fmt.Errorf("physics step %d: %w", len(m.Steps)+1, err)
			}
			if !(s.Dt >= 0 && s.Dt <= mostDt) {
				return fmt.Errorf("physics step %d: dt_s = %g (cure: 0 to %g)", len(m.Steps)+1, s.Dt, mostDt)
			}
			if len(s.Answer) > physics.MostAnswers {
				return fmt.Errorf("physics step %d: %d answers (cure: at most %d)", len(m.Steps)+1, len(s.Answer), physics.MostAnswers)
			}
			var deadline *physics.Deadline
			if s.Answer != nil {
				deadline = physics.AnswersAgain(s.Answer)
			}
			m.Missed += s.Missed
			m.Steps = append(m.Steps, Step{
				Kept:  deadline != nil,
				Input: physics.Input{Target: poseOf(s.Target, s.TurnT), Hand: poseOf(s.Hand, s.TurnH), Second: poseOf(s.Second, s.TurnS), Dt: s.Dt, Deadline: deadline},
				Force: s.Force, Torque: s.Torque, Fresh: s.Fresh, Late: s.Values.Late != 0, Values: values,
			})
			values = nil
		}
		return nil
	})
	m.Notes = notes
	if err == nil && len(m.Steps) == 0 {
		err = fmt.Errorf("%s: %w (cure: a recording of 'hapco run --record FILE' or of the window's record button)", path, ErrNoSteps)
	}
	return m, err
}

// Again makes the steps again in a world that has just been opened, and tells each of
// the force that came of each. change, where it is not nil, may change the parameters
// before they are set.
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
	var owed physics.Owed // of recordings in which the world itself kept what it had not advanced yet
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
					_ = k.Set(values[n]) // the runner goes on as well where a value cannot be had
				}
			}
		}
		if s.Fresh {
			w.Reset()
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

package door

import (
	"math"
	"sync"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/internal/stepped"
	"hapco/haptics/remote"
	"hapco/physics"
)

const (
	answerLimit = 100 * time.Millisecond // that the haptic loop has for a pose
	mostLiveDt  = 1.0                    // s, of a request
	near        = 1e-4                   // m, from the hand to the stylus where it was reached
)

// Live is a world that runs in real time. The client that holds the stylus is the hand of its haptic loop: what it gets
// is the force that a device would be given, after coupling, passivity and safety chain.
type Live struct {
	told
	session *app.Session
	hand    *remote.Device

	mu     sync.Mutex
	values []float64
	began  time.Time
	next   time.Time // when the holder's next step is due
}

// NewLive takes a session whose device is hand.
func NewLive(session *app.Session, s physics.Scene, hand *remote.Device) *Live {
	l := &Live{session: session, hand: hand, values: physics.Defaults(session.Keys()), began: time.Now()}
	l.told = aboutOf(s, session.Info(), session.Keys(), "")
	l.about.Live = true
	return l
}

// Do does what a client asks for.
func (l *Live) Do(c *Client, q *Request) (data any, arrays []Array, err error) {
	if err := mayAsk(c, q); err != nil {
		return nil, nil, err
	}
	if q.Op == "step" {
		if err := l.step(q); err != nil {
			return nil, nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, _ := l.session.Seen()
	if f == nil {
		return nil, nil, &stepped.Failure{Code: stepped.CodeBusy, Text: "the world has made no step yet (cure: ask again)"}
	}
	if arrays, known, err := seen(q, l.session.Info(), f); known {
		return nil, arrays, err
	}
	switch q.Op {
	case "step", "report":
		return nil, []Array{array("report", []stepped.Report{l.report(f)})}, nil
	case "own_step":
		return nil, floats(1e-3), nil
	case "message":
		return l.session.Haptics().Message, nil, nil
	case "field":
		if q.Index < 0 || q.Index >= int64(len(f.Surfaces)) || q.Field < 0 || q.Field >= int64(len(l.session.Info().Fields)) {
			return nil, nil, stepped.Beyond("field", q.Field, len(l.session.Info().Fields))
		}
		l.session.SetWant(physics.Want{Field: int(q.Field) + 1}) // from the next frame on
		if f.Field != int(q.Field)+1 {
			return nil, floats(), nil
		}
		return nil, floats(f.Surfaces[q.Index].Scalar...), nil
	case "reset":
		l.session.ResetObjects()
		return nil, []Array{array("report", []stepped.Report{l.report(f)})}, nil
	case "get", "set":
		arrays, err := l.key(q, f)
		return nil, arrays, err
	}
	if changing[q.Op] || q.Op == "solid" {
		return nil, nil, stepped.Invalid("%s: this world runs in real time (cure: hapco serve without --live)", q.Op)
	}
	return nil, nil, stepped.Unknown("%.40q is nothing that this world does (cure: see docs/library.md)", q.Op)
}

// step moves the hand, and waits until the haptic loop has answered, and until the time of the step has passed.
func (l *Live) step(q *Request) error {
	pose, err := poseOf(q)
	if err != nil {
		return err
	}
	if pose != nil && !pose.Proper() {
		return stepped.Invalid("%v is no pose (cure: a position and a unit quaternion x, y, z, w)", q.Pose)
	}
	dt := 1e-3
	if q.Dt != nil {
		dt = *q.Dt
	}
	if !(dt >= 0 && dt <= mostLiveDt) {
		return stepped.Invalid("dt = %g s of a world in real time (cure: 0 to %g s)", dt, mostLiveDt)
	}
	l.mu.Lock()
	if pose == nil {
		at := l.hand.Pose()
		pose = &at
	}
	turn := l.hand.Move(*pose, q.Buttons)
	now := time.Now()
	if l.next = l.next.Add(time.Duration(dt * 1e9)); l.next.Before(now) {
		l.next = now
	}
	due := l.next
	l.mu.Unlock()
	var mark uint64
	for end := now.Add(answerLimit); !l.hand.Answered(turn, 2, &mark) && time.Now().Before(end); {
		time.Sleep(200 * time.Microsecond)
	}
	time.Sleep(time.Until(due))
	return nil
}

// report is what the hand feels now.
func (l *Live) report(f *physics.Frame) stepped.Report {
	hand := l.hand.Pose()
	r := stepped.Report{Force: l.hand.Force(), Stylus: stepped.PoseRow(&f.Stylus), Time: time.Since(l.began).Seconds(), Steps: int64(f.Step)}
	if f.Stylus.Position.Sub(hand.Position).Len() < near {
		r.Reached = 1
	}
	return r
}

// key reads or sets a key of the window's copy, which acts at the next step.
func (l *Live) key(q *Request, f *physics.Frame) ([]Array, error) {
	keys := l.session.Keys()
	k, err := stepped.Find(keys, func() []float64 { return l.values }, q.Key)
	if err != nil {
		return nil, err
	}
	i := 0
	for &keys[i] != k {
		i++
	}
	if q.Op == "get" {
		return floats(l.values[i]), nil
	}
	x := q.Value
	if q.Word != "" {
		if x, err = stepped.WordValue(k, q.Word); err != nil {
			return nil, err
		}
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, stepped.Invalid("%s = %g (cure: a finite number)", q.Key, x)
	}
	if err := k.Check(x); err != nil {
		return nil, err
	}
	physics.Choose(keys, l.values, i, x, f)
	l.session.SetValues(l.values)
	return nil, nil
}

// Left lets go where the holder has gone.
func (l *Live) Left(c *Client) {
	if c.Holds {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.hand.Drop()
	}
}

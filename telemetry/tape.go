// Package telemetry tells other programs what a running world does: every physics step with what it started from,
// contacts, parameters and the stylus, as JSON messages with schemas. Recordings keep them beside the ticks of the
// haptic loop, and a server sends them to Foxglove. From a recording they are read back, to make the same steps again.
package telemetry

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hapco/haptics/record"
	"hapco/physics"
)

const (
	room      = 2048                  // steps that may wait to be written: two seconds at the fastest
	seenEvery = time.Second / 60      // contacts and stylus
	drain     = 20 * time.Millisecond // between two looks at what waits
)

// Sink takes a message. at is the wall clock, ns since 1970; data is valid until it
// returns. One call comes after the other.
type Sink func(c *record.Channel, at int64, data []byte)

// Tape takes the steps of a runner on its goroutine, without waiting, and makes
// messages of them on another.
type Tape struct {
	info  *physics.Info
	keys  []physics.Key
	sink  Sink
	free  chan *entry
	full  chan *entry
	lost  uint64 // steps since the last that found room; Take's own
	seen  time.Time
	again atomic.Bool // all parameters are told with the next step

	draining sync.Mutex // of what follows
	text     record.JSON
	last     []float64 // parameters that were told last
}

// entry is a step that waits.
type entry struct {
	made     physics.Made
	lost     uint64
	numbers  []float64
	counts   [3]int
	contacts []physics.Contact
	drawn    bool // numbers and counts hold
	looked   bool // contacts hold
	stylus   [7]float64
	answers  []uint32 // of the deadline
	clocked  bool     // there was one
}

// NewTape makes a tape for a world's steps. Run hands its messages to sink.
func NewTape(info *physics.Info, keys []physics.Key, sink Sink) *Tape {
	t := &Tape{info: info, keys: keys, sink: sink, free: make(chan *entry, room), full: make(chan *entry, room)}
	for range room {
		t.free <- &entry{numbers: make([]float64, len(info.Numbers)), answers: make([]uint32, 0, physics.MostAnswers)}
	}
	return t
}

// Take is a physics.Watcher. A step that finds no room is left out and counted.
func (t *Tape) Take(m *physics.Made) {
	var e *entry
	select {
	case e = <-t.free:
	default:
		t.lost++
		return
	}
	e.made, e.lost, t.lost = *m, t.lost, 0
	e.answers, e.clocked = append(e.answers[:0], m.Input.Deadline.Answers()...), m.Input.Deadline != nil
	e.made.Frame, e.made.Input.Deadline = nil, nil
	e.drawn, e.looked = m.Frame != nil, false
	if f := m.Frame; f != nil {
		copy(e.numbers, f.Numbers)
		e.counts = f.Counts()
		if e.looked = m.At.Sub(t.seen) >= seenEvery; e.looked {
			t.seen = m.At
			e.contacts = append(e.contacts[:0], f.Contacts...)
			p, q := f.Stylus.Position, f.Stylus.Rotation
			e.stylus = [7]float64{p[0], p[1], p[2], q.V[0], q.V[1], q.V[2], q.W}
		}
	}
	t.full <- e
}

// Run hands messages on until ctx ends, and then what still waits.
func (t *Tape) Run(ctx context.Context) {
	tick := time.NewTicker(drain)
	defer tick.Stop()
	for {
		t.Drain()
		select {
		case <-ctx.Done():
			t.Drain()
			return
		case <-tick.C:
		}
	}
}

// Drain hands on what waits. Run does it 50 times a second.
func (t *Tape) Drain() {
	t.draining.Lock()
	defer t.draining.Unlock()
	for {
		select {
		case e := <-t.full:
			t.tell(e)
			t.free <- e
		default:
			return
		}
	}
}

// tell makes messages of a step: parameters first, since they act from it on.
func (t *Tape) tell(e *entry) {
	m := &e.made
	at := m.At.UnixNano()
	if m.Values != nil {
		t.last = m.Values
	}
	if (t.again.Swap(false) || m.Values != nil) && t.last != nil {
		t.sink(&Parameters, at, t.parameters(m.Step))
	}
	t.sink(&Steps, at, t.step(e))
	if e.looked {
		t.sink(&Contacts, at, t.contacts(e))
		t.sink(&Stylus, at, t.stylus(e, at))
	}
}

func (t *Tape) start() *record.JSON {
	t.text.Bytes = t.text.Bytes[:0]
	t.text.Begin('{')
	return &t.text
}

func (t *Tape) parameters(step uint64) []byte {
	w := t.start()
	w.Unsigned("step", step)
	w.Open("keys", '[')
	for i := range t.keys {
		w.Next()
		w.Quoted(t.keys[i].Name)
	}
	w.End(']')
	w.List("values", t.last...)
	w.Open("by_key", '{')
	told := map[string]bool{}
	for i := range t.keys {
		k := &t.keys[i]
		if told[k.Name] || k.Hidden != nil && k.Hidden(t.last) {
			continue // another key of the same name is in force
		}
		told[k.Name] = true
		w.Number(k.Name, t.last[i])
	}
	w.End('}')
	w.End('}')
	return w.Bytes
}

func (t *Tape) step(e *entry) []byte {
	m, w := &e.made, t.start()
	w.Unsigned("step", m.Step)
	w.Unsigned("tick", m.Tick)
	w.Unsigned("missed", e.lost)
	w.Boolean("fresh", m.Fresh)
	w.Boolean("placed", m.Input.Placed)
	w.Boolean("reached", m.Report.Reached)
	w.Number("dt_s", m.Input.Dt)
	w.Number("advanced_s", m.Report.Advanced)
	if e.clocked { // else it is a step of a batch, and is made again as one
		w.Open("answers", '[')
		for _, n := range e.answers {
			w.Next()
			w.Bytes = strconv.AppendUint(w.Bytes, uint64(n), 10)
		}
		w.End(']')
	}
	w.Vector("target_m", m.Input.Target.Position)
	w.Rotation("target_xyzw", m.Input.Target.Rotation)
	w.Vector("hand_m", m.Input.Hand.Position)
	w.Rotation("hand_xyzw", m.Input.Hand.Rotation)
	if c := &m.Input.Coupling; *c != (physics.Coupling{}) {
		w.List("coupling", c.Stiffness, c.Angle, c.Limit)
	}
	if g := &m.Input.Grasp; g.Number != 0 {
		w.List("grasp", float64(g.Number), float64(g.Hand), g.At[0], g.At[1], g.At[2])
	}
	if t.info.Second != nil {
		w.Vector("second_m", m.Input.Second.Position)
		w.Rotation("second_xyzw", m.Input.Second.Rotation)
	}
	w.Vector("force_N", m.Report.Force)
	w.Vector("torque_Nm", m.Report.Torque)
	w.Number("total_s", m.Report.Total.Seconds())
	w.Open("phases_s", '{')
	for i, name := range t.info.Phases {
		w.Number(name, m.Report.Phases[i].Seconds())
	}
	w.End('}')
	if e.drawn {
		w.Integer("open", int64(e.counts[physics.Open]))
		w.Integer("sticking", int64(e.counts[physics.Stick]))
		w.Integer("sliding", int64(e.counts[physics.Slip]))
		w.Open("numbers", '{')
		for i := range t.info.Numbers {
			w.Number(t.info.Numbers[i].Name, e.numbers[i])
		}
		w.End('}')
	}
	w.End('}')
	return w.Bytes
}

func (t *Tape) contacts(e *entry) []byte {
	w := t.start()
	w.Unsigned("step", e.made.Step)
	w.Open("contacts", '[')
	for i := range e.contacts {
		c := &e.contacts[i]
		w.Next()
		w.Begin('{')
		w.Unsigned("id", c.ID)
		w.Integer("node", int64(c.Node))
		w.Text("status", c.Status.String())
		w.Number("friction", c.Mu)
		w.Vector("on_impactor_m", c.P)
		w.Vector("on_obstacle_m", c.Q)
		w.Vector("normal", c.N)
		w.Vector("force_N", c.Force)
		w.Vector("r_N", c.R)
		w.Vector("x_m", c.X)
		w.End('}')
	}
	w.End(']')
	w.End('}')
	return w.Bytes
}

func (t *Tape) stylus(e *entry, at int64) []byte {
	w := t.start()
	w.Open("timestamp", '{')
	w.Integer("sec", at/1e9)
	w.Integer("nsec", at%1e9)
	w.End('}')
	w.Text("frame_id", world)
	w.Open("pose", '{')
	for i, part := range [...]struct{ name, axes string }{{"position", "xyz"}, {"orientation", "xyzw"}} {
		w.Open(part.name, '{')
		for k := range part.axes {
			w.Number(part.axes[k:k+1], e.stylus[3*i+k])
		}
		w.End('}')
	}
	w.End('}')
	w.End('}')
	return w.Bytes
}

// Schemas of the messages, as JSON schema. The stylus is a type that Foxglove knows by its name, so that it draws it.
var (
	// Steps has every step of physics.
	Steps = record.Channel{Topic: "/physics", Name: "hapco.Step", Schema: object("hapco.Step",
		integer("step"), integer("tick"), integer("missed"), boolean("fresh"), boolean("placed"), boolean("reached"), number("dt_s"), number("advanced_s"), `"answers":{"type":"array","items":{"type":"integer"}}`,
		numbers("target_m"), numbers("target_xyzw"), numbers("hand_m"), numbers("hand_xyzw"), numbers("coupling"), numbers("grasp"), numbers("second_m"), numbers("second_xyzw"), numbers("force_N"), numbers("torque_Nm"), number("total_s"),
		integer("open"), integer("sticking"), integer("sliding"), named("phases_s"), named("numbers"))}
	// Parameters has all live parameters at the start and whenever one has changed.
	Parameters = record.Channel{Topic: "/parameters", Name: "hapco.Parameters", Schema: object("hapco.Parameters",
		integer("step"), `"keys":{"type":"array","items":{"type":"string"}}`, numbers("values"), named("by_key"))}
	// Contacts has the contacts, some 60 times a second.
	Contacts = record.Channel{Topic: "/contacts", Name: "hapco.Contacts", Schema: object("hapco.Contacts", integer("step"),
		`"contacts":{"type":"array","items":`+object("", integer("id"), integer("node"), `"status":{"type":"string"}`, number("friction"),
			numbers("on_impactor_m"), numbers("on_obstacle_m"), numbers("normal"), numbers("force_N"), numbers("r_N"), numbers("x_m"))+`}`)}
	// Stylus is where the stylus stands, some 60 times a second.
	Stylus = record.Channel{Topic: "/stylus", Name: "foxglove.PoseInFrame", Schema: object("foxglove.PoseInFrame", stamp,
		`"frame_id":{"type":"string"}`, `"pose":`+object("foxglove.Pose", `"position":`+object("foxglove.Vector3", number("x"), number("y"), number("z")),
			`"orientation":`+object("foxglove.Quaternion", number("x"), number("y"), number("z"), number("w"))))}
)

// All are those and the ticks of the haptic loops. A channel's place is its number on the wire: new ones come last.
var All = []*record.Channel{&record.Ticks, &Steps, &Parameters, &Contacts, &Stylus, &record.SecondTicks}

// world is the frame_id of positions: the world's axes, metres.
const world = "world"

const stamp = `"timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}`

func object(title string, properties ...string) string {
	text := `{"type":"object",`
	if title != "" {
		text += `"title":"` + title + `",`
	}
	return text + `"properties":{` + strings.Join(properties, ",") + `}}`
}

func integer(name string) string { return `"` + name + `":{"type":"integer"}` }
func number(name string) string  { return `"` + name + `":{"type":"number"}` }
func boolean(name string) string { return `"` + name + `":{"type":"boolean"}` }
func numbers(name string) string { return `"` + name + `":{"type":"array","items":{"type":"number"}}` }
func named(name string) string {
	return `"` + name + `":{"type":"object","additionalProperties":{"type":"number"}}`
}

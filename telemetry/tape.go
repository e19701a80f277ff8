// Package telemetry tells other programs what a running world does: every physics step with what it started from,
// contacts, parameters and the stylus, as JSON messages with schemas. Recordings keep them beside the ticks of the
// haptic loop, and a server sends them to Foxglove. From a recording they are read back, to make the same steps again.
package telemetry

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl64"

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
	text     writer
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

func (t *Tape) start() *writer {
	t.text.b = t.text.b[:0]
	t.text.more = false
	t.text.begin('{')
	return &t.text
}

func (t *Tape) parameters(step uint64) []byte {
	w := t.start()
	w.unsigned("step", step)
	w.open("keys", '[')
	for i := range t.keys {
		w.next()
		w.quoted(t.keys[i].Name)
	}
	w.end(']')
	w.list("values", t.last...)
	w.open("by_key", '{')
	told := map[string]bool{}
	for i := range t.keys {
		k := &t.keys[i]
		if told[k.Name] || k.Hidden != nil && k.Hidden(t.last) {
			continue // another key of the same name is in force
		}
		told[k.Name] = true
		w.number(k.Name, t.last[i])
	}
	w.end('}')
	w.end('}')
	return w.b
}

func (t *Tape) step(e *entry) []byte {
	m, w := &e.made, t.start()
	w.unsigned("step", m.Step)
	w.unsigned("tick", m.Tick)
	w.unsigned("missed", e.lost)
	w.boolean("fresh", m.Fresh)
	w.boolean("placed", m.Input.Placed)
	w.boolean("reached", m.Report.Reached)
	w.number("dt_s", m.Input.Dt)
	w.number("advanced_s", m.Report.Advanced)
	if e.clocked { // else it is a step of a batch, and is made again as one
		w.open("answers", '[')
		for _, n := range e.answers {
			w.next()
			w.b = strconv.AppendUint(w.b, uint64(n), 10)
		}
		w.end(']')
	}
	w.vector("target_m", m.Input.Target.Position)
	w.rotation("target_xyzw", m.Input.Target.Rotation)
	w.vector("hand_m", m.Input.Hand.Position)
	w.rotation("hand_xyzw", m.Input.Hand.Rotation)
	if c := &m.Input.Coupling; *c != (physics.Coupling{}) {
		w.list("coupling", c.Stiffness, c.Angle, c.Limit)
	}
	if g := &m.Input.Grasp; g.Number != 0 {
		w.list("grasp", float64(g.Number), float64(g.Hand), g.At[0], g.At[1], g.At[2])
	}
	if t.info.Second != nil {
		w.vector("second_m", m.Input.Second.Position)
		w.rotation("second_xyzw", m.Input.Second.Rotation)
	}
	w.vector("force_N", m.Report.Force)
	w.vector("torque_Nm", m.Report.Torque)
	w.number("total_s", m.Report.Total.Seconds())
	w.open("phases_s", '{')
	for i, name := range t.info.Phases {
		w.number(name, m.Report.Phases[i].Seconds())
	}
	w.end('}')
	if e.drawn {
		w.integer("open", int64(e.counts[physics.Open]))
		w.integer("sticking", int64(e.counts[physics.Stick]))
		w.integer("sliding", int64(e.counts[physics.Slip]))
		w.open("numbers", '{')
		for i := range t.info.Numbers {
			w.number(t.info.Numbers[i].Name, e.numbers[i])
		}
		w.end('}')
	}
	w.end('}')
	return w.b
}

func (t *Tape) contacts(e *entry) []byte {
	w := t.start()
	w.unsigned("step", e.made.Step)
	w.open("contacts", '[')
	for i := range e.contacts {
		c := &e.contacts[i]
		w.next()
		w.begin('{')
		w.unsigned("id", c.ID)
		w.integer("node", int64(c.Node))
		w.text("status", c.Status.String())
		w.number("friction", c.Mu)
		w.vector("on_impactor_m", c.P)
		w.vector("on_obstacle_m", c.Q)
		w.vector("normal", c.N)
		w.vector("force_N", c.Force)
		w.vector("r_N", c.R)
		w.vector("x_m", c.X)
		w.end('}')
	}
	w.end(']')
	w.end('}')
	return w.b
}

func (t *Tape) stylus(e *entry, at int64) []byte {
	w := t.start()
	w.open("timestamp", '{')
	w.integer("sec", at/1e9)
	w.integer("nsec", at%1e9)
	w.end('}')
	w.text("frame_id", world)
	w.open("pose", '{')
	for i, part := range [...]struct{ name, axes string }{{"position", "xyz"}, {"orientation", "xyzw"}} {
		w.open(part.name, '{')
		for k := range part.axes {
			w.number(part.axes[k:k+1], e.stylus[3*i+k])
		}
		w.end('}')
	}
	w.end('}')
	w.end('}')
	return w.b
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

// writer appends JSON to its text. Numbers read back are the same to the last bit.
type writer struct {
	b    []byte
	more bool // a comma is due
}

func (w *writer) begin(mark byte) { w.b, w.more = append(w.b, mark), false }
func (w *writer) end(mark byte)   { w.b, w.more = append(w.b, mark), true }

// next is what stands before an element of a list.
func (w *writer) next() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}

// name is what stands before a value of an object.
func (w *writer) name(s string) {
	w.next()
	w.quoted(s)
	w.b = append(w.b, ':')
}

// open begins an object or a list of that name.
func (w *writer) open(name string, mark byte) {
	w.name(name)
	w.begin(mark)
}

func (w *writer) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		w.b = append(w.b, "null"...) // JSON has no word for it
		return
	}
	w.b = strconv.AppendFloat(w.b, x, 'g', -1, 64)
}

func (w *writer) number(name string, x float64) {
	w.name(name)
	w.float(x)
}

func (w *writer) integer(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *writer) unsigned(name string, n uint64) {
	w.name(name)
	w.b = strconv.AppendUint(w.b, n, 10)
}

func (w *writer) boolean(name string, on bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, on)
}

func (w *writer) text(name, s string) {
	w.name(name)
	w.quoted(s)
}

// quoted writes a string as JSON does, which is not as Go does: a scene's bodies may have any name.
func (w *writer) quoted(s string) {
	w.b = append(w.b, '"')
	for _, r := range s { // what is no UTF-8 becomes U+FFFD
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r < ' ':
			w.b = fmt.Appendf(w.b, "\\u%04x", r)
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
	w.b = append(w.b, '"')
}

func (w *writer) list(name string, x ...float64) {
	w.open(name, '[')
	for _, v := range x {
		w.next()
		w.float(v)
	}
	w.end(']')
}

func (w *writer) vector(name string, v mgl64.Vec3) { w.list(name, v[0], v[1], v[2]) }

func (w *writer) rotation(name string, q mgl64.Quat) { w.list(name, q.V[0], q.V[1], q.V[2], q.W) }

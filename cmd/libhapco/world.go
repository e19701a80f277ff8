package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/checkpoint"
	"hapco/physics/measure/batch"
	"hapco/physics/numerics/flex"
	_ "hapco/physics/worlds" // the kinds of worlds that there are
)

// mostSteps bounds the steps of its own that a world may be asked for in one call.
const mostSteps = 1e6

// world is an open world. What C code is given of its memory stays where it is until the world is closed: it is pinned,
// and where a slice is made anew, the old one stays beside it.
type world struct {
	physics.World
	scene   physics.Scene
	info    *physics.Info
	keys    []physics.Key
	timed   physics.Timed // nil: it does not advance in time
	notes   string
	set     []string // changes that it was opened with
	text    bool     // it was opened by its text
	threads func()   // puts back the threads of linear algebra

	moment
	fresh  bool // nothing has moved since it was opened
	report physics.Report
	frame  physics.Frame
	drawn  bool // frame holds the present state
	images *checkpoint.Image
	tape   *recording

	pins     runtime.Pinner
	pinned   map[unsafe.Pointer]bool
	texts    map[string]*byte
	contacts []contactRow
	bodies   []bodyRow
	solids   []physics.Solid
	elements [][4]int32
}

// moment is what of the state is here and not in the world.
type moment struct {
	target frame.Pose // where the stylus was sent last
	owed   physics.Owed
	steps  int64
	time   float64 // s
	reach  batch.Reacher
}

// snapshot is the state of a world.
type snapshot struct {
	of     *world
	image  *checkpoint.Image
	moment moment
}

// contactRow and bodyRow are hapco_contact and hapco_body.
type contactRow struct {
	id           uint64
	p, q         mgl64.Vec3
	frame        [3]mgl64.Vec3
	force        mgl64.Vec3
	r, x         [3]float64
	friction     float64
	status, node int32
}

type bodyRow struct {
	position mgl64.Vec3
	rotation [4]float64
	shape    int64
}

// openWorld opens a scene by name, or by its text where there is one.
func openWorld(name string, text []byte, set []string) (*world, error) {
	var s physics.Scene
	var err error
	if text == nil {
		s, err = physics.Load(name)
	} else if s, err = physics.Parse(name, text); err == nil {
		s.Common().Name = name
	}
	if err != nil {
		return nil, err
	}
	for _, a := range set {
		if err := s.Set(a); err != nil {
			return nil, err
		}
	}
	w := &world{scene: s, set: set, text: text != nil, threads: flex.OneThread(), pinned: map[unsafe.Pointer]bool{}, texts: map[string]*byte{}}
	opened, notes, err := physics.OpenScene(context.Background(), s, physics.Options{})
	if err != nil {
		w.threads()
		return nil, err
	}
	w.World, w.info, w.keys, w.notes = opened, opened.Info(), opened.Keys(), strings.Join(notes, "\n")
	if timed, ok := opened.(physics.Timed); ok && w.info.Advances {
		w.timed = timed
	}
	w.target, w.fresh = w.info.Start, true
	w.report.Stylus = w.info.Start
	return w, nil
}

// end closes the world.
func (w *world) end() error {
	err := errors.Join(w.recordEnd(), w.Close())
	w.threads()
	w.pins.Unpin()
	return err
}

// ownStep is how long the next step is at most, s; 0 without time.
func (w *world) ownStep() float64 {
	if w.timed == nil {
		return 0
	}
	return w.timed.OwnStep()
}

// send checks a pose, or takes the last one for nil.
func (w *world) send(pose *frame.Pose) (frame.Pose, error) {
	if pose == nil {
		return w.target, nil
	}
	if !pose.Proper() {
		return frame.Pose{}, invalid("%v, %v is no pose (cure: a position within %g m and a unit quaternion x, y, z, w)", pose.Position, pose.Rotation, frame.Farthest)
	}
	return *pose, nil
}

// step takes one step towards a pose, nil: the last one.
func (w *world) step(pose *frame.Pose, dt float64) error {
	target, err := w.send(pose)
	if err != nil {
		return err
	}
	if !(dt >= 0) || math.IsInf(dt, 0) {
		return invalid("dt = %g (cure: seconds, 0 or more)", dt)
	}
	if w.timed == nil {
		dt = 0
	} else if h := w.timed.OwnStep(); dt > mostSteps*h {
		return invalid("dt = %g s is more than %g steps of the world, of %g s each (cure: several calls)", dt, mostSteps, h)
	}
	if w.tape != nil && dt > physics.LongestAdvance {
		return invalid("dt = %g s while the world is recorded (cure: at most %g s)", dt, physics.LongestAdvance)
	}
	w.target = target
	w.take(physics.Input{Target: target, Hand: target, Dt: dt})
	return w.halted()
}

// take makes a step.
func (w *world) take(in physics.Input) physics.Report {
	w.report = w.owed.Step(w.World, in)
	w.drawn, w.fresh = false, false
	w.steps++
	w.time += w.report.Advanced
	if w.tape != nil {
		w.tape.take(w, in)
	}
	return w.report
}

// halted is why the world does not go on.
func (w *world) halted() error {
	if w.report.Stopped != nil {
		return fmt.Errorf("the world stands still after %.6g s: %w", w.time, w.report.Stopped)
	}
	if w.tape != nil {
		return w.tape.err
	}
	return nil
}

// reachPose steps until the stylus is there, or is held.
func (w *world) reachPose(pose *frame.Pose) error {
	target, err := w.send(pose)
	if err != nil {
		return err
	}
	if w.timed != nil {
		return invalid("a world in time does not wait for its stylus (cure: hapco_world_step with a dt)")
	}
	w.target = target
	var s batch.Step
	if err := w.reach.To(context.Background(), func(in physics.Input) physics.Report { return w.take(in) }, target, &s); err != nil {
		return err
	}
	return w.halted()
}

// reset puts the world back to its start.
func (w *world) reset() {
	w.World.Reset()
	w.moment = moment{target: w.info.Start}
	w.report = physics.Report{Stylus: w.info.Start}
	w.drawn, w.fresh = false, false
	if w.tape != nil {
		w.tape.fresh = true
	}
}

// snapshot keeps the state.
func (w *world) snapshot() *snapshot {
	w.images = checkpoint.Take(w.World, w.images)
	return &snapshot{of: w, image: w.images, moment: w.moment}
}

// restore puts a state back.
func (w *world) restore(s *snapshot) error {
	switch {
	case s.of != w:
		return invalid("the snapshot is of another world (cure: one that this world has given)")
	case w.tape != nil:
		return invalid("the world is recorded, and a recording cannot go back (cure: hapco_world_record_end)")
	}
	s.image.Restore()
	w.moment, w.drawn, w.fresh = s.moment, false, false
	w.report = physics.Report{Stylus: w.draw().Stylus}
	w.report.Force, w.report.Torque = w.frame.Force, w.frame.Torque
	return nil
}

// draw is the present state as a frame.
func (w *world) draw() *physics.Frame {
	if !w.drawn {
		w.Draw(&w.frame)
		w.drawn = true
	}
	return &w.frame
}

// at is the address of a slice's memory, pinned: nil where it is empty.
func at[T any](w *world, s []T) *T {
	if len(s) == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	if !w.pinned[p] {
		w.pins.Pin(p)
		w.pinned[p] = true
	}
	return (*T)(p)
}

// word is a text for C, pinned.
func (w *world) word(s string) *byte {
	p := w.texts[s]
	if p == nil {
		b := append([]byte(strings.ReplaceAll(s, "\x00", " ")), 0)
		p = at(w, b)
		w.texts[s] = p
	}
	return p
}

// rows are the contacts.
func (w *world) rows() []contactRow {
	f := w.draw()
	w.contacts = w.contacts[:0]
	for i := range f.Contacts {
		c := &f.Contacts[i]
		w.contacts = append(w.contacts, contactRow{id: c.ID, p: c.P, q: c.Q, frame: [3]mgl64.Vec3{c.N, c.T1, c.T2}, force: c.Force,
			r: c.R, x: c.X, friction: c.Mu, status: int32(c.Status), node: c.Node})
	}
	return w.contacts
}

// instances are the rigid bodies.
func (w *world) instances() []bodyRow {
	f := w.draw()
	w.bodies = w.bodies[:0]
	for i := range f.Instances {
		b := &f.Instances[i]
		q := b.Pose.Rotation
		w.bodies = append(w.bodies, bodyRow{b.Pose.Position, [4]float64{q.V[0], q.V[1], q.V[2], q.W}, int64(b.Shape)})
	}
	return w.bodies
}

// solid is a body with its inside, and its tetrahedra.
func (w *world) solid(i int64) (*physics.Solid, [][4]int32, error) {
	s, ok := w.World.(physics.Solids)
	if !ok || i < 0 || i >= int64(len(w.info.Surfaces)) {
		return nil, nil, beyond("body", i, w.solidCount())
	}
	w.solids = s.Solids(w.solids)
	b := &w.solids[i]
	w.elements = w.elements[:0]
	if b.Mesh != nil {
		for k := range b.Mesh.Blocks {
			if nodes := b.Mesh.Blocks[k].Nodes; b.Mesh.Blocks[k].Type == mesh.Tet4 {
				for e := 0; e < len(nodes); e += 4 {
					w.elements = append(w.elements, [4]int32(nodes[e:e+4]))
				}
			}
		}
	}
	return b, w.elements, nil
}

func (w *world) solidCount() int {
	if _, ok := w.World.(physics.Solids); ok {
		return len(w.info.Surfaces)
	}
	return 0
}

// key is the key of a name: of several, the one that is in force, else the first.
func (w *world) key(name string) (*physics.Key, error) {
	var found *physics.Key
	var values []float64
	for i := range w.keys {
		if k := &w.keys[i]; k.Name == name {
			if k.Hidden != nil {
				if values == nil {
					values = physics.Values(w.keys)
				}
				if k.Hidden(values) {
					found = cmp.Or(found, k)
					continue
				}
			}
			return k, nil
		}
	}
	if found == nil {
		return nil, unknown("there is no key %q (cure: one of %s)", name, w.keyNames())
	}
	return found, nil
}

func (w *world) keyNames() string {
	var names []string
	for i := range w.keys {
		if !slices.Contains(names, w.keys[i].Name) {
			names = append(names, w.keys[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// value of a key.
func (w *world) value(k *physics.Key) float64 {
	if k.Get != nil {
		return k.Get()
	}
	if k.Value != nil {
		return k.Value(physics.Values(w.keys))
	}
	return math.NaN()
}

// give gives a key a value; of a view of others, it gives those theirs.
func (w *world) give(k *physics.Key, x float64) error {
	if w.tape != nil {
		w.tape.changed = true
	}
	w.drawn = false
	if k.Settable() {
		return k.Set(x)
	}
	if n := len(k.Choices); n > 0 && !(x >= 0 && x < float64(n) && x == math.Trunc(x)) {
		return invalid("%s = %g is none of its %d choices (cure: one of 0 to %d)", k.Name, x, n, n-1)
	}
	if k.Change == nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return invalid("%s = %g cannot be set", k.Name, x)
	}
	v := physics.Values(w.keys)
	for i := range w.keys {
		if &w.keys[i] == k {
			physics.Choose(w.keys, v, i, x, nil)
		}
	}
	for i := range w.keys {
		if o := &w.keys[i]; o.Settable() && v[i] != o.Get() {
			if err := o.Set(v[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveWord gives a key one of its words.
func (w *world) giveWord(k *physics.Key, word string) error {
	words := wordsOf(k)
	if i := slices.Index(words, word); i >= 0 {
		return w.give(k, float64(i))
	}
	if len(words) == 0 {
		return unknown("%s is a number (cure: hapco_world_set)", k.Name)
	}
	return unknown("%s has no word %q (cure: one of %s)", k.Name, word, strings.Join(words, ", "))
}

func wordsOf(k *physics.Key) []string {
	if len(k.Choices) == 0 && k.Switch {
		return []string{"off", "on"}
	}
	words := make([]string, len(k.Choices))
	for i := range k.Choices {
		words[i] = k.Choices[i].Name
	}
	return words
}

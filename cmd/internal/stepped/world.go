package stepped

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/checkpoint"
	"hapco/physics/measure/batch"
	_ "hapco/physics/worlds" // the kinds of worlds that there are
)

// mostSteps bounds the steps of its own that a world may be asked for in one call.
const mostSteps = 1e6

// World is an open world. One goroutine uses it at a time.
type World struct {
	Sim   physics.World
	Scene physics.Scene
	Info  *physics.Info
	Keys  []physics.Key
	Notes string

	timed physics.Timed // nil: it does not advance in time
	set   []string      // changes that it was opened with
	text  bool          // it was opened by its text

	moment
	fresh    bool // nothing has moved since it was opened
	report   physics.Report
	frame    physics.Frame
	drawn    bool // frame holds the present state
	images   *checkpoint.Image
	tape     *recording
	contacts []Contact
	bodies   []Body
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

// Snapshot is the state of a world.
type Snapshot struct {
	of     *World
	image  *checkpoint.Image
	moment moment
}

// Contact is hapco_contact.
type Contact struct {
	id           uint64
	p, q         mgl64.Vec3
	frame        [3]mgl64.Vec3
	force        mgl64.Vec3
	r, x         [3]float64
	friction     float64
	status, node int32
}

// Body is hapco_body.
type Body struct {
	pose  [7]float64
	shape int64
}

// Report is hapco_report.
type Report struct {
	Force, Torque  [3]float64 // N, N m
	Stylus         [7]float64 // m, and x, y, z, w
	Advanced, Time float64    // s
	Steps          int64
	Reached, _     int32
}

// PoseRow is a pose as C and Python have it.
func PoseRow(p *frame.Pose) [7]float64 {
	v, w := p.Rotation.V, p.Rotation.W
	return [7]float64{p.Position[0], p.Position[1], p.Position[2], v[0], v[1], v[2], w}
}

// PoseOf is the inverse of PoseRow.
func PoseOf(p *[7]float64) *frame.Pose {
	return &frame.Pose{Position: mgl64.Vec3(p[:3]), Rotation: mgl64.Quat{V: mgl64.Vec3(p[3:6]), W: p[6]}}
}

// Flag is a truth for C.
func Flag(yes bool) int32 {
	if yes {
		return 1
	}
	return 0
}

// Open opens a scene by name, or by its text where there is one. set are changes KEY=VALUE.
func Open(name string, text []byte, set []string) (*World, error) {
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
	opened, notes, err := physics.OpenScene(context.Background(), s, physics.Options{})
	if err != nil {
		return nil, err
	}
	w := New(s, opened, set)
	w.Notes, w.text = strings.Join(notes, "\n"), text != nil
	return w, nil
}

// New has an opened world of a scene, with the changes that were made to it.
func New(s physics.Scene, opened physics.World, set []string) *World {
	w := &World{Scene: s, set: set, Sim: opened, Info: opened.Info(), Keys: opened.Keys()}
	if timed, ok := opened.(physics.Timed); ok && w.Info.Advances {
		w.timed = timed
	}
	w.target, w.fresh = w.Info.Start, true
	w.report.Stylus = w.Info.Start
	return w
}

// Close closes the world.
func (w *World) Close() error {
	return errors.Join(w.RecordEnd(), w.Sim.Close())
}

// OwnStep is how long the next step is at most, s; 0 without time.
func (w *World) OwnStep() float64 {
	if w.timed == nil {
		return 0
	}
	return w.timed.OwnStep()
}

// send checks a pose, or takes the last one for nil.
func (w *World) send(pose *frame.Pose) (frame.Pose, error) {
	if pose == nil {
		return w.target, nil
	}
	if !pose.Proper() {
		return frame.Pose{}, Invalid("%v, %v is no pose (cure: a position within %g m and a unit quaternion x, y, z, w)", pose.Position, pose.Rotation, frame.Farthest)
	}
	return *pose, nil
}

// Step takes one step towards a pose, nil: the last one.
func (w *World) Step(pose *frame.Pose, dt float64) error {
	target, err := w.send(pose)
	if err != nil {
		return err
	}
	if !(dt >= 0) || math.IsInf(dt, 0) {
		return Invalid("dt = %g (cure: seconds, 0 or more)", dt)
	}
	if w.timed == nil {
		dt = 0
	} else if h := w.timed.OwnStep(); dt > mostSteps*h {
		return Invalid("dt = %g s is more than %g steps of the world, of %g s each (cure: several calls)", dt, mostSteps, h)
	}
	if w.tape != nil && dt > physics.LongestAdvance {
		return Invalid("dt = %g s while the world is recorded (cure: at most %g s)", dt, physics.LongestAdvance)
	}
	w.target = target
	w.take(physics.Input{Target: target, Hand: target, Dt: dt})
	return w.halted()
}

// take makes a step.
func (w *World) take(in physics.Input) physics.Report {
	w.report = w.owed.Step(w.Sim, in)
	w.drawn, w.fresh = false, false
	w.steps++
	w.time += w.report.Advanced
	if w.tape != nil {
		w.tape.take(w, in)
	}
	return w.report
}

// halted is why the world does not go on.
func (w *World) halted() error {
	if w.report.Stopped != nil {
		return fmt.Errorf("the world stands still after %.6g s: %w", w.time, w.report.Stopped)
	}
	if w.tape != nil {
		return w.tape.err
	}
	return nil
}

// Reach steps until the stylus is there, or is held.
func (w *World) Reach(pose *frame.Pose) error {
	target, err := w.send(pose)
	if err != nil {
		return err
	}
	if w.timed != nil {
		return Invalid("a world in time does not wait for its stylus (cure: hapco_world_step with a dt)")
	}
	w.target = target
	var s batch.Step
	if err := w.reach.To(context.Background(), func(in physics.Input) physics.Report { return w.take(in) }, target, &s); err != nil {
		return err
	}
	return w.halted()
}

// Reset puts the world back to its start.
func (w *World) Reset() {
	w.Sim.Reset()
	w.moment = moment{target: w.Info.Start}
	w.report = physics.Report{Stylus: w.Info.Start}
	w.drawn, w.fresh = false, false
	if w.tape != nil {
		w.tape.fresh = true
	}
}

// Snapshot keeps the state.
func (w *World) Snapshot() *Snapshot {
	w.images = checkpoint.Take(w.Sim, w.images)
	return &Snapshot{of: w, image: w.images, moment: w.moment}
}

// Restore puts a state back.
func (w *World) Restore(s *Snapshot) error {
	switch {
	case s.of != w:
		return Invalid("the snapshot is of another world (cure: one that this world has given)")
	case w.tape != nil:
		return Invalid("the world is recorded, and a recording cannot go back (cure: hapco_world_record_end)")
	}
	s.image.Restore()
	w.moment, w.drawn, w.fresh = s.moment, false, false
	w.report = physics.Report{Stylus: w.Draw().Stylus}
	w.report.Force, w.report.Torque = w.frame.Force, w.frame.Torque
	return nil
}

// Report is what came of the last step.
func (w *World) Report() Report {
	r := &w.report
	stylus := &r.Stylus
	if w.timed != nil { // the pose is the hand's: see physics.Report
		stylus = &w.target
	}
	return Report{Force: r.Force, Torque: r.Torque, Stylus: PoseRow(stylus), Advanced: r.Advanced, Time: w.time, Steps: w.steps, Reached: Flag(r.Reached)}
}

// Draw is the present state as a frame.
func (w *World) Draw() *physics.Frame {
	if !w.drawn {
		w.Sim.Draw(&w.frame)
		w.drawn = true
	}
	return &w.frame
}

// Field is field k, of Info.Fields, at the points of surface i; empty where it is not known there.
func (w *World) Field(i, k int64) ([]float64, error) {
	switch {
	case i < 0 || int(i) >= len(w.Info.Surfaces):
		return nil, Beyond("surface", i, len(w.Info.Surfaces))
	case k < 0 || int(k) >= len(w.Info.Fields):
		return nil, Beyond("field", k, len(w.Info.Fields))
	}
	if w.frame.Want.Field != int(k)+1 {
		w.frame.Want.Field, w.drawn = int(k)+1, false
	}
	return w.Draw().Surfaces[i].Scalar, nil
}

// Contacts are the contacts.
func (w *World) Contacts() []Contact {
	w.contacts = ContactsOf(w.contacts, w.Draw())
	return w.contacts
}

// ContactsOf are the contacts of a frame, in the memory of dst.
func ContactsOf(dst []Contact, f *physics.Frame) []Contact {
	return rows(dst, f.Contacts, func(c *physics.Contact) Contact {
		return Contact{id: c.ID, p: c.P, q: c.Q, frame: [3]mgl64.Vec3{c.N, c.T1, c.T2}, force: c.Force,
			r: c.R, x: c.X, friction: c.Mu, status: int32(c.Status), node: c.Node}
	})
}

// rows are a row for each of some things, in the memory of dst.
func rows[R, T any](dst []R, all []T, of func(*T) R) []R {
	dst = dst[:0]
	for i := range all {
		dst = append(dst, of(&all[i]))
	}
	return dst
}

// Bodies are the rigid bodies.
func (w *World) Bodies() []Body {
	w.bodies = BodiesOf(w.bodies, w.Draw())
	return w.bodies
}

// BodiesOf are the rigid bodies of a frame, in the memory of dst.
func BodiesOf(dst []Body, f *physics.Frame) []Body {
	return rows(dst, f.Instances, func(b *physics.Instance) Body { return Body{PoseRow(&b.Pose), int64(b.Shape)} })
}

// Solid is a body with its inside, and its tetrahedra.
func (w *World) Solid(i int64) (*physics.Solid, [][4]int32, error) {
	s, ok := w.Sim.(physics.Solids)
	if !ok || i < 0 || i >= int64(len(w.Info.Surfaces)) {
		return nil, nil, Beyond("body", i, w.Solids())
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

func (w *World) Solids() int {
	if _, ok := w.Sim.(physics.Solids); ok {
		return len(w.Info.Surfaces)
	}
	return 0
}

// Key is the key of a name.
func (w *World) Key(name string) (*physics.Key, error) {
	return Find(w.Keys, func() []float64 { return physics.Values(w.Keys) }, name)
}

// Find is the key of a name: of several, the one that is in force with the present values, else the first.
func Find(keys []physics.Key, values func() []float64, name string) (*physics.Key, error) {
	var found *physics.Key
	var v []float64
	var names []string
	for i := range keys {
		k := &keys[i]
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
		if k.Name != name {
			continue
		}
		if k.Hidden == nil {
			return k, nil
		}
		if v == nil {
			v = values()
		}
		if !k.Hidden(v) {
			return k, nil
		}
		found = cmp.Or(found, k)
	}
	if found == nil {
		return nil, Unknown("there is no key %q (cure: one of %s)", name, strings.Join(names, ", "))
	}
	return found, nil
}

// Value of a key.
func (w *World) Value(k *physics.Key) float64 {
	if k.Get != nil {
		return k.Get()
	}
	if k.Value != nil {
		return k.Value(physics.Values(w.Keys))
	}
	return math.NaN()
}

// Give gives a key a value; of a view of others, it gives those theirs.
func (w *World) Give(k *physics.Key, x float64) error {
	if w.tape != nil {
		w.tape.changed = true
	}
	w.drawn = false
	if k.Settable() {
		return k.Set(x)
	}
	if n := len(k.Choices); n > 0 && !(x >= 0 && x < float64(n) && x == math.Trunc(x)) {
		return Invalid("%s = %g is none of its %d choices (cure: one of 0 to %d)", k.Name, x, n, n-1)
	}
	if k.Change == nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return Invalid("%s = %g cannot be set", k.Name, x)
	}
	v := physics.Values(w.Keys)
	for i := range w.Keys {
		if &w.Keys[i] == k {
			physics.Choose(w.Keys, v, i, x, nil)
		}
	}
	for i := range w.Keys {
		if o := &w.Keys[i]; o.Settable() && v[i] != o.Get() {
			if err := o.Set(v[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// GiveWord gives a key one of its words.
func (w *World) GiveWord(k *physics.Key, word string) error {
	x, err := WordValue(k, word)
	if err != nil {
		return err
	}
	return w.Give(k, x)
}

// WordValue is the value of a key that one of its words stands for.
func WordValue(k *physics.Key, word string) (float64, error) {
	words := Words(k)
	if i := slices.Index(words, word); i >= 0 {
		return float64(i), nil
	}
	if len(words) == 0 {
		return 0, Unknown("%s is a number (cure: a value without quotes)", k.Name)
	}
	return 0, Unknown("%s has no word %q (cure: one of %s)", k.Name, word, strings.Join(words, ", "))
}

// Ends are the least and the greatest value of a key.
func Ends(k *physics.Key) (least, most float64) {
	if n := len(Words(k)); n > 0 {
		return 0, float64(n - 1)
	}
	return k.Range.Ends()
}

// Words are those of a key; none where it is a number.
func Words(k *physics.Key) []string {
	if len(k.Choices) == 0 && k.Switch {
		return []string{"off", "on"}
	}
	words := make([]string, len(k.Choices))
	for i := range k.Choices {
		words[i] = k.Choices[i].Name
	}
	return words
}

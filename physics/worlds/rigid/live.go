package rigid

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/team"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/modes"
	"hapco/physics/numerics/num"
)

// live is a world of rigid bodies behind the seam.
type live struct {
	scene sceneFile // as it was opened
	now   sceneFile // with the live parameters
	info  *physics.Info
	made  []made // of each [[body]]
	parts []part
	world *World
	floor *Body

	dump    *contact.Dump
	steps   uint64
	driven  [2]driven
	grasp   uint32                 // number of the last
	word    string                 // for the status line
	lost    int                    // times that it was put back since a motion was no number
	team    *team.Team             // shares a step's islands
	speaker physics.Speaker        // nil: none
	heard   []float64              // for it
	writing failsafe.Group         // of sounds
	said    atomic.Pointer[string] // what came of the last; nil: nothing new
	most    float64                // largest angular momentum seen, for the length of arrows
	fastest float64                // and angular velocity

	energy0 float64 // since the hand last acted
	spin0   mgl64.Vec3
	scale0  float64 // largest kinetic energy since then, J
	touched bool
	kinetic float64 // energy at the scene's start, J; 0: drifts are absolute
	spin    float64 // and the norm of the angular momentum, kg m^2/s

	trailAt float64 // time of the next point of the trails, s
	tool    []mgl64.Vec3
	moments []float64
	field   []float64
}

// driven is what a step does with a tool.
type driven struct {
	from          placed     // where the stylus was
	to            frame.Pose // and is
	sure          bool       // to is a pose
	force, torque mgl64.Vec3 // on the tool, mean over the last step, N, N m
}

// made is what the bodies of one [[body]] have in common.
type made struct {
	form    *Form
	mass    float64
	inertia mat3
	modes   *modes.Modes
	offset  vec3
	shape   physics.Shape
	nodes   []int32 // of a vibrating body, those of its surface
	faces   [][3]int32
}

// part is one body.
type part struct {
	spec    int
	name    string
	start   vec3
	turn    quat // at the start
	color   mgl64.Vec3
	surface int // of a vibrating body
	body    *Body
	vib     *vibration
	energy0 float64      // of a body that turns by itself, J
	trail   []mgl64.Vec3 // the newest first; nil: it leaves none
	compare int          // place of its number, -1: none
}

// trailPoints is how long a trail is, trailEvery how far apart its points, s.
const (
	trailPoints = 500
	trailEvery  = 0.012
)

// air is what fades velocities and turns, and the tethers that draw bodies back to where they started.
type air struct{ l *live }

func (a *air) Apply(w *World) {
	s := &a.l.now
	if s.Damping == 0 && s.TurnDamping == 0 && s.Tether == 0 && s.TetherTurn == 0 {
		return
	}
	const damped = 1.4 // of a tether: twice the damping ratio
	k, c := s.Tether*s.Tether, s.Damping+damped*s.Tether
	kt, ct := s.TetherTurn*s.TetherTurn, s.TurnDamping+damped*s.TetherTurn
	for i := range a.l.parts {
		p := &a.l.parts[i]
		b := p.body
		if b.invMass == 0 {
			continue
		}
		b.Push(b.V.Mul(-c).Add(p.start.Sub(b.X).Mul(k)).Mul(b.Mass), b.X)
		if ct > 0 {
			way := rotationVector(b.Q.Conjugate().Mul(p.turn)).Mul(kt).Sub(b.W.Mul(ct))
			b.twist(rotate(b.Q, b.Inertia.Mul3x1(way)))
		}
	}
}

// Energy of the tethers, J; that of those for attitudes is left out.
func (a *air) Energy(*World) (e float64) {
	if k := a.l.now.Tether * a.l.now.Tether; k > 0 {
		for i := range a.l.parts {
			p := &a.l.parts[i]
			d := p.start.Sub(p.body.X)
			e += p.body.Mass * k * d.Dot(d) / 2
		}
	}
	return e
}

// since takes the energy and the momentum as those to compare with.
func (l *live) since() {
	k, p := l.world.energy()
	l.energy0, l.scale0 = k+p, k
	_, l.spin0 = l.world.momentum()
	for i := range l.parts {
		l.parts[i].energy0 = l.soloEnergy(&l.parts[i])
	}
}

// soloEnergy is that of a body that turns by itself.
func (l *live) soloEnergy(p *part) float64 {
	return p.body.kinetic() - p.body.Mass*l.world.Config.Gravity.Dot(p.body.X)
}

func (l *live) Info() *physics.Info { return l.info }

// OwnStep is the engine's step, s.
func (l *live) OwnStep() float64 { return l.world.Config.Step }

// Step lets the bodies move for a time, and the tool go to its target in it.
func (l *live) Step(in physics.Input) (r physics.Report) {
	w := l.world
	w.Deadline = in.Deadline
	h, n, done := w.Config.Step, 0, 0
	if in.Dt > 0 && !math.IsInf(in.Dt, 0) {
		n = int(in.Dt/h + 1e-9)
	}
	to := [...]frame.Pose{in.Target, in.Second}
	for k, g := range w.hands {
		d := &l.driven[k]
		d.from, d.to, d.sure = g.target, to[k], to[k].Proper()
		if n > 0 {
			d.force, d.torque = vec3{}, vec3{}
		}
	}
	l.touched = false
	l.take(&in.Grasp)
	for ; done < n; done++ {
		if in.Deadline.Due(done+1, n); done > 0 && in.Deadline.Late(0) {
			break
		}
		for k, g := range w.hands {
			if d := &l.driven[k]; d.sure {
				// Evenly through the step: a jump at its start would be a blow.
				part := float64(done+1) / float64(n)
				g.move(d.from.x.Add(d.to.Position.Sub(d.from.x).Mul(part)), mgl64.QuatNlerp(d.from.q, d.to.Rotation, part))
			}
			if l.now.Catch && g.held == nil {
				g.grab(l.now.Reach)
			}
		}
		w.Step()
		if l.speaker != nil && !l.now.Mute {
			l.heard = w.latest(l.heard)
			l.speaker.Play(l.heard)
		}
		if l.dump.Step() {
			w.Problems(l.dump.Take)
		}
		for k, g := range w.hands {
			f, m := g.force()
			d := &l.driven[k]
			d.force, d.torque = d.force.Add(f), d.torque.Add(m)
		}
		l.trails()
	}
	if n > 0 {
		r.Advanced = float64(done) * h
		for k := range w.hands {
			d := &l.driven[k]
			d.force, d.torque = d.force.Mul(1/float64(done)), d.torque.Mul(1/float64(done))
			l.touched = l.touched || d.force != (vec3{}) || d.torque != (vec3{})
		}
		if !l.sound() {
			l.lost++
			l.again("was put back: a motion was no number any more")
		} else if l.touched {
			l.since()
		}
	}
	l.steps++
	first := &l.driven[0]
	r.Force, r.Torque = first.force, first.torque
	// A tool that bodies hold back, or that is slower than the hand, is where it can be.
	r.Reached = n > 0 || first.sure && first.from.x == first.to.Position && first.from.q == first.to.Rotation
	return r
}

// take lets a hand take hold, or let go, where that is another grasp than before.
func (l *live) take(g *physics.Grasp) {
	if g.Number == l.grasp {
		return
	}
	l.grasp = g.Number
	for _, h := range l.world.hands {
		h.Release()
	}
	if g.Number != 0 && int(g.Hand) < len(l.world.hands) && num.AllFinite(g.At[:]...) {
		l.world.hands[g.Hand].grabAt(g.At)
	}
}

// drawHeld shows the spring of what is held.
func (l *live) drawHeld(f *physics.Frame) {
	for _, g := range l.world.hands {
		if g.held != nil {
			f.Held = physics.Held{On: true, At: g.held.point(g.at), To: g.Tool.point(g.on), Force: g.pulls}
		}
	}
}

// sound tells whether all bodies are somewhere.
func (l *live) sound() bool {
	sum := 0.0
	for _, d := range l.driven {
		sum += d.force[0] + d.force[1] + d.force[2]
	}
	for i := range l.parts {
		b := l.parts[i].body
		sum += b.X[0] + b.X[1] + b.X[2] + b.W[0] + b.W[1] + b.W[2] + b.Q.W
	}
	return sum-sum == 0
}

// trails marks where points are.
func (l *live) trails() {
	if l.world.time < l.trailAt {
		return
	}
	l.trailAt = l.world.time + trailEvery
	for i := range l.parts {
		if p := &l.parts[i]; p.trail != nil {
			at := p.body.point(l.now.Bodies[p.spec].Trail)
			p.trail = slices.Insert(p.trail[:min(len(p.trail), trailPoints-2)], 0, at)
		}
	}
}

// Local is what the engine's contacts and the clutch's spring let the hand feel.
func (l *live) Local(m *local.Model) { l.world.hands[0].fillModel(m) }

// LocalSecond does that for the second hand.
func (l *live) LocalSecond(m *local.Model) { l.world.hands[1].fillModel(m) }

func (l *live) Keys() []physics.Key {
	keys := physics.KeysOf(ownFields, &l.now, "", "Motion", l.changed)
	any := slices.ContainsFunc(l.now.Bodies, func(b bodySpec) bool { return b.Integrator == 1 })
	for i := range keys {
		k := &keys[i]
		switch k.Name {
		case "integrator":
			k.Off = func([]float64) bool { return !any }
		case "hand.catch":
			k.Press = "X"
		case "show.exaggeration", "show.slowing", "sound.write", "sound.mute":
			if k.Name == "sound.write" && len(l.world.vibrations) > 0 { // a stylus's button presses it as well
				k.Press = "W"
			}
			k.Hidden = func([]float64) bool { return len(l.world.vibrations) == 0 }
		}
		if strings.HasPrefix(k.Name, "show.") {
			k.Section = "Shown"
		}
	}
	return keys
}

// changed makes a new value act.
func (l *live) changed(name string) error {
	if err := l.now.check(); err != nil {
		return errors.New(err.What)
	}
	w := l.world
	switch name {
	case "solver.sweeps", "solver.tolerance":
		w.Config.Sweeps, w.Config.Tolerance = l.now.Sweeps, l.now.Tolerance
	case "friction", "restitution":
		l.surfaces()
	case "step", "integrator", "gravity": // weights of bodies that turn by themselves are their own
		return l.rebuild()
	case "hand.catch":
		if !l.now.Catch {
			for _, g := range w.hands {
				g.Release()
			}
		}
	case "sound.write":
		return l.writeSound()
	}
	return nil
}

// writeSound lets a goroutine write what was heard last to the next free file of the working directory: a disk may take
// longer than a step.
func (l *live) writeSound() error {
	sound, err := l.world.sound()
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(l.scene.Name), ".toml")
	l.writing.Go(func() {
		said, err := sound.write(name)
		if err != nil {
			said = "no sound was written: " + err.Error()
		}
		l.said.Store(&said)
	})
	return nil
}

// write makes the file name-1.wav, or name-2.wav where that is taken, and so on.
func (s *sound) write(name string) (said string, err error) {
	file, err := atomicfile.New(func(n int) string { return fmt.Sprintf("%s-%d.wav", name, n) }, s.writeWAV)
	if err != nil {
		return "", err
	}
	return "wrote " + file, nil
}

// Listen implements physics.Sounder.
func (l *live) Listen() bool { return l.world.listen() }

// WriteWAV writes what was heard last.
func (l *live) WriteWAV(out io.Writer) error {
	sound, err := l.world.sound()
	if err != nil {
		return err
	}
	return sound.writeWAV(out)
}

// rebuild makes the world anew with the bodies as they are.
func (l *live) rebuild() error {
	states := make([]placed, len(l.parts))
	for i := range l.parts {
		states[i] = l.parts[i].body.placed()
	}
	return l.build(states)
}

// again puts everything back to the start.
func (l *live) again(word string) {
	l.word, l.trailAt = word, 0
	l.driven, l.most, l.fastest = [2]driven{}, 0, 0
	for i := range l.parts {
		l.parts[i].trail = l.parts[i].trail[:0]
	}
	if err := l.build(nil); err != nil {
		panic("rigid: a scene that was opened cannot be opened again: " + err.Error())
	}
}

// Reset puts every body back to where it started.
func (l *live) Reset() { l.again("") }

// Close ends the team and the sound, and waits until sounds are written.
func (l *live) Close() error {
	l.team.Close()
	l.writing.Wait()
	if l.speaker != nil {
		return l.speaker.Close()
	}
	return nil
}

// Sample is the state of the bodies.
func (l *live) Sample() []physics.Entry {
	w := l.world
	k, p := w.energy()
	linear, angular := w.momentum()
	out := []physics.Entry{
		{Name: "tool_m", Value: w.hands[0].Tool.X},
		{Name: "tool_force_N", Value: l.driven[0].force},
		{Name: "kinetic_J", Value: k, Short: "kinetic J", Format: "%.6g"},
		{Name: "potential_J", Value: p},
		{Name: "energy_J", Value: k + p, Short: "energy J", Format: "%.9g"},
		{Name: "momentum_kg_m_s", Value: linear},
		{Name: "angular_momentum_kg_m2_s", Value: angular},
		{Name: "angular_momentum_norm", Value: angular.Len(), Short: "momentum", Format: "%.9g"},
		{Name: "turn_rad", Value: w.stats.Caution, Short: "|W| h", Format: "%.3g"},
		{Name: "contacts", Value: w.stats.Contacts, Short: "contacts"},
		{Name: "sweeps", Value: w.stats.Sweeps},
	}
	for i := range l.parts {
		b := l.parts[i].body
		out = append(out, physics.Entry{Name: b.Name, Value: map[string]any{"position_m": b.X, "attitude_wxyz": [4]float64{b.Q.W, b.Q.V[0], b.Q.V[1], b.Q.V[2]}, "velocity_m_s": b.V, "spin_1_s": b.W}})
		if v := l.parts[i].vib; v != nil {
			out = append(out, physics.Entry{Name: b.Name + " vibration_J", Value: v.energy()})
		}
	}
	return out
}

// pose of a body, placed its whole state, and put takes that back.
func (b *Body) pose() frame.Pose { return frame.Pose{Position: b.X, Rotation: b.Q} }
func (b *Body) placed() placed   { return placed{b.X, b.Q, b.V, b.W} }
func (b *Body) put(s *placed)    { b.X, b.Q, b.V, b.W = s.x, s.q, s.v, s.w }

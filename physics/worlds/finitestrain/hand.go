package finitestrain

import (
	"cmp"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/worlds/tissue/touch"
)

// held is the tool in the hand, by a spring. Its pose T is among the unknowns of the step:
//
//	K_s (hand - T) = sum of the contact forces on the body,  K_s = K min(1, F_max / K |hand - T|)
//
// with the same for the turn, as twice the vector part of its quaternion. The spring saturates, so each step has an
// answer whatever the hand does: a tool that cannot follow stays behind, with F_max on it.
//
// Where no spring is given, K is infinite: the tool gives way to nothing, and its motion is known, hand - T. That is the
// tool of a prescribed path. It hangs by F_max / |hand - T|, as any, where to be with the hand would take more than F_max.
// Way and turn have a spring each, so that a tool may be turned as the hand is and hang from it all the same.
type held struct {
	spring physics.Coupling // at the engine's E
	lever  float64          // by which a turn counts as a way, m
	hand   frame.Pose
	at     frame.Pose // of the tool under way
	was    frame.Pose // and in the last equilibrium
	begin  frame.Pose // where the correction began
	seen   frame.Pose // where the contacts were measured

	// Of a correction:
	drag  float64 // on the tool about begin, N/m: so that it goes no farther than it may
	most  float64 // it goes no farther in the correction, m
	over  [2]bool // a way and a turn that would be known, but for the force that takes: F_max leads them
	nears [2]bool // what a saturated spring draws comes to the hand
	give  tangent // how far the tool goes for a force, m/N
	free  six     // and without any
	way   six     // it goes
	whole [2]bool // it gets to the hand
	took  bool    // the last correction was taken, wholly or in part
}

// six is a way and a turn times the lever, m; or a force and a moment over the lever, N.
type six [6]float64

func (a six) dot(b six) (s float64) {
	for c := range a {
		s += a[c] * b[c]
	}
	return s
}

func (a six) add(b six, by float64) six {
	for c := range a {
		a[c] += by * b[c]
	}
	return a
}

func (a six) size() float64 { return math.Sqrt(a.dot(a)) }

// part is the way, 0, or the turn, 1.
func (a *six) part(p int) *mgl64.Vec3 { return (*mgl64.Vec3)(a[3*p:]) }

// tangent is a stiffness of the tool, N/m, or a compliance, of its way and its turn: along the way to the hand, and across.
type tangent struct {
	along, across [2]float64
	to            [2]mgl64.Vec3
}

func (k *tangent) times(v six) (w six) {
	for part, to := range k.to {
		x := *v.part(part)
		*w.part(part) = x.Mul(k.across[part]).Add(to.Mul((k.along[part] - k.across[part]) * to.Dot(x)))
	}
	return w
}

// diagonal is that of the tangent's matrix.
func (k *tangent) diagonal() (d six) {
	for part, to := range k.to {
		for c, x := range to {
			d[3*part+c] = k.across[part] + (k.along[part]-k.across[part])*x*x
		}
	}
	return d
}

// lead is the force or direction f on a tool at an arm from its origin.
func (h *held) lead(arm, f mgl64.Vec3) six {
	m := arm.Cross(f).Mul(1 / h.lever)
	return six{f[0], f[1], f[2], m[0], m[1], m[2]}
}

// goes is how far the tool moves at an arm, of a way.
func (h *held) goes(arm mgl64.Vec3, way six) mgl64.Vec3 {
	return way.part(0).Add(way.part(1).Mul(1 / h.lever).Cross(arm))
}

// stiffness is that of the spring, N/m; that against a turn is over the square of the lever.
func (h *held) stiffness(part int) float64 {
	k := h.spring.Stiffness
	if part == 1 {
		k = h.spring.Angle / (h.lever * h.lever)
	}
	if k == 0 {
		return math.Inf(1)
	}
	return k
}

// known tells that the correction knows where the tool goes.
func (h *held) known(part int) bool { return !h.over[part] && math.IsInf(h.stiffness(part), 1) }

// behind is the way from the tool to the hand: a turn is as the spring's law has it, or as it is to be made.
func (h *held) behind() (e six) {
	*e.part(0) = h.hand.Position.Sub(h.at.Position)
	if q := h.hand.Rotation.Mul(h.at.Rotation.Conjugate()); h.known(1) {
		*e.part(1) = frame.Log(q).Mul(h.lever)
	} else {
		*e.part(1) = q.V.Mul(math.Copysign(2*h.lever, q.W))
	}
	return e
}

// pull is the spring's force on the tool, and its tangent, but of what is known. A saturated spring is as stiff across
// the way to the hand as its force turns, and along it not at all: some drag there gives the problem an answer where
// nothing else holds the tool. Where the way would lead past the hand it is the secant, which leads to it.
func (h *held) pull(reach float64) (k tangent, f six) {
	e := h.behind()
	for part := range 2 {
		if h.known(part) {
			continue
		}
		stiff, way, limit := h.stiffness(part), *e.part(part), h.spring.Limit
		long := math.Max(way.Len(), atHand*reach)
		soft := stiff
		if limit > 0 && stiff*long > limit {
			if stiff, soft = limit/long, limit/long; way.Len() == long && !h.nears[part] {
				soft = math.Min(stiff, limit/(softly*reach))
				k.to[part] = way.Mul(1 / long)
			}
		}
		k.along[part], k.across[part] = soft, stiff
		*f.part(part) = way.Mul(stiff)
	}
	return k, f
}

// yields finds what the tool gives way by in the correction, and how far it would go by itself: what is known goes no
// farther than a correction does.
func (h *held) yields(reach float64) {
	k, f := h.pull(reach)
	e := h.behind()
	h.give, h.free = tangent{to: k.to}, six{}
	for part := range 2 {
		if h.whole[part] = h.known(part); !h.known(part) {
			h.give.along[part], h.give.across[part] = 1/(k.along[part]+h.drag), 1/(k.across[part]+h.drag)
			continue
		}
		way := *e.part(part)
		share := math.Min(1, h.most/way.Len())
		h.whole[part] = share == 1
		*h.free.part(part) = way.Mul(share)
	}
	h.free = h.free.add(h.give.times(f), 1)
}

// presses is what the contacts do to the tool.
func (l *Live) presses() (f six) {
	for i := range l.constraints {
		if r := &l.constraints[i]; !r.own {
			f = f.add(l.tool.lead(r.arm, r.force), -1)
		}
	}
	return f
}

// misses is what the tool misses to equilibrium with the hand. What is known misses nothing.
func (l *Live) misses() six {
	h := &l.tool
	_, f := h.pull(l.Options.Reach)
	f = f.add(l.presses(), 1)
	f = f.add(h.from(h.begin), -h.drag)
	h.mask(&f)
	return f
}

// mask clears what is of a known motion.
func (h *held) mask(f *six) {
	for part := range 2 {
		if h.known(part) {
			*f.part(part) = mgl64.Vec3{}
		}
	}
}

// arrived tells that the tool is with the hand in what no spring holds.
func (h *held) arrived() bool {
	return (h.spring.Stiffness > 0 || h.at.Position == h.hand.Position) && (h.spring.Angle > 0 || h.at.Rotation == h.hand.Rotation)
}

// possible tells that no known motion takes more force than there is.
func (l *Live) possible() bool {
	f, limit := l.presses(), l.tool.spring.Limit
	for part := range 2 {
		if limit > 0 && l.tool.known(part) && f.part(part).Len() > limit*(1+drags) {
			return false
		}
	}
	return true
}

// goesFar finds how far the tool goes in the correction. Where that is too far it raises the drag, and where what is
// known takes more force than there is lets it hang: then the problem is to be solved again. The problem is shortened
// and not the correction, so that what the contacts bear and where the nodes come to belong to each other.
func (l *Live) goesFar(round int) (again bool) {
	h, reach := &l.tool, l.Options.Reach
	f := l.presses()
	h.way = h.free.add(h.give.times(f), 1)
	if round == mostRounds {
		return false
	}
	var hangs six
	e := h.behind()
	k, _ := h.pull(reach)
	for part := range 2 {
		switch limit := h.spring.Limit; {
		case !h.known(part):
			*hangs.part(part) = *h.way.part(part)
			if k.along[part] < k.across[part] && k.to[part].Dot(*h.way.part(part)) > e.part(part).Len()*(1+drags) {
				h.nears[part], again = true, true
			}
		case limit > 0 && f.part(part).Len() > limit*(1+drags):
			h.over[part], again = true, true
		}
	}
	if again {
		return true
	}
	if far := hangs.size(); far > (1+drags)*h.most {
		stiff := cmp.Or(k.along[0], k.along[1])
		h.drag, again = (stiff+h.drag)*far/h.most-stiff, true
	}
	return again
}

// after is where the tool is after a share of a motion: where all of what is known was made, with the hand.
func (h *held) after(m *touch.Motion, share float64, all bool) frame.Pose {
	p := m.At(h.begin, share)
	if all && h.whole[0] {
		p.Position = h.hand.Position
	}
	if all && h.whole[1] {
		p.Rotation = h.hand.Rotation
	}
	return p
}

// moved is a pose after a way.
func (h *held) moved(p frame.Pose, way six) frame.Pose {
	m := touch.Motion{Way: *way.part(0), Turn: way.part(1).Mul(1 / h.lever)}
	return m.At(p, 1)
}

// from is the motion of the tool from a pose to where it is.
func (h *held) from(a frame.Pose) (e six) {
	*e.part(0) = h.at.Position.Sub(a.Position)
	*e.part(1) = frame.Log(h.at.Rotation.Mul(a.Rotation.Conjugate())).Mul(h.lever)
	return e
}

// Put puts the tool to a pose, without a way to there.
func (l *Live) Put(at frame.Pose) {
	h := &l.tool
	*h = held{spring: h.spring, lever: h.lever, hand: at, at: at, was: at, begin: at, seen: at}
	l.constraints = l.constraints[:0]
	l.contacts.set.Reset()
	l.Wake()
}

// float lets a tool that nothing is near go to the hand, or as far as it meets something.
func (l *Live) float() {
	h, c := &l.tool, &l.contacts
	h.begin = h.at
	if h.at == h.hand || l.touched() {
		return
	}
	c.motion.Way, c.motion.Turn = h.hand.Position.Sub(h.at.Position), frame.Log(h.hand.Rotation.Mul(h.at.Rotation.Conjugate()))
	c.place(l.X, h.at)
	if share := l.boundTo(l.X); share < 1 {
		h.at = c.motion.At(h.at, nearly*share)
	} else {
		h.at = h.hand
	}
	h.begin, h.was = h.at, h.at
	l.collect()
}

// touched tells that the tool is near something.
func (l *Live) touched() bool {
	for i := range l.constraints {
		if !l.constraints[i].own {
			return true
		}
	}
	return false
}

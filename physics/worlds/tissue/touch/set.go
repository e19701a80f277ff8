package touch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
)

// Surface is one of the surfaces that may touch.
type Surface struct {
	Triangles [][3]int32   // counter-clockwise seen from outside
	Rest      []mgl64.Vec3 // places of the nodes at rest, m
	X         []mgl64.Vec3 // and now; kept, not copied
	Tool      bool         // it moves with the tool, and Set.Place sets X

	shape  *collision.Surface
	sides  [][3]int32   // edges of each triangle
	around [][]int32    // triangles at each node
	closed bool         // each edge has two sides, so that there is an inside
	listed []mgl64.Vec3 // places when the pairs were listed
	to     []mgl64.Vec3 // where a motion ends
	way    []float64    // how far a node gets from where it was listed, m
	stray  []bool       // marks of nodes: those listed anew, or looked at
	turned []bool       // and those whose triangles have turned since
	number []int32      // of each node: itself
	local  []mgl64.Vec3 // places in the tool's frame
	looks  int          // at the surface where it is
	normal []normal     // of triangles
	ridge  []ridge      // of edges
}

// Tool is what the hand leads: a core and a radius, or surfaces that move with it, or both.
type Tool struct {
	Core  [2]mgl64.Vec3 // ends of a segment in the tool's frame, the same twice for a ball, m
	Round float64       // radius, m; 0: there is no core
	Pose  frame.Pose

	core [2]mgl64.Vec3 // in the world
}

// place moves the tool.
func (t *Tool) place(pose frame.Pose) {
	t.Pose, t.core = pose, [2]mgl64.Vec3{pose.Point(t.Core[0]), pose.Point(t.Core[1])}
}

// Pairing says that two surfaces may touch.
type Pairing struct {
	A, B int // the same for one that may touch itself; B -1: the tool's core
}

// Options are the lengths of a set.
type Options struct {
	Thickness float64 // of the layer between surfaces, m: at most half the gap of two features at rest
}

// Set is the contacts of some surfaces and a tool. One goroutine uses it at a time.
type Set struct {
	Surfaces []*Surface
	Pairings []Pairing
	Tool     Tool
	Options  Options
	Contacts []Contact // ascending by key
	Sight    float64   // how far from the tool's core contacts are found at least, m

	pairs   []candidate // those that were near when they were listed
	margin  float64     // and how near, m
	covers  bool        // the surfaces' boxes hold what nodes do within half of that from where they were listed
	edge    float64     // mean length of an edge at rest, m
	swept   []candidate // those of one motion
	crossed bool        // surfaces go through each other
	marks   [][2][]mark // of the nodes of each pairing's surfaces
	next    []Contact
	found   []collision.Pair
	cuts    []collision.Cut
	faces   []int32
}

// candidate is a pair that may touch, and how far apart it was where it was listed; of those of one motion not known.
type candidate struct {
	pair
	apart   float64
	pairing int32
}

// NewSet takes surfaces where they are now. What goes through something else there, or touches it, is no contact until
// it has parted. The error says what cannot be told apart.
func NewSet(surfaces []*Surface, pairings []Pairing, tool Tool, o Options) (*Set, error) {
	if len(surfaces) > MaxSurfaces {
		return nil, fmt.Errorf("touch: %d surfaces, more than %d", len(surfaces), MaxSurfaces)
	}
	s := &Set{Surfaces: surfaces, Pairings: pairings, Tool: tool, Options: o}
	s.Tool.place(tool.Pose)
	for i, f := range surfaces {
		f.shape = collision.NewSurface(f.Triangles, f.X)
		_, f.sides, _ = collision.Edges(f.Triangles)
		if n := max(len(f.X), len(f.Triangles), len(f.shape.Edges)); n > MaxFeatures {
			return nil, fmt.Errorf("touch: surface %d has %d features of a kind, more than %d", i, n, MaxFeatures)
		}
		f.around = collision.TrianglesAt(len(f.X), f.Triangles)
		f.closed = !slices.ContainsFunc(f.shape.Edges, func(e collision.Edge) bool { return e.Face[1] < 0 })
		f.listed, f.to = slices.Clone(f.X), slices.Clone(f.X)
		f.normal, f.ridge = make([]normal, len(f.Triangles)), make([]ridge, len(f.shape.Edges))
		f.way, f.stray = make([]float64, len(f.X)), make([]bool, len(f.X))
		f.turned = make([]bool, len(f.X))
		for i := range f.X {
			f.number = append(f.number, int32(i))
		}
		if f.Tool {
			for _, x := range f.X {
				f.local = append(f.local, tool.Pose.InversePoint(x))
			}
		}
	}
	edges := 0
	for _, f := range surfaces {
		for _, e := range f.shape.Edges {
			s.edge += f.Rest[e.Node[0]].Sub(f.Rest[e.Node[1]]).Len()
			edges++
		}
	}
	s.edge /= float64(max(1, edges))
	for _, p := range pairings {
		var m [2][]mark
		if p.B >= 0 {
			m[0], m[1] = make([]mark, len(surfaces[p.A].X)), make([]mark, len(surfaces[p.B].X))
		}
		s.marks = append(s.marks, m)
	}
	s.crossed = true // until it has been looked at
	return s, nil
}

// Place moves the tool, and the surfaces that move with it.
func (s *Set) Place(pose frame.Pose) {
	s.Tool.place(pose)
	for _, f := range s.Surfaces {
		for i, x := range f.local {
			f.X[i] = pose.Point(x)
		}
	}
}

// Collect finds the contacts anew: pairs of features closer than reach and closer than what is around them, and those
// that bear. Of a contact that was there the force stays.
func (s *Set) Collect(reach float64) {
	s.markCuts()
	s.list(reach)
	for _, f := range s.Surfaces {
		f.look()
	}
	s.next = s.next[:0]
	for i := range s.pairs {
		if c := (Contact{}); s.touches(&s.pairs[i], reach, &c) {
			s.next = append(s.next, c)
		}
	}
	sight := max(reach, s.Sight)
	for k := range s.Pairings {
		if s.Pairings[k].B >= 0 {
			continue
		}
		s.swept = s.searchTool(s.swept[:0], k, s.Surfaces[s.Pairings[k].A].X, &s.Tool.core, sight)
		for i := range s.swept {
			if c := (Contact{}); s.touches(&s.swept[i], sight, &c) {
				s.next = append(s.next, c)
			}
		}
	}
	slices.SortFunc(s.next, byKey)
	s.next = slices.CompactFunc(s.next, func(a, b Contact) bool { return a.Key == b.Key })
	s.next = slices.DeleteFunc(s.next, func(c Contact) bool { return s.bearing(c.Key) })
	found := len(s.next)
	for i := range s.Contacts {
		old := &s.Contacts[i]
		k, ok := find(s.next[:found], old.Key)
		switch {
		case old.bears():
			s.next = append(s.next, *old)
		case ok && old.Key.pair().kind < faceTool:
			s.next[k] = *old
		}
	}
	slices.SortFunc(s.next, byKey)
	s.Contacts, s.next = s.next, s.Contacts
	s.Refresh()
}

func byKey(a, b Contact) int { return cmp.Compare(a.Key, b.Key) }

// find tells where a contact is among those in order, or would be.
func find(in []Contact, key Key) (at int, ok bool) {
	return slices.BinarySearchFunc(in, key, func(c Contact, key Key) int { return cmp.Compare(c.Key, key) })
}

// Refresh measures the contacts where the surfaces are now; which ones they are does not change.
func (s *Set) Refresh() {
	for i := range s.Contacts {
		s.measure(&s.Contacts[i])
	}
}

// bearing tells that one of a feature's points bears.
func (s *Set) bearing(key Key) bool {
	base := key.base()
	k, _ := find(s.Contacts, base)
	for ; k < len(s.Contacts) && s.Contacts[k].Key.base() == base; k++ {
		if s.Contacts[k].bears() {
			return true
		}
	}
	return false
}

// Join adds pairs that bind to the contacts, those before the others first, as many as most; n tells how many. A pair
// that is there already stays as it is.
func (s *Set) Join(bindings []Binding, most int) (n int) {
	for i := range bindings {
		if n == most {
			break
		}
		b := &bindings[i]
		k, ok := find(s.Contacts, b.Key)
		if ok && b.Key.pair().kind >= faceTool {
			if k, ok = s.spare(k, b); ok && k >= 0 { // a point moves
				s.set(&s.Contacts[k], b)
				n++
				continue
			}
		}
		if ok {
			continue
		}
		c := s.contact(b.Key)
		if k > 0 && b.Key.pair().kind >= faceTool && s.Contacts[k-1].Key.base() == b.Key {
			c.Key = s.Contacts[k-1].Key + 1
		}
		s.set(&c, b)
		s.Contacts = slices.Insert(s.Contacts, k, c)
		n++
	}
	return n
}

// set lets a contact with the tool be where it binds.
func (s *Set) set(c *Contact, b *Binding) {
	if b.Key.pair().kind >= faceTool {
		c.P = b.P
		s.measure(c)
		c.along = c.Frame[1]
	}
}

// spare is where a point of a feature that touches the tool comes, which has its first one at k: behind the others, with
// ok false, or where they are as many as may be, in the place of the one that bears least. -1: one of them holds what it
// would.
func (s *Set) spare(k int, b *Binding) (at int, ok bool) {
	x, first, least := s.At(&b.P), k, k
	gap := s.toCore(x).Len() - s.Tool.Round
	for ; k < len(s.Contacts) && s.Contacts[k].Key.base() == b.Key; k++ {
		c := &s.Contacts[k]
		if s.At(&c.P).Sub(x).LenSqr() < 2*sunk*s.Tool.Round*max(c.Gap, spare*c.Thick) && gap >= (1-sunk)*c.Gap {
			return -1, true
		}
		if c.Force.LenSqr() < s.Contacts[least].Force.LenSqr() {
			least = k
		}
	}
	if k-first < mostPoints {
		return k, false
	}
	return least, true
}

// sunk is how far a plane that is at a gap g from a tool of radius R at one point may be nearer at another, over the gap. At a
// way x from the first it is nearer by x^2/2R, and by more where it is tilted: another point of the same face is a contact of
// its own from x^2 = 2 sunk R g on, or where it is nearer by more than that now. Below 1, or the plane meets the tool before.
const sunk = 0.3

// Reset forgets all contacts: places have changed by other ways than motions.
func (s *Set) Reset() {
	s.Contacts, s.pairs, s.margin, s.crossed = s.Contacts[:0], s.pairs[:0], 0, true
}

// contact is a new one of a pair of features, with a layer at most half as thick as they are apart at rest.
func (s *Set) contact(key Key) (c Contact) {
	c = Contact{Key: key, Thick: s.Options.Thickness, Frame: [3]mgl64.Vec3{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}
	s.locate(&c)
	c.along = c.Frame[1]
	if key.pair().kind < faceTool {
		if p, q := s.Surfaces[c.P.Surface], s.Surfaces[c.Q.Surface]; !p.Tool && !q.Tool {
			c.Thick = min(c.Thick, s.restGap(key)/2)
		}
	}
	return c
}

// restGap is how far two features are from each other at rest.
func (s *Set) restGap(key Key) float64 {
	p := key.pair()
	f, o := s.Surfaces[p.s], s.Surfaces[p.o]
	x, y := f.X, o.X
	f.X, o.X = f.Rest, o.Rest
	d := s.apart(&p, false)
	f.X, o.X = x, y
	return d
}

package mesh

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// Parts and instances of Abaqus input files. A part has nodes, elements and sets with numbers of its own; each of its
// instances is a copy, moved and turned. See the Abaqus Keywords Manual, *PART, *INSTANCE and *ASSEMBLY.

// inpPart is a part, or what stands outside of all.
type inpPart struct {
	name string
	nodeTable
	elements []inpElementOf
	counted  []int64         // numbers of the elements
	conn     []int32         // nodes of the elements, one after the other
	places   map[int64]int32 // element of each number
	nsets    map[string]*inpSet
	elsets   map[string]*inpSet
	faces    []inpFaces
}

type inpElementOf struct {
	t           ElementType // 0: no volume
	corners     int         // of a face; 0: none
	line        int
	first, last int // of conn
}

// inpInstance is a copy of a part in the mesh.
type inpInstance struct {
	name     string
	part     *inpPart
	move     mgl64.Vec3
	turn     mgl64.Quat
	pivot    mgl64.Vec3 // on the axis that it turns about
	line     int
	nodes    []int32 // of the mesh, for each of the part
	elements []int32 // the same; -1: no volume
}

func newPart(name string) *inpPart {
	return &inpPart{name: name, nodeTable: nodeTable{index: map[int64]int32{}}, places: map[int64]int32{},
		nsets: map[string]*inpSet{}, elsets: map[string]*inpSet{}}
}

// part is that of a name, or nil.
func (r *inpReader) part(name string) *inpPart {
	for _, p := range r.parts {
		if strings.EqualFold(p.name, name) {
			return p
		}
	}
	return nil
}

func (r *inpReader) begin(name string) {
	if name == "" || r.part(name) != nil {
		panic(r.bad("a part is called %q, as no other one may be", clip([]byte(name))))
	}
	r.cur = newPart(name)
	r.parts = append(r.parts, r.cur)
}

// place reads *INSTANCE: a line with the translation, and one with two points of the axis and the angle that it is
// turned by after that, degrees. Both may be left out.
func (r *inpReader) place(options map[string]string, at int) {
	name := options["NAME"]
	p := r.part(options["PART"])
	if p == nil || name == "" {
		panic(r.bad("the instance %q is one of the part %q, which the file does not define above", clip([]byte(name)), clip([]byte(options["PART"]))))
	}
	if r.find(name) != nil {
		panic(r.bad("two instances are called %q", clip([]byte(name))))
	}
	i := &inpInstance{name: name, part: p, turn: mgl64.QuatIdent(), line: at}
	r.instances = append(r.instances, i)
	r.instance = strings.ToUpper(name)
	lines := 0
	for line := range r.lines() {
		x := r.floats(line, 7)
		if lines++; lines == 1 {
			i.move = mgl64.Vec3(x[:3])
			continue
		}
		i.pivot = mgl64.Vec3(x[:3])
		axis := mgl64.Vec3(x[3:6]).Sub(i.pivot)
		if size := axis.Len(); lines > 2 || !(size > 0) || math.IsInf(size, 0) {
			panic(r.bad("the instance %q turns about no axis", clip([]byte(name))))
		}
		i.turn = mgl64.QuatRotate(mgl64.DegToRad(math.Mod(x[6], 360)), axis.Normalize())
	}
}

// floats reads up to n numbers; those that are left out are 0.
func (r *inpReader) floats(line []byte, n int) []float64 {
	x := make([]float64, n)
	fields := inpFields(line)
	if len(fields) > n {
		panic(r.bad("%d numbers stand where %d may", len(fields), n))
	}
	for k, f := range fields {
		x[k] = r.float(f, "a number")
	}
	return x
}

// find is the instance of a name, or nil.
func (r *inpReader) find(name string) *inpInstance {
	for _, i := range r.instances {
		if strings.EqualFold(i.name, name) {
			return i
		}
	}
	return nil
}

// assemble puts the instances together. A file that has parts and no instance means each part once.
func (r *inpReader) assemble() {
	whole := &inpInstance{part: r.root, turn: mgl64.QuatIdent()}
	if len(r.instances) == 0 {
		for _, p := range r.parts {
			r.instances = append(r.instances, &inpInstance{name: p.name, part: p, turn: mgl64.QuatIdent()})
		}
	}
	for _, p := range r.parts {
		if !slices.ContainsFunc(r.instances, func(i *inpInstance) bool { return i.part == p }) {
			r.b.notes = append(r.b.notes, fmt.Sprintf("the part %s has no instance and was left out", clip([]byte(p.name))))
		}
	}
	all := append([]*inpInstance{whole}, r.instances...)
	numbers := inpNumbers{}
	for _, i := range all {
		r.put(i, &numbers)
	}
	for _, elements := range []bool{false, true} {
		// A set of a part has its own name where it is the only one of that name, as those of a single instance are.
		// Else each has its instance's before it, as Abaqus calls it, and all together have the name alone.
		holders := map[string]int{}
		for _, i := range all {
			for key := range i.part.sets(elements) {
				holders[key]++
			}
		}
		for _, i := range all {
			sets := i.part.sets(elements)
			for _, key := range slices.Sorted(maps.Keys(sets)) { // so that of faults the same one is named
				s := sets[key]
				found := r.resolve(elements, s, i, 0)
				r.b.take(0, 2*(len(found.nodes)+len(found.elements)), "the sets of the instances")
				if i == whole || r.root.sets(elements)[key] == nil {
					r.called(s.name, elements, found)
				}
				if i != whole && holders[key] > 1 {
					r.called(i.name+"."+s.name, elements, found)
				}
			}
		}
	}
	r.skins(all)
}

func (p *inpPart) sets(elements bool) map[string]*inpSet {
	if elements {
		return p.elsets
	}
	return p.nsets
}

// inpNumbers are the numbers that nodes and elements have in the mesh.
type inpNumbers struct {
	nodes, elements int64 // the largest
	taken           map[int64]bool
}

// put copies a part into the mesh. Where its numbers are taken they go on behind all others.
func (r *inpReader) put(i *inpInstance, numbers *inpNumbers) {
	p := i.part
	fail := func(what string, number int64) refusal.Fault {
		return errorAt(r.b.file, i.line, fmt.Sprintf("%s %d of the instance %q cannot be put there", what, number, clip([]byte(i.name))), cureSyntax)
	}
	if i.name != "" {
		r.b.take(i.line, 6*len(p.nodes)+4*len(p.conn), "the instances of parts")
	}
	behind := func(list []int64, taken func(int64) bool, most int64) (shift int64) {
		if !slices.ContainsFunc(list, taken) {
			return 0
		}
		if least := slices.Min(list); most < math.MaxInt64/4 && least > -math.MaxInt64/4 {
			shift = most + 1 - least
		}
		return shift
	}
	shift := behind(p.numbers, func(n int64) bool { _, ok := r.b.index[n]; return ok }, numbers.nodes)
	for k, x := range p.nodes {
		x = x.Add(i.move)
		if i.turn != mgl64.QuatIdent() {
			x = i.turn.Rotate(x.Sub(i.pivot)).Add(i.pivot)
		}
		number := p.numbers[k] + shift
		if !num.FiniteVec(x) || number < p.numbers[k] && shift > 0 || !r.b.addNode(number, x) {
			panic(fail("node", p.numbers[k]))
		}
		numbers.nodes = max(numbers.nodes, number)
		i.nodes = append(i.nodes, int32(len(r.b.nodes)-1))
	}
	if numbers.taken == nil && len(r.instances) > 0 {
		numbers.taken = map[int64]bool{}
	}
	shift = behind(p.counted, func(n int64) bool { return numbers.taken[n] }, numbers.elements)
	var nodes [MaxNodes]int32
	for k := range p.elements {
		e := &p.elements[k]
		number := p.counted[k] + shift
		if number < p.counted[k] && shift > 0 {
			panic(fail("element", p.counted[k]))
		}
		if numbers.taken != nil {
			numbers.taken[number] = true
		}
		numbers.elements = max(numbers.elements, number)
		for k, n := range p.conn[e.first:e.last] {
			nodes[k] = i.nodes[n]
		}
		id := int32(-1)
		if e.t != 0 {
			id = r.b.addElement(e.t, number, e.line, nodes[:], nil)
		} else if e.corners > 0 {
			r.b.addFacet(nodes[:e.corners])
		}
		i.elements = append(i.elements, id)
	}
}

// inpFound are the members of a set in the mesh: of an element set the volumes, and the nodes of elements that are
// none.
type inpFound struct{ nodes, elements []int32 }

// resolve finds the members of a set that belongs to an instance. Numbers that nothing has are passed over, as Abaqus
// does with a warning.
func (r *inpReader) resolve(elements bool, s *inpSet, own *inpInstance, depth int) (f inpFound) {
	// Sets that hold each other several times over would take for ever.
	if r.visits++; depth > 20 || depth > 0 && r.visits > len(r.data)+1000 {
		panic(errorAt(r.b.file, 0, fmt.Sprintf("set %q holds itself or too many others", clip([]byte(s.name))), "correct the names"))
	}
	for k := range s.members {
		m := &s.members[k]
		at := own
		if m.instance != "" && !strings.EqualFold(m.instance, own.name) {
			if at = r.find(m.instance); at == nil {
				panic(errorAt(r.b.file, 0, fmt.Sprintf("set %q names the instance %q, which the file does not define", clip([]byte(s.name)), clip([]byte(m.instance))), "correct the name"))
			}
		}
		for _, n := range m.numbers {
			r.member1(&f, elements, at, n)
		}
		for _, name := range m.sets {
			inner, in := at.part.sets(elements)[name], at
			if inner == nil {
				in, name = r.qualified(name)
				if in == nil {
					panic(errorAt(r.b.file, 0, fmt.Sprintf("set %q names the set %q, which the file does not define", clip([]byte(s.name)), clip([]byte(name))), "correct the name"))
				}
				if n, err := strconv.ParseInt(name, 10, 64); err == nil {
					r.member1(&f, elements, in, n)
					continue
				}
				if inner = in.part.sets(elements)[name]; inner == nil {
					panic(errorAt(r.b.file, 0, fmt.Sprintf("set %q names the set %q, which the instance %q does not have", clip([]byte(s.name)), clip([]byte(name)), clip([]byte(in.name))), "correct the name"))
				}
			}
			more := r.resolve(elements, inner, in, depth+1)
			r.b.take(0, 2*(len(more.nodes)+len(more.elements)), fmt.Sprintf("set %q and those that hold it", clip([]byte(s.name))))
			f.nodes, f.elements = append(f.nodes, more.nodes...), append(f.elements, more.elements...)
		}
	}
	return f
}

// member1 adds the node or element of a number.
func (r *inpReader) member1(f *inpFound, elements bool, in *inpInstance, number int64) {
	p := in.part
	if !elements {
		if n, ok := p.index[number]; ok {
			f.nodes = append(f.nodes, in.nodes[n])
		}
		return
	}
	k, ok := p.places[number]
	if !ok {
		return
	}
	if id := in.elements[k]; id >= 0 {
		f.elements = append(f.elements, id)
		return
	}
	for _, n := range p.conn[p.elements[k].first:p.elements[k].last] {
		f.nodes = append(f.nodes, in.nodes[n])
	}
}

// qualified splits INSTANCE.NAME; nil where no instance has that name.
func (r *inpReader) qualified(name string) (*inpInstance, string) {
	for _, i := range r.instances {
		if rest, ok := strings.CutPrefix(name, strings.ToUpper(i.name)+"."); ok {
			return i, rest
		}
	}
	return nil, name
}

// called adds members to a set of the mesh. A set of shells marks part of the surface: it is kept by its nodes, where
// no other set has its name.
func (r *inpReader) called(name string, elements bool, f inpFound) {
	b := r.b
	if !elements {
		b.nodeSets[name] = append(b.nodeSets[name], f.nodes...)
		return
	}
	if len(f.elements) > 0 {
		b.elementSets[name] = append(b.elementSets[name], f.elements...)
	} else if len(f.nodes) > 0 && b.elementSets[name] == nil && (b.nodeSets[name] == nil || r.shells[name]) {
		r.shells[name] = true
		b.nodeSets[name] = append(b.nodeSets[name], f.nodes...)
	}
}

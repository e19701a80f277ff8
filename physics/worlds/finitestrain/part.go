package finitestrain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
)

// Part is a place inside a body with another E and nu: a lump, a vessel's wall. It is the elements of a set of the
// body's mesh, or those whose middle is in a ball; of two parts the later one has what is in both.
type Part struct {
	Name, Body, Set string
	Centre          mgl64.Vec3 // of the ball, where the mesh has it, m
	Radius          float64    // m; 0: Set
	Young, Poisson  float64    // Pa, -
}

var partFields = []setting.Field[Part]{
	setting.Text("name", "first word of its keys", func(p *Part) *string { return &p.Name }),
	setting.Text("body", "the body that it is in", func(p *Part) *string { return &p.Body }),
	setting.Text("set", "element set (physical group) of the body's mesh", func(p *Part) *string { return &p.Set }),
	setting.Vector("centre", setting.Length, "of a ball in the set's place, where the mesh has it", func(p *Part) *mgl64.Vec3 { return &p.Centre }),
	setting.Number("radius", setting.Length, "of the ball", func(p *Part) *float64 { return &p.Radius }),
	setting.Number("E", setting.Pressure, "Young's modulus of the part", func(p *Part) *float64 { return &p.Young }).Lives(setting.Live{
		About: "Young's modulus of what is inside the body.", Range: setting.Range{Min: 100, Max: 1e6, Log: true, Floor: 1, Ceil: 1e12}}),
	setting.Number("nu", setting.Pure, "Poisson's ratio of the part; that of the body where it is not given", func(p *Part) *float64 { return &p.Poisson }),
}

func (s *SceneFile) readParts(r *setting.Reader, tree map[string]any) {
	for i, t := range r.Tables(tree, "part", "[[part]]") {
		path := setting.Join("part", strconv.Itoa(i))
		p := Part{Name: "part" + strconv.Itoa(i), Body: s.Body.Name, Poisson: noRatio}
		setting.Fill(r, &p, partFields, t, path, &s.Setting, nil)
		s.Parts = append(s.Parts, p)
	}
}

// noRatio of a part is that of its body.
const noRatio = -1

func (s *SceneFile) checkParts() *setting.Error {
	names := map[string]bool{}
	for i := range s.Parts {
		p, path := &s.Parts[i], setting.Join("part", strconv.Itoa(i))
		in := func(o *Organ) bool { return o.Body.Name == p.Body && !o.Body.Rigid }
		if err := setting.First(
			setting.Need(p.Young > 0 && p.Young <= 1e12, path+".E", p.Young, "above 0, at most 1e12; this is in Pa"),
			setting.Need(p.Poisson == noRatio || p.Poisson >= 0 && p.Poisson < 0.5, path+".nu", p.Poisson, "0 or more, below 0.5"),
			setting.Need(slices.ContainsFunc(s.organs(), in), path+".body", strconv.Quote(p.Body), "the name of a body that is not rigid"),
			setting.Need((p.Radius > 0) != (p.Set != ""), path+".radius", p.Radius, "above 0 with a centre, or a set in its place"),
			setting.Need(p.Name != "" && !names[p.Name] && !slices.ContainsFunc(s.organs(), func(o *Organ) bool { return o.Body.Name == p.Name }), path+".name", strconv.Quote(p.Name), "a name that no body and no other part has"),
		); err != nil {
			return err
		}
		names[p.Name] = true
	}
	return nil
}

// inside is the body as it would be if it were all of the part's material.
func (p *Part) inside(o *Organ) *Organ {
	c := *o
	if c.Body.Young = p.Young; p.Poisson != noRatio {
		c.Body.Poisson = p.Poisson
	}
	return &c
}

// split shares the elements of a body's mesh out: those of the body first, then those of each part, the numbers of
// which it gives.
func (s *SceneFile) split(o *Organ, m *mesh.Mesh) (blocks []mesh.Block, parts []int, err error) {
	blocks = []mesh.Block{{Type: elementTypes[o.Element]}}
	whose := make([]int, m.Elements())
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Body != o.Body.Name {
			continue
		}
		parts, blocks = append(parts, i), append(blocks, mesh.Block{Type: blocks[0].Type})
		found := m.ElementSets[p.Set]
		if p.Radius > 0 {
			found = p.ball(m)
		}
		for _, e := range found {
			whose[e] = len(parts)
		}
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("part %q: no element is in it (%s)", p.Name, setsOf(m))
		}
	}
	for e, element := range m.All() {
		b := &blocks[whose[e]]
		b.Nodes = append(b.Nodes, element.Nodes...)
	}
	return blocks, parts, nil
}

// ball is the elements whose middle is in the part's ball.
func (p *Part) ball(m *mesh.Mesh) (found []int32) {
	for e, element := range m.All() {
		var middle mgl64.Vec3
		for _, n := range element.Nodes {
			middle = middle.Add(m.Nodes[n].Mul(1 / float64(len(element.Nodes))))
		}
		if middle.Sub(p.Centre).Len() <= p.Radius {
			found = append(found, int32(e))
		}
	}
	return found
}

func setsOf(m *mesh.Mesh) string {
	if len(m.ElementSets) == 0 {
		return "the mesh has no element sets: give a centre and a radius"
	}
	return "the mesh has the element sets " + strings.Join(slices.Sorted(maps.Keys(m.ElementSets)), ", ")
}

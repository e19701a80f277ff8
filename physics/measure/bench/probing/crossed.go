package probing

import (
	"hapco/collision"
	"hapco/physics"
	"hapco/physics/worlds/tissue"
)

// Crossed counts the states that are shown in which an edge of a drawn surface goes through a triangle that it has no
// node of, exactly, where none does at rest: however little that is. A round tool's drawn corners lie on it, so that
// the side of a coarse triangle that lies on the tool goes through what is drawn of it. Told, not judged.
type Crossed struct {
	Self   int `json:"self"`   // of a body and itself
	Bodies int `json:"bodies"` // of two bodies
	Tool   int `json:"tool"`   // of the tool and a body
}

// Add sums those of several states, or gestures.
func (c *Crossed) Add(o Crossed) {
	c.Self += o.Self
	c.Bodies += o.Bodies
	c.Tool += o.Tool
}

// cuts looks for them.
type cuts struct {
	bodies []physics.SurfaceInfo
	shapes []*collision.Surface
	rest   map[cut]bool
	found  []collision.Cut
}

// cut is one of two surfaces.
type cut struct {
	pair [2]int
	collision.Cut
}

// newCuts takes a shape at rest.
func newCuts(bodies []physics.SurfaceInfo, s *tissue.Snapshot) *cuts {
	c := &cuts{bodies: bodies, rest: map[cut]bool{}}
	for i := range bodies {
		c.shapes = append(c.shapes, collision.NewSurface(bodies[i].Triangles, s.Surfaces[i].Vertices))
	}
	for i := range c.shapes {
		for j := range c.shapes[:i+1] {
			for _, found := range c.between(i, j) {
				c.rest[cut{[2]int{i, j}, found}] = true
			}
		}
	}
	return c
}

// between finds where two surfaces cross, or one crosses itself.
func (c *cuts) between(i, j int) []collision.Cut {
	c.found = c.found[:0]
	if !c.bodies[i].Rigid || !c.bodies[j].Rigid {
		c.found = c.shapes[i].Cuts(c.found, c.shapes[j])
	}
	return c.found
}

// look tells which surfaces cross in a state: 1 where any do.
func (c *cuts) look(s *tissue.Snapshot) (found Crossed) {
	for i, shape := range c.shapes {
		x := s.Surfaces[i].Vertices
		shape.Fit(x, x, 0)
	}
	for i := range c.shapes {
		for j := range c.shapes[:i+1] {
			for _, at := range c.between(i, j) {
				switch {
				case c.rest[cut{[2]int{i, j}, at}]:
				case i == j:
					found.Self = 1
				case c.bodies[i].Driven || c.bodies[j].Driven:
					found.Tool = 1
				default:
					found.Bodies = 1
				}
			}
		}
	}
	return found
}

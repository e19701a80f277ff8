package probing

import (
	"context"
	"fmt"
	"math"

	"hapco/physics/files/scene"
	"hapco/physics/worlds/tissue"
)

// Case is a scene of several bodies and where the hand probes it.
type Case struct {
	Scene string
	spots []spot
}

// spot is a place seen from above, world, mm; and how deep the hand presses there and how far it strays, mm.
type spot struct{ x, z, press, slide float64 }

// Cases are the scenes of linear bodies that are probed: organ on organ, of boxes and of organs, and an organ on
// itself.
func Cases() []Case {
	return []Case{
		// the middle of the lobe, its free corner, its root, the organ beside it
		{"organs-linear", []spot{{8, 0, 16, 8}, {23, 12, 14, 8}, {-18, -8, 9, 8}, {42, 0, 12, 10}}},
		// the lobe over the stomach's dome, its tip, its root, the stomach before it
		{"liver-stomach-linear", []spot{{58, 2, 20, 8}, {74, -10, 16, 8}, {38, 6, 16, 8}, {52, 38, 12, 10}}},
		// the free arm, its tip, the bend
		{"loop-linear", []spot{{22, 2, 20, 7}, {32, -4, 18, 7}, {-14, 0, 10, 8}}},
	}
}

// Prepared is a world and what is needed to probe it.
type Prepared struct {
	World   *tissue.World
	Checker *Checker
	Sites   []Site
}

// hover is the height of the tool's tip over a site, m.
const hover = 6e-3

// Prepare builds a case's world and finds its sites.
func (c *Case) Prepare(ctx context.Context, b tissue.Builder) (*Prepared, error) {
	s, err := scene.Load(c.Scene)
	if err != nil {
		return nil, err
	}
	w, _, err := b.New(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	infos := w.Bodies()
	self := make([]bool, len(infos))
	radius := 0.0
	for i := range infos {
		if pair := s.Pair(infos[i].Name, infos[i].Name); pair != nil {
			self[i] = pair.Contact != scene.ContactNone
		}
		if infos[i].Driven {
			radius = s.Bodies[i].Shape.Tool.Radius
		}
	}
	p := &Prepared{World: w, Checker: newChecker(infos, self)}
	var snapshot tissue.Snapshot
	w.Snapshot(&snapshot)
	start := w.StartPose().Position
	for _, at := range c.spots {
		x, z := 1e-3*at.x, 1e-3*at.z
		top := math.Inf(-1)
		for i := range infos {
			if !infos[i].Driven {
				top = max(top, height(snapshot.Surfaces[i].Vertices, infos[i].Triangles, x, z))
			}
		}
		if math.IsInf(top, 0) {
			return nil, fmt.Errorf("probing: scene %s has nothing below x %g z %g mm", c.Scene, at.x, at.z)
		}
		above := vec{x, top + radius + hover, z}.Sub(start)
		p.Sites = append(p.Sites, Site{Above: above, Touch: hover, Press: 1e-3 * at.press, Slide: 1e-3 * at.slide})
	}
	return p, nil
}

// height of a surface over a point of the plane y = 0; -Inf beside it.
func height(at []vec, triangles [][3]int32, x, z float64) float64 {
	top := math.Inf(-1)
	for _, t := range triangles {
		a, b, c := at[t[0]], at[t[1]], at[t[2]]
		area := func(p, q vec) float64 { return (p[0]-x)*(q[2]-z) - (q[0]-x)*(p[2]-z) }
		u, v, w := area(b, c), area(c, a), area(a, b)
		if sum := u + v + w; sum != 0 && u/sum >= 0 && v/sum >= 0 && w/sum >= 0 {
			top = max(top, (u*a[1]+v*b[1]+w*c[1])/sum)
		}
	}
	return top
}

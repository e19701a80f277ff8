package scene

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Measures of a scoop, in its radius: half the width of its bowl.
const (
	scoopLong  = 1.4  // from the middle of the bowl to its lip
	scoopDeep  = 0.6  // from the rim to the bottom of the bowl
	scoopThick = 0.25 // of its wall
	scoopShaft = 0.2  // radius of the shaft
	leastLoop  = 16   // nodes around the smallest section
)

// section is what a plane across the shaft cuts out of a scoop: a strip, bent in its middle.
type section struct {
	y     float64 // where along the shaft, m
	half  float64 // its width, m
	bend  float64 // how far its middle lies behind its edges, m
	thick float64 // in its middle, m; towards the edges it is round
}

// at is the point of a section's rim at an angle: 0 and pi are its edges.
func (s *section) at(angle float64) mgl64.Vec3 {
	c, sin := math.Cos(angle), math.Sin(angle)
	return mgl64.Vec3{s.half * c, s.y, -s.bend*(1-c*c) + s.thick/2*sin}
}

// scoopSections are a scoop's, from the lip upwards.
func (t *Tool) scoopSections() (sections []section) {
	r, h := t.Radius, t.nodeSpacing()
	long := scoopLong * r
	n := max(8, int(math.Ceil(math.Pi*long/h)))
	add := func(y float64) {
		// the bowl is an ellipse and ends where its width is the shaft's
		across := max(0, 1-y*y/(long*long))
		half, shaft := r*math.Sqrt(across), scoopShaft*r
		if y > 0 && half < shaft {
			sections = append(sections, section{y, shaft, 0, 2 * shaft})
			return
		}
		s := section{y, half, scoopDeep * r * across, scoopThick * r}
		if y < 0 {
			s.thick = min(s.thick, 2*half) // the lip is round, too
		}
		if up := y / long; up > 0 { // towards the shaft the wall gets as thick as that
			s.thick += up * (2*shaft - s.thick)
		}
		sections = append(sections, s)
	}
	for k := 1; k < n; k++ { // denser towards the ends, as on a circle
		add(-long * math.Cos(math.Pi*float64(k)/float64(n)))
	}
	rings := max(2, int(math.Ceil((t.Length-long)/(2*h))))
	for k := range rings {
		add(long + (t.Length-long)*float64(k)/float64(rings))
	}
	add(t.Length)
	return sections
}

// scoopSurface joins the sections' rims; a node closes the lip, another one the shaft's end.
func (t *Tool) scoopSurface() (nodes []mgl64.Vec3, triangles [][3]int32) {
	sections := t.scoopSections()
	around := int32(max(leastLoop, 2*int(math.Ceil(2.5*t.Radius/t.nodeSpacing()))))
	nodes = append(nodes, mgl64.Vec3{0, -scoopLong * t.Radius, 0})
	for i := range sections {
		for k := range around {
			nodes = append(nodes, sections[i].at(2*math.Pi*float64(k)/float64(around)))
		}
	}
	end := int32(len(nodes))
	nodes = append(nodes, mgl64.Vec3{0, t.Length, 0})
	for k := range around {
		next := (k + 1) % around
		triangles = append(triangles, [3]int32{0, 1 + k, 1 + next})
		for low := int32(1); low+around < end; low += around {
			a, b := low+k, low+next
			triangles = append(triangles, [3]int32{a, b + around, b}, [3]int32{a, a + around, b + around})
		}
		triangles = append(triangles, [3]int32{end, end - around + next, end - around + k})
	}
	return nodes, triangles
}

// below is how far the tool reaches below its origin, m.
func (t *Tool) below() float64 {
	switch t.Kind {
	case ScoopTool:
		return scoopLong * t.Radius
	case CylinderTool:
		return 0
	case BoxTool:
		return t.Size[1] / 2
	}
	return t.Radius
}

// leastLength is what a shaft must be longer than, m.
func (t *Tool) leastLength() float64 {
	if t.Kind == ScoopTool {
		return scoopLong * t.Radius
	}
	return t.Radius
}

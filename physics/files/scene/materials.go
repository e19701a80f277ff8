package scene

import (
	"fmt"
	"strings"

	"hapco/physics/numerics/fem"
)

// Custom is the material's name of a body that gives E or nu itself.
const Custom = "custom"

func materialNames() []string {
	var names []string
	for _, m := range fem.Presets() {
		names = append(names, m.Name)
	}
	return names
}

// Idle says in one line what of a preset of material does not act; "" where all does.
func Idle(preset string, what []string) string {
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf("of the material %s does not act: %s", preset, strings.Join(what, "; "))
}

// Passed says in one line that the rigid tool on the stylus goes through a rigid body; "" where it does not, and where a
// pair says so.
func (s *Scene) Passed(b *Body) string {
	for i := range s.Bodies {
		d := &s.Bodies[i]
		if d.Role != Driven || d == b || !d.Rigid || !b.Rigid {
			continue
		}
		if p := s.Pair(d.Name, b.Name); p == nil {
			return fmt.Sprintf("it is rigid, as %s is, which goes through it (cure: E in the place of rigid = true, or a [[pair]] with contact = \"none\")", d.Name)
		}
	}
	return ""
}

// Remarks say in a line each that the tool passes a body, what of its preset does not act, and where its elements bend by
// themselves how far they are too stiff in that.
func (s *Scene) Remarks(b *Body, from *Solid, idle string, bends bool) (lines []string) {
	for _, line := range [...]string{s.Passed(b), idle} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	if bends {
		if text, cure := from.Mesh.BendingNote(from.Fixed, from.Poisson); text != "" {
			lines = append(lines, fmt.Sprintf("%s (cure: %s)", text, cure))
		}
	}
	return lines
}

// RigidIdle is that line of a rigid body's preset.
func RigidIdle(preset string) string {
	return Idle(preset, []string{"any of it, for the body is rigid"})
}

// Idle is that line of a linear body's preset; young, Pa, and poisson are what the body has come to.
func (b *Body) Idle(young, poisson float64, weighs bool) string {
	p, err := fem.Preset(b.Preset)
	if err != nil {
		return ""
	}
	if b.Rigid {
		return RigidIdle(b.Preset)
	}
	var what []string
	if young != p.Young {
		what = append(what, fmt.Sprintf("its E of %.4g kPa, E is %.4g", p.Young/1e3, young/1e3))
	}
	if poisson != p.Poisson {
		what = append(what, fmt.Sprintf("its Poisson's ratio %g, nu is %g", p.Poisson, poisson))
	}
	switch {
	case b.Density != p.Density:
		what = append(what, fmt.Sprintf("its density %g kg/m^3, the scene gives %g", p.Density, b.Density))
	case !weighs:
		what = append(what, fmt.Sprintf("its density %g kg/m^3, without gravity", p.Density))
	}
	return Idle(b.Preset, what)
}

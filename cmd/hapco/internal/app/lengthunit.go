package app

import (
	"fmt"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// UnitFlag is the unit of length of a mesh file, for every command that reads one: no mesh format says its own.
type UnitFlag struct {
	LengthUnit string `help:"Unit of the mesh file: m, cm, mm, um, in; without it a guess, which is said." aliases:"from-unit"`
}

// Check refuses a unit that does not exist.
func (f *UnitFlag) Check() error {
	if f.LengthUnit == "" {
		return nil
	}
	if _, err := mesh.LengthUnit(f.LengthUnit); err != nil {
		return BadInput(fmt.Errorf("--length-unit: %w", err))
	}
	return nil
}

// UnitOf is the unit of a file that holds something of that size, in the file's unit, and what it is in m. said tells
// of a guess, and is "" without one.
func (f *UnitFlag) UnitOf(size mgl64.Vec3) (unit string, metres float64, said string, err error) {
	if err := f.Check(); err != nil {
		return "", 0, "", err
	}
	unit = f.LengthUnit
	if unit == "" {
		var other string
		unit, other = mesh.GuessUnit(size.Len())
		wide := max(size[0], size[1], size[2])
		said = fmt.Sprintf("%s wide: unit guessed, %s; --length-unit %s for %s", InMM(wide, unit), unit, other, InMM(wide, other))
	}
	metres, err = mesh.LengthUnit(unit)
	return unit, metres, said, err
}

// UnitSaid is unitOf, with a note of a guess.
func (f *UnitFlag) UnitSaid(file string, size mgl64.Vec3) (unit string, metres float64, err error) {
	unit, metres, said, err := f.UnitOf(size)
	if said != "" {
		Note("%s: %s", filepath.Base(file), said)
	}
	return unit, metres, err
}

func (f *UnitFlag) UnitOfMesh(m *mesh.Mesh) (unit string, metres float64, err error) {
	lo, hi := m.Bounds()
	return f.UnitSaid(m.File, hi.Sub(lo))
}

// InMM words a length that is given in a unit.
func InMM(x float64, unit string) string {
	scale, err := mesh.LengthUnit(unit)
	if err != nil {
		panic(err) // checked before
	}
	if scale*x >= 1 {
		return fmt.Sprintf("%.3g m", scale*x)
	}
	return fmt.Sprintf("%.3g mm", 1e3*scale*x)
}

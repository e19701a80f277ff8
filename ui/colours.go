package ui

import (
	"slices"

	"hapco/physics"
	"hapco/render"
)

// The surfaces' colours: the bodies' own, or those of a field that the world names.

var ctlColours = control{label: "Colours", about: "What the surfaces' colours show: the bodies' own, or a field, with its scale beside the scene. Key 5 takes the next one."}

// noColours is the first choice.
const noColours = "the bodies' own"

// field is the place of the field that is chosen among the world's, from 1; 0: none, or none of that name here.
func (vp *viewport) field() int {
	if vp.scene.info == nil {
		return 0
	}
	return 1 + slices.IndexFunc(vp.scene.info.Fields, func(f physics.Field) bool { return f.Name == vp.look.colours })
}

// setField chooses a field by its place, see field.
func (vp *viewport) setField(n int) {
	vp.look.colours, vp.view.FieldMax = "", 0
	if n > 0 && n <= len(vp.scene.info.Fields) {
		vp.look.colours = vp.scene.info.Fields[n-1].Name
	}
	vp.setMode(vp.look.mode)
}

// nextField goes round all fields, and the bodies' own colours.
func (vp *viewport) nextField() {
	if len(vp.scene.info.Fields) == 0 {
		vp.say("Nothing here can be coloured by a field.")
		return
	}
	vp.setField((vp.field() + 1) % (len(vp.scene.info.Fields) + 1))
	name := vp.look.colours
	if name == "" {
		name = noColours
	}
	vp.say("Colours: " + name + ".")
}

// colourRows choose the field, and the range of its colours.
func (vp *viewport) colourRows() {
	g, fields := vp.gui, vp.scene.info.Fields
	if len(fields) == 0 {
		return
	}
	names := []string{noColours}
	for i := range fields {
		names = append(names, fields[i].Name)
	}
	n := vp.field()
	if g.choice(&ctlColours, &n, names, func(i int) string {
		if i == 0 {
			return "Lit surfaces in the colours of the scene file."
		}
		return fields[i-1].About
	}) {
		vp.setField(n)
	}
	if n == 0 {
		return
	}
	c := fieldRange(&fields[n-1])
	g.number(&c, &vp.view.FieldMax, 0)
}

// fieldRange is the row of the upper end of a field's colours.
func fieldRange(f *physics.Field) control {
	b := bounds{min: 1e-3, max: 10, log: true, zero: true, floor: 1e-15, ceil: 1e15}
	switch quantityOf(f.Unit) {
	case pressure:
		b.min, b.max = 1e1, 1e10
	case length:
		b.min, b.max = 1e-6, 1
	}
	return control{label: "Colours up to", unit: quantityOf(f.Unit), bounds: b,
		about: "The " + f.Name + " at the upper end of the colours; the leftmost position fits it to what is on screen."}
}

// setMode applies one of modeNames to every body.
func (vp *viewport) setMode(mode int) {
	vp.look.mode = mode
	if cap(vp.view.Bodies) < len(vp.scene.info.Surfaces) {
		vp.view.Bodies = make([]render.BodyView, len(vp.scene.info.Surfaces))
	}
	for len(vp.view.Bodies) < len(vp.scene.info.Surfaces) {
		vp.view.Bodies = append(vp.view.Bodies, render.BodyView{})
	}
	vp.view.Bodies = vp.view.Bodies[:len(vp.scene.info.Surfaces)]
	for i := range vp.view.Bodies {
		b := &vp.view.Bodies[i]
		b.Mode, b.Field = render.Mode(mode), vp.look.colours != "" && !vp.scene.info.Surfaces[i].Rigid
	}
}

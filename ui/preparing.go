package ui

import (
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// jobsCard tells, at the top of the scene, what is being prepared in the background, how far it is, and what that means
// for the hand meanwhile.
func (vp *viewport) jobsCard() {
	if len(vp.scene.snap.Jobs) == 0 {
		return
	}
	vp.gui.card("preparing", 0.85, seenThrough, func() {
		for i := range vp.scene.snap.Jobs {
			if i > 0 {
				imgui.Spacing()
			}
			vp.job(&vp.scene.snap.Jobs[i])
		}
	})
}

// job is one job's part of the card.
func (vp *viewport) job(p *physics.Job) {
	g := vp.gui
	g.write(g.fonts.bold, inkColor, p.Title)
	if p.Failed {
		imgui.PushTextWrapPosV(g.px(420))
		g.colored(warnColor, p.What)
		imgui.PopTextWrapPos()
		return
	}
	if p.Fraction < 1 {
		g.progress(float32(max(p.Fraction, 0)), imgui.Vec2{X: g.px(360), Y: g.px(22)}, p.What+"  "+strconv.Itoa(int(100*p.Fraction))+" %")
	} else if p.What != "" {
		g.dim(p.What)
	}
	if p.Plan != "" {
		g.dim(p.Plan)
	}
	if p.Note != "" {
		g.colored(warnColor, p.Note)
	}
}

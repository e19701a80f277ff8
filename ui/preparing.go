package ui

import (
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics/tissue"
)

// preparingCard tells, at the top of the scene, which compliances are being
// computed, how far they are, and what the bodies are good for meanwhile.
func (a *app) preparingCard() {
	if a.loading != nil || len(a.snap.Preparing) == 0 {
		return
	}
	a.card("preparing", 0.85, func() {
		for i := range a.snap.Preparing {
			if i > 0 {
				imgui.Spacing()
			}
			a.prepared(&a.snap.Preparing[i])
		}
	})
}

// prepared is one body's part of the card.
func (a *app) prepared(p *tissue.Preparation) {
	g := &a.gui
	imgui.PushFont(g.fonts.bold)
	imgui.Text("Compliance of " + p.Body)
	imgui.PopFont()
	if p.Failed {
		imgui.PushTextWrapPosV(g.px(420))
		g.colored(warnColor, "It cannot be touched: "+p.What)
		imgui.PopTextWrapPos()
		return
	}
	if p.Fraction < 1 {
		imgui.PushStyleColor(imgui.StyleColorPlotHistogram, rgb(fillColor))
		imgui.ProgressBarV(float32(max(p.Fraction, 0)), imgui.Vec2{X: g.px(360), Y: g.px(22)}, p.What+"  "+strconv.Itoa(int(100*p.Fraction))+" %")
		imgui.PopStyleColor()
	} else if p.What != "" {
		g.dim(p.What)
	}
	if p.Plan != "" {
		g.dim(p.Plan)
	}
	if text := readiness(p); text != "" {
		g.colored(warnColor, text)
	}
}

// readiness says what a body is good for while its compliance is computed.
func readiness(p *tissue.Preparation) string {
	switch p.Ready {
	case tissue.Untouchable:
		return "It cannot be touched yet"
	case tissue.Inside:
		return "The stylus is inside: lift it out to touch it"
	case tissue.Coarse:
		return "Forces are approximate away from the stylus"
	}
	return ""
}

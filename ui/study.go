package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// Study is what a window leads a person through: page after page, each with a text, and
// questions beside a scene that says nothing of itself. Its methods are called from the
// main thread.
type Study interface {
	// Page is the one to show; nil ends the window.
	Page() *StudyPage
	// Done takes what was answered on it and goes on. An error ends the window.
	Done(a StudyAnswers) error
}

// StudyPage is one page.
type StudyPage struct {
	Title, Text string
	Progress    string // such as "3 of 24"
	Part        float64
	Scene       string // name for Opener, which is shown while it opens; "": none
	Show        bool   // forces and contacts are shown
	Least       float64
	Next        string // on the button
	Questions   []StudyQuestion
}

// StudyQuestion is one of a page: a scale, choices, or a text.
type StudyQuestion struct {
	Name, Ask string
	Scale     int // 1 to Scale; 0: none
	Low, High string
	Choices   []string
}

// StudyAnswers are what came of a page.
type StudyAnswers struct {
	Answers []string // one a question
	Seconds float64  // since the page, or its scene, was there
	Device  string
	Felt
}

// Felt is what a hand felt. It is told of every frame.
type Felt struct {
	ForceMax float64 // largest force sent to the hand, N
	steps    uint64  // of physics in contact
	time     float64 // that they took, s

	last     uint64 // step of the frame before
	when     time.Duration
	touching bool // then
}

// See takes a frame, and the force sent to the hand at that time, N.
func (m *Felt) See(f *physics.Frame, sent float64) {
	m.ForceMax = max(m.ForceMax, sent)
	if m.touching && f.Step > m.last && f.When > m.when {
		m.steps += f.Step - m.last
		m.time += (f.When - m.when).Seconds()
	}
	m.last, m.when, m.touching = f.Step, f.When, touching(f)
}

// PhysicsHz is the mean rate of physics in contact; 0: never in contact.
func (m *Felt) PhysicsHz() float64 {
	if m.time == 0 {
		return 0
	}
	return float64(m.steps) / m.time
}

// studying is the page on screen.
type studying struct {
	page    *StudyPage
	answers []string
	since   float64 // s, of shown time; see spend
	met     bool    // its scene is on screen
	felt    Felt
}

// turnStudyPage shows the study's next page.
func (a *app) turnStudyPage() {
	s := &a.studying
	*s = studying{page: a.opt.Study.Page()}
	if s.page == nil {
		a.quit = true
		return
	}
	s.answers = make([]string, len(s.page.Questions))
	if s.page.Scene != "" {
		a.wanted = s.page.Scene
	} else {
		s.met = true
	}
}

// studyMeets is called when a page's scene is on screen.
func (a *app) studyMeets() {
	s := &a.studying
	s.met = true
	a.view.Forces, a.view.Resultant, a.view.Points, a.view.Normals = s.page.Show, s.page.Show, s.page.Show, false
	a.view.Overlay, a.view.Fixed, a.view.Ghost, a.depthLine = s.page.Show, s.page.Show, s.page.Show, s.page.Show
}

// spend counts the time on a page, and keeps what is felt.
func (s *studying) spend(a *app, dt float64) {
	if s.page == nil || !s.met {
		return
	}
	s.since += dt
	if a.snap == nil || s.page.Scene == "" {
		return
	}
	s.felt.See(a.snap, a.status.Force.Len())
}

// ready tells whether the page may be left, and otherwise why not.
func (s *studying) ready() (why string, ok bool) {
	for i := range s.page.Questions {
		q := &s.page.Questions[i]
		if s.answers[i] == "" && (q.Scale > 0 || len(q.Choices) > 0) {
			return "Please answer each question.", false
		}
	}
	if left := s.page.Least - s.since; left > 0 {
		return "Please feel a little longer: " + strconv.Itoa(int(math.Ceil(left))) + " s.", false
	}
	return "", true
}

// covers tells whether a page hides the scene.
func (s *studying) covers() bool { return s.page != nil && (s.page.Scene == "" || !s.met) }

// endStudyPage hands the answers over.
func (a *app) endStudyPage() error {
	s := &a.studying
	out := StudyAnswers{Answers: s.answers, Seconds: s.since, Device: a.status.Device, Felt: s.felt}
	if err := a.opt.Study.Done(out); err != nil {
		return err
	}
	a.turnStudyPage()
	return nil
}

// Widths of a study's column and of its pages without a scene, pixels at scale 1.
const (
	studyWide = 380.0
	studyPage = 560.0
)

// studyFrame lays a study's page out. Where there is a scene it stands beside it.
func (a *app) studyFrame(dt float64) error {
	g, s := &a.gui, &a.studying
	s.spend(a, dt)
	w, h := float32(a.width), float32(a.height)
	g.width, g.popup = w, false
	a.docks = a.docks[:0]
	next := false
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: g.px(18), Y: g.px(14)})
	defer func() { imgui.PopStyleVar() }()
	if s.covers() {
		a.scene.x, a.scene.y, a.scene.w, a.scene.h = 0, 0, float64(w), float64(h)
		a.docks = append(a.docks, dock{0, 0, w, h, deepColor})
		a.dialog("study", studyPage, func() {
			if !s.met {
				imgui.Text("One moment …")
				g.dim(s.page.Progress)
				return
			}
			next = a.studyWords()
		})
		a.studyKeys()
	} else {
		wide := float32(math.Round(float64(min(g.px(studyWide), 0.46*w))))
		status := float32(math.Round(float64(g.px(statusHigh))))
		a.scene.x, a.scene.y, a.scene.w, a.scene.h = 0, 0, float64(w-wide), float64(h-status)
		a.dock("panel", panelColor, imgui.Vec2{X: w - wide}, imgui.Vec2{X: wide, Y: h - status}, func() { next = a.studyWords() })
		a.dock("status", deepColor, imgui.Vec2{Y: h - status}, imgui.Vec2{X: w, Y: status}, func() {
			text, color := a.hint()
			imgui.SetCursorPos(imgui.Vec2{X: g.px(10), Y: g.px(5)})
			g.colored(color, clipped(text, w-g.px(20)))
			g.mark("status")
		})
		a.steer(dt)
		if s.page.Show {
			a.drawDepthLine()
		}
		a.drawGhostCursor()
	}
	if !next {
		return nil
	}
	return a.endStudyPage()
}

// studyWords are a page's text, questions and button.
func (a *app) studyWords() (next bool) {
	g, s := &a.gui, &a.studying
	p := s.page
	if p.Progress != "" {
		g.dim(p.Progress)
		at, wide := imgui.CursorScreenPos(), imgui.ContentRegionAvail().X
		imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(8)})
		list := imgui.WindowDrawList()
		list.AddRectFilledV(at, imgui.Vec2{X: at.X + wide, Y: at.Y + g.px(4)}, packed(frameColor), g.px(2), imgui.DrawFlagsNone)
		list.AddRectFilledV(at, imgui.Vec2{X: at.X + wide*float32(p.Part), Y: at.Y + g.px(4)}, packed(accentColor), g.px(2), imgui.DrawFlagsNone)
	}
	a.releaseButton()
	imgui.PushTextWrapPos()
	imgui.PushFont(g.fonts.bold)
	imgui.Text(p.Title)
	imgui.PopFont()
	imgui.Text(p.Text)
	imgui.PopTextWrapPos()
	for i := range p.Questions {
		imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(6)})
		a.studyQuestion(i)
	}
	imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(10)})
	why, ready := s.ready()
	g.beginOff(!ready)
	next = g.button(p.Next+"##StudyNext", "", g.px(130))
	g.endOff()
	if why != "" && imgui.ContentRegionAvail().X > 0 {
		imgui.PushTextWrapPos()
		g.dim(why)
		imgui.PopTextWrapPos()
	}
	return next && ready
}

// studyQuestion is one question with its buttons.
func (a *app) studyQuestion(i int) {
	g, s := &a.gui, &a.studying
	q := &s.page.Questions[i]
	imgui.PushTextWrapPos()
	imgui.Text(q.Ask)
	imgui.PopTextWrapPos()
	gap := g.px(4)
	wide := imgui.ContentRegionAvail().X
	choose := func(word string, size imgui.Vec2) {
		if g.toggle(word+"##"+q.Name, s.answers[i] == word, size) {
			s.answers[i] = word
		}
		g.mark("Study/" + q.Name + "/" + word)
	}
	switch {
	case q.Scale > 0:
		each := (wide - gap*float32(q.Scale-1)) / float32(q.Scale)
		for n := 1; n <= q.Scale; n++ {
			if n > 1 {
				imgui.SameLineV(0, gap)
			}
			choose(strconv.Itoa(n), imgui.Vec2{X: each, Y: g.px(30)})
		}
		imgui.PushFont(g.fonts.small)
		left := imgui.CursorPosX()
		g.dim(q.Low)
		imgui.SameLineV(left+wide-imgui.CalcTextSize(q.High, false, 0).X, 0)
		g.dim(q.High)
		imgui.PopFont()
	case len(q.Choices) > 0:
		x := float32(0)
		for n, word := range q.Choices {
			size := imgui.Vec2{X: imgui.CalcTextSize(word, false, 0).X + g.px(24), Y: g.px(30)}
			if n > 0 && x+gap+size.X <= wide {
				imgui.SameLineV(0, gap)
				x += gap
			} else {
				x = 0
			}
			choose(word, size)
			x += size.X
		}
	default:
		imgui.SetNextItemWidth(-1)
		imgui.InputText("##"+q.Name, &s.answers[i])
		g.mark("Study/" + q.Name)
	}
}

// studyKeys are all that a study leaves to the keyboard: those that show no parameter.
// Esc drops the force; steer does that.
func (a *app) studyKeys() {
	for _, e := range a.win.in.keyEdges {
		if !e.down || e.repeat {
			continue
		}
		switch glfw.Key(e.key) {
		case glfw.KeyQ:
			a.quit = a.quit || a.ctrl()
		case glfw.KeyF11:
			a.fullScreen()
		case glfw.KeyF12:
			a.shoot()
		}
	}
}

// title is a page for the trace.
func (s *studying) title() string {
	if s.page == nil {
		return ""
	}
	return strings.TrimSpace(s.page.Progress + " " + s.page.Title)
}

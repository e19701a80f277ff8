package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// Study is what a window leads a person through: page after page, each with a text, and questions beside a scene that
// says nothing of itself. Its methods are called from the main thread.
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

// study leads a person through a study's pages, or asks the question of a scene.
type study struct {
	base
	viewport *viewport
	haptic   *haptic
	studying
	question question
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
func (st *study) turnStudyPage() {
	s := &st.studying
	*s = studying{page: st.opt.Study.Page()}
	if s.page == nil {
		st.do(quit)
		return
	}
	s.answers = make([]string, len(s.page.Questions))
	if s.page.Scene != "" {
		st.wanted = s.page.Scene
	} else {
		s.met = true
	}
}

// studyMeets is called when a page's scene is on screen.
func (st *study) studyMeets() {
	s := &st.studying
	s.met = true
	v, show := &st.viewport.view, s.page.Show
	v.Forces, v.Resultant, v.Points, v.Normals = show, show, show, false
	v.Overlay, v.Fixed, v.Ghost, st.viewport.look.depthLine = show, show, show, show
}

// spend counts the time on a page, and keeps what is felt.
func (s *studying) spend(sc *scene, dt float64) {
	if s.page == nil || !s.met {
		return
	}
	s.since += dt
	if sc.snap == nil || s.page.Scene == "" {
		return
	}
	s.felt.See(sc.snap, sc.status.Force.Len())
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
func (st *study) endStudyPage() error {
	s := &st.studying
	out := StudyAnswers{Answers: s.answers, Seconds: s.since, Device: st.scene.status.Device, Felt: s.felt}
	if err := st.opt.Study.Done(out); err != nil {
		return err
	}
	st.turnStudyPage()
	return nil
}

// Widths of a study's column and of its pages without a scene, pixels at scale 1.
const (
	studyWide = 380.0
	studyPage = 560.0
)

// pageAlone is a page without a scene, or one whose scene is still being opened.
func (st *study) pageAlone() (next bool) {
	if !st.met {
		imgui.Text("One moment …")
		st.gui.dim(st.page.Progress)
		return false
	}
	return st.studyWords()
}

// studyWords are a page's text, questions and button.
func (st *study) studyWords() (next bool) {
	g, s := st.gui, &st.studying
	p := s.page
	if p.Progress != "" {
		g.dim(p.Progress)
		at, wide := imgui.CursorScreenPos(), imgui.ContentRegionAvail().X
		imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(8)})
		list := imgui.WindowDrawList()
		list.AddRectFilledV(at, imgui.Vec2{X: at.X + wide, Y: at.Y + g.px(4)}, packed(frameColor), g.px(2), imgui.DrawFlagsNone)
		list.AddRectFilledV(at, imgui.Vec2{X: at.X + wide*float32(p.Part), Y: at.Y + g.px(4)}, packed(accentColor), g.px(2), imgui.DrawFlagsNone)
	}
	st.haptic.releaseButton()
	imgui.PushTextWrapPos()
	g.write(g.fonts.bold, inkColor, p.Title)
	imgui.Text(p.Text)
	imgui.PopTextWrapPos()
	for i := range p.Questions {
		imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(6)})
		st.studyQuestion(i)
	}
	imgui.Dummy(imgui.Vec2{X: 1, Y: g.px(10)})
	why, ready := s.ready()
	g.beginOff(!ready)
	next = g.button(p.Next+"##StudyNext", "", g.px(130))
	g.endOff()
	if why != "" && imgui.ContentRegionAvail().X > 0 {
		g.paragraph(dimColor, why)
	}
	return next && ready
}

// studyQuestion is one question with its buttons.
func (st *study) studyQuestion(i int) {
	g, s := st.gui, &st.studying
	q := &s.page.Questions[i]
	imgui.PushTextWrapPos()
	imgui.Text(q.Ask)
	imgui.PopTextWrapPos()
	gap := g.px(4)
	wide := imgui.ContentRegionAvail().X
	choose := func(word string, size imgui.Vec2) {
		if g.toggle(word+"##"+q.Name, "Study/"+q.Name+"/"+word, "", s.answers[i] == word, size) {
			s.answers[i] = word
		}
	}
	switch {
	case q.Scale > 0:
		each := (wide - gap*float32(q.Scale-1)) / float32(q.Scale)
		for n := 1; n <= q.Scale; n++ {
			beside(n-1, gap)
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

// title is a page for the trace.
func (s *studying) title() string {
	if s.page == nil {
		return ""
	}
	return strings.TrimSpace(s.page.Progress + " " + s.page.Title)
}

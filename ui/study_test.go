package ui

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// fakeStudy has two pages with the fake scene, and thanks.
type fakeStudy struct {
	pages []*StudyPage
	mutex sync.Mutex
	taken []StudyAnswers
}

func (s *fakeStudy) answers() []StudyAnswers {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.taken)
}

func (s *fakeStudy) Page() *StudyPage {
	if len(s.taken) == len(s.pages) {
		return nil
	}
	return s.pages[len(s.taken)]
}

func (s *fakeStudy) Done(a StudyAnswers) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.taken = append(s.taken, a)
	return nil
}

func newFakeStudy() *fakeStudy {
	questions := []StudyQuestion{
		{Name: "rough", Ask: "How rough was the surface?", Scale: 7, Low: "slippery", High: "rough"},
		{Name: "which", Ask: "Which was it?", Choices: []string{"the first", "the second", "neither of the two"}},
		{Name: "remark", Ask: "Anything else?"}}
	return &fakeStudy{pages: []*StudyPage{
		{Title: "A study", Text: "Feel and answer.", Next: "Begin"},
		{Title: "What to do", Text: "Press it.", Progress: "Trial 1 of 2", Scene: "Trial 1 of 2", Next: "Next", Questions: questions},
		{Title: "What to do", Text: "Press it again.", Progress: "Trial 2 of 2", Part: 0.5, Scene: "Trial 2 of 2", Next: "Next", Questions: questions},
		{Title: "Thank you.", Next: "Close"},
	}}
}

// A person is led through: nothing goes on before each question is answered, no key shows
// a parameter, and what was answered is handed over.
func TestStudyLeadsThrough(t *testing.T) {
	study, opener := newFakeStudy(), &fakeOpener{}
	d := openDesk(t, opener, Options{Study: study, Scenes: fakeScenes})
	d.until("the welcome", func(p *tracePicture) bool { return p.Study == "A study" && p.Widgets["StudyNext"].W > 0 })
	d.click("StudyNext")
	p := d.until("the first trial", func(p *tracePicture) bool { return p.Ready && p.Widgets["Study/rough/7"].Visible })
	if _, panel := p.Widgets["Friction"]; panel || p.Status == "" || strings.Contains(p.Status, "H:") {
		t.Errorf("the panel shows, or the status says %q", p.Status)
	}
	for _, key := range []string{"Tab", "h", "c", "p", "Home", "ctrl+f", "F2", "5"} {
		d.do("key", key)
	}
	d.frames(10)
	d.click("StudyNext")
	d.frames(10)
	p = d.until("the same trial", func(p *tracePicture) bool { return p.Study == "Trial 1 of 2 What to do" })
	if _, panel := p.Widgets["Friction"]; panel || p.Gallery || p.Values["paused"] != false || len(study.answers()) != 1 {
		t.Errorf("a key got through: %d pages, paused %v", len(study.answers()), p.Values["paused"])
	}
	d.click("Study/rough/3")
	d.click("Study/rough/6") // whoever thinks again
	d.click("Study/which/neither of the two")
	d.click("Study/remark")
	d.do("type", "warm")
	d.frames(5)
	d.click("StudyNext")
	d.until("the second trial", func(p *tracePicture) bool { return p.Study == "Trial 2 of 2 What to do" && p.Ready })
	if taken := study.answers(); len(taken) != 2 || strings.Join(taken[1].Answers, ",") != "6,neither of the two,warm" || !(taken[1].Seconds > 0) {
		t.Fatalf("taken: %+v", taken)
	}
	d.click("Study/rough/1")
	d.click("Study/which/the first")
	d.click("StudyNext")
	d.until("thanks", func(p *tracePicture) bool {
		_, before := p.Widgets["Study/rough/1"]
		return p.Study == "Thank you." && !before && p.Widgets["StudyNext"].Visible
	})
	d.click("StudyNext")
	d.done <- testkit.Await(t, "the window closes", d.done)
	if taken := study.answers(); len(taken) != 4 || len(opener.opened) != 2 || strings.Join(taken[2].Answers, ",") != "1,the first," {
		t.Errorf("%d scenes, taken: %+v", len(opener.opened), taken)
	}
}

// The rate is that of the steps between frames that touch, and of no others.
func TestFeltRate(t *testing.T) {
	var m Felt
	f := physics.Frame{Contacts: []physics.Contact{{Status: physics.Stick}}}
	for i := range 11 {
		f.Step, f.When = uint64(4*i), time.Duration(i)*10*time.Millisecond
		m.See(&f, float64(i%4))
	}
	f.Contacts = nil
	for i := range 10 {
		f.Step, f.When = uint64(1000+1000*i), time.Duration(200+i)*time.Millisecond
		if i == 0 {
			f.Step, f.When = 44, 110*time.Millisecond
		}
		m.See(&f, 0)
	}
	if math.Abs(m.PhysicsHz()-400) > 1e-9 || m.ForceMax != 3 {
		t.Errorf("%g Hz, %g N", m.PhysicsHz(), m.ForceMax)
	}
	if none := (&Felt{}).PhysicsHz(); none != 0 {
		t.Errorf("%g Hz without contact", none)
	}
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/study"
	"hapco/physics"
	"hapco/physics/machinery/budget"
	"hapco/ui"
)

// studyCommand leads people through the trials of a study.
type studyCommand struct {
	File    string  `arg:"" help:"Study file, see docs/studies.md, or thesis-haptics."`
	Out     string  `required:"" help:"Folder for answers and recordings; an unfinished one goes on." type:"path"`
	Person  int     `help:"Number of the person, from 1; 0: the unfinished one, else a new one." in:"0..1000000"`
	Answers string  `help:"No window: answers from this table, and a scripted hand." type:"path" placeholder:"FILE"`
	Seconds float64 `help:"With --answers: seconds of each trial." default:"2" in:"0.001..3600"`
	Device  string  `help:"What holds the stylus: auto, mouse, phantom, haply, spacenav, virtual." default:"auto"`
	RateHz  float64 `name:"rate-hz" help:"Ticks of the haptic loop per second, 500 to 4000." default:"1000" in:"500..4000"`
	Width   int     `help:"Width of the window." default:"1280" in:"320..16384"`
	Height  int     `help:"Height of the window." default:"800" in:"240..16384"`
	UIScale float64 `name:"ui-scale" help:"Size of the panel's text; 0: as the display asks." default:"0" in:"0|0.5..4"`

	Screenshot string `help:"Write a PNG picture of the next trial and end." type:"path"`
}

// Run reads the protocol and tries every trial's scene first: nobody sits down to a study that breaks off.
func (c *studyCommand) Run(ctx context.Context) error {
	fail := func(err error) error { return app.BadInput(fmt.Errorf("study: %w", err)) }
	p, err := study.Read(c.File)
	if err != nil {
		return fail(err)
	}
	if err := tryTrials(p); err != nil {
		return fail(fmt.Errorf("%s: %w", c.File, err))
	}
	var given *answersTable
	if c.Answers != "" {
		if given, err = readAnswers(c.Answers, p); err != nil {
			return fail(err)
		}
	}
	folder, err := p.Open(c.Out)
	if err != nil {
		return fail(err)
	}
	l := &lead{folder: folder, device: app.DeviceFlags{Device: c.Device, RateHz: c.RateHz}}
	if given != nil {
		return l.unattended(ctx, given, c.Person, c.Seconds)
	}
	if err := l.begin(c.Person); err != nil {
		return fail(err)
	}
	if len(l.left) == 0 {
		return fail(fmt.Errorf("person %d has finished (cure: leave --person out for the next)", l.person))
	}
	o := ui.Options{Open: l.open, Study: l, Width: c.Width, Height: c.Height, UIScale: c.UIScale}
	if c.Screenshot != "" {
		return l.picture(ctx, o, c.Screenshot)
	}
	err = windowError(ui.Run(ctx, o))
	fmt.Fprintf(app.Stdout, "person %d: %d of %d trials are in %s\n", l.person, l.total-len(l.left)+min(max(l.at, 0), len(l.left)), l.total, filepath.Join(c.Out, "answers.csv"))
	return err
}

// flagsOf are those with which a trial's scene is opened.
func flagsOf(p *study.Protocol, t *study.Trial) app.SceneFlags {
	return app.SceneFlags{Scene: p.SceneOf(t), Set: p.SetOf(t)}
}

// tryTrials reads the scene of every trial.
func tryTrials(p *study.Protocol) error {
	for _, t := range p.Trials(1) {
		flags := flagsOf(p, &t)
		s, err := flags.Read()
		if err == nil {
			_, err = s.Common().ChoosePath(p.PathOf(&t), "sliding")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Condition(t.Levels), err)
		}
	}
	return nil
}

// lead leads one person: a page of welcome, the trials that are left, and thanks.
type lead struct {
	folder *study.Folder
	device app.DeviceFlags
	run    runCommand // its device
	person int
	left   []study.Trial
	total  int
	at     int // of left; -1: welcome
	began  time.Time
}

var _ ui.Study = (*lead)(nil)

// begin takes up a person, or 0: whose turn it is.
func (l *lead) begin(person int) (err error) {
	l.person, l.left, err = l.folder.Next(person)
	l.total, l.at = len(l.folder.Protocol.Trials(l.person)), -1
	return err
}

// place is what a trial is called where the person may read it.
func (l *lead) place(t *study.Trial) string { return fmt.Sprintf("Trial %d of %d", t.Number, l.total) }

// Page is the page of the welcome, a trial, or thanks.
func (l *lead) Page() *ui.StudyPage {
	p := l.folder.Protocol
	switch {
	case l.at < 0:
		text, next := p.About, "Begin"
		if n := l.total - len(l.left); n > 0 {
			text, next = fmt.Sprintf("%s\n\nThe first %d of %d trials are done.", p.About, n, l.total), "Go on"
		}
		return &ui.StudyPage{Title: p.Title, Text: text, Next: next}
	case l.at == len(l.left):
		return &ui.StudyPage{Title: "Thank you.", Text: "That was all. Your answers are kept.", Next: "Close"}
	case l.at > len(l.left):
		return nil
	}
	l.began = time.Now()
	t := &l.left[l.at]
	page := &ui.StudyPage{Title: "What to do", Text: p.SayOf(t), Progress: l.place(t), Part: float64(t.Number-1) / float64(l.total),
		Scene: l.place(t), Show: p.Show, Least: p.Seconds, Next: "Next"}
	for _, q := range p.Questions {
		page.Questions = append(page.Questions, ui.StudyQuestion{Name: q.Name, Ask: q.Ask, Scale: q.Scale, Low: q.Low, High: q.High, Choices: q.Choices})
	}
	return page
}

// Done keeps a trial's answers.
func (l *lead) Done(a ui.StudyAnswers) error {
	if l.at >= 0 && l.at < len(l.left) {
		if err := l.keep(&a); err != nil {
			return err
		}
	}
	l.at++
	return nil
}

func (l *lead) keep(a *ui.StudyAnswers) error {
	t, p := &l.left[l.at], l.folder.Protocol
	g := &study.Given{Person: l.person, Trial: t.Number, Levels: t.Levels, Answers: map[string]string{}, Began: l.began,
		Seconds: a.Seconds, ForceMax: a.ForceMax, PhysicsHz: a.PhysicsHz(), Device: a.Device}
	for i := range p.Questions {
		g.Answers[p.Questions[i].Name] = a.Answers[i]
	}
	if file := l.run.current.StopRecording(); file != "" {
		if in, err := filepath.Rel(l.folder.Dir, file); err == nil {
			file = in
		}
		g.Recording = filepath.ToSlash(file)
	}
	return l.folder.Keep(g)
}

// open opens the scene of a trial, which its name says, and records it from the first step on. Every trial opens its
// scene anew, so that waiting says nothing.
func (l *lead) open(ctx context.Context, name string, progress func(float64, string)) (ui.Session, error) {
	i := slices.IndexFunc(l.left, func(t study.Trial) bool { return l.place(&t) == name })
	if i < 0 {
		return nil, fmt.Errorf("study: there is no %s", name)
	}
	t := &l.left[i]
	flags := flagsOf(l.folder.Protocol, t)
	s, err := flags.Read()
	if err != nil {
		return nil, err
	}
	world, _, err := physics.OpenScene(ctx, s, physics.Options{Progress: progress})
	if err != nil {
		return nil, app.BadInput(err)
	}
	device := l.device
	device.Notes = flags.Notes(s)
	device.Record = filepath.Join(l.folder.Dir, l.folder.Recording(l.person, t.Number))
	// A device or a recording that fails is an error here: what take tells and goes on with would be answers about
	// something else.
	if old := l.run.current; old != nil && old.Exclusive() {
		_ = old.Close() // it holds the device; its trial is kept
	}
	l.run.current = nil
	return l.run.take(ctx, device, s.Common(), world)
}

// unattended goes through the trials of all people of a table, with a scripted hand.
func (l *lead) unattended(ctx context.Context, given *answersTable, only int, seconds float64) error {
	l.device.Device = "mouse"
	made := 0
	for _, person := range given.people {
		if only > 0 && person != only {
			continue
		}
		if err := l.begin(person); err != nil {
			return err
		}
		for l.at = range l.left {
			if err := l.unattendedTrial(ctx, given, seconds); err != nil {
				return err
			}
			made++
		}
	}
	if err := l.folder.WriteTable(); err != nil {
		return err
	}
	fmt.Fprintf(app.Stdout, "%d people, %d trials now: %s\n", len(given.people), made, filepath.Join(l.folder.Dir, "answers.csv"))
	return nil
}

// unattendedTrial makes the trial on turn, and keeps the answers of the table.
func (l *lead) unattendedTrial(ctx context.Context, given *answersTable, seconds float64) error {
	l.began = time.Now()
	t := &l.left[l.at]
	if _, err := l.open(ctx, l.place(t), func(float64, string) {}); err != nil {
		return err
	}
	s := l.run.current
	a, err := l.walk(ctx, s, t, seconds)
	if err == nil {
		for _, q := range l.folder.Protocol.Questions {
			a.Answers = append(a.Answers, given.of[given.key(l.person, t.Levels, q.Name)])
		}
		err = l.keep(a)
	}
	return errors.Join(err, s.Close())
}

// walk lets the scripted hand feel a trial.
func (l *lead) walk(ctx context.Context, s *app.Session, t *study.Trial, seconds float64) (*ui.StudyAnswers, error) {
	script, err := app.NewScript(s.Common(), l.folder.Protocol.PathOf(t), seconds)
	if err != nil {
		return nil, err
	}
	a := &ui.StudyAnswers{Device: "scripted hand"}
	begin := time.Now()
	err = s.Walk(ctx, script, seconds, func(_ float64, f *physics.Frame) { a.See(f, s.Haptics().Force.Len()) })
	a.Seconds = time.Since(begin).Seconds()
	return a, err
}

// answersTable are answers by person, levels and question.
type answersTable struct {
	p      *study.Protocol
	people []int
	of     map[string]string
}

func (t *answersTable) key(person int, levels []int, question string) string {
	words := []string{strconv.Itoa(person), question}
	for i, l := range levels {
		words = append(words, t.p.Factors[i].Levels[l].Name)
	}
	return strings.Join(words, "\x00")
}

// readAnswers reads a table with the columns of answers.csv: person, the factors, question and answer. It holds every
// answer of everybody in it.
func readAnswers(file string, p *study.Protocol) (*answersTable, error) {
	f, err := budget.Table.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: name a table that can be read)", err)
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if err := budget.SkipMark(text); err != nil {
		return nil, fmt.Errorf("--answers %s: %w", file, err)
	}
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, fmt.Errorf("--answers %s: no table of answers (%v)", file, err)
	}
	names := []string{"person", "question"}
	for i := range p.Factors {
		names = append(names, p.Factors[i].Name)
	}
	var places []int
	for _, name := range append(names, "answer") {
		i := slices.Index(rows[0], name)
		if i < 0 {
			return nil, fmt.Errorf("--answers %s: there is no column %s (cure: columns as in answers.csv)", file, name)
		}
		places = append(places, i)
	}
	places, answer := places[:len(names)], places[len(names)]
	t := &answersTable{p: p, of: map[string]string{}}
	for n, row := range rows[1:] {
		var words []string
		for _, i := range places {
			words = append(words, row[i])
		}
		t.of[strings.Join(words, "\x00")] = row[answer]
		person, err := strconv.Atoi(words[0])
		if err != nil || person < 1 {
			return nil, fmt.Errorf("--answers %s: line %d: person %q is no number from 1", file, n+2, words[0])
		}
		if !slices.Contains(t.people, person) {
			t.people = append(t.people, person)
		}
	}
	slices.Sort(t.people)
	for _, person := range t.people {
		for _, trial := range p.Trials(person) {
			for _, q := range p.Questions {
				if a, ok := t.of[t.key(person, trial.Levels, q.Name)]; !ok || !q.Accepts(a) {
					return nil, fmt.Errorf("--answers %s: person %d, %s, %s: %q is no answer", file, person, p.Condition(trial.Levels), q.Name, a)
				}
			}
		}
	}
	return t, nil
}

// reportCommand sums up a study.
type reportCommand struct {
	Dir string `arg:"" help:"Folder of a study: its --out." type:"path"`
	Out string `help:"Write the page to this file; DIR/report.html when left out." type:"path"`
}

// Run writes the page.
func (c *reportCommand) Run() error {
	folder, err := study.Begun(c.Dir)
	if err != nil {
		return app.BadInput(fmt.Errorf("report: %w", err))
	}
	r, err := folder.NewReport()
	if err != nil {
		return app.BadInput(fmt.Errorf("report: %s: %w", c.Dir, err))
	}
	out := cmp.Or(c.Out, filepath.Join(c.Dir, "report.html"))
	if err := app.WriteOut(out, r.Write); err != nil {
		return err
	}
	fmt.Fprintln(app.Stdout, out)
	return nil
}

// picture shows the page of the trial on turn while a scripted hand feels it, writes a picture of the window, and ends.
// No answer is kept.
func (l *lead) picture(ctx context.Context, o ui.Options, file string) error {
	done, err := onDisplay(o.Width, o.Height)
	if err != nil {
		return err
	}
	defer done()
	l.at = 0
	l.device.Device = "mouse"
	o.Seconds, o.Screenshot = 4, file
	var script *app.Script
	o.Script = func(f *ui.Frame) {
		s, ok := f.Session.(*app.Session)
		if !ok || f.Seen == nil {
			return
		}
		if script == nil {
			// the hand is still on its way when the picture is made
			if script, err = app.NewScript(s.Common(), l.folder.Protocol.PathOf(&l.left[0]), 2*o.Seconds); err != nil {
				f.Close()
				return
			}
			script.Start = s.Info().Start.Position
		}
		s.Hand(script.Hand(f.Time))
	}
	return errors.Join(windowError(ui.Run(ctx, o)), err)
}

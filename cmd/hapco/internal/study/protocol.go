// Package study asks people what they feel: a protocol says what varies and what is asked, a folder keeps each answer,
// and a report sums them up. It opens no scene: who uses it does.
package study

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hapco/assets"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/sweep"
)

// Protocol is a study file.
type Protocol struct {
	File         string // "" or a name without a folder: one that the program carries
	Text         []byte // of the file
	Title, About string
	Scene, Path  string
	Set          []string // "KEY=VALUE", of all trials
	Fixed        bool     // trials come in the order of the file, not in a random one
	Show         bool     // forces and contacts are shown
	Seed         uint64
	Seconds      float64 // that a trial lasts at least
	Factors      []Factor
	Questions    []Question
}

// Factor is what varies. Each level of it meets each level of the others.
type Factor struct {
	Name   string
	Block  bool // its levels come one after the other, in the order of the file
	Levels []Level
}

// Level is one of a factor's.
type Level struct {
	Name        string
	Say         string // what the person is told to do; the only thing of a level that is shown
	Scene, Path string // "": those of the protocol
	Set         []string
}

// Question is asked after each trial.
type Question struct {
	Name, Ask string
	Scale     int // answers are 1 to Scale; 0: no scale
	Low, High string
	Choices   []string // words; none, and no scale: a text is typed
}

// Trial is one thing to feel: a level of each factor.
type Trial struct {
	Number int   // from 1, in the order of one person
	Levels []int // by factor
}

const (
	mostTrials = 2000
	mostScale  = 11
)

// Read reads a protocol: a file, or the name of one that the program carries.
func Read(file string) (*Protocol, error) {
	text, err := assets.Study(file)
	if err != nil {
		if text, err = budget.Study.Text(file); err != nil {
			return nil, fmt.Errorf("%w (cure: name a study file that can be read, or one of %s)", err, strings.Join(assets.Studies(), ", "))
		}
	}
	p, err := parse(text, filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, setting.OneLine(err.Error()))
	}
	p.File = file
	return p, nil
}

// table reads the keys of one table; what is left over is unknown. What it cannot read ends the reading.
type table struct {
	name string
	of   map[string]any
}

func (t *table) take(key string) (any, bool) {
	v, ok := t.of[key]
	delete(t.of, key)
	return v, ok
}

func (t *table) refuseIf(wrong bool, key, format string, args ...any) {
	refusal.If(wrong, "%s: %s", setting.Join(t.name, key), fmt.Sprintf(format, args...))
}

// taken is a value of one type; another is refused.
func taken[T any](t *table, key, otherwise string) (x T) {
	v, ok := t.take(key)
	x, is := v.(T)
	t.refuseIf(ok && !is, key, otherwise, v)
	return x
}

func (t *table) word(key string) string {
	return strings.TrimSpace(taken[string](t, key, "%v is no text (cure: quote it)"))
}

func (t *table) yes(key string) bool { return taken[bool](t, key, "%v is not true or false") }

func (t *table) number(key string, least, most float64) float64 {
	v, ok := t.take(key)
	if !ok {
		return least
	}
	x, err := setting.ReadNumber(v)
	t.refuseIf(err != nil || !(x >= least && x <= most), key, "%v is no number from %g to %g", v, least, most)
	return x
}

func (t *table) words(key string) (out []string) {
	for _, w := range taken[[]any](t, key, "%v is no list of texts") {
		s, is := w.(string)
		t.refuseIf(!is || s == "" || slices.Contains(out, s), key, "%v is no text, or there twice", w)
		out = append(out, s)
	}
	return out
}

// list are the tables of a list, however it is written.
func (t *table) list(key string) (out []map[string]any) {
	v, ok := t.take(key)
	switch list := v.(type) {
	case []map[string]any:
		return list
	case []any:
		for _, e := range list {
			m, is := e.(map[string]any)
			t.refuseIf(!is, key, "%v is no table", e)
			out = append(out, m)
		}
		return out
	}
	t.refuseIf(ok, key, "is no list of tables (cure: write [[%s]] above each)", key)
	return nil
}

// set are the assignments of a table, in the order of the file.
func (t *table) set(all *sweep.Tables, path string) (out []string) {
	v, ok := t.take("set")
	inner, is := v.(map[string]any)
	t.refuseIf(ok && !is, "set", "is no table of KEY = VALUE")
	for _, a := range all.Flat(inner, path) {
		text, err := sweep.Literal(a.Value)
		t.refuseIf(err != nil, "set."+a.Key, "%v", err)
		out = append(out, a.Key+"="+text)
	}
	return out
}

// end refuses what was not read.
func (t *table) end(known ...string) {
	for key := range t.of {
		t.refuseIf(true, key, "unknown key (%s)", setting.Suggest(key, known, ""))
	}
}

// scene is a scene's name: an embedded one, or a file beside the protocol.
func sceneBeside(dir, name string) string {
	if name == "" || filepath.IsAbs(name) || slices.Contains(assets.Scenes(), name) {
		return name
	}
	return filepath.Join(dir, name)
}

// parse reads the text of a protocol that lies in dir.
func parse(text []byte, dir string) (*Protocol, error) {
	return refusal.Caught(func() *Protocol { return parsed(text, dir) })
}

func parsed(text []byte, dir string) *Protocol {
	all := refusal.Must(sweep.ReadTables(text))
	t := &table{of: all.Root}
	p := &Protocol{Text: text, Title: t.word("title"), About: t.word("about"), Scene: sceneBeside(dir, t.word("scene")), Path: t.word("path"),
		Set: t.set(all, "set"), Show: t.yes("show"), Seed: uint64(t.number("seed", 0, 1<<32)), Seconds: t.number("seconds", 0, 3600)}
	order := t.word("order")
	p.Fixed = order == "file"
	t.refuseIf(!p.Fixed && order != "" && order != "random", "order", `%q is neither "random" nor "file"`, order)
	for i, m := range t.list("factor") {
		p.Factors = append(p.Factors, readFactor(&table{name: fmt.Sprintf("factor %d", i+1), of: m}, all, dir))
	}
	for i, m := range t.list("question") {
		p.Questions = append(p.Questions, readQuestion(&table{name: fmt.Sprintf("question %d", i+1), of: m}))
	}
	t.end("title", "about", "scene", "path", "set", "order", "seed", "show", "seconds", "factor", "question")
	p.check()
	return p
}

func readFactor(t *table, all *sweep.Tables, dir string) (f Factor) {
	f = Factor{Name: t.word("name"), Block: t.yes("block")}
	for i, m := range t.list("level") {
		in := &table{name: fmt.Sprintf("%s: level %d", t.name, i+1), of: m}
		l := Level{Name: in.word("name"), Say: in.word("say"), Scene: sceneBeside(dir, in.word("scene")), Path: in.word("path"), Set: in.set(all, "factor.level.set")}
		in.end("name", "say", "scene", "path", "set")
		l.Name = cmp.Or(l.Name, strings.Join(l.Set, ", "), l.Scene, l.Path, strconv.Itoa(i+1))
		twice := slices.ContainsFunc(f.Levels, func(o Level) bool { return o.Name == l.Name })
		refusal.If(twice, "%s: two levels are called %q (cure: name each)", t.name, l.Name)
		f.Levels = append(f.Levels, l)
	}
	t.refuseIf(f.Name == "" || len(f.Levels) == 0, "",
		`a factor has a name and a level at least (cure: name = "friction" and [[factor.level]] tables)`)
	t.end("name", "block", "level")
	return f
}

func readQuestion(t *table) (q Question) {
	q = Question{Name: t.word("name"), Ask: t.word("ask"), Scale: int(t.number("scale", 0, mostScale)), Low: t.word("low"), High: t.word("high"), Choices: t.words("choices")}
	t.refuseIf(q.Name == "" || q.Ask == "", "",
		`a question has a name and what it asks (cure: name = "steady" and ask = "How steady is it?")`)
	t.refuseIf(q.Scale == 1 || q.Scale > 0 && len(q.Choices) > 0 || len(q.Choices) == 1,
		"scale", "a scale of 2 to %d, or two choices at least, not both", mostScale)
	t.end("name", "ask", "scale", "low", "high", "choices")
	return q
}

// reserved are columns of the table of answers that factors and questions cannot be called.
var reserved = []string{"person", "trial", "question", "answer", "seconds", "recording", "device", "began"}

func (p *Protocol) check() {
	var names []string
	total := 1
	for i := range p.Factors {
		names = append(names, p.Factors[i].Name)
		total *= len(p.Factors[i].Levels)
		refusal.If(total > mostTrials, "more than %d trials (cure: fewer levels)", mostTrials)
	}
	for i := range p.Questions {
		names = append(names, p.Questions[i].Name)
	}
	for i, name := range names {
		refusal.If(slices.Contains(reserved, name) || slices.Contains(names[:i], name),
			"%q cannot be the name of a factor or question: the table of answers has such a column (cure: another name)", name)
	}
	refusal.If(len(p.Factors) == 0 || len(p.Questions) == 0,
		"no factor or no question (cure: [[factor]] and [[question]] tables, see docs/studies.md)")
	for _, t := range p.Trials(1) {
		refusal.If(p.SceneOf(&t) == "", `no scene (cure: scene = "bench-a-16" above the tables, or in each level of a factor)`)
	}
}

// Trials are those of a person, from 1, in that person's order: the same for the same seed and person.
func (p *Protocol) Trials(person int) []Trial {
	all := [][]int{make([]int, len(p.Factors))}
	blocks := 1 // whose trials are shuffled among themselves
	for _, block := range []bool{true, false} {
		for f := range p.Factors {
			if p.Factors[f].Block != block {
				continue
			}
			var next [][]int
			for _, sofar := range all {
				for l := range p.Factors[f].Levels {
					levels := slices.Clone(sofar)
					levels[f] = l
					next = append(next, levels)
				}
			}
			all = next
		}
		if block {
			blocks = len(all)
		}
	}
	trials := make([]Trial, len(all))
	for i := range all {
		trials[i].Levels = all[i]
	}
	if !p.Fixed {
		lot := rand.New(rand.NewPCG(p.Seed, uint64(person)))
		for part := range slices.Chunk(trials, max(1, len(all)/max(1, blocks))) {
			lot.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
		}
	}
	for i := range trials {
		trials[i].Number = i + 1
	}
	return trials
}

// level is the trial's of a factor.
func (p *Protocol) level(t *Trial, factor int) *Level {
	return &p.Factors[factor].Levels[t.Levels[factor]]
}

// SceneOf, PathOf, SetOf and SayOf are what a trial is made of: what its levels say, the last factor of the file having
// the last word.
func (p *Protocol) SceneOf(t *Trial) string {
	return p.last(t, p.Scene, func(l *Level) string { return l.Scene })
}

func (p *Protocol) PathOf(t *Trial) string {
	return p.last(t, p.Path, func(l *Level) string { return l.Path })
}

func (p *Protocol) last(t *Trial, word string, of func(l *Level) string) string {
	for f := range t.Levels {
		word = cmp.Or(of(p.level(t, f)), word)
	}
	return word
}

func (p *Protocol) SetOf(t *Trial) []string {
	set := slices.Clone(p.Set)
	for f := range t.Levels {
		set = append(set, p.level(t, f).Set...)
	}
	return set
}

func (p *Protocol) SayOf(t *Trial) string {
	var say []string
	for f := range t.Levels {
		if s := p.level(t, f).Say; s != "" {
			say = append(say, s)
		}
	}
	return strings.Join(say, "\n\n")
}

// Title of a trial's condition: "friction 0.3, contacts 16".
func (p *Protocol) Condition(levels []int) string {
	var parts []string
	for f := range levels {
		parts = append(parts, p.Factors[f].Name+" "+p.Factors[f].Levels[levels[f]].Name)
	}
	return strings.Join(parts, ", ")
}

// Accepts tells whether an answer is one of the question's.
func (q *Question) Accepts(answer string) bool {
	switch {
	case q.Scale > 0:
		n, err := strconv.Atoi(answer)
		return err == nil && n >= 1 && n <= q.Scale
	case len(q.Choices) > 0:
		return slices.Contains(q.Choices, answer)
	}
	return true
}

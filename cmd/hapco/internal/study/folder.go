package study

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hapco/physics/machinery/budget"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hapco/physics/files/atomicfile"
)

// Given is what one person answered in one trial, and what was measured in it.
type Given struct {
	Person    int               `json:"person"`
	Trial     int               `json:"trial"`
	Levels    []int             `json:"levels"` // by factor of the protocol
	Answers   map[string]string `json:"answers"`
	Began     time.Time         `json:"began"`
	Seconds   float64           `json:"seconds"`              // until Next was pressed
	ForceMax  float64           `json:"force_max_N"`          // largest force sent to the hand, N
	PhysicsHz float64           `json:"physics_Hz,omitempty"` // mean rate while in contact; 0: never in contact
	Device    string            `json:"device,omitempty"`
	Recording string            `json:"recording,omitempty"` // a file in the folder
}

// Folder holds what a study has found: DIR/protocol.toml is the protocol, DIR/trials has a file for each finished
// trial, DIR/recordings what the hands did, and DIR/answers.csv all answers. A trial's file appears whole or not at
// all: after a crash a study goes on with the first trial that has none.
type Folder struct {
	Dir      string
	Protocol *Protocol
}

const protocolFile = "protocol.toml"

// mostPersons bounds the number of a person: it is counted down from the last one.
const mostPersons = 1_000_000

// Open makes the folder of a protocol, or takes up one that was begun with it.
func (p *Protocol) Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir, Protocol: p}
	for _, name := range []string{"trials", "recordings"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return nil, fmt.Errorf("%w (cure: a folder that may be written)", err)
		}
	}
	name := filepath.Join(dir, protocolFile)
	began, err := budget.Study.Read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := atomicfile.Write(name, atomicfile.Bytes(p.Text)); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !bytes.Equal(began, p.Text):
		return nil, fmt.Errorf("%s has changed since %s was begun (cure: another --out, or the protocol as it is in %s)", p.File, dir, name)
	}
	return f, nil
}

// Begun is the folder of a study, with the protocol that it was begun with.
func Begun(dir string) (*Folder, error) {
	name := filepath.Join(dir, protocolFile)
	text, err := budget.Study.Read(name)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: the --out folder of 'hapco study')", err)
	}
	p, err := parse(text, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.File = name
	return &Folder{Dir: dir, Protocol: p}, nil
}

func (f *Folder) file(person, trial int) string {
	return filepath.Join(f.Dir, "trials", fmt.Sprintf("%04d-%04d.json", person, trial))
}

// Recording is the file for a trial's recording, as seen from the folder. One that a crash left there stays: the
// recorder takes the next free name.
func (f *Folder) Recording(person, trial int) string {
	return filepath.Join("recordings", fmt.Sprintf("%04d-%04d.mcap", person, trial))
}

// Keep keeps a trial, and writes the table anew.
func (f *Folder) Keep(g *Given) error {
	data, err := json.MarshalIndent(g, "", "\t")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(f.file(g.Person, g.Trial), atomicfile.Bytes(append(data, '\n'))); err != nil {
		return err
	}
	return f.WriteTable()
}

// All are the finished trials, by person and trial. A file that cannot be read is an error: nothing is left out in
// silence.
func (f *Folder) All() ([]Given, error) {
	names, err := filepath.Glob(filepath.Join(f.Dir, "trials", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Given
	for _, name := range names {
		var g Given
		data, err := budget.Study.Read(name)
		if err == nil {
			err = json.Unmarshal(data, &g)
		}
		if err == nil {
			err = f.check(&g)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (cure: remove it, and the trial is asked again)", name, err)
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b Given) int { return cmp.Or(a.Person-b.Person, a.Trial-b.Trial) })
	return all, nil
}

func (f *Folder) check(g *Given) error {
	p := f.Protocol
	if g.Person < 1 || g.Person > mostPersons || g.Trial < 1 || g.Trial > mostTrials || len(g.Levels) != len(p.Factors) || !(g.Seconds >= 0) || !(g.ForceMax >= 0) {
		return errors.New("it is no trial of this study")
	}
	for i, l := range g.Levels {
		if l < 0 || l >= len(p.Factors[i].Levels) {
			return fmt.Errorf("factor %s has no level %d", p.Factors[i].Name, l)
		}
	}
	for i := range p.Questions {
		if q := &p.Questions[i]; !q.Accepts(g.Answers[q.Name]) {
			return fmt.Errorf("%q is no answer to %s", g.Answers[q.Name], q.Name)
		}
	}
	return nil
}

// Next is whose turn it is, and which trials are left: of the last person who has not finished, or else of a new one. A
// person of 1 or more is taken as asked for.
func (f *Folder) Next(person int) (who int, left []Trial, err error) {
	all, err := f.All()
	if err != nil {
		return 0, nil, err
	}
	done := map[int]map[int]bool{}
	last := 0
	for i := range all {
		g := &all[i]
		if done[g.Person] == nil {
			done[g.Person] = map[int]bool{}
		}
		done[g.Person][g.Trial] = true
		last = max(last, g.Person)
	}
	total := len(f.Protocol.Trials(1))
	who = person
	for n := last; who == 0 && n > 0; n-- {
		if len(done[n]) > 0 && len(done[n]) < total {
			who = n
		}
	}
	if who == 0 {
		who = last + 1
	}
	for _, t := range f.Protocol.Trials(who) {
		if !done[who][t.Number] {
			left = append(left, t)
		}
	}
	return who, left, nil
}

// WriteTable writes DIR/answers.csv: a row for each question of each trial.
func (f *Folder) WriteTable() error {
	all, err := f.All()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	head := []string{"person", "trial"}
	for i := range f.Protocol.Factors {
		head = append(head, f.Protocol.Factors[i].Name)
	}
	_ = out.Write(append(head, "question", "answer", "seconds", "force_max_N", "physics_Hz", "device", "recording", "began"))
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, g := range all {
		row := []string{strconv.Itoa(g.Person), strconv.Itoa(g.Trial)}
		for k, l := range g.Levels {
			row = append(row, f.Protocol.Factors[k].Levels[l].Name)
		}
		for _, q := range f.Protocol.Questions {
			_ = out.Write(append(slices.Clip(row), q.Name, g.Answers[q.Name], number(g.Seconds), number(g.ForceMax), number(g.PhysicsHz), g.Device, g.Recording, g.Began.Format(time.RFC3339)))
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(f.Dir, "answers.csv"), atomicfile.Bytes(text.Bytes()))
}

package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/schollz/progressbar/v3"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/contact"
)

// SceneFlags choose a scene and change it.
type SceneFlags struct {
	Scene string `arg:"" optional:"" help:"Name of an embedded scene or a .toml file."`
	Mesh  string `help:"Mesh file in the place of the obstacle's shape." type:"path"`
	UnitFlag
	MeshUnit string   `kong:"-"` // of Mesh, once it has been read
	NoCache  bool     `help:"Neither read nor write the cache of compliances." env:"HAPCO_NO_CACHE"`
	Set      []string `help:"Change a key of the scene: --set friction=0.5 --set 'obstacle.E=6 kPa'." placeholder:"KEY=VALUE" sep:"none"`
}

// Load reads the scene and says in which units it takes what --set gives.
func (f *SceneFlags) Load() (physics.Scene, error) {
	s, err := f.Read()
	if err == nil {
		Echo(s, f.Set)
	}
	return s, err
}

// Echo notes the units of assignments that name none.
func Echo(s physics.Scene, assignments []string) {
	for _, a := range assignments {
		if said := s.Echo(a); said != "" {
			Note("%s", said)
		}
	}
}

// Names of the notes of a recording that tell its scene: see notes and noted.
const (
	noteScene    = "scene"
	noteTemplate = "template" // scene that the mesh was put in
	noteMesh     = "mesh"
	noteUnit     = "length_unit"
	noteSet      = "set" // assignments, one a line

	noteText = "scene_text" // of the scene file
	noteHash = "sha256:"    // followed by a file's name: its SHA-256
)

// hashNote notes a file's hash, and returns its text.
func hashNote(notes map[string]string, name string) string {
	_, data, err := setting.FileText(name)
	if err != nil { // it has gone since it was read
		return ""
	}
	sum := sha256.Sum256(data)
	notes[noteHash+name] = hex.EncodeToString(sum[:])
	return string(data)
}

// sceneNotes are the text and hash of a scene file.
func sceneNotes(name string) map[string]string {
	notes := map[string]string{"program": Facts().String()}
	if text := hashNote(notes, name); text != "" {
		notes[noteText] = text
	}
	return notes
}

// Changed are the files that are others now than when a recording was made.
func Changed(notes map[string]string) (names []string) {
	for note, was := range notes {
		name, ok := strings.CutPrefix(note, noteHash)
		if !ok {
			continue
		}
		now := map[string]string{}
		hashNote(now, name)
		if now[note] != was {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Notes are kept in a recording, so that the same scene can be built again.
func (f *SceneFlags) Notes(s physics.Scene) map[string]string {
	notes := map[string]string{noteScene: s.Common().Name}
	if len(f.Set) > 0 {
		notes[noteSet] = strings.Join(f.Set, "\n")
	}
	if f.Mesh != "" {
		notes[noteTemplate], notes[noteMesh], notes[noteUnit] = cmp.Or(f.Scene, assets.DefaultScene), f.Mesh, f.MeshUnit
		hashNote(notes, f.Mesh)
	}
	if files, ok := s.(physics.Filer); ok {
		for _, name := range files.Files() {
			hashNote(notes, name)
		}
	}
	return notes
}

// Noted are the flags that a recording's notes stand for.
func Noted(notes map[string]string) SceneFlags {
	f := SceneFlags{Scene: notes[noteScene]}
	if notes[noteMesh] != "" {
		f.Scene, f.Mesh, f.LengthUnit = notes[noteTemplate], notes[noteMesh], notes[noteUnit]
	}
	if notes[noteSet] != "" {
		f.Set = strings.Split(notes[noteSet], "\n")
	}
	return f
}

// Read reads the scene and applies the flags to it.
func (f *SceneFlags) Read() (physics.Scene, error) {
	s, err := physics.Load(cmp.Or(f.Scene, assets.DefaultScene))
	if err != nil {
		return nil, BadInput(err)
	}
	if f.Mesh != "" {
		if err := f.replaceMesh(s); err != nil {
			return nil, BadInput(err)
		}
	}
	for _, assignment := range f.Set {
		if err := s.Set(assignment); err != nil {
			return nil, BadInput(err)
		}
	}
	return s, nil
}

// BuildWorld builds the simulation, with a progress bar on a terminal; elsewhere it says now and then how far it is,
// once it takes long.
func BuildWorld(ctx context.Context, s physics.Scene, o physics.Options) (physics.World, error) {
	bar := progressbar.NewOptions(1000,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(IsTerminal(os.Stderr)),
		progressbar.OptionSetDescription("compliance"),
		progressbar.OptionClearOnFinish(),
	)
	lines := SlowLines{What: "compliance"}
	if !IsTerminal(os.Stderr) {
		done := make(chan struct{})
		defer close(done)
		failsafe.Go(func() { lines.Write(os.Stderr, done) })
	}
	o.Progress = func(fraction float64, what string) {
		bar.Describe(what)
		_ = bar.Set(int(1000 * fraction))
		lines.Tell(fraction, what)
	}
	world, notes, err := physics.OpenScene(ctx, s, o)
	_ = bar.Finish()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, BadInput(err)
	}
	NoteAll(notes)
	return world, nil
}

// firstLine after that long, nextLine after that: who reads a log wants to know that something goes on, not to read a
// bar.
const firstLine, nextLine = 10 * time.Second, 20 * time.Second

// SlowLines are what a long computation says where there is no terminal.
type SlowLines struct {
	mutex    sync.Mutex
	What     string
	fraction float64
}

func (l *SlowLines) Tell(fraction float64, what string) {
	l.mutex.Lock()
	if !strings.HasPrefix(l.What, what) { // what comes once, such as an estimate, stays
		l.What = what
	}
	l.fraction = fraction
	l.mutex.Unlock()
}

func (l *SlowLines) Line() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return fmt.Sprintf("hapco: %s: %.0f %%", l.What, 100*l.fraction)
}

// Write writes a line now and then until done.
func (l *SlowLines) Write(out io.Writer, done <-chan struct{}) {
	for wait := firstLine; ; wait = nextLine {
		select {
		case <-done:
			return
		case <-time.After(wait):
			fmt.Fprintln(out, l.Line())
		}
	}
}

func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// replaceMesh puts the mesh file of --mesh in the place of the scene's obstacle.
func (f *SceneFlags) replaceMesh(s physics.Scene) error {
	if err := f.Check(); err != nil {
		return err
	}
	m, err := mesh.Load(f.Mesh)
	if err != nil {
		return err
	}
	unit, scale, err := f.UnitOfMesh(m)
	if err != nil {
		return err
	}
	m.Scale(scale)
	taker, ok := s.(physics.Mesher)
	if !ok {
		return fmt.Errorf("--mesh: a scene of kind %s has no obstacle that a mesh could replace (cure: --mesh with scene %s)", s.Common().Kind, assets.DefaultScene)
	}
	f.MeshUnit = unit
	return taker.TakeMesh(f.Mesh, unit, m.Nodes)
}

// DumpFlags ask for the contact problems that a world meets, as files.
type DumpFlags struct {
	DumpProblems string `help:"Write contact problems and forces into this folder, .fc3d.gz." placeholder:"DIR" type:"path"`
	DumpEvery    int    `help:"Steps from one written problem to the next." default:"10" in:"1..1000000000"`
	DumpMost     int    `help:"Problems written at most." default:"1000" in:"1..1000000"`
}

// Begin makes the folder; nil where no problems are wanted.
func (f *DumpFlags) Begin() (*contact.Dump, error) {
	if f.DumpProblems == "" {
		return nil, nil
	}
	d, err := contact.NewDump(f.DumpProblems, f.DumpEvery, f.DumpMost)
	if err != nil {
		return nil, BadInput(fmt.Errorf("--dump-problems: %w", err))
	}
	return d, nil
}

// Say tells what was written, and what went wrong. It is for after the world's last step.
func (f *DumpFlags) Say(out io.Writer, d *contact.Dump) error {
	if d == nil {
		return nil
	}
	written, large, err := d.Done()
	if err != nil {
		return fmt.Errorf("--dump-problems: %w", err)
	}
	fmt.Fprintf(out, "hapco: %d contact problems in %s", written, f.DumpProblems)
	if large > 0 {
		fmt.Fprintf(out, "; %d had more than %d contacts", large, contact.MaxContacts)
	}
	fmt.Fprintln(out)
	return nil
}

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

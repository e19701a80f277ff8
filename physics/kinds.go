package physics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hapco/assets"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/contact"
)

// Scene is a scene file that a kind has read: plain data that can be changed by key, and opened as a world.
type Scene interface {
	// Common is the part that every scene file has. It may be changed.
	Common() *setting.Setting
	// Set changes one value, written "KEY=VALUE" as on the command line. The scene does not change when an error is
	// returned.
	Set(assignment string) error
	// Echo tells in which unit Set takes a number that names none; "": nothing to tell.
	Echo(assignment string) string
	// Open makes a world of the scene. Notes are lines for the user about what was chosen for want of a word in a file.
	Open(ctx context.Context, o Options) (w World, notes []string, err error)
}

// Options are how a world is opened.
type Options struct {
	NoCache  bool                                // compute anew what is kept on disk, and keep nothing
	Beside   bool                                // come soon: what takes long is prepared beside the steps
	Dump     *contact.Dump                       // told the contact problems of each step, by kinds that have them; nil: wants none
	Speaker  func(rate int) Speaker              // plays what rings, of so many samples a second; nil: nothing is played
	Progress func(fraction float64, what string) // told how far it is, 0..1; may be nil, is called on any goroutine
}

// Speaker plays sound while it is made.
type Speaker interface {
	Play(velocity []float64) // of what rings, m/s; it never waits
	Word() string            // what there is to tell, once
	Close() error
}

// Opener reads a scene file of one kind: name is what errors call it, text its text.
type Opener func(name string, text []byte) (Scene, error)

var openers = map[string]Opener{}

// Register makes a kind of world known: a scene file with kind = "NAME" is read by open. It is called before anything
// is opened, from one goroutine; see package worlds.
func Register(kind string, open Opener) {
	if openers[kind] != nil {
		panic("physics: two kinds are called " + kind)
	}
	openers[kind] = open
}

// former holds what kinds were called in scene files of earlier versions.
var former = map[string]string{}

// RegisterFormer makes known what a kind was called before: such files are read as ever. It is called as Register is.
func RegisterFormer(before, kind string) { former[before] = kind }

func kinds() []string { return slices.Sorted(maps.Keys(openers)) }

// Load reads a scene by the name of an embedded one, or from a file.
func Load(nameOrFile string) (Scene, error) {
	name, text, err := setting.FileText(nameOrFile)
	if err != nil {
		return nil, err
	}
	s, err := Parse(name, text)
	if err == nil {
		s.Common().Name = nameOrFile
	}
	return s, err
}

// Parse reads the text of a scene file of any registered kind.
func Parse(name string, text []byte) (Scene, error) {
	kind := setting.KindOf(text)
	open := openers[kind]
	if now, ok := former[kind]; ok {
		open = openers[now]
	}
	if open == nil {
		return nil, &setting.Error{At: name, What: "unknown kind of world: " + kind, Cure: "kind = one of " + strings.Join(kinds(), ", ")}
	}
	s, err := open(name, text)
	if err != nil {
		return nil, err
	}
	for _, change := range s.Common().Changes {
		if err := s.Set(change); err != nil {
			return nil, fmt.Errorf("%s: changes: %w", name, err)
		}
	}
	return s, nil
}

// OpenScene opens a scene. The error names it.
func OpenScene(ctx context.Context, s Scene, o Options) (w World, notes []string, err error) {
	w, notes, err = s.Open(ctx, o)
	if name := s.Common().Name; err != nil && ctx.Err() == nil && !strings.Contains(err.Error(), name) {
		err = fmt.Errorf("scene %s: %w", name, err)
	}
	return w, notes, err
}

// Listing names an embedded scene.
type Listing struct {
	Name  string // what Load takes
	Title string
	About string // one line
	Group string // heading in the gallery
	Tags  string // words by which the gallery finds it, too
}

// List are the embedded scenes, the default one first.
func List() ([]Listing, error) {
	var out []Listing
	for _, name := range assets.Scenes() {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		c := s.Common()
		out = append(out, Listing{Name: name, Title: c.Title, About: c.About, Group: c.Group, Tags: strings.Join(c.Tags, " ")})
	}
	return out, nil
}

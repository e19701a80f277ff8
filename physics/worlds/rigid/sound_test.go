package rigid

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"hapco/assets"
	"hapco/physics"
)

// The sound goes to a file of the scene's name in the working directory, wherever the
// scene's own file lies; where there is none yet, no file is left behind.
func TestSoundIsWritten(t *testing.T) {
	text, err := assets.Scene("tuning-fork")
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, filepath.Join(t.TempDir(), "fork.toml"), string(text))
	dir := t.TempDir()
	t.Chdir(dir)
	files := func() (names []string) {
		names, _ = filepath.Glob("*")
		return names
	}
	if err := l.writeSound(); err == nil || len(files()) > 0 {
		t.Errorf("without a sound: %v, files %v", err, files())
	}
	l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: 0.01})
	f := &physics.Frame{}
	for _, want := range []string{"wrote fork-1.wav", "wrote fork-2.wav"} {
		if err := l.writeSound(); err != nil {
			t.Error(err)
		}
		l.writing.Wait()
		if l.Draw(f); f.Status != want {
			t.Errorf("status %q, want %q", f.Status, want)
		}
	}
	if got := files(); !slices.Equal(got, []string{"fork-1.wav", "fork-2.wav"}) {
		t.Errorf("files %v", got)
	}
	for _, k := range openLive(t, "x.toml", stack).Keys() {
		if k.Name == "sound.write" && (k.Press != "" || !k.Act) {
			t.Errorf("key %q writes a sound where nothing rings, or again in a replay", k.Press)
		}
	}
}

// ear is a speaker that keeps what it plays.
type ear struct {
	rate   int
	heard  []float64
	closed bool
}

func (e *ear) Play(velocity []float64) { e.heard = append(e.heard, velocity...) }
func (e *ear) Word() string            { return "no sound: it rains" }
func (e *ear) Close() error            { e.closed = true; return nil }

// What is heard live is the sound that a file would hold, but for its scale; a mute scene
// plays none, and one line tells what the speaker has to say.
func TestSoundIsHeard(t *testing.T) {
	text, err := assets.Scene("tuning-fork")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("fork.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	e := &ear{}
	world, _, err := s.Open(context.Background(), physics.Options{Speaker: func(rate int) physics.Speaker { e.rate = rate; return e }})
	if err != nil {
		t.Fatal(err)
	}
	l := world.(*live)
	l.parts[0].vib.strike(vec3{0.01, 0, 0}, vec3{0, 0.05, 0})
	l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: 0.1})
	sound, err := l.world.sound()
	if err != nil {
		t.Fatal(err)
	}
	if e.rate != sound.Rate || len(e.heard) != len(sound.Samples) || len(e.heard) != e.rate/10 {
		t.Fatalf("%d samples at %d Hz, want %d at %d Hz", len(e.heard), e.rate, len(sound.Samples), sound.Rate)
	}
	loudest := 0.0
	for i, x := range e.heard {
		loudest = max(loudest, math.Abs(x))
		if want := sound.Samples[i] * float64(sound.Rate); math.Abs(x-want) > 1e-9*math.Abs(want) {
			t.Fatalf("sample %d is %g m/s, want %g", i, x, want)
		}
	}
	if loudest < 1e-4 {
		t.Errorf("it swings at %g m/s", loudest)
	}
	l.now.Mute = true
	n := len(e.heard)
	l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: 0.01})
	f := &physics.Frame{}
	if l.Draw(f); len(e.heard) != n || f.Status != e.Word() {
		t.Errorf("%d samples of a mute scene, status %q", len(e.heard)-n, f.Status)
	}
	if err := l.Close(); err != nil || !e.closed {
		t.Errorf("%v, closed %v", err, e.closed)
	}
}

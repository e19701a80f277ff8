package ui

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/files/setting"
)

// galleryOptions have a picture for each fake scene.
func galleryOptions(t *testing.T) Options {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 40))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.Set(3, 3, color.RGBA{200, 30, 30, 255})
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, img, nil); err != nil {
		t.Fatal(err)
	}
	scenes := append([]Scene(nil), fakeScenes...)
	for i := range scenes {
		scenes[i].Picture = picture.Bytes()
	}
	return Options{Scenes: scenes, Scene: "-"}
}

// The start page finds a scene by a word, Enter opens it, Home comes back.
func TestGallery(t *testing.T) {
	opt := galleryOptions(t)
	opt.Memory = filepath.Join(t.TempDir(), "config", "window.toml")
	d := openDesk(t, &fakeOpener{}, opt)
	p := d.until("the gallery", func(p *tracePicture) bool { return p.Gallery && p.Widgets["Gallery/liver"].W > 0 })
	if p.Ready || len(p.Widgets) < 6 {
		t.Errorf("the start page shows %d widgets, a scene: %v", len(p.Widgets), p.Ready)
	}
	d.do("type", "bench 66")
	d.until("the search", func(p *tracePicture) bool { _, other := p.Widgets["Gallery/liver"]; return !other })
	d.do("key", "Return")
	d.until("the scene", func(p *tracePicture) bool { return p.Ready && p.Scene == "bench-b-66" && !p.Gallery })
	d.do("key", "Home")
	p = d.until("the gallery again", func(p *tracePicture) bool { return p.Gallery })
	if p.Held {
		t.Error("the mouse holds the stylus of a scene that is not to be seen")
	}
	for range 2 { // a search in the place of the last, and a first one; Escape empties both
		d.do("type", "liver")
		d.until("the new search", func(p *tracePicture) bool {
			_, other := p.Widgets["Gallery/bench-b-66"]
			return p.Gallery && p.Widgets["Gallery/liver"].W > 0 && !other
		})
		d.do("key", "Escape")
		d.until("all scenes", func(p *tracePicture) bool {
			return p.Gallery && p.Widgets["Gallery/liver"].W > 0 && p.Widgets["Gallery/bench-b-66"].W > 0
		})
	}
	d.click("Gallery/liver")
	d.until("the other scene", func(p *tracePicture) bool { return p.Ready && p.Scene == "liver" })
}

// A scene's own name opens it, though one that comes before has that word in its text.
func TestGalleryOpensWhatIsNamed(t *testing.T) {
	opt := galleryOptions(t)
	for i := range opt.Scenes {
		opt.Scenes[i].About += " Beside bench-b-66."
	}
	d := openDesk(t, &fakeOpener{}, opt)
	d.until("the gallery", func(p *tracePicture) bool { return p.Gallery && p.Widgets["Gallery/liver"].W > 0 })
	d.do("type", "bench-b-66")
	d.do("key", "Return")
	if p := d.until("a scene", func(p *tracePicture) bool { return p.Ready && !p.Gallery }); p.Scene != "bench-b-66" {
		t.Errorf("%s has opened", p.Scene)
	}
}

// A scene that cannot be opened leaves the start page standing.
func TestGalleryAfterAFailure(t *testing.T) {
	d := openDesk(t, &fakeOpener{fail: map[string]error{"liver": os.ErrNotExist}}, galleryOptions(t))
	d.until("the gallery", func(p *tracePicture) bool { return p.Gallery && p.Widgets["Gallery/liver"].W > 0 })
	d.click("Gallery/liver")
	d.until("why not", func(p *tracePicture) bool { return strings.Contains(p.Status, "not exist") })
	d.click("Gallery/bench-a-36")
	d.until("another scene", func(p *tracePicture) bool { return p.Ready && p.Scene == "bench-a-36" })
}

// Left alone, the gallery plays by itself: a hand presses. A touch takes over.
func TestDemo(t *testing.T) {
	opt := galleryOptions(t)
	opt.Idle = 0.5
	d := openDesk(t, &fakeOpener{}, opt)
	p := d.until("a pressing hand", func(p *tracePicture) bool { return p.Demo && p.Ready && p.RawN > 0.05 })
	if p.Gallery || p.Scene != "liver" {
		t.Errorf("the demo plays %q, gallery %v", p.Scene, p.Gallery)
	}
	d.do("key", "shift")
	d.until("the scene to be mine", func(p *tracePicture) bool { return !p.Demo && p.Ready && p.Held })
}

// A staircase notes answers, and the difference follows them.
func TestStaircase(t *testing.T) {
	q := setting.Question{Ask: "Which is stiffer?", Answers: []string{"this", "that"}, Keys: []string{"liver.E", "friction"}, Ratio: 2}
	answers := filepath.Join(t.TempDir(), "data", "answers.csv")
	o := &fakeOpener{adjust: func(s *fakeSession) { s.question = q }}
	d := openDesk(t, o, Options{Answers: answers})
	p := d.until("the question", func(p *tracePicture) bool { return p.Trial == 1 && p.Widgets["answer0"].W > 0 })
	if _, shown := p.Values["liver.E"]; shown || p.Widgets["Friction"].W > 0 {
		t.Error("the panel shows what is asked")
	}
	d.click("answer0")
	d.until("the next question", func(p *tracePicture) bool { return p.Trial == 2 && p.Widgets["answer1"].W > 0 })
	d.frames(10) // the card has grown
	d.click("answer1")
	d.until("the third question", func(p *tracePicture) bool { return p.Trial == 3 })
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(rows) != 3 || !strings.HasPrefix(rows[0], "time,scene,trial") || !strings.Contains(rows[1], ",this,") || !strings.Contains(rows[2], ",that,") {
		t.Errorf("answers:\n%s", text)
	}
	want := ",2," // one right answer changes nothing
	if strings.Contains(rows[1], ",false,") {
		want = ",2.5," // a wrong one makes the difference half as large again
	}
	if !strings.Contains(rows[2], want) {
		t.Errorf("after %s\nthe ratio of %s is not %s", rows[1], rows[2], want)
	}
}

// The search finds what has all words, but for a letter in a long one; short words must be right.
func TestSearchForgivesALetter(t *testing.T) {
	const text = "broken ice: a ship, tags fracture crack"
	for search, want := range map[string]bool{"": true, "ICE ship": true, "fractre": true, "fracturre": true, "farcture": true, "fracxure": true,
		"frac": true, "ise": false, "liver": false, "fractrue ship": true, "fxactxre": false, "crakc": true} {
		if got := hasWords(text, search); got != want {
			t.Errorf("%q in %q: %t", search, text, got)
		}
	}
}

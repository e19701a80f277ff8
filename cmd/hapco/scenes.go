package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hapco/assets"
	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/ui"
)

// scenesCommand lists the embedded scenes, or makes their pictures.
type scenesCommand struct {
	Names    []string `arg:"" optional:"" help:"Scenes; all when left out." name:"scene"`
	Pictures string   `help:"Press each scene and write NAME.jpg to this folder." type:"path" placeholder:"DIR"`
	Seconds  float64  `help:"With --pictures: seconds of each scene." default:"2" in:"0.001..3600"`
	Frames   int      `help:"With --pictures: so many pictures a scene, NAME-0001.jpg and on." placeholder:"N" in:"0..9999"`
}

// Run prints one line a scene.
func (c *scenesCommand) Run(ctx context.Context) error {
	for _, name := range c.Names {
		if !slices.Contains(assets.Scenes(), name) {
			return app.BadInput(fmt.Errorf("scenes: there is no scene %q (cure: one of %s)", name, strings.Join(assets.Scenes(), ", ")))
		}
	}
	if c.Frames > 0 && c.Pictures == "" {
		return app.BadInput(fmt.Errorf("scenes: --frames %d (cure: with --pictures)", c.Frames))
	}
	if c.Pictures != "" {
		return c.pictures(ctx)
	}
	list, err := physics.List()
	if err != nil {
		return err
	}
	t := app.List(app.Stdout)
	for _, s := range list {
		if len(c.Names) == 0 || slices.Contains(c.Names, s.Name) {
			fmt.Fprintf(t, "%s\t%s\t%s\n", s.Name, s.Group, s.About)
		}
	}
	return t.Flush()
}

// Size of the gallery's pictures, pixels, and how long a scene may take to open.
const (
	pictureWide, pictureHigh = 640, 400
	frameWide, frameHigh     = 640, 400
	frameLooks               = 3 // that the hand rests at each of --frames
	openLimit                = 4 * time.Minute
)

// pictures opens one scene after the other in one window.
func (c *scenesCommand) pictures(ctx context.Context) error {
	if err := os.MkdirAll(c.Pictures, 0o755); err != nil {
		return app.BadInput(fmt.Errorf("scenes: --pictures: %w", err))
	}
	done, err := onDisplay(1280, 800)
	if err != nil {
		return err
	}
	defer done()
	names := c.Names
	if len(names) == 0 {
		names = assets.Scenes()
	}
	p := photographer{names: names, dir: c.Pictures, seconds: c.Seconds, frames: c.Frames, turned: time.Now()}
	run := runCommand{DeviceFlags: app.DeviceFlags{Device: "mouse", RateHz: 1000}}
	err = windowError(ui.Run(ctx, ui.Options{Scene: names[0], Open: run.opener(nil), Width: 1024, Height: 720, Script: p.frame}))
	return errors.Join(p.failed, err)
}

// photographer is the script that goes through the scenes.
type photographer struct {
	names   []string // those left, the one on screen first
	dir     string
	seconds float64
	frames  int // 0: one picture at the end

	looks  int     // at the scene on screen
	met    bool    // the first of names is on screen
	since  float64 // when, s
	turned time.Time
	way    setting.Way
	failed error
}

// frame moves the hand along the first two thirds of the scene's path and back a little, and takes the picture at the
// end.
func (p *photographer) frame(f *ui.Frame) {
	switch {
	case f.Scene() != p.names[0]:
		if time.Since(p.turned) > openLimit {
			p.fail(f, fmt.Errorf("scene %s did not open within %v", p.names[0], openLimit))
		}
		return
	case !p.met:
		p.met, p.since = true, f.Time
		if err := p.meet(f); err != nil {
			p.fail(f, err)
			return
		}
	}
	if p.frames > 0 {
		p.film(f)
		return
	}
	t := (f.Time - p.since) / p.seconds
	p.hold(f, min(t, 1))
	if t < 1.1 {
		return
	}
	if err := f.SavePicture(filepath.Join(p.dir, p.names[0]+".jpg"), pictureWide, pictureHigh); err != nil {
		p.fail(f, err)
		return
	}
	p.next(f)
}

// hold brings the hand to a share of its way.
func (p *photographer) hold(f *ui.Frame, share float64) {
	if s, ok := f.Session.(*app.Session); ok {
		s.Hand(s.Info().Start.Position.Add(p.way.At(share)))
	}
}

// next goes on to the next scene.
func (p *photographer) next(f *ui.Frame) {
	if p.names = p.names[1:]; len(p.names) == 0 {
		f.Close()
		return
	}
	p.met, p.turned, p.looks = false, time.Now(), 0
	f.Open(p.names[0])
}

// film takes a picture at each place of the way there and back. The hand rests at each: a slow machine makes the same
// film.
func (p *photographer) film(f *ui.Frame) {
	n := p.looks / frameLooks
	there := 2 * float64(n) / float64(p.frames)
	p.hold(f, min(there, 2-there))
	if p.looks++; p.looks%frameLooks != 0 {
		return
	}
	if err := f.SavePicture(filepath.Join(p.dir, fmt.Sprintf("%s-%04d.jpg", p.names[0], n+1)), frameWide, frameHigh); err != nil {
		p.fail(f, err)
		return
	}
	if n+1 == p.frames {
		p.next(f)
	}
}

func (p *photographer) fail(f *ui.Frame, err error) {
	p.failed = fmt.Errorf("scenes: %w", err)
	f.Close()
}

// meet plans the hand's way, and looks whether the controls that the scene names exist.
func (p *photographer) meet(f *ui.Frame) error {
	of := f.Session.Common()
	for _, name := range slices.Concat(of.Controls, of.Question.Keys) {
		if physics.Place(f.Session.Keys(), name) < 0 {
			return fmt.Errorf("scene %s: %q is no live parameter (cure: mend controls or question.keys in its file)", p.names[0], name)
		}
	}
	path, err := of.ChoosePath("", "sliding")
	p.way = setting.Way{}
	if err == nil {
		p.way = path.Way()
	}
	return err
}

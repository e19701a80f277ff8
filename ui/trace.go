package ui

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	files "hapco/physics/files/atomicfile"
)

// traceEvery is the time between two traces; HAPCO_UI_TRACE_EVERY gives another, such as 50ms.
var traceEvery = time.Second

// tracePicture is what HAPCO_UI_TRACE asks for: where everything is on the screen, so that a test can click it, and
// what the window shows. All places are screen coordinates as an X server counts them.
type tracePicture struct {
	Frame    int             `json:"frame"`
	Scene    string          `json:"scene"`
	Ready    bool            `json:"ready"` // a snapshot is on screen
	Gallery  bool            `json:"gallery"`
	Demo     bool            `json:"demo"`
	Slot     string          `json:"slot"`
	Undos    int             `json:"undos"`
	Brush    bool            `json:"brush"`
	Holding  int             `json:"holding"` // nodes of soft bodies that are held, as painted
	Study    string          `json:"study"`   // page of a study
	Colours  string          `json:"colours"` // the field that the surfaces show; "": none
	Trial    int             `json:"trial"`   // of the scene's question
	Scale    float64         `json:"scale"`
	Coarse   float64         `json:"coarse"` // resolution of the scene's picture, 1: full
	Viewport rect            `json:"viewport"`
	Stylus   *spot           `json:"stylus,omitempty"` // where the mouse holds it
	Hand     *mgl64.Vec3     `json:"hand,omitempty"`   // the mouse's, world, m
	Place    *mgl64.Vec3     `json:"place,omitempty"`  // of the stylus, world, m
	Contacts []spot          `json:"contacts"`
	ForceN   float64         `json:"force_N"`      // sent to the hand
	PeakN    float64         `json:"peak_force_N"` // of the last second
	RawN     float64         `json:"contact_force_N"`
	Selected uint64          `json:"selected"`
	Seconds  float64         `json:"seconds"`         // that the hand has had
	World    float64         `json:"world_s"`         // time of a world that has one
	Aim      *spot           `json:"aim,omitempty"`   // a place of the scene where a body is, near its middle
	Grasp    *graspTrace     `json:"grasp,omitempty"` // what is held
	Turn     *mgl64.Quat     `json:"turn,omitempty"`  // of the hand
	Held     bool            `json:"held"`
	Status   string          `json:"status"` // the status line
	Values   map[string]any  `json:"values"` // parameters by scene key
	Widgets  map[string]rect `json:"widgets"`
}

// graspTrace is the spring of what is held: its ends on the screen, and its force, N.
type graspTrace struct {
	From  spot    `json:"from"`
	To    spot    `json:"to"`
	Force float64 `json:"force_N"`
}

// aim looks for a place of the scene where a body is: the first from the middle outwards with room around it, else, as on
// a thin bar, the first of a closer look.
func (vp *viewport) aim() (x, y float64, ok bool) {
	for _, look := range [...]struct {
		around int
		room   float64 // pixels
	}{{12, 5}, {90, 1}} {
		for ring := range 10 {
			for k := range look.around {
				sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.25) / float64(look.around))
				r := 0.045 * float64(ring)
				x, y = vp.lens.x+vp.lens.w*(0.5+r*cos), vp.lens.y+vp.lens.h*(0.5+r*sin)
				if vp.firm(x, y, look.room) {
					return x, y, true
				}
			}
		}
	}
	return 0, 0, false
}

// firm tells whether a body is at a pixel and around it.
func (vp *viewport) firm(x, y, room float64) bool {
	for _, d := range [...][2]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		if hit, _ := vp.under(x+room*d[0], y+room*d[1]); math.IsInf(hit.t, 1) {
			return false
		}
	}
	return true
}

type spot struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Node int32   `json:"node"`
}

// traceKeys writes the value of every key: words and switches as such.
func (a *app) traceKeys(v map[string]any) {
	for i := range a.scene.keys {
		k := &a.scene.keys[i]
		if k.Hidden != nil && k.Hidden(a.scene.values) || a.study.question.hides(k) {
			continue
		}
		x := a.scene.values[i]
		switch {
		case k.Switch:
			v[k.Name] = x != 0
		case len(k.Choices) > 0:
			v[k.Name] = k.Word(x)
		case math.IsInf(x, 0):
			v[k.Name] = fmt.Sprint(x)
		default:
			v[k.Name] = x
		}
	}
}

// writeTrace replaces the trace file about once a second.
func (a *app) writeTrace(now time.Time) error {
	if a.shell.trace == "" || now.Sub(a.shell.traced) < traceEvery && !a.shell.quit {
		return nil
	}
	a.shell.traced = now
	rx, ry := a.win.ratio()
	ox, oy := a.win.glfw.GetPos()
	place := func(r rect) rect {
		return rect{r.X/float32(rx) + float32(ox), r.Y/float32(ry) + float32(oy), r.W / float32(rx), r.H / float32(ry), r.Visible}
	}
	on := func(x, y float64, node int32) *spot { return &spot{x/rx + float64(ox), y/ry + float64(oy), node} }
	vp, sc := a.viewport, a.scene
	seen := func(at mgl64.Vec3, node int32) (s *spot, ok bool) {
		x, y, ok := vp.lens.project(at)
		return on(x, y, node), ok
	}
	slot := &a.changes.slots[a.changes.slot]
	p := tracePicture{Frame: a.shell.frames, Scale: float64(a.gui.scale), Coarse: vp.fine.part(),
		Selected: vp.view.Selected, Held: vp.mouse.held,
		Viewport: place(rect{float32(vp.lens.x), float32(vp.lens.y), float32(vp.lens.w), float32(vp.lens.h), true}),
		Contacts: []spot{}, Widgets: map[string]rect{}, Gallery: a.library.home.open, Demo: a.library.demo.on,
		Trial: a.study.question.trial, Slot: slotNames[a.changes.slot], Undos: len(slot.past), Colours: vp.look.colours,
		Brush: vp.support.brush, Holding: vp.support.count(), Study: a.study.title()}
	for name, r := range a.gui.spots {
		p.Widgets[name] = place(r)
	}
	if p.Status, _ = a.hint(); p.Gallery {
		p.Status, _ = a.library.galleryHint()
	}
	if sc.session != nil {
		p.Scene = sc.name
		p.Values = map[string]any{"paused": sc.paused, "page": a.plots.current().title}
		a.traceKeys(p.Values)
		a.haptic.traceServo(p.Values)
		a.timeline.tracePlayback(p.Values)
	}
	if f := sc.snap; f != nil {
		p.Ready = !a.study.covers()
		p.Values["physics_Hz"], p.Values["haptics_Hz"] = f.RateHz, sc.status.Rate
		p.Values["display_Hz"] = a.gui.displayHz
		for i, x := range f.Numbers {
			p.Values[sc.info.Numbers[i].Name] = finite(x)
		}
		if c := vp.selected(); c != nil {
			p.Values["residual_N"] = finite(mgl64.Vec3(c.Residual).Len())
		}
		p.ForceN, p.PeakN, p.RawN = sc.status.Force.Len(), sc.status.Peak, f.Force.Len()
		if s, ok := seen(sc.held(), -1); ok {
			p.Stylus = s
		}
		p.Seconds, p.World, p.Place = vp.mouse.seconds, f.Time, &f.Stylus.Position
		if x, y, ok := vp.aim(); ok {
			p.Aim = on(x, y, -1)
		}
		if h := &f.Held; h.On {
			from, _ := seen(h.At, -1)
			to, _ := seen(h.To, -1)
			p.Grasp = &graspTrace{*from, *to, h.Force.Len()}
		}
		if ptr := sc.session.Pointer(); ptr != nil {
			hand, turn := ptr.Hand(), ptr.Rotation()
			p.Hand, p.Turn = &hand, &turn
		}
		for i := range f.Contacts {
			if s, ok := seen(f.Contacts[i].P, f.Contacts[i].Node); ok {
				p.Contacts = append(p.Contacts, *s)
			}
		}
	}
	data, err := json.Marshal(&p)
	if err != nil {
		return fmt.Errorf("ui: trace: %w", err)
	}
	if err := files.WriteSoon(a.shell.trace, files.Bytes(data)); err != nil { // a reader must never see half a file
		return fmt.Errorf("ui: trace: %w", err)
	}
	return nil
}

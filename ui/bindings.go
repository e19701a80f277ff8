package ui

import (
	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/inkyblackness/imgui-go/v4"
)

// action is what a key or a button asks the window to do.
type action struct{ do func(a *app) }

// What buttons, parts and several keys ask for.
var (
	quit          = &action{func(a *app) { a.shell.quit = true }}
	openGallery   = &action{func(a *app) { a.library.showGallery() }}
	openFiles     = &action{func(a *app) { a.library.showFiles() }}
	saveScene     = &action{func(a *app) { a.library.saveScene() }}
	shoot         = &action{func(a *app) { a.shell.shoot() }}
	largerText    = &action{func(a *app) { a.shell.zoomText(1) }}
	smallerText   = &action{func(a *app) { a.shell.zoomText(-1) }}
	toggleHelp    = &action{func(a *app) { a.gui.help = !a.gui.help }}
	redo          = &action{func(a *app) { a.changes.redo() }}
	pause         = &action{func(a *app) { a.scene.setPaused(!a.scene.paused) }}
	stepOnce      = &action{(*app).stepOnce}
	resetObjects  = &action{(*app).resetObjects}
	otherHand     = &action{(*app).otherHand}
	resetView     = &action{func(a *app) { a.viewport.resetView() }}
	settleChanges = &action{func(a *app) { a.changes.settle() }}
)

// place is where a keystroke counts.
type place uint8

const (
	inScene place = 1 << iota
	inGallery
	inStudy
	inDialog
	everywhere = inScene | inGallery | inStudy | inDialog
)

// mods are the keys that must be down beside another.
type mods uint8

const (
	withCtrl mods = 1 << iota
	withShift
)

// keystroke is a key that acts once, as it goes down.
type keystroke struct {
	key  glfw.Key
	with mods
	act  *action
	in   place // 0: the scene
}

// on is a key of the scene alone, and each are several for things that have numbers.
func on(key glfw.Key, do func(a *app)) keystroke { return keystroke{key: key, act: &action{do}} }

func each(do func(a *app, i int), keys ...glfw.Key) (all []keystroke) {
	for i, key := range keys {
		all = append(all, on(key, func(a *app) { do(a, i) }))
	}
	return all
}

// binding is a line of the help: keys, what they do, and the strokes among them. Lines without strokes are of held keys
// and of the mouse, see viewport, and of keys that a world has for its switches.
type binding struct {
	keys, does string
	strokes    []keystroke
}

// bindings are all keys of the window: the help, the reference and the keyboard follow them. Empty ones part groups.
var bindings = [...]binding{
	{"Move the mouse", "moves the tool: it is where the pointer is, before what the pointer shows", nil},
	{"Left button, hold", "pushes the tool into the surface under the pointer; drag to slide, let go to lift", nil},
	{"Double-click", "takes hold of what is under the pointer by a spring: move to pull, click to let go; or keep the button down, drag and let go", nil},
	{"Left click", "on a contact: shows its force, status and Coulomb cone", nil},
	{"Wheel,  Q / E", "moves the tool away from the eye / nearer along the same line (Shift: finely)", nil},
	{"M", "the other hand, of a scene with two tools", []keystroke{{key: glfw.KeyM, act: otherHand}}},
	{"X", "catches the nearest body, or lets it fly (where bodies can be caught)", nil},
	{"Space, hold", "clutch: the stylus stays while the mouse moves", nil},
	{"Esc", "closes what is open; then releases the stylus, until a click on the scene (with a device: force off at once)",
		[]keystroke{{key: glfw.KeyEscape, act: &action{(*app).escape}, in: inScene | inGallery}}},
	{},
	{"Alt + left button, drag", "turns the tool (also the arrow keys); after T it turns to the surface by itself again",
		[]keystroke{on(glfw.KeyT, func(a *app) { a.viewport.resetTurn() })}},
	{"B + left button, drag", "paints where a soft body is held (Shift: frees); the panel then offers to hold it there", nil},
	{"Right button, drag", "orbits the camera (also Shift + arrow keys)", nil},
	{"Middle button, drag", "pans (also Shift + right)", nil},
	{"Ctrl + wheel,  + / −", "zooms", nil},
	{"Z", "zooms on the contact, and back", []keystroke{on(glfw.KeyZ, func(a *app) { a.viewport.toggleZoom() })}},
	{"R", "resets the view", []keystroke{{key: glfw.KeyR, act: resetView}}},
	{},
	{"1 … 4", "shaded, edges, wireframe, transparent",
		each(func(a *app, i int) { a.viewport.setMode(i) }, glfw.Key1, glfw.Key2, glfw.Key3, glfw.Key4)},
	{"5", "colours: the next field, such as von Mises stress, pressure, displacement, strain; then the bodies' own",
		[]keystroke{on(glfw.Key5, func(a *app) { a.viewport.nextField() })}},
	{"P,  N", "pauses the simulation; makes one step", []keystroke{{key: glfw.KeyP, act: pause}, {key: glfw.KeyN, act: stepOnce}}},
	{"Backspace", "resets the objects", []keystroke{{key: glfw.KeyBackspace, act: resetObjects}}},
	{"Tab,  Shift + Tab", "panel on / off, its edge can be dragged; panel and plots on / off",
		[]keystroke{{key: glfw.KeyTab, with: withShift, act: &action{func(a *app) { a.panel.column.bare = !a.panel.column.bare }}},
			on(glfw.KeyTab, func(a *app) { a.panel.column.fold() })}},
	{"Ctrl + Z,  Ctrl + Shift + Z", "takes back the last change of the panel; makes it again",
		[]keystroke{{key: glfw.KeyZ, with: withCtrl | withShift, act: redo}, {key: glfw.KeyY, with: withCtrl, act: redo},
			{key: glfw.KeyZ, with: withCtrl, act: &action{func(a *app) { a.changes.undo() }}}}},
	{"Ctrl + F", "searches the panel", []keystroke{{key: glfw.KeyF, with: withCtrl, act: &action{func(a *app) { a.panel.search() }}}}},
	{"F2, F3, F4", "slots A, B, C: three sets of parameters (also the stylus's second button, where no switch has it)",
		each(func(a *app, i int) { a.changes.turnSlot(i) }, glfw.KeyF2, glfw.KeyF3, glfw.KeyF4)},
	{"F5, F6, F7, F10", "front, left, top, corner",
		each(func(a *app, i int) { a.viewport.standardView(i) }, glfw.KeyF5, glfw.KeyF6, glfw.KeyF7, glfw.KeyF10)},
	{"Double-click on a plot", "gives it all the room, and back (Esc); the wheel over it shows less or more of the time", nil},
	{"G,  C", "plots on / off; their other page: solvers compared",
		[]keystroke{on(glfw.KeyG, func(a *app) { a.plots.shown = !a.plots.shown }), on(glfw.KeyC, func(a *app) { a.plots.turnPage() })}},
	{"Ctrl + O,  Ctrl + S", "opens a file; saves the scene with the panel's values",
		[]keystroke{{key: glfw.KeyO, with: withCtrl, act: openFiles, in: inScene | inGallery}, {key: glfw.KeyS, with: withCtrl, act: saveScene}}},
	{"Home", "the gallery: the start page with all scenes", []keystroke{{key: glfw.KeyHome, act: openGallery}}},
	{"F11", "full screen on / off", []keystroke{{key: glfw.KeyF11, act: &action{func(a *app) { a.win.full() }}, in: everywhere}}},
	{"F12", "saves a screenshot", []keystroke{{key: glfw.KeyF12, act: shoot, in: everywhere}}},
	{"F8", "begins a recording, or ends it", []keystroke{on(glfw.KeyF8, func(a *app) { a.haptic.toggleRecording() })}},
	{"Space,  ,  .", "of a recording: its hand moves or rests; a hundredth of a second back, on",
		[]keystroke{on(glfw.KeySpace, func(a *app) { a.timeline.playOn() }),
			on(glfw.KeyComma, func(a *app) { a.timeline.playStepBy(-1) }), on(glfw.KeyPeriod, func(a *app) { a.timeline.playStepBy(1) })}},
	{"Ctrl + E", "begins an export for other programs, or ends it",
		[]keystroke{{key: glfw.KeyE, with: withCtrl, act: &action{func(a *app) { a.library.toggleExport() }}}}},
	{"F9", "saves the last minute of the haptic loop", []keystroke{on(glfw.KeyF9, func(a *app) { a.haptic.saveFlight() })}},
	{"Arrows over a slider", "finer; up and down take larger steps", nil},
	{"Ctrl + = / −", "larger / smaller text",
		[]keystroke{{key: glfw.KeyEqual, with: withCtrl, act: largerText}, {key: glfw.KeyKPAdd, with: withCtrl, act: largerText},
			{key: glfw.KeyMinus, with: withCtrl, act: smallerText}, {key: glfw.KeyKPSubtract, with: withCtrl, act: smallerText}}},
	{"Ctrl + Q", "ends the program", []keystroke{{key: glfw.KeyQ, with: withCtrl, act: quit, in: everywhere}}},
	{"H,  F1", "this help", []keystroke{{key: glfw.KeyH, act: toggleHelp}, {key: glfw.KeyF1, act: toggleHelp}}},
}

// Bindings are the window's keys and what they do, for the reference; empty ones part groups.
func Bindings() (all [][2]string) {
	for _, b := range bindings {
		all = append(all, [2]string{b.keys, b.does})
	}
	return all
}

// actionOf is what a key does in a place. A keystroke with Shift comes before the same one without: Shift alone changes
// nothing else.
func actionOf(code int, with mods, in place) *action {
	for i := range bindings {
		for _, s := range bindings[i].strokes {
			if s.in == 0 {
				s.in = inScene
			}
			if int(s.key) == code && s.in&in != 0 && s.with&withCtrl == with&withCtrl && s.with&^with == 0 {
				return s.act
			}
		}
	}
	return nil
}

// helpCard lists every binding, over everything, as large as the window allows. What does not fit scrolls, by wheel or
// keys.
func (g *gui) helpCard() {
	w := float32(g.width)
	padX, padY, bar := g.px(20), g.px(14), imgui.CurrentStyle().ItemSpacing().X+g.px(11)
	keys := g.px(helpKeys)
	columns := pick(w >= g.px(1.8*helpWide), 2, 1) // as many as it takes to fit the usual window
	wide := min(g.px(helpWide)*float32(columns), w-g.px(24)-2*padX-bar)
	if each := wide / float32(columns); each < 2.2*keys { // a large text in a small window
		keys = each / 2.2
	}
	least, pad := imgui.Vec2{X: wide + 2*padX + bar, Y: g.px(80)}, imgui.Vec2{X: padX, Y: padY}
	g.centred("help", least, pad, cardFlags&^imgui.WindowFlagsNoScrollbar, func() {
		g.scrollHelp()
		imgui.PushTextWrapPosV(padX + wide)
		g.write(g.fonts.bold, inkColor, "Mouse and keys")
		imgui.SameLine()
		g.dim("  H or Esc closes this.")
		imgui.Spacing()
		if imgui.BeginTableV("bindings", columns, imgui.TableFlagsSizingStretchSame, imgui.Vec2{X: wide}, 0) {
			imgui.TableNextColumn()
			for i, b := range bindings {
				switch {
				case b.keys != "":
					helpLine(g, &b, keys)
				case columns > 1 && i > len(bindings)/3 && i < len(bindings)/2:
					imgui.TableNextColumn()
				default:
					imgui.Spacing()
					if columns == 1 { // it goes through all of them
						imgui.Separator()
					}
					imgui.Spacing()
				}
			}
			imgui.EndTable()
		}
		imgui.Spacing()
		g.dim("Panel: drag a value; Ctrl+click or double-click types one; right-click resets it.")
		g.mark("help/end")
		imgui.PopTextWrapPos()
	})
}

// helpLine is the line of one binding, with so much room for its keys.
func helpLine(g *gui, b *binding, keys float32) {
	x := imgui.CursorPosX()
	imgui.PushTextWrapPosV(x + keys - g.px(8))
	g.colored(accentColor, b.keys)
	imgui.PopTextWrapPos()
	imgui.SameLineV(keys, 0)
	imgui.PushTextWrapPosV(0)
	imgui.Text(b.does)
	imgui.PopTextWrapPos()
}

// Widths of the help and of its column of keys, pixels at scale 1.
const (
	helpWide = 620.0
	helpKeys = 192.0
)

// scrollHelp lets the keys scroll the help.
func (g *gui) scrollHelp() {
	step := imgui.TextLineHeight() * 3
	for _, k := range [...]struct {
		key int
		by  float32
	}{{keyUp, -step}, {keyDown, step}, {keyPageUp, -5 * step}, {keyPageDown, 5 * step}} {
		if imgui.IsKeyPressed(k.key) {
			imgui.SetScrollY(min(max(imgui.ScrollY()+k.by, 0), imgui.ScrollMaxY()))
		}
	}
}

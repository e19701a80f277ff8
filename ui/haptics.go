package ui

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/haptics"
	"hapco/physics"
)

// The controls of the haptic loop.
var (
	ctlDevice = control{label: "Device",
		about: "What drives the stylus."}
	ctlHand = control{label: "Hand",
		about: "The tool that the mouse moves, and whose force and device the panel shows (M). The other stays where its hand left it, or follows a device of its own (--second-device)."}
	ctlCoupling = control{label: "Coupling", key: "device.coupling",
		about:  "What ties the device to the stylus: nothing, or a spring and damper with six degrees of freedom that bound the stiffness the hand can meet, however stiff the bodies are.",
		thesis: "fig. 4.21 (direct); the conclusion of 4.5 asks for the virtual one"}
	ctlCouplingStiffness = control{label: "Coupling stiffness", key: "device.coupling_stiffness", symbol: "K",
		about:  "Spring of the virtual coupling. Stable while K < (b + B) / (T/2 + t_d): b the device's viscous friction, B the damping below, T the period, t_d the delay [Gil and Hulin]. No more than the device renders.",
		thesis: "4.5, stability of the coupling",
		unit:   stiffness, bounds: bounds{Min: 10, Max: 5e3, Log: true, Floor: 1e-2, Ceil: 1e7}}
	ctlCouplingDamping = control{label: "Coupling damping", key: "device.coupling_damping", symbol: "B",
		about: "Damper of the virtual coupling. More of it allows a stiffer spring, until the delay and the encoder's steps make it rattle.",
		unit:  damping, bounds: bounds{Min: 0.01, Max: 50, Log: true, Floor: 1e-6, Ceil: 1e4}}
	ctlMargin = control{label: "Stability margin",
		about: "Largest stable stiffness over the coupling's: below 1 the loop may oscillate, from 2 on it is at ease."}
	ctlPassive = control{label: "Passive / quantum",
		about: "K up to which the coupling alone is passive, K T/2 + B < b [Colgate and Schenkel], and up to which the encoder's steps D cause no limit cycle against the dry friction c, K < 2 c/D [Abbott and Okamura]. Beyond the first the passivity controller does the rest."}
	ctlEnergy = control{label: "Energy",
		about:  "Energy that the loop has absorbed since contact began, at the device's port (time-domain passivity observer). Green: absorbed, as a passive body does. Red: generated; the controller then damps by α until it is paid back. The mark is the lowest of the last five seconds.",
		thesis: "what the bounces of 4.5 lack"}
	ctlRealTime = control{label: "Real time",
		about: "What the haptic loop's thread obtained from the operating system."}
	ctlWakeUp = control{label: "Wake-up / work",
		about: "Longest delay between a tick's deadline and its begin, and longest time from there to the force, in the last second."}
	ctlMissed = control{label: "Missed ticks",
		about: "Deadlines that the haptic loop missed since it started."}
	ctlDeadMan = control{label: "Dead-man button", key: "device.dead_man",
		about: "Button of the stylus that must be held for force. Letting go fades it out."}
)

// flagAbouts say what each intervention does, by bit.
var flagAbouts = [len(haptics.FlagNames)]string{
	"The device's reading was not a pose: force released.",
	"The contact force was not finite: force released.",
	"A contact's forces could not be found: that contact was left out.",
	"Physics has not answered for too long: force fades, and comes back when it does.",
	"The hand is faster than the device stands: force fades.",
	"The force was longer than the largest one allowed: cut, keeping its direction (4.21).",
	"Long strong forces: cut to what the motors stand for ever.",
	"The force rose or fell too fast: slowed.",
	"Force comes in slowly after a start, a release or a loss.",
	"The ramp waits until physics has answered and the stylus is off the tissue, or its main button is pressed.",
	"The dead-man button is not held.",
	"The clutch is open: the stylus stays while the hand moves.",
	"Force is switched off.",
	"Released by the panic button: no force.",
	"The passivity controller took out energy that the loop had generated.",
	"The contact solver ran out of its time in a tick: the last iterate was used.",
	"Between two contact models: the difference fades over a physics period.",
	"The device does not answer: no force.",
}

// flagColor is what an active intervention looks like: bad, a limit, or routine.
func flagColor(f haptics.Flags) uint32 {
	switch {
	case f&(haptics.BadInput|haptics.BadForce|haptics.BadModel|haptics.DeviceLost|haptics.Released) != 0:
		return badColor
	case f&(haptics.Ramping|haptics.Clutched|haptics.Blended|haptics.Waiting|haptics.Damped|haptics.Disabled) != 0:
		return accentColor
	}
	return warnColor
}

// energyMeter remembers what a display at 60 Hz would not show of a loop at 1 kHz.
type energyMeter struct {
	lowest  float64 // J, of the last five seconds
	expires time.Time
	flags   [len(haptics.FlagNames)]time.Time // when each was last seen
	counts  [len(haptics.FlagNames)]uint64
}

const (
	meterHold = 5 * time.Second
	flagHold  = 400 * time.Millisecond // an intervention of one tick is seen
)

// haptic is what the window tells of the haptic loop, and asks of it.
type haptic struct {
	base
	viewport   *viewport
	meter      energyMeter
	springHome float64   // stiffness of the pointer's spring at the start, N/m; 0: not known
	told       string    // the device's last message
	toldAt     time.Time // when
	buttons    uint32    // of the stylus, at the last look
}

// anew forgets what was of another hand.
func (hp *haptic) anew() { hp.springHome, hp.buttons = 0, 0 }

// pressed are the buttons of the stylus that went down since the last look.
func (hp *haptic) pressed() uint32 {
	now := hp.scene.status.Last.Buttons
	pressed := now &^ hp.buttons
	hp.buttons = now
	return pressed
}

// read takes the newest of the haptic loop, and its notices.
func (hp *haptic) read(now time.Time) {
	if message := hp.scene.status.Message; message != hp.told {
		hp.told, hp.toldAt = message, now
	}
	st, m := &hp.scene.status.Stats, &hp.meter
	if e := st.Last.Energy; e < m.lowest || now.After(m.expires) {
		m.lowest, m.expires = e, now.Add(meterHold)
	}
	for i := range m.flags {
		if st.Last.Flags&(1<<i) != 0 || st.Counts[i] > m.counts[i] {
			m.flags[i] = now
		}
		m.counts[i] = st.Counts[i]
	}
	for {
		text, bad, ok := hp.scene.session.Servo().Notice()
		switch {
		case !ok:
			return
		case bad:
			hp.warn(text)
		default:
			hp.sayPath("Saved " + text)
		}
	}
}

func (hp *haptic) saveFlight() {
	hp.scene.session.Servo().SaveFlight()
	hp.say("Writing the last minute of the haptic loop …")
}

// panicKey lets go of the hand when Escape goes down, whatever else is going on.
func (hp *haptic) panicKey() {
	if !hp.scene.status.Driven {
		return // the mouse's Escape only puts the stylus down
	}
	for _, e := range hp.win.in.keyEdges {
		if e.down && e.key == keyEscape {
			hp.scene.session.Servo().Release()
		}
	}
}

// releaseButton is always in sight while motors hold the hand.
func (hp *haptic) releaseButton() {
	if hp.scene.session == nil || !hp.scene.status.Driven {
		return
	}
	g := hp.gui
	name, about := "RELEASE   (Esc)##Release", "Drops the force on the hand at once, and keeps it off."
	hex, over := uint32(0xa83a2c), uint32(0xc24a3a)
	if hp.scene.status.Released {
		name, about = "Take hold again##Release", "Allows force again. It comes once the stylus is off the tissue, or its main button is pressed, and ramps in."
		hex, over = 0x2c7a5b, 0x379670
	}
	imgui.PushStyleColor(imgui.StyleColorButton, rgb(hex))
	imgui.PushStyleColor(imgui.StyleColorButtonHovered, rgb(over))
	imgui.PushStyleColor(imgui.StyleColorButtonActive, rgb(over))
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{X: g.px(8), Y: g.px(9)})
	imgui.PushFont(g.fonts.bold)
	clicked := imgui.ButtonV(name, imgui.Vec2{X: -1})
	imgui.PopFont()
	imgui.PopStyleVar()
	imgui.PopStyleColorV(3)
	g.mark("Release")
	g.hint(about)
	if clicked {
		if hp.scene.status.Released {
			hp.scene.session.Servo().Resume()
		} else {
			hp.scene.session.Servo().Release()
		}
	}
	imgui.Spacing()
}

// section is the loop's in the panel, but for its last buttons. It tells whether it is open.
func (hp *haptic) section() (open bool) {
	g := hp.gui
	if !g.section("Haptics", true) {
		return false
	}
	hp.handRow()
	sent := hp.scene.sent()
	color := pick(sent > 0 && hp.scene.status.Last.Flags&haptics.Saturated != 0, warnColor, inkColor)
	g.readout(&ctlHapticForce, force.text(sent), color)
	hp.numberRows("Haptics")
	servo := hp.scene.session.Servo()
	p, home := servo.Params(), servo.DefaultParams()
	changed := g.number(&ctlMaxForce, &p.MaxForce, home.MaxForce)
	if g.number(&ctlReducer, &p.Reducer, home.Reducer) || changed {
		servo.SetParams(p)
	}
	ptr := hp.scene.session.Pointer()
	if ptr != nil {
		k := ptr.Stiffness()
		if hp.springHome == 0 {
			hp.springHome = k
		}
		if g.number(&ctlStiffness, &k, hp.springHome) {
			ptr.SetStiffness(k)
		}
	}
	if hp.scene.status.Motors {
		hp.couplingRows()
	}
	g.readout(&ctlDevice, hp.scene.status.Device, inkColor)
	hp.loopRows()
	if hp.told != "" {
		g.paragraph(warnColor, hp.told)
	}
	hp.interventions()
	hp.recordButton()
	return true
}

func (hp *haptic) flightButton() {
	if hp.gui.button("Save flight   (F9)##Save flight", "Writes the last minute of the haptic loop, every tick, to an MCAP file for 'hapco replay', Foxglove or PlotJuggler. It is also written by itself on a force spike and on a burst of missed deadlines.", -1) {
		hp.saveFlight()
	}
}

// handRow chooses the hand that mouse and panel are about, where there are two.
func (hp *haptic) handRow() {
	s, ok := hp.scene.session.(TwoHanded)
	if !ok {
		return
	}
	if names := s.Hands(); len(names) > 1 {
		second := s.InHand() == 1
		if hp.gui.either(&ctlHand, &second, [2]string{"first", "second"}, [2]string{"Its device: " + names[0] + ".", "Its device: " + names[1] + "."}) {
			hp.do(otherHand)
		}
	}
}

// couplingRows are what only a device with motors has. They go straight to the haptic loop, and act from its next tick
// on.
func (hp *haptic) couplingRows() {
	g, servo := hp.gui, hp.scene.session.Servo()
	p, home := servo.Params(), servo.DefaultParams()
	changed := false

	virtual := p.Coupling == haptics.Virtual
	if g.either(&ctlCoupling, &virtual, [2]string{"direct", "virtual"}, [2]string{
		"The stylus is where the device is: the hand meets the bodies' own stiffness (fig. 4.21).",
		"A spring and damper between device and stylus."}) {
		p.Coupling, changed = pick(virtual, haptics.Virtual, haptics.Direct), true
	}
	g.beginOff(!virtual)
	changed = g.number(&ctlCouplingStiffness, &p.Stiffness, home.Stiffness) || changed
	changed = g.number(&ctlCouplingDamping, &p.Damping, home.Damping) || changed
	g.endOff()
	gains := &hp.scene.status.Gains
	text, color := marginText(gains, virtual)
	g.readout(&ctlMargin, text, color)
	if virtual {
		g.readout(&ctlPassive, stiffness.text(gains.PassiveLimit)+" / "+stiffness.text(gains.QuantumLimit), dimColor)
	}

	hp.energyRow(p.Passivity)
	changed = hp.deadManRow(&p.DeadMan) || changed
	about := "Off, the force fades out within a tenth of a second; on, it comes back the same way."
	changed = g.check("Force on", about, &p.Enabled) || changed
	imgui.SameLine()
	about = "Takes out, by damping, the energy that sampling, delay and solver would add."
	changed = g.check("Passivity controller", about, &p.Passivity) || changed
	if changed {
		servo.SetParams(p)
	}
}

// marginText writes how far the coupling is from the edge.
func marginText(g *haptics.Gains, virtual bool) (text string, color uint32) {
	limit := stiffness.text(g.StableLimit)
	if !virtual {
		return "the bodies' own; device: " + limit, dimColor
	}
	color = goodColor
	switch {
	case !(g.Margin >= 1):
		color = badColor
	case g.Margin < 1.5:
		color = warnColor
	}
	return digits(g.Margin, 2) + " ×, stable to " + limit, color
}

// The meter's scale, J: in proportion below the knee, by the logarithm above.
const (
	energyKnee = 1e-5
	energyTop  = 0.1
)

// energyPlace is where on the meter an energy lies, -1..1.
func energyPlace(e float64) float64 {
	p := math.Log1p(math.Abs(e)/energyKnee) / math.Log1p(energyTop/energyKnee)
	return math.Copysign(min(p, 1), e)
}

// energyRow draws the passivity observer's account.
func (hp *haptic) energyRow(controlled bool) {
	g, last := hp.gui, &hp.scene.status.Last
	g.label(&ctlEnergy)
	size := imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: imgui.FrameHeight()}
	imgui.InvisibleButton("##energy", size)
	g.mark(ctlEnergy.label)
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	list := imgui.WindowDrawList()
	list.AddRectFilledV(lo, hi, packed(frameColor), g.px(3), imgui.DrawFlagsNone)
	mid := lo.X + 0.35*(hi.X-lo.X)
	place := func(e float64) float32 {
		p := float32(energyPlace(e))
		if p < 0 {
			return mid + p*(mid-lo.X)
		}
		return mid + p*(hi.X-mid)
	}
	x, color := place(last.Energy), uint32(0x2c7a5b)
	if last.Energy < 0 {
		color = 0xa83a2c
	}
	list.AddRectFilled(imgui.Vec2{X: min(x, mid), Y: lo.Y + g.px(2)}, imgui.Vec2{X: max(x, mid), Y: hi.Y - g.px(2)}, packed(color))
	list.AddRectFilled(imgui.Vec2{X: mid - g.px(0.5), Y: lo.Y}, imgui.Vec2{X: mid + g.px(0.5), Y: hi.Y}, packed(dimColor))
	if hp.meter.lowest < 0 {
		m := place(hp.meter.lowest)
		list.AddRectFilled(imgui.Vec2{X: m - g.px(1), Y: lo.Y}, imgui.Vec2{X: m + g.px(1), Y: hi.Y}, packed(badColor))
	}
	text := energy.text(last.Energy)
	if last.Alpha > 0 {
		text = "α " + damping.text(last.Alpha) + "   " + text
	} else if !controlled {
		text = "watched only   " + text
	}
	w := imgui.CalcTextSize(text, false, 0)
	list.AddText(imgui.Vec2{X: hi.X - w.X - g.px(7), Y: (lo.Y + hi.Y - w.Y) / 2}, packed(inkColor), text)
	g.tip(&ctlEnergy, "")
}

// deadManNames are the buttons of a stylus, by bit after the first.
var deadManNames = []physics.Choice{{Name: "none"}, {Name: "main button"}, {Name: "second button"}, {Name: "third button"},
	{Name: "fourth button"}}

func (hp *haptic) deadManRow(mask *uint32) (changed bool) {
	selected := 0
	if first := bits.TrailingZeros32(*mask) + 1; first < len(deadManNames) {
		selected = first
	}
	if !hp.gui.choice(&ctlDeadMan, &selected, deadManNames) {
		return false
	}
	*mask = 1 << selected >> 1 // none: 0
	return true
}

// loopRows tell how punctual the loop is.
func (hp *haptic) loopRows() {
	g, st := hp.gui, &hp.scene.status.Stats
	if st.RealTime != "" {
		c := ctlRealTime
		c.about += " " + st.RealTime + "."
		short := strings.TrimPrefix(st.RealTime, "in the ")
		if cut := strings.IndexAny(short, ":;("); cut > 0 {
			short = strings.TrimSpace(short[:cut])
		}
		g.readout(&c, short, pick(strings.HasPrefix(short, "normal"), warnColor, inkColor))
	}
	g.readout(&ctlWakeUp, duration.text(st.Late.Seconds())+" / "+duration.text(st.Work.Seconds()), inkColor)
	missed := hp.scene.status.Missed
	g.readout(&ctlMissed, strconv.FormatUint(missed, 10), pick(missed > 0, inkColor, dimColor))
}

// interventions shows what acted on the force: lit now, and how often since the start.
func (hp *haptic) interventions() {
	g, st, now := hp.gui, &hp.scene.status.Stats, time.Now()
	imgui.PushFont(g.fonts.small)
	gap := g.px(4)
	right := imgui.CursorScreenPos().X + imgui.ContentRegionAvail().X
	list := imgui.WindowDrawList()
	imgui.PushStyleVarVec2(imgui.StyleVarItemSpacing, imgui.Vec2{X: gap, Y: gap})
	end := float32(0)
	for i, name := range haptics.FlagNames {
		text := name
		if st.Counts[i] > 0 {
			text = name + " " + count(st.Counts[i])
		}
		size := imgui.CalcTextSize(text, false, 0)
		size.X += g.px(12)
		size.Y += g.px(4)
		if i > 0 && end+gap+size.X <= right {
			imgui.SameLineV(0, gap)
		}
		imgui.InvisibleButton("##flag"+name, size)
		g.mark("flag/" + name)
		lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
		end = hi.X
		back, ink := uint32(0x222831), pick(st.Counts[i] > 0, dimColor, faintColor)
		if now.Sub(hp.meter.flags[i]) < flagHold {
			back, ink = flagColor(1<<i), deepColor
		}
		list.AddRectFilledV(lo, hi, packed(back), g.px(4), imgui.DrawFlagsNone)
		list.AddText(imgui.Vec2{X: lo.X + g.px(6), Y: lo.Y + g.px(2)}, packed(ink), text)
		if imgui.IsItemHovered() {
			imgui.PushFont(g.fonts.text)
			g.hint(flagAbouts[i] + fmt.Sprintf(" Began %d times.", st.Counts[i]))
			imgui.PopFont()
		}
	}
	imgui.PopStyleVar()
	imgui.PopFont()
}

// count writes a number in at most four places.
func count(n uint64) string {
	switch {
	case n < 10000:
		return strconv.FormatUint(n, 10)
	case n < 10e6:
		return strconv.FormatUint(n/1000, 10) + "k"
	}
	return strconv.FormatUint(n/1e6, 10) + "M"
}

// traceServo adds the haptic loop to what a trace tells.
func (hp *haptic) traceServo(v map[string]any) {
	p := hp.scene.session.Servo().Params()
	v["device.max_force"], v["device.reducer"] = p.MaxForce, p.Reducer
	v["device.coupling"], v["device.passivity"] = p.Coupling.String(), p.Passivity
	v["device.coupling_stiffness"], v["device.coupling_damping"] = p.Stiffness, p.Damping
	v["device.dead_man"], v["force_on"], v["released"] = p.DeadMan, p.Enabled, hp.scene.status.Released
	v["margin"] = finite(hp.scene.status.Gains.Margin)
}

package ui

import (
	"context"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics"
	"hapco/physics/files/setting"
)

// Session is one opened scene with its loops running. Methods are called from the main thread and must return at once;
// none may wait for another loop.
type Session interface {
	// Common is what the scene file says of every kind of world. It does not change.
	Common() *setting.Setting
	// Title names the scene, e.g. "liver".
	Title() string
	// Info describes the world. It never changes.
	Info() *physics.Info
	// View is the view that the scene asks for. The zero value says that it asks for none; the window then frames the
	// bodies itself.
	View() View
	// Seen is the newest frame and whether it is newer than that of the last call. It stays valid and unchanged until
	// the next call. It is nil before the first step.
	Seen() (f *physics.Frame, newer bool)
	// SetWant says what frames should hold of what is there on demand only.
	SetWant(physics.Want)
	// SetGrasp says what the stylus that is in hand holds, from the next step on.
	SetGrasp(physics.Grasp)
	// Stalled is for how long the world has not answered, where that is long; else 0.
	Stalled() time.Duration

	// Keys are the world's live parameters. Their Get and Set are not for the window.
	Keys() []physics.Key
	// SetValues publishes a value for every key; it takes effect at the next step. The session copies what it keeps.
	SetValues(v []float64)
	// Pause stops the steps, or lets them go on.
	Pause(on bool)
	// StepOnce lets one step through while paused.
	StepOnce()
	// ResetObjects puts every body back into its undeformed place.
	ResetObjects()

	// Haptics tells how the haptic loop and its device are doing.
	Haptics() HapticsStatus
	// Pointer is the mouse's hand, nil when a real device drives the stylus.
	Pointer() Pointer
	// Servo is the haptic loop for the panel.
	Servo() Servo

	// Close stops the loops, releases the device and waits for both. Closed tells whether it was called: an Opener does
	// where a new scene needs the device.
	Close() error
	Closed() bool
}

// TwoHanded is a session that may have two hands, each with a tool and a device of its own. What the session tells of
// the stylus, the pointer and the haptic loop is of the one in hand; Release lets go of both.
type TwoHanded interface {
	// Hands are the devices of the hands: one or two.
	Hands() []string
	// InHand is the place of the one that the window is about, TakeHand chooses it.
	InHand() int
	TakeHand(i int)
}

// View places the camera.
type View = setting.Camera

// Pointer is the hand that the mouse moves: a point tied to the stylus by a spring, whose stretch is the force that the
// hand would feel.
type Pointer interface {
	// SetHand says where the hand is, world, m.
	SetHand(position mgl64.Vec3)
	// Hand is where the hand is, world, m.
	Hand() mgl64.Vec3
	// Rotation is how the hand holds the stylus, world; SetRotation turns it.
	Rotation() mgl64.Quat
	SetRotation(q mgl64.Quat)
	// SetClutch opens the clutch: the stylus stays where it is.
	SetClutch(open bool)
	// Stiffness is that of the spring between hand and stylus, N/m.
	Stiffness() float64
	// SetStiffness changes it, N/m.
	SetStiffness(stiffness float64)
}

// HapticsStatus is a reading of the haptic loop: the loop's own account, without what is not sent any more.
type HapticsStatus struct {
	haptics.Stats

	Motors   bool // the device has motors: coupling, passivity and release matter
	Driven   bool // some hand's device has motors: letting go matters
	Released bool // a panic release holds
}

// Servo is what the panel may ask of the haptic loop.
type Servo interface {
	// Params are the loop's parameters in force, DefaultParams those that device and scene ask for. MaxForce and
	// Reducer follow tissue.Params.
	Params() haptics.Params
	DefaultParams() haptics.Params
	// SetParams replaces them. The session may cap them to what the device renders, and ignores what does not Validate.
	SetParams(haptics.Params)
	// Release drops the force within a tick and keeps it off until Resume.
	Release()
	Resume()
	// Periods are the times between ticks since the start.
	Periods() haptics.Periods
	// SaveFlight writes the last minute of ticks to a file, soon.
	SaveFlight()
	// Notice is the next line for the user, such as a file that was written.
	Notice() (text string, bad, ok bool)
}

// Scene names a scene that the picker offers.
type Scene struct {
	Name    string // what Opener takes, e.g. "liver" or a file's path
	Title   string
	About   string // one line
	Group   string // heading in the gallery; "": the last one
	Tags    string // words by which the search finds it, besides those above
	Picture []byte // JPEG; nil: none
}

// Opener opens a scene with its loops running. It is called on a goroutine of its own while the old scene stays on
// screen, perhaps beside an earlier call that was given up; progress (0..1, and what is being done) may be called from
// any goroutine. It should give up when ctx ends.
type Opener func(ctx context.Context, scene string, progress func(fraction float64, what string)) (Session, error)

// Options tell Run what to show.
type Options struct {
	Scenes []Scene // for the scene picker and the gallery
	Scene  string  // the first one; must be a name that Open knows; "": the gallery
	Open   Opener
	Files  Files
	Study  Study // that the window leads through, instead of showing Scene; nil: none

	Width, Height int     // of the window, screen coordinates; 0: 1280x800
	UIScale       float64 // multiplies the monitor's content scale; 0: HAPCO_UI_SCALE, else 1

	Memory  string  // file in which window, view and recent files are kept; "": nowhere
	Answers string  // file to which answers to a scene's question are added; "": nowhere
	Idle    float64 // time without a touch after which the gallery plays by itself, s; 0: never

	Seconds    float64 // close after this long, counted from the first drawn frame of the world; 0: never
	Screenshot string  // PNG of scene and panel, written just before the window closes; "": none

	// Script, where given, is called on the main thread before each frame is built. The mouse then leaves the stylus
	// alone.
	Script func(*Frame)
}

// Frame is what a script sees and may do in one frame.
type Frame struct {
	Time    float64        // since the first picture, s
	Number  int            // frames drawn since then
	Session Session        // the scene on screen
	Seen    *physics.Frame // newest, valid in this frame only
	Haptics HapticsStatus  // newest

	app *app
}

// Open puts another scene on screen: the script sees it in a later frame.
func (f *Frame) Open(scene string) { f.app.wanted = scene }

// Scene is the name under which the scene on screen was opened.
func (f *Frame) Scene() string { return f.app.scene.name }

// SavePicture writes the scene alone, as JPEG of that many pixels.
func (f *Frame) SavePicture(path string, width, height int) error {
	return f.app.viewport.picture(path, width, height)
}

// Close makes Run return after this frame.
func (f *Frame) Close() { f.app.do(quit) }

package haptics

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// State is one reading of a device.
type State struct {
	Pose     frame.Pose // of the stylus in the scene's world, m, after scaling and clutch
	Velocity mgl64.Vec3 // world, m/s
	Buttons  uint32     // bit 0: the stylus's main button
}

// Device is a stylus: it tells where it is and takes a force. Read and Write
// are called once a tick from the servo thread and must neither block nor
// allocate. Forces arrive in world axes, already limited by the safety chain.
type Device interface {
	Name() string
	Read() State
	Write(force mgl64.Vec3) error
	Close() error // sends zero force first
}

package haply

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

type vec3 struct {
	X, Y, Z *float64
}

func (v *vec3) values() ([3]float64, bool) {
	if v == nil || v.X == nil || v.Y == nil || v.Z == nil {
		return [3]float64{}, false
	}
	return [3]float64{*v.X, *v.Y, *v.Z}, true
}

type quat struct {
	W, X, Y, Z *float64
}

// message is the part of the service's messages that is used. Pointers tell what was said from what was left out.
type message struct {
	SessionID *json.Number `json:"session_id"`
	Inverse3  []struct {
		DeviceID string `json:"device_id"`
		State    *struct {
			Position *vec3 `json:"cursor_position"`
			Velocity *vec3 `json:"cursor_velocity"`
			Force    *vec3 `json:"current_cursor_force"`
		} `json:"state"`
		Status *struct {
			Calibrated *bool `json:"calibrated"`
			Power      *bool `json:"power_supply"`
			Ready      *bool `json:"ready"`
		} `json:"status"`
	} `json:"inverse3"`
	Wireless []grip `json:"wireless_verse_grip"`
	Wired    []grip `json:"verse_grip"`
}

type grip struct {
	State *struct {
		Orientation *quat `json:"orientation"`
		Buttons     *struct {
			A, B, C *bool
		} `json:"buttons"`
		Button *bool `json:"button"`
	} `json:"state"`
}

// reading is one message in the service's axes.
type reading struct {
	device  string // id; "" when the message names no Inverse3
	session bool   // the first message of a service of 3.5 and later

	position, velocity [3]float64 // m, m/s
	orientation        [4]float64 // w, x, y, z, unit; only with hasGrip
	hasPosition        bool
	hasGrip            bool
	buttons            uint32
	hasButtons         bool

	applied    [3]float64 // N, what the service says it does
	hasApplied bool

	// nil: not said in this message
	calibrated, power, ready *bool
}

var errNoDevice = errors.New("no Inverse3 in it")

// furthest is a bound on positions, m, and speeds, m/s: beyond it a number is an error, not a place. The arm reaches
// about 0.3 m.
const furthest = 100

// parse reads a message. want is the id of the device, "" the first one there. The message may leave out anything but
// the device; numbers that are there must make sense.
func parse(data []byte, want string) (reading, error) {
	var m message
	var r reading
	if err := json.Unmarshal(data, &m); err != nil {
		return r, fmt.Errorf("not a message of the service: %w", err)
	}
	r.session = m.SessionID != nil
	at := -1
	for i := range m.Inverse3 {
		if id := m.Inverse3[i].DeviceID; id != "" && (want == "" || id == want) {
			at = i
			break
		}
	}
	if at < 0 {
		return r, errNoDevice
	}
	d := &m.Inverse3[at]
	r.device = d.DeviceID
	if d.Status != nil {
		r.calibrated, r.power, r.ready = d.Status.Calibrated, d.Status.Power, d.Status.Ready
	}
	if d.State != nil {
		if d.State.Position != nil {
			if r.position, r.hasPosition = d.State.Position.values(); !r.hasPosition {
				return r, errors.New("cursor_position lacks a coordinate")
			}
		}
		r.velocity, _ = d.State.Velocity.values()
		r.applied, r.hasApplied = d.State.Force.values()
		for i := range 3 {
			if !(math.Abs(r.position[i]) <= furthest) || !(math.Abs(r.velocity[i]) <= furthest) {
				return reading{}, fmt.Errorf("cursor at %v m with %v m/s is out of all bounds", r.position, r.velocity)
			}
		}
	}
	for _, g := range m.Wireless {
		r.take(g)
	}
	if !r.hasGrip {
		for _, g := range m.Wired {
			r.take(g)
		}
	}
	return r, nil
}

// take uses the first grip that says something.
func (r *reading) take(g grip) {
	if r.hasGrip || g.State == nil {
		return
	}
	if q := g.State.Orientation; q != nil && q.W != nil && q.X != nil && q.Y != nil && q.Z != nil {
		v := [4]float64{*q.W, *q.X, *q.Y, *q.Z}
		n := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2] + v[3]*v[3])
		if math.Abs(n-1) < 0.1 {
			for i := range v {
				r.orientation[i] = v[i] / n
			}
			r.hasGrip = true
		}
	}
	if b := g.State.Buttons; b != nil {
		r.hasButtons = true
		for i, on := range []*bool{b.A, b.B, b.C} {
			if on != nil && *on {
				r.buttons |= 1 << i
			}
		}
	}
	if b := g.State.Button; b != nil {
		r.hasButtons = true
		if *b {
			r.buttons |= 1
		}
	}
}

// The two words under which services take a force.
const (
	keyVector = "vector" // 3.5 and later
	keyValues = "values" // 3.1 to 3.4
)

// appendForce writes the command for one tick to dst. f, N, in the service's axes, must be finite; device is the id as
// a JSON string. hello asks a service of 3.5 to show the program's name.
func appendForce(dst, device []byte, key string, f [3]float64, hello bool) []byte {
	dst = append(dst, '{')
	if hello {
		dst = append(dst, `"session":{"configure":{"profile":{"name":"hapco"}}},`...)
	}
	dst = append(dst, `"inverse3":[{"device_id":`...)
	dst = append(dst, device...)
	dst = append(dst, `,"commands":{"set_cursor_force":{"`...)
	dst = append(dst, key...)
	for i, axis := range [3]string{`":{"x":`, `,"y":`, `,"z":`} {
		dst = append(dst, axis...)
		dst = strconv.AppendFloat(dst, f[i], 'g', 9, 64)
	}
	return append(dst, `}}}}]}`...)
}

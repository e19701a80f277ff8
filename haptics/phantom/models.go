package phantom

import (
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
)

// model is what is known of a product without asking it. The device's own answers win over every number here, except
// friction, mass and resolution, which it does not tell.
//
// Sources: force, stiffness and torque of the haptics toolkits that support these arms (CHAI3D's device tables);
// continuous force, workspace, resolution, friction and mass from the makers' data sheets as commonly cited. Viscous
// friction 0.1 N s/m, slew 400 N/s and speed 1 m/s are this driver's own careful choice for all of them.
type model struct {
	match  string // lower-case part of the library's model name; the first that fits counts
	limits haptics.DeviceLimits
}

func box(x, y, z float64) (lo, hi mgl64.Vec3) {
	return mgl64.Vec3{-x / 2, -y / 2, -z / 2}, mgl64.Vec3{x / 2, y / 2, z / 2}
}

func product(match string, maxForce, continuous, stiffness, damping, friction, mass, step float64, x, y, z float64, torque float64) model {
	l := haptics.DeviceLimits{
		MaxForce: maxForce, ContinuousForce: continuous, Stiffness: stiffness, Damping: damping,
		Friction: friction, Mass: mass, PositionStep: step, RateHz: 1000, SensedAxes: 6, DrivenAxes: 3,
		MaxTorque: torque, ContinuousTorque: torque / 4,
		Viscous: 0.1, SlewRate: 400, MaxSpeed: 1,
	}
	if torque > 0 {
		l.DrivenAxes = 6
	}
	l.Min, l.Max = box(x, y, z)
	return model{match, l}
}

// models: N, N, N/m, N s/m, N, kg, m, m, N m.
var models = []model{
	product("touch x", 7.9, 1.75, 1000, 5, 0.06, 0.045, 0.023e-3, 0.355, 0.228, 0.190, 0),
	product("touch", 3.3, 0.88, 400, 4, 0.26, 0.045, 0.055e-3, 0.160, 0.120, 0.070, 0),
	product("omni", 3.3, 0.88, 700, 5, 0.26, 0.045, 0.055e-3, 0.160, 0.120, 0.070, 0),
	product("desktop", 7.9, 1.75, 1000, 5, 0.06, 0.045, 0.023e-3, 0.160, 0.120, 0.120, 0),
	product("premium 3.0 6dof", 22, 3.0, 1000, 5, 0.2, 0.159, 0.02e-3, 0.838, 0.584, 0.406, 0.188),
	product("premium 1.5 6dof", 8.5, 1.4, 800, 5, 0.04, 0.075, 0.03e-3, 0.381, 0.267, 0.191, 0.188),
	product("premium 3.0", 22, 3.0, 1000, 5, 0.2, 0.159, 0.02e-3, 0.838, 0.584, 0.406, 0),
	product("premium", 8.5, 1.4, 800, 5, 0.04, 0.075, 0.03e-3, 0.381, 0.267, 0.191, 0),
}

// unknownModel holds the weakest numbers of the family: safe for any of them.
var unknownModel = product("", 3.3, 0.88, 400, 4, 0.26, 0.045, 0.055e-3, 0.160, 0.120, 0.070, 0).limits

// lookup finds the product by the model name that the library gives. A name that says 6DOF without a listed size gets
// its forces but no torque: those come from the device.
func lookup(name string) (haptics.DeviceLimits, bool) {
	name = strings.ToLower(name)
	for _, m := range models {
		if strings.Contains(name, m.match) {
			return m.limits, true
		}
	}
	return unknownModel, false
}

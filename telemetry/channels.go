package telemetry

import (
	"strings"

	"hapco/haptics/record"
)

// Schemas of the messages, as JSON schema. The stylus is a type that Foxglove knows by its name, so that it draws it.
var (
	// Steps has every step of physics.
	Steps = record.Channel{Topic: "/physics", Name: "hapco.Step", Schema: object("hapco.Step",
		integer("step"), integer("tick"), integer("missed"), boolean("fresh"), boolean("placed"), boolean("reached"), number("dt_s"), number("advanced_s"), `"answers":{"type":"array","items":{"type":"integer"}}`,
		numbers("target_m"), numbers("target_xyzw"), numbers("hand_m"), numbers("hand_xyzw"), numbers("coupling"), numbers("grasp"), numbers("second_m"), numbers("second_xyzw"), numbers("force_N"), numbers("torque_Nm"), number("total_s"),
		integer("open"), integer("sticking"), integer("sliding"), named("phases_s"), named("numbers"))}
	// Parameters has all live parameters at the start and whenever one has changed.
	Parameters = record.Channel{Topic: "/parameters", Name: "hapco.Parameters", Schema: object("hapco.Parameters",
		integer("step"), `"keys":{"type":"array","items":{"type":"string"}}`, numbers("values"), named("by_key"))}
	// Contacts has the contacts, some 60 times a second.
	Contacts = record.Channel{Topic: "/contacts", Name: "hapco.Contacts", Schema: object("hapco.Contacts", integer("step"),
		`"contacts":{"type":"array","items":`+object("", integer("id"), integer("node"), `"status":{"type":"string"}`, number("friction"),
			numbers("on_impactor_m"), numbers("on_obstacle_m"), numbers("normal"), numbers("force_N"), numbers("r_N"), numbers("x_m"))+`}`)}
	// Stylus is where the stylus stands, some 60 times a second.
	Stylus = record.Channel{Topic: "/stylus", Name: "foxglove.PoseInFrame", Schema: object("foxglove.PoseInFrame", stamp,
		`"frame_id":{"type":"string"}`, `"pose":`+object("foxglove.Pose", `"position":`+object("foxglove.Vector3", number("x"), number("y"), number("z")),
			`"orientation":`+object("foxglove.Quaternion", number("x"), number("y"), number("z"), number("w"))))}
)

// All are those and the ticks of the haptic loops. A channel's place is its number on the wire: new ones come last.
var All = []*record.Channel{&record.Ticks, &Steps, &Parameters, &Contacts, &Stylus, &record.SecondTicks}

// world is the frame_id of positions: the world's axes, metres.
const world = "world"

const stamp = `"timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}`

func object(title string, properties ...string) string {
	text := `{"type":"object",`
	if title != "" {
		text += `"title":"` + title + `",`
	}
	return text + `"properties":{` + strings.Join(properties, ",") + `}}`
}

func integer(name string) string { return `"` + name + `":{"type":"integer"}` }
func number(name string) string  { return `"` + name + `":{"type":"number"}` }
func boolean(name string) string { return `"` + name + `":{"type":"boolean"}` }
func numbers(name string) string { return `"` + name + `":{"type":"array","items":{"type":"number"}}` }
func named(name string) string {
	return `"` + name + `":{"type":"object","additionalProperties":{"type":"number"}}`
}

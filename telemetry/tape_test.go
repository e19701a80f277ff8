package telemetry

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/record"
	"hapco/physics"
	"hapco/physics/frame"
)

func example() (*physics.Info, []physics.Key, *physics.Made) {
	info := &physics.Info{Numbers: []physics.Number{{Name: "iterations"}, {Name: "error"}}, Phases: []string{"contact"}}
	keys := []physics.Key{{Name: "friction"}, {Name: "liver.E"}}
	f := &physics.Frame{Numbers: []float64{7, math.NaN()}, Stylus: frame.Identity(), Contacts: []physics.Contact{{ID: 9, Status: physics.Slip, Mu: 0.3, R: [3]float64{1, 0.3, 0}}}}
	target := frame.Pose{Position: mgl64.Vec3{1. / 3, 2e-17, -0.1}, Rotation: mgl64.Quat{W: 0.6, V: mgl64.Vec3{0, 0.8, 0}}}
	m := &physics.Made{Step: 3, Tick: 41, At: time.Unix(1700000000, 5), Input: physics.Input{Target: target, Hand: target, Coupling: physics.Coupling{Stiffness: 400, Angle: 1. / 3, Limit: 3.465},
		Grasp: physics.Grasp{Number: 7, Hand: 1, At: mgl64.Vec3{1. / 7, -0.2, 3e-3}}, Dt: 0.001},
		Report: physics.Report{Reached: true, Force: mgl64.Vec3{0.1, 1. / 7, -3}, Total: time.Millisecond}, Values: []float64{0.3, 12e3}, Frame: f}
	return info, keys, m
}

// known fails where a message has a member that its schema does not name.
func known(t *testing.T, where string, schema map[string]any, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, inner := range v {
			s, ok := properties[name].(map[string]any)
			if more, any := schema["additionalProperties"].(map[string]any); !ok && any {
				s, ok = more, true
			}
			if !ok {
				t.Errorf("%s: the schema has no %s", where, name)
				continue
			}
			known(t, where+"."+name, s, inner)
		}
	case []any:
		items, ok := schema["items"].(map[string]any)
		if !ok || schema["type"] != "array" {
			t.Errorf("%s: the schema has no list", where)
			return
		}
		for _, inner := range v {
			known(t, where, items, inner)
		}
	case string, bool, float64:
		want := map[string]bool{"string": reflect.TypeOf(v).Kind() == reflect.String, "boolean": reflect.TypeOf(v).Kind() == reflect.Bool}
		_, number := v.(float64)
		want["number"], want["integer"] = number, number
		if kind, _ := schema["type"].(string); !want[kind] {
			t.Errorf("%s: %v is no %s", where, v, kind)
		}
	}
}

// channels are those of this package.
var channels = []*record.Channel{&Steps, &Parameters, &Contacts, &Stylus}

// Every message is JSON, and its schema names each of its members.
func TestMessagesFollowTheirSchemas(t *testing.T) {
	info, keys, m := example()
	told := map[string]int{}
	tape := NewTape(info, keys, func(c *record.Channel, at int64, data []byte) {
		told[c.Topic]++
		var schema, message map[string]any
		if err := json.Unmarshal([]byte(c.Schema), &schema); err != nil {
			t.Fatalf("%s: %v\n%s", c.Topic, err, c.Schema)
		}
		if err := json.Unmarshal(data, &message); err != nil {
			t.Fatalf("%s: %v\n%s", c.Topic, err, data)
		}
		if len(message) == 0 || at != m.At.UnixNano() || schema["title"] != c.Name {
			t.Errorf("%s: %s at %d", c.Topic, data, at)
		}
		known(t, c.Topic, schema, message)
	})
	tape.Take(m)
	tape.Drain()
	for _, c := range channels {
		if told[c.Topic] != 1 {
			t.Errorf("%s: %d messages", c.Topic, told[c.Topic])
		}
	}
	tape.Again() // a listener came
	m.Values = nil
	tape.Take(m)
	tape.Drain()
	if told[Parameters.Topic] != 2 {
		t.Errorf("parameters were told %d times", told[Parameters.Topic])
	}
}

// What is read back is what was told, to the last bit; steps without room are counted.
func TestStepsAreReadBack(t *testing.T) {
	info, keys, m := example()
	m.Input.Deadline = physics.AnswersAgain([]uint32{3, 2})
	path := t.TempDir() + "/a.mcap"
	w, err := record.Create(path, 0, map[string]string{"scene": "x"})
	if err != nil {
		t.Fatal(err)
	}
	tape := NewTape(info, keys, func(c *record.Channel, at int64, data []byte) {
		if err := w.WriteTo(c, at, data); err != nil {
			t.Fatal(err)
		}
	})
	for range room + 5 {
		tape.Take(m)
	}
	tape.Drain()
	tape.Take(m)
	tape.Drain()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReadMotion(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Steps) != room+1 || got.Missed != 5 || got.Notes["scene"] != "x" || !reflect.DeepEqual(got.Keys, []string{"friction", "liver.E"}) {
		t.Errorf("%d steps, %d missed, %v", len(got.Steps), got.Missed, got.Keys)
	}
	if s := got.Steps[room]; !reflect.DeepEqual(s.Input.Deadline.Answers(), []uint32{3, 2}) {
		t.Errorf("answers %v", s.Input.Deadline.Answers())
	} else if s.Input.Deadline = m.Input.Deadline; s.Input != m.Input || s.Force != m.Report.Force || !reflect.DeepEqual(s.Values, m.Values) {
		t.Errorf("%+v", s)
	}
}

// Bodies, and the parameters that are named after them, may have any name.
func TestNamesAreJSON(t *testing.T) {
	info, keys, m := example()
	keys[1].Name = "liv\"er\x07\x7f\\ \u00e9\u2028.E"
	told := ""
	tape := NewTape(info, keys, func(c *record.Channel, _ int64, data []byte) {
		var v struct {
			Keys   []string
			By_key map[string]float64
		}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Errorf("%s: %v\n%s", c.Topic, err, data)
		}
		if c == &Parameters {
			told = v.Keys[1]
			if v.By_key[told] != 12e3 {
				t.Errorf("%s", data)
			}
		}
	})
	tape.Take(m)
	tape.Drain()
	if told != keys[1].Name {
		t.Errorf("%q, want %q", told, keys[1].Name)
	}
}

// A step that no runner makes is refused: a world would take for ever over it.
func TestLongStepsAreRefused(t *testing.T) {
	info, keys, m := example()
	for dt, good := range map[float64]bool{physics.LongestAdvance: true, 1e300: false, -1: false} {
		path := t.TempDir() + "/a.mcap"
		w, err := record.Create(path, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		tape := NewTape(info, keys, func(c *record.Channel, at int64, data []byte) { _ = w.WriteTo(c, at, data) })
		m.Input.Dt = dt
		tape.Take(m)
		tape.Drain()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMotion(path); (err == nil) != good {
			t.Errorf("%g s: %v", dt, err)
		}
	}
}

// The goroutine that steps must not wait for the one that writes, nor allocate.
func TestTakeAllocatesNothing(t *testing.T) {
	info, keys, m := example()
	tape := NewTape(info, keys, func(*record.Channel, int64, []byte) {})
	for range room {
		tape.Take(m)
	}
	tape.Drain()
	if n := testing.AllocsPerRun(room/2, func() { tape.Take(m) }); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}

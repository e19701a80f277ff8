package telemetry

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/worlds/bead"
)

// player is a world with one key that changes its state and one that does something once.
type player struct {
	physics.World // nil: the rest is not called
	friction, act float64
	acts          int
}

func (p *player) Keys() []physics.Key {
	return []physics.Key{
		{Name: "friction", Get: func() float64 { return p.friction }, Put: physics.Puts(func(x float64) error { p.friction = x; return nil })},
		{Name: "sound.write", Act: true, Get: func() float64 { return p.act }, Put: physics.Puts(func(x float64) error { p.act = x; p.acts++; return nil })},
	}
}

func (p *player) Step(physics.Input) physics.Report { return physics.Report{} }

// Steps that are made again take the recorded values, but write no file a second time.
func TestAgainLeavesActsAlone(t *testing.T) {
	m := Motion{Keys: []string{"friction", "sound.write"}, Steps: []Step{{Values: []float64{0.1, 0}}, {Values: []float64{0.4, 1}}}}
	w := &player{}
	if err := m.Again(w, nil, func(int, *physics.Report) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if w.friction != 0.4 || w.acts != 0 {
		t.Errorf("friction %g; %d acts", w.friction, w.acts)
	}
}

// Recordings whose JSON lacks members, or has null in their place, are refused in one line.
func TestMotionRefuses(t *testing.T) {
	for _, name := range []string{"m-empty.mcap", "m-null.mcap"} {
		m, err := ReadMotion(filepath.Join("testdata", name))
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "step 1") {
			t.Errorf("%s: %v, %d steps", name, err, len(m.Steps))
		}
	}
	for old, others := range map[string][]string{
		`"dt_s":0.001,`:          {"", `"dt_s":null,`, `"dt_s":-1,`, `"dt_s":1e300,`, `"dt_s":"1",`},
		`"target_m":[0,0.02,0],`: {"", `"target_m":null,`, `"target_m":[],`, `"target_m":[0,0],`, `"target_m":[0,0,0,0],`, `"target_m":[0,null,0],`, `"target_m":[0,"1",0],`, `"target_m":{},`},
		`"hand_xyzw":[0,0,0,1],`: {"", `"hand_xyzw":[1],`},
		`"force_N":[0,0,0],`:     {"", `"force_N":0,`},
	} {
		if !strings.Contains(stepText, old) {
			t.Fatalf("no %s", old)
		}
		for _, other := range others {
			r := motionReader{m: &Motion{}}
			if err := r.take(Steps.Topic, []byte(strings.Replace(stepText, old, other, 1))); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q in place of %s: %v", other, old, err)
			}
		}
	}
	for _, text := range []string{"{}", "null", "[]", `{"keys":null,"values":[]}`, `{"keys":["a"],"values":[]}`, `{"keys":["a"],"values":["x"]}`} {
		r := motionReader{m: &Motion{}}
		if r.take(Parameters.Topic, []byte(text)) == nil {
			t.Errorf("parameters %s", text)
		}
	}
}

const stepText = `{"step":1,"fresh":true,"dt_s":0.001,"target_m":[0,0.02,0],"target_xyzw":[0,0,0,1],"hand_m":[0,0.02,0],"hand_xyzw":[0,0,0,1],"force_N":[0,0,0],"torque_Nm":[0,0,0]}`

// again reads two messages and makes the step again in a world.
func again(t *testing.T, parameters, step []byte) error {
	s, err := bead.Read("bead.toml", []byte("kind = \"bead\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Open(t.Context(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := motionReader{m: &Motion{}}
	if err := r.take(Parameters.Topic, parameters); err != nil {
		return err
	}
	if err := r.take(Steps.Topic, step); err != nil {
		return err
	}
	return r.m.Again(w, nil, func(_ int, r *physics.Report) error {
		if f := r.Force.Len(); math.IsNaN(f) || math.IsInf(f, 0) {
			t.Errorf("force %v", r.Force)
		}
		return nil
	})
}

// beadParameters are those of a bead at its start.
func beadParameters(t *testing.T) []byte {
	s, err := bead.Read("bead.toml", []byte("kind = \"bead\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Open(t.Context(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := struct {
		Keys   []string  `json:"keys"`
		Values []float64 `json:"values"`
	}{Values: physics.Values(w.Keys())}
	for _, k := range w.Keys() {
		p.Keys = append(p.Keys, k.Name)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The seeds of the fuzzing are good.
func TestMotionSeeds(t *testing.T) {
	if err := again(t, beadParameters(t), []byte(stepText)); err != nil {
		t.Error(err)
	}
}

// Whatever the messages of a recording hold, reading them and making the step again ends in
// a finite force or an error.
func FuzzMotion(f *testing.F) {
	f.Add([]byte(`{"keys":["stiffness","damping"],"values":[100,0.1]}`), []byte(stepText))
	f.Fuzz(func(t *testing.T, parameters, step []byte) {
		if bytes.Equal(parameters, []byte(`{"keys":["stiffness","damping"],"values":[100,0.1]}`)) {
			parameters = beadParameters(t)
		}
		if err := again(t, parameters, step); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}

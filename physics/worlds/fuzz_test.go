package worlds_test

import (
	"strconv"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/files/setting"
)

// texts are what every live key of the quick scenes says of itself: its own value in the words of a file.
func texts(t testing.TB) (all [][3]string) {
	for _, name := range quick {
		s, err := physics.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := open(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range w.Keys() {
			if !k.Settable() || k.Act {
				continue
			}
			text := k.Word(k.Get())
			switch {
			case k.Switch:
				text = strconv.FormatBool(k.Get() != 0)
			case text == "":
				text = strings.TrimSpace(strconv.FormatFloat(k.Get(), 'g', -1, 64) + " " + k.Unit)
			}
			all = append(all, [3]string{name, k.Name, text})
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// setText gives a scene's key a text, as --set does. An error is one line, and changes nothing; what is taken can be
// taken again.
func setText(t *testing.T, scene, key, value string) error {
	s, err := physics.Load(scene)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(key + "=" + value); err != nil {
		if strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: %q", scene, err)
		}
		return err
	}
	if err := s.Set(key + "=" + value); err != nil {
		t.Errorf("%s: %s=%s is taken once, then refused: %v", scene, key, value, err)
	}
	return nil
}

// The seeds of the fuzzing are good: a scene takes what its world's keys say.
func TestKeysTakeTheirOwnWords(t *testing.T) {
	seeds := texts(t)
	if len(seeds) < 40 {
		t.Errorf("%d keys", len(seeds))
	}
	for _, x := range seeds {
		if err := setText(t, x[0], x[1], x[2]); err != nil && !strings.Contains(err.Error(), "unknown key") { // of the panel alone
			t.Errorf("%s: %v", x[0], err)
		}
	}
}

// Whatever text a key gets, of a scene's file or of its world, it is refused in one line or the world steps finitely.
func FuzzKeys(f *testing.F) {
	for _, x := range texts(f) {
		f.Add(x[0], x[1], x[2])
	}
	worlds := map[string]physics.World{}
	f.Fuzz(func(t *testing.T, scene, key, value string) {
		if !strings.Contains(" "+strings.Join(quick, " ")+" ", " "+scene+" ") {
			return
		}
		_ = setText(t, scene, key, value)
		w := worlds[scene]
		if w == nil {
			s, err := physics.Load(scene)
			if err != nil {
				t.Fatal(err)
			}
			if w, err = open(s); err != nil {
				t.Fatal(err)
			}
			worlds[scene] = w
		}
		keys := w.Keys()
		i := physics.Place(keys, key)
		x, err := strconv.ParseFloat(value, 64)
		if n, ok := setting.CommandLineValue(value).(int64); ok {
			x, err = float64(n), nil
		}
		if i < 0 || err != nil || !keys[i].Settable() || keys[i].Act || keys[i].Clock {
			return
		}
		own := keys[i].Get()
		if err := keys[i].Set(x); err != nil {
			if now := keys[i].Get(); now != own || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%s = %g is refused (%q), and is %g, not %g", key, x, err, now, own)
			}
			return
		}
		if err := few(w); err != nil {
			t.Errorf("%s: %s = %g: %v", scene, key, x, err)
		}
		if err := keys[i].Set(own); err != nil {
			t.Errorf("%s cannot be put back to %g: %v", key, own, err)
		}
		w.Reset()
	})
}

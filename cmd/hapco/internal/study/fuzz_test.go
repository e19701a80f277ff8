package study

import (
	"encoding/json"
	"strings"
	"testing"

	"hapco/assets"
)

const givenText = `{"person":1,"trial":1,"levels":[],"answers":{},"began":"2020-01-01T00:00:00Z","seconds":1,"force_max_N":0.5}`

// first is the protocol that the program carries, and a trial of it as it is kept.
func first(tb testing.TB) (text []byte, p *Protocol, given []byte) {
	tb.Helper()
	text, err := assets.Study(assets.Studies()[0])
	if err != nil {
		tb.Fatal(err)
	}
	if p, err = parse(text, ""); err != nil {
		tb.Fatal(err)
	}
	var g Given
	if err := json.Unmarshal([]byte(givenText), &g); err != nil {
		tb.Fatal(err)
	}
	g.Levels, g.Answers = p.Trials(1)[0].Levels, map[string]string{}
	for i := range p.Questions {
		for _, a := range append([]string{"1", "2", "3"}, p.Questions[i].Choices...) {
			if p.Questions[i].Accepts(a) {
				g.Answers[p.Questions[i].Name] = a
			}
		}
	}
	given, err = json.Marshal(g)
	if err != nil {
		tb.Fatal(err)
	}
	return text, p, given
}

// The seeds of the fuzzing are good.
func TestSeeds(t *testing.T) {
	_, p, given := first(t)
	var g Given
	if err := json.Unmarshal(given, &g); err != nil {
		t.Fatal(err)
	}
	if err := (&Folder{Protocol: p}).check(&g); err != nil {
		t.Error(err)
	}
}

// Whatever protocol and kept trial hold, they are refused in one line, or lead a person
// through no more trials than there may be.
func FuzzStudy(f *testing.F) {
	text, _, given := first(f)
	f.Add(text, given)
	f.Fuzz(func(t *testing.T, text, given []byte) {
		p, err := parse(text, "")
		if err != nil {
			return // Read makes one line of it
		}
		if n := len(p.Trials(1)); n > mostTrials {
			t.Errorf("%d trials", n)
		}
		var g Given
		if json.Unmarshal(given, &g) != nil {
			return
		}
		if err := (&Folder{Protocol: p}).check(&g); err != nil && strings.Count(err.Error(), "\n") > strings.Count(string(given), `\n`)+strings.Count(string(text), "\n") {
			t.Errorf("%q", err)
		}
	})
}

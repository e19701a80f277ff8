package worlds_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
	_ "hapco/physics/worlds"
)

var (
	draws = flag.Int("draws", 0, "numbers of scene files that are changed, in place of the usual number")
	only  = flag.String("only", "", "scenes that are changed, in place of all")
	seed  = flag.Uint64("seed", 1, "of the draws")
	trace = flag.Bool("trace", false, "print each case before it runs, and how long it took")
)

// quick are scenes of each kind that open and step at once.
var quick = []string{"bench-a-16", "dominoes", "ice-billiard", "flakes"}

func scenes(t *testing.T) []string {
	if *only != "" {
		return strings.Split(*only, ",")
	}
	if testing.Short() {
		return quick
	}
	return assets.Scenes()
}

// few steps a world and tells what is not finite.
func few(w physics.World) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var f physics.Frame
	at := w.Info().Start
	for i := range 3 {
		to := frame.Pose{Position: at.Position, Rotation: at.Rotation}
		to.Position[1] -= 1e-3 * float64(i)
		r := w.Step(physics.Input{Target: to, Hand: to, Dt: 1e-3})
		if !num.FiniteVec(r.Force) || !num.FiniteVec(r.Torque) {
			return fmt.Errorf("step %d: force %v, torque %v", i, r.Force, r.Torque)
		}
	}
	w.Draw(&f)
	return nil
}

func open(s physics.Scene) (w physics.World, err error) {
	defer func() {
		if r := recover(); r != nil {
			w, err = nil, fmt.Errorf("panic: %v", r)
			panic(err)
		}
	}()
	w, _, err = physics.OpenScene(context.Background(), s, physics.Options{NoCache: true})
	return w, err
}

// A key refuses what is not finite or outside of its range, whoever sends it, and a world
// steps finitely with whatever it takes: no parameter can hurt.
func TestKeysKeepToTheirRanges(t *testing.T) {
	for _, name := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			s, err := physics.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := open(s)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			keys := w.Keys()
			for i := range keys {
				k := &keys[i]
				if !k.Settable() {
					continue
				}
				if k.Act || k.Clock {
					continue
				}
				if x := k.Get(); k.Set(x) != nil {
					t.Errorf("%s: the scene's own value %g is refused: %v", k.Name, x, k.Set(x))
				}
				least, largest := k.Ends()
				number := len(k.Choices) == 0 && !k.Switch
				values := []float64{0, -1, 0.5, 1e19, -1e19, 1e100, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}
				if number {
					values = append(values, least, largest, math.Nextafter(least, -1)-0.01*math.Abs(least), largest*1.01+1e-300)
				}
				for _, x := range values {
					own := k.Get()
					err := k.Set(x)
					allowed := number && k.Holds(x) || !number && x == 0
					if err == nil && !allowed {
						t.Errorf("%s takes %g", k.Name, x)
					}
					if err != nil {
						if now := k.Get(); now != own {
							t.Errorf("%s = %g is refused (%v), and is %g, not %g", k.Name, x, err, now, own)
						}
						continue
					}
					if *trace {
						fmt.Fprintf(os.Stderr, "%s %s = %g", name, k.Name, x)
					}
					start := time.Now()
					if err := few(w); err != nil {
						t.Errorf("%s = %g: %v", k.Name, x, err)
					}
					if *trace {
						fmt.Fprintf(os.Stderr, "  %v\n", time.Since(start).Round(time.Millisecond))
					}
					if err := k.Set(own); err != nil {
						t.Errorf("%s cannot be put back to %g: %v", k.Name, own, err)
					}
					w.Reset()
				}
			}
		})
	}
}

var number = regexp.MustCompile(`[=\[,{ ]([-+]?[0-9][0-9_]*(\.[0-9]+)?([eE][-+]?[0-9]+)?)\b`)

// places are where the numbers of a scene file's text stand: values, no words and comments.
func places(text string) (at [][2]int) {
	line := 0
	for _, l := range strings.SplitAfter(text, "\n") {
		if code, _, _ := strings.Cut(l, "#"); strings.Contains(code, "=") || strings.HasPrefix(strings.TrimSpace(code), "[") && strings.Contains(code, ",") {
			from := max(0, strings.IndexByte(code, '='))
			for _, m := range number.FindAllStringSubmatchIndex(code[from:], -1) {
				if strings.Count(code[:from+m[2]], `"`)%2 == 0 {
					at = append(at, [2]int{line + from + m[2], line + from + m[3]})
				}
			}
		}
		line += len(l)
	}
	return at
}

var hostile = []string{"inf", "-inf", "nan", "1e100", "1e19", "1e12", "-1", "0", "1e-300", "1e-12", "10000000000000000000", "9223372036854775807", "2147483647", "true", `"x"`, "[]"}

// A scene file in which any number is another opens and steps finitely, or is refused in
// one line that names file, line and cure.
func TestNumbersOfSceneFiles(t *testing.T) {
	n := *draws
	if n == 0 {
		if n = 3000; testing.Short() {
			n = 300
		}
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	names := scenes(t)
	for range n {
		name := names[r.IntN(len(names))]
		data, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		at := places(text)
		p := at[r.IntN(len(at))]
		value := hostile[r.IntN(len(hostile))]
		changed := text[:p[0]] + value + text[p[1]:]
		line := 1 + strings.Count(text[:p[0]], "\n")
		lines := strings.Split(changed, "\n")
		what := fmt.Sprintf("%s.toml:%d: %s", name, line, lines[line-1])
		try(t, what, name, changed)
	}
}

// try opens and steps a scene's text.
func try(t *testing.T, what, name, text string) {
	t.Helper()
	if *trace {
		fmt.Fprint(os.Stderr, what)
		defer func(start time.Time) {
			fmt.Fprintf(os.Stderr, "  %v\n", time.Since(start).Round(time.Millisecond))
		}(time.Now())
	}
	oneLine := func(err error) {
		if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, name) || strings.HasPrefix(text, "panic") {
			t.Errorf("%s: %q", what, text)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
		}
	}()
	s, err := physics.Parse(name+".toml", []byte(text))
	if err != nil {
		oneLine(err)
		return
	}
	w, _, err := physics.OpenScene(context.Background(), s, physics.Options{NoCache: true})
	if err != nil {
		oneLine(err)
		return
	}
	defer w.Close()
	if err := few(w); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// The cases above would prove nothing if the scenes did not stand unchanged.
func TestScenesStandUnchanged(t *testing.T) {
	for _, name := range quick {
		if !slices.Contains(assets.Scenes(), name) {
			t.Fatalf("no scene %s", name)
		}
		data, _ := assets.Scene(name)
		if n := len(places(string(data))); n < 20 {
			t.Errorf("%s: %d numbers", name, n)
		}
		try(t, name, name, string(data))
	}
}

// Scene files that were found by attack: one line each, that names the file and the line.
func TestFilesFoundByAttack(t *testing.T) {
	for name, line := range map[string]string{"set-rc1-gyroscope-319.toml": "58", "set-rc1-snowfall-599.toml": "56", "set-rc1-soft-wall-363.toml": "40", "set-timeout-hidden-lump-1083.toml": "44"} {
		_, err := physics.Load("testdata/" + name)
		if err == nil || !strings.Contains(err.Error(), name+":"+line+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := physics.Load("hourglass") // its step follows the stiffness of its grains
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"source.rate=1e300", "source.rate=1e7", "grain.epsilon=0.5"} {
		if s.Set(change) == nil {
			t.Errorf("%s is taken", change)
		}
	}
	w, err := open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	keys := w.Keys()
	k := &keys[physics.Place(keys, "grain.epsilon")]
	if err := k.Set(0.5); err == nil || !strings.Contains(err.Error(), "steps of") {
		t.Errorf("grains of any stiffness: %v", err)
	}
}

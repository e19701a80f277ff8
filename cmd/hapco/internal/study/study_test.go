package study

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hapco/assets"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

// Numbers that other programs have published for the same data.
func TestStatisticsAgreeWithOthers(t *testing.T) {
	// Student's data on sleep, with R: t.test(extra ~ group, paired = TRUE).
	sleep := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	tt, p := pairedT(sleep)
	near(t, "t", tt, 4.0621, 5e-5)
	near(t, "p of t", p, 0.002833, 5e-7)
	s := summarize(sleep)
	near(t, "lower end", s.Low, 0.7001142, 5e-8)
	near(t, "upper end", s.High, 2.4598858, 5e-8)
	near(t, "median", s.Median, 1.3, 1e-15)

	// Heights of maize plants, the example of SciPy's wilcoxon: statistic 24, p 0.041259765625.
	w, p := wilcoxon([]float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75})
	near(t, "W", w, 24, 0)
	near(t, "p of W", p, 0.041259765625, 1e-15)

	// Times to round first base, Hollander and Wolfe (1973), with R: friedman.test.
	chi2, freedom, p := friedman([][]float64{
		{5.40, 5.50, 5.55}, {5.85, 5.70, 5.75}, {5.20, 5.60, 5.50}, {5.55, 5.50, 5.40}, {5.90, 5.85, 5.70}, {5.45, 5.55, 5.60},
		{5.40, 5.40, 5.35}, {5.45, 5.50, 5.35}, {5.25, 5.15, 5.00}, {5.85, 5.80, 5.70}, {5.25, 5.20, 5.10}, {5.65, 5.55, 5.45},
		{5.60, 5.35, 5.45}, {5.05, 5.00, 4.95}, {5.50, 5.50, 5.40}, {5.45, 5.55, 5.50}, {5.55, 5.55, 5.35}, {5.45, 5.50, 5.55},
		{5.50, 5.45, 5.25}, {5.65, 5.60, 5.40}, {5.70, 5.65, 5.55}, {6.30, 6.30, 6.25}})
	near(t, "chi squared", chi2, 11.143, 5e-4)
	near(t, "freedom", freedom, 2, 0)
	near(t, "p of chi squared", p, 0.003805, 5e-7)

	// R: p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm").
	if got := fmt.Sprintf("%.3g", holm([]float64{0.04, 0.01, math.NaN(), 0.03, 0.02})); got != "[0.06 0.04 NaN 0.06 0.06]" {
		t.Errorf("Holm gives %s", got)
	}
}

// Of tied differences each of the 2^n signs is as likely: p is counted out.
func TestWilcoxonCountsTies(t *testing.T) {
	for _, d := range [][]float64{{1, 1, 2, -1, 3, 2}, {1, 1, 1, 1}, {-2, 1, 1, 1, 3, 3, -1}, {5}} {
		w, p := wilcoxon(d)
		size := make([]float64, len(d))
		for i := range d {
			size[i] = math.Abs(d[i])
		}
		ranks := doubleRanks(size)
		total, at := 0, 0
		for _, r := range ranks {
			total += r
		}
		for signs := range 1 << len(d) {
			sum := 0
			for i, r := range ranks {
				if signs>>i&1 == 1 {
					sum += r
				}
			}
			if float64(min(sum, total-sum)) <= 2*w {
				at++
			}
		}
		near(t, fmt.Sprintf("p of %v", d), p, min(1, float64(at)/math.Exp2(float64(len(d)))), 1e-12)
	}
	if _, p := wilcoxon([]float64{0, 0}); !math.IsNaN(p) {
		t.Errorf("without a difference p is %g", p)
	}
	// The normal distribution takes over smoothly.
	var d []float64
	for i := range exactRanks + 1 {
		d = append(d, float64(i)-15)
	}
	_, exact := wilcoxon(d) // one of them is 0
	_, normal := wilcoxon(append(d, 36.5))
	if !(math.Abs(math.Log(normal/exact)) < 0.3) {
		t.Errorf("p is %g of 50 differences and %g of 51", exact, normal)
	}
}

const small = `
title = "Small"
scene = "bench-a-16"
seed = 7
[set]
contact.tolerance = 1e-3
[[factor]]
name = "way"
block = true
[[factor.level]]
path = "penetration"
say = "press"
[[factor.level]]
path = "sliding"
say = "slide"
[[factor]]
name = "friction"
level = [{ set = { friction = 0.1 } }, { set = { friction = 0.5 } }, { name = "high", set = { friction = 0.9 } }]
[[question]]
name = "rough"
ask = "How rough?"
scale = 5
[[question]]
name = "which"
ask = "Which?"
choices = ["this", "that"]
`

func TestTrialsAreAllCombinationsByLot(t *testing.T) {
	p, err := parse([]byte(small), "dir")
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for person := 1; person <= 20; person++ {
		trials := p.Trials(person)
		var seen []string
		order := ""
		for i, tr := range trials {
			seen = append(seen, p.Condition(tr.Levels))
			order += fmt.Sprint(tr.Levels)
			if block := i / 3; tr.Levels[0] != block || tr.Number != i+1 {
				t.Fatalf("person %d, trial %d: %+v", person, i, tr)
			}
		}
		slices.Sort(seen)
		if seen = slices.Compact(seen); len(seen) != 6 {
			t.Fatalf("person %d feels %v", person, seen)
		}
		again := ""
		for _, tr := range p.Trials(person) {
			again += fmt.Sprint(tr.Levels)
		}
		if again != order {
			t.Errorf("person %d: the order is another the second time", person)
		}
		orders[order] = true
	}
	if len(orders) < 10 { // of 36
		t.Errorf("20 people share %d orders", len(orders))
	}
	tr := Trial{Levels: []int{1, 2}}
	if got := fmt.Sprintln(p.SceneOf(&tr), p.PathOf(&tr), p.SetOf(&tr), p.SayOf(&tr)); got != "bench-a-16 sliding [contact.tolerance=0.001 friction=0.9] slide\n" {
		t.Error(got)
	}
	if got := p.Condition([]int{0, 1}); got != "way penetration, friction friction=0.5" {
		t.Error(got)
	}
}

// The thesis's protocol has its six steps, on two ways, with two numbers of contacts and
// three pairs of materials.
func TestThesisProtocol(t *testing.T) {
	if !slices.Contains(assets.Studies(), "thesis-haptics") {
		t.Fatal(assets.Studies())
	}
	p, err := Read("thesis-haptics")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Trials(1)); n != 72 || len(p.Factors[3].Levels) != 6 {
		t.Errorf("%d trials of %d steps", n, len(p.Factors[3].Levels))
	}
	want := []string{"1e-08 1e-3 0.3", "1e-08 1 0.3", "0.0001 1 0.3", "0.0001 1 0.7", "0.01 1 0.3", "0.01 1 0.7"}
	for i, l := range p.Factors[3].Levels {
		var got []string
		for _, a := range l.Set {
			_, v, _ := strings.Cut(a, "=")
			got = append(got, strings.TrimSuffix(v, " mm"))
		}
		if strings.Join(got, " ") != want[i] {
			t.Errorf("step %d sets %v", i+1, l.Set)
		}
	}
}

func TestProtocolRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{strings.Replace(small, `seed = 7`, `sed = 7`, 1), `sed: unknown key`},
		{strings.Replace(small, `seed = 7`, `order = "up"`, 1), `neither "random" nor "file"`},
		{strings.Replace(small, `scale = 5`, `scale = 12`, 1), `no number from 0 to 11`},
		{strings.Replace(small, `scale = 5`, `scale = 1`, 1), `a scale of 2 to 11`},
		{strings.Replace(small, `"this", "that"`, `"this", "this"`, 1), `there twice`},
		{strings.Replace(small, `scene = "bench-a-16"`, ``, 1), `no scene`},
		{strings.Replace(small, `name = "which"`, `name = "friction"`, 1), `cannot be the name`},
		{strings.Replace(small, `name = "which"`, `name = "trial"`, 1), `cannot be the name`},
		{strings.Replace(small, `friction = 0.5`, `friction = 0.1`, 1), `two levels are called`},
		{strings.Replace(small, `say = "slide"`, `shout = "slide"`, 1), `factor 1: level 2.shout: unknown key`},
		{"title = 1", `quote it`},
		{"scene = [", `not valid TOML`},
	} {
		if _, err := parse([]byte(c[0]), "."); err == nil || !strings.Contains(err.Error(), c[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q, got %v", c[1], err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.toml")); err == nil || !strings.Contains(err.Error(), "thesis-haptics") {
		t.Error(err)
	}
}

// fill answers all trials of a person.
func fill(t *testing.T, f *Folder, person int, answer func(levels []int) string) {
	t.Helper()
	_, left, err := f.Next(person)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range left {
		g := &Given{Person: person, Trial: tr.Number, Levels: tr.Levels, Answers: map[string]string{"rough": answer(tr.Levels), "which": "that"}, Seconds: 2, ForceMax: 1}
		if err := f.Keep(g); err != nil {
			t.Fatal(err)
		}
	}
}

// What is kept stays: whoever was interrupted goes on, half a file is told, another
// protocol is refused.
func TestFolderGoesOn(t *testing.T) {
	dir := t.TempDir()
	p, err := parse([]byte(small), ".")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, f, 1, func(l []int) string { return fmt.Sprint(1 + l[1]) })
	who, left, err := f.Next(0)
	if err != nil || who != 2 || len(left) != 6 {
		t.Fatalf("person %d with %d trials, %v", who, len(left), err)
	}
	for _, tr := range left[:2] {
		if err := f.Keep(&Given{Person: 2, Trial: tr.Number, Levels: tr.Levels, Answers: map[string]string{"rough": "5", "which": "this"}}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := p.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	who, left, err = again.Next(0)
	if err != nil || who != 2 || len(left) != 4 || left[0].Number != 3 {
		t.Fatalf("person %d goes on with %d trials, %v", who, len(left), err)
	}
	if who, left, _ = again.Next(3); who != 3 || len(left) != 6 {
		t.Errorf("person %d with %d trials", who, len(left))
	}
	table, err := os.ReadFile(filepath.Join(dir, "answers.csv"))
	if lines := strings.Split(strings.TrimSpace(string(table)), "\n"); err != nil || len(lines) != 1+2*8 || !strings.HasPrefix(lines[0], "person,trial,way,friction,question,answer,") {
		t.Errorf("%v, the table is\n%s", err, table)
	}
	other := strings.Replace(small, "seed = 7", "seed = 8", 1)
	if p, err = parse([]byte(other), "."); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(dir); err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trials", "0009-0001.json"), []byte(`{"person": 9, "tri`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := again.Next(0); err == nil || !strings.Contains(err.Error(), "0009-0001.json") {
		t.Error(err)
	}
}

// Seven people who feel friction, each on a level of their own: the report finds it, and
// finds nothing between the ways.
func TestReportFindsWhatIsThere(t *testing.T) {
	p, err := parse([]byte(small), ".")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.NewReport(); err == nil {
		t.Error("a report of nothing")
	}
	for person := 1; person <= 7; person++ {
		fill(t, f, person, func(l []int) string { return fmt.Sprint(1 + l[1] + (person+l[0])%2 + l[1]/2) })
	}
	begun, err := Begun(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := begun.NewReport()
	if err != nil {
		t.Fatal(err)
	}
	if r.People != 7 || r.Finished != 7 || r.Trials != 42 {
		t.Errorf("%d people, %d finished, %d trials", r.People, r.Finished, r.Trials)
	}
	rough := r.Subjects[0]
	way, friction := rough.Effects[0], rough.Effects[1]
	if !(friction.P < 0.01) || friction.Freedom != 2 || len(friction.Pairs) != 3 {
		t.Errorf("friction: %+v", friction)
	}
	for _, pair := range friction.Pairs {
		near(t, "p of "+pair.B, pair.PW, 2.0/128, 1e-12) // seven of seven agree
		near(t, "p of Holm", pair.Holm, 6.0/128, 1e-12)
	}
	near(t, "mean of high", friction.Levels[2].Mean, 4.5, 1e-12)
	near(t, "a difference", friction.Pairs[1].Difference.Mean, 3, 1e-12)
	if !(way.Pairs[0].PW > 0.3) || len(rough.Conditions) != 6 {
		t.Errorf("way: %+v", way)
	}
	var page strings.Builder
	if err := r.Write(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if strings.Count(text, "<svg") < 3 || strings.Contains(text, "src=") || strings.Contains(text, "NaN") || strings.Contains(text, "http-equiv") {
		t.Errorf("%d plots in the page", strings.Count(text, "<svg"))
	}
}

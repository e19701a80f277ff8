package tissue

import (
	"slices"
	"testing"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/contact"
)

// Every solver is in the list, once, under its family, with words for it.
func TestSolverList(t *testing.T) {
	list := solverList()
	seen := map[string]bool{}
	for i, e := range list {
		if seen[e.Name] || e.Title == "" {
			t.Errorf("%+v: twice, or without a title", e)
		}
		seen[e.Name] = true
		if i > 0 && e.Family < list[i-1].Family {
			t.Errorf("%s stands under another family", e.Name)
		}
		for f := range formulations {
			other := reformulated(e.Name, contact.Formulation(f))
			if got := contact.Describe(other).Formulation; int(got) != f {
				t.Errorf("%s as %s is %s, which is %s", e.Name, formulations[f].name, other, formulations[got].name)
			}
		}
		for _, use := range []contact.RhoUse{contact.RhoLeast, contact.RhoPerContact} {
			if twin, ok := rhoTwin(e.Name, use); ok {
				if got := contact.Describe(twin); got.Rho != use || got.Formulation != e.Formulation || e.Rho == use {
					t.Errorf("%s has the twin %s", e.Name, twin)
				}
			}
		}
	}
	if len(list) != len(contact.Names()) || list[0].Name != "auto" {
		t.Errorf("%d of %d solvers, first %q", len(list), len(contact.Names()), list[0].Name)
	}
	for _, name := range []string{"uzawa", "uzawa-local", "uzawa-local-signorini"} {
		twin, ok := rhoTwin(name, contact.RhoPerContact)
		back, found := rhoTwin(twin, contact.RhoLeast)
		if !ok || !found || back != name {
			t.Errorf("%s becomes %q and then %q", name, twin, back)
		}
	}
}

func TestCriteriaAreNamed(t *testing.T) {
	for c := range criteria {
		if name := criteria[c].name; name == "" || criteria[c].about == "" || usualTolerance(contact.Criterion(c)) <= 0 {
			t.Errorf("criterion %d has no name or tolerance", c)
		}
	}
}

// A hand waits no longer for a step than it can feel, a table as long as it takes.
func TestOnlyTheWindowHasADeadline(t *testing.T) {
	for beside, want := range map[bool]float64{false: 0, true: LiveDeadline} {
		name, text, err := setting.FileText("bench-a-16")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(name, text)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := s.Open(t.Context(), physics.Options{NoCache: true, Beside: beside})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		i := slices.IndexFunc(w.Keys(), func(k physics.Key) bool { return k.Name == "contact.deadline" })
		if i < 0 {
			t.Fatal("no key contact.deadline")
		}
		if got := w.Keys()[i].Get(); got != want {
			t.Errorf("in the window %v: a deadline of %v s, want %g", beside, got, want)
		}
	}
}

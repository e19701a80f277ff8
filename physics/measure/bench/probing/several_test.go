package probing

import (
	"testing"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/tissue"
)

// Organs at large strains that are pressed onto each other stay out of each other, and
// stand as they were once the hand is gone.
func TestNonlinearOrgansStayApart(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	scenes := []string{"organs", "liver-stomach"}
	if testing.Short() {
		scenes = scenes[:1]
	}
	for _, name := range scenes {
		s, err := physics.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Set("equilibrium.deadline=0"); err != nil {
			t.Fatal(err)
		}
		w, _, err := s.Open(t.Context(), physics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		g := &anyGround{w: w, start: w.Info().Start}
		checker := newChecker(g.Bodies(), []bool{false, false, false})
		var at tissue.Snapshot
		rest := func() (all []vec) {
			g.Snapshot(&at)
			for _, b := range at.Surfaces[1:] {
				all = append(all, b.Vertices...)
			}
			return all
		}
		before := rest()
		var deep Depth
		target, most := g.start, 0.0
		move := func(x, y float64) {
			target.Position[0], target.Position[1] = target.Position[0]+x, target.Position[1]+y
			for n := 0; n < 300 && !g.Step(target); n++ {
			}
			g.Snapshot(&at)
			for i := range at.Surfaces[0].Vertices { // the tool is another matter
				at.Surfaces[0].Vertices[i] = vec{1, 1, 1}
			}
			d := checker.Check(&at)
			deep.Node, deep.Edge = max(deep.Node, d.Node), max(deep.Edge, d.Edge)
			force, _ := g.Force()
			most = max(most, force.Len())
		}
		for range 22 {
			move(0, -1e-3)
		}
		for range 8 {
			move(-1e-3, 0)
		}
		for range 32 {
			move(0, 1e-3)
		}
		t.Logf("%s: %.2f N at most, nodes %.3f mm and edges %.3f mm inside the other body", name, most, 1e3*deep.Node, 1e3*deep.Edge)
		if deep.Edge > 0.2e-3 || most < 1 { // nodes included
			t.Errorf("%s: pressed with %.2f N an edge is %.3f mm inside the other body", name, most, 1e3*deep.Edge)
		}
		astray := 0.0
		for i, x := range rest() {
			astray = max(astray, x.Sub(before[i]).Len())
		}
		if !(astray < restSlack) {
			t.Errorf("%s: %g m from rest", name, astray)
		}
	}
}

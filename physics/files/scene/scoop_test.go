package scene

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// winding is how often a closed surface goes round a point: 1 inside, 0 outside.
func winding(nodes []mgl64.Vec3, triangles [][3]int32, at mgl64.Vec3) float64 {
	sum := 0.0
	for _, t := range triangles {
		a, b, c := nodes[t[0]].Sub(at), nodes[t[1]].Sub(at), nodes[t[2]].Sub(at)
		la, lb, lc := a.Len(), b.Len(), c.Len()
		sum += 2 * math.Atan2(a.Dot(b.Cross(c)), la*lb*lc+a.Dot(b)*lc+b.Dot(c)*la+c.Dot(a)*lb)
	}
	return sum / (4 * math.Pi)
}

// A scoop is one closed surface that faces outwards: its bowl is hollow in front, its
// wall and its shaft are solid.
func TestScoopIsAHollowSpoon(t *testing.T) {
	for _, tool := range []Tool{
		{Kind: ScoopTool, Radius: 0.01, Length: 0.1},
		{Kind: ScoopTool, Radius: 0.01, Length: 0.015, Spacing: 0.01},
		{Kind: ScoopTool, Radius: 0.002, Length: 0.2, Spacing: 0.0002},
	} {
		nodes, triangles := tool.surface()
		edges := map[[2]int32]int{}
		for _, tr := range triangles {
			for k := range 3 {
				edges[[2]int32{tr[k], tr[(k+1)%3]}]++
			}
		}
		for e, n := range edges {
			if n != 1 || edges[[2]int32{e[1], e[0]}] != 1 {
				t.Fatalf("%+v: the edge %v is not shared by two triangles", tool, e)
			}
		}
		if len(nodes)-len(edges)/2+len(triangles) != 2 {
			t.Errorf("%+v: not closed like a sphere", tool)
		}
		r := tool.Radius
		for _, p := range []struct {
			at     mgl64.Vec3
			inside float64
		}{
			{mgl64.Vec3{0, 0, -0.3 * r}, 0},  // what it holds
			{mgl64.Vec3{0, 0, -0.6 * r}, 1},  // the bottom of the bowl
			{mgl64.Vec3{0, 0, -0.9 * r}, 0},  // behind it
			{mgl64.Vec3{0.8 * r, 0, 0}, 0},   // inside the rim
			{mgl64.Vec3{0, 1.45 * r, 0}, 1},  // the shaft
			{mgl64.Vec3{0, -1.45 * r, 0}, 0}, // below the lip
		} {
			if got := winding(nodes, triangles, p.at); math.Abs(got-p.inside) > 1e-6 {
				t.Errorf("%+v: the surface goes %.3f times round %v, want %g", tool, got, p.at, p.inside)
			}
		}
		lowest, highest, wide := math.Inf(1), math.Inf(-1), 0.0
		for _, x := range nodes {
			lowest, highest, wide = min(lowest, x[1]), max(highest, x[1]), max(wide, x[0])
		}
		if lowest != nodes[0][1] || lowest != -scoopLong*r || highest != tool.Length || wide > r || wide < 0.95*r {
			t.Errorf("%+v: from %g to %g, half as wide as %g", tool, lowest, highest, wide)
		}
		if n := float64(len(nodes)); n > 2*toolNodes(&tool)+200 || n < toolNodes(&tool)/3-200 {
			t.Errorf("%+v: %g nodes, %g estimated", tool, n, toolNodes(&tool))
		}
	}
}

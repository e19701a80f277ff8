package scene

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

var formTools = []Tool{
	{Kind: SphereTool, Radius: 0.006},
	{Kind: SphereTool, Radius: 0.006, Spacing: 0.006},
	{Kind: CapsuleTool, Radius: 0.004, Length: 0.05},
	{Kind: CapsuleTool, Radius: 0.004, Length: 0.0005, Spacing: 0.004},
	{Kind: CylinderTool, Radius: 0.005, Length: 0.03},
	{Kind: CylinderTool, Radius: 0.02, Length: 0.001},
	{Kind: BoxTool, Size: mgl64.Vec3{0.02, 0.01, 0.03}},
	{Kind: BoxTool, Size: mgl64.Vec3{0.02, 0.01, 0.03}, Spacing: 0.03},
	{Kind: BoxTool, Size: mgl64.Vec3{0.02, 0.01, 0.03}, Radius: 0.003},
	{Kind: BoxTool, Size: mgl64.Vec3{0.02, 0.01, 0.03}, Radius: 0.005},
	{Kind: BoxTool, Size: mgl64.Vec3{0.01, 0.01, 0.01}, Radius: 0.005},
}

// The picture of a tool in closed form is closed, faces outwards, and its nodes
// lie on the form.
func TestToolsInClosedFormLookLikeTheirForm(t *testing.T) {
	for _, tool := range formTools {
		nodes, triangles := tool.surface()
		form := tool.Solid()
		if form == nil || !tool.closedForm() {
			t.Fatalf("%+v has no form", tool)
		}
		edges := map[[2]int32]int{}
		volume, deepest := 0.0, 0.0
		for _, tr := range triangles {
			for k := range 3 {
				edges[[2]int32{tr[k], tr[(k+1)%3]}]++
			}
			a, b, c := nodes[tr[0]], nodes[tr[1]], nodes[tr[2]]
			volume += a.Dot(b.Cross(c)) / 6
			_, _, d := form.Closest(a.Add(b).Add(c).Mul(1.0 / 3))
			deepest = min(deepest, d)
		}
		for e, n := range edges {
			if n != 1 || edges[[2]int32{e[1], e[0]}] != 1 {
				t.Fatalf("%+v: the edge %v is not shared by two triangles", tool, e)
			}
		}
		if len(nodes)-len(edges)/2+len(triangles) != 2 {
			t.Errorf("%+v: not closed like a sphere", tool)
		}
		for i, x := range nodes {
			if _, _, d := form.Closest(x); math.Abs(d) > 1e-12 {
				t.Fatalf("%+v: node %d at %v is %g m from the form", tool, i, x, d)
			}
		}
		if tool.Spacing == 0 && deepest < -0.02*max(tool.Radius, tool.Size[0]) {
			t.Errorf("%+v: a triangle lies %g m deep", tool, -deepest)
		}
		var exact float64
		r, l := tool.Radius, tool.Length
		switch tool.Kind {
		case SphereTool:
			exact = 4. / 3 * math.Pi * r * r * r
		case CapsuleTool:
			exact = 4./3*math.Pi*r*r*r + math.Pi*r*r*l
		case CylinderTool:
			exact = math.Pi * r * r * l
		case BoxTool:
			a, b, c := tool.Size[0]-2*r, tool.Size[1]-2*r, tool.Size[2]-2*r
			exact = a*b*c + 2*r*(a*b+b*c+c*a) + math.Pi*r*r*(a+b+c) + 4./3*math.Pi*r*r*r
		}
		lowest := 0.95
		if tool.Spacing > 0 {
			lowest = 0.7
		}
		if volume > exact*(1+1e-9) || volume < lowest*exact {
			t.Errorf("%+v: volume %g, exact %g", tool, volume, exact)
		}
		if n := float64(len(nodes)); n > 2*toolNodes(&tool)+200 {
			t.Errorf("%+v: %g nodes, %g estimated", tool, n, toolNodes(&tool))
		}
	}
}

// What stands in a file and what --set says come to the same, and bad values
// give one line that names the key.
func TestKeysOfToolsInClosedForm(t *testing.T) {
	base := func(tool string) string {
		return "[units]\nlength = \"mm\"\n[[body]]\nname = \"tool\"\nrole = \"driven\"\n" + tool +
			"\n[[body]]\nname = \"slab\"\nmaterial = \"tissue\"\nclamp = \"bottom\"\nbox.size = [80, 20, 80]\nbox.elements = [4, 2, 4]\n"
	}
	s, err := Parse("t.toml", []byte(base("tool.kind = \"sphere\"\ntool.radius = 5")))
	if err != nil {
		t.Fatal(err)
	}
	if b := &s.Bodies[0]; b.Shape.Tool.Kind != SphereTool || b.Shape.Tool.Radius != 0.005 || !b.Rigid {
		t.Fatalf("%+v", b)
	}
	for _, set := range []string{"tool.tool.kind=capsule", "tool.tool.length=30", "tool.tool.kind=cylinder", "tool.tool.size=[10,20,30]", "tool.tool.kind=box", "tool.tool.radius=0", "tool.tool.spacing=4"} {
		err := Set(s, set)
		if set == "tool.tool.kind=capsule" { // it has no length yet
			if err == nil || !strings.Contains(err.Error(), "tool.length") {
				t.Errorf("a capsule without length: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", set, err)
		}
	}
	if got, want := s.Bodies[0].Shape.Tool, (Tool{Kind: BoxTool, Length: 0.03, Size: mgl64.Vec3{0.01, 0.02, 0.03}, Spacing: 0.004}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	solid, err := s.Solid(0)
	if err != nil || solid.Solid == nil || len(solid.Region) != len(solid.Mesh.Nodes) {
		t.Fatalf("%+v, %v", solid, err)
	}
	for _, c := range []struct{ tool, want string }{
		{"tool.kind = \"cone\"", "one of probe, ball, scoop, sphere, capsule, cylinder, box"},
		{"tool.kind = \"sphere\"", "tool.radius"},
		{"tool.kind = \"sphere\"\ntool.radius = -1", "tool.radius"},
		{"tool.kind = \"sphere\"\ntool.radius = inf", "tool.radius"},
		{"tool.kind = \"cylinder\"\ntool.radius = 3\ntool.length = 0", "tool.length"},
		{"tool.kind = \"box\"", "tool.size"},
		{"tool.kind = \"box\"\ntool.size = [1, 0, 1]", "tool.size"},
		{"tool.kind = \"box\"\ntool.size = [1, 2]", "tool.size"},
		{"tool.kind = \"box\"\ntool.size = [4, 3, 5]\ntool.radius = 2", "half the shortest"},
		{"tool.kind = \"sphere\"\ntool.radius = 3\ntool.spacing = 4", "tool.spacing"},
		{"tool.kind = \"sphere\"\ntool.radius = 3\ntool.spacing = 1e-6", "too many nodes"},
		{"tool.kind = \"capsule\"\ntool.radius = 3\ntool.length = 1e9", "too many nodes"},
		{"tool.kind = \"sphere\"\ntool.radius = 3\nrigid = false", "a tool is always rigid"},
		{"tool.kind = \"sphere\"\ntool.radius = 3\ncontact_surface = \"top\"", "closed form"},
		{"box.size = [1, 1, 1]\nbox.elements = [1, 1, 1]\nmaterial = \"rubber\"\nclamp = \"top\"\nrigid_contact = \"distance\"", "only a rigid one"},
		{"box.size = [1, 1, 1]\nbox.elements = [1, 1, 1]\nrigid = true\nrigid_contact = \"distance\"\ncontact_surface = \"top\"", "whole surface"},
		{"box.size = [1, 1, 1]\nbox.elements = [1, 1, 1]\nrigid = true\nrigid_contact = \"exact\"", "one of mesh, distance"},
	} {
		_, err := Parse("t.toml", []byte(base(c.tool)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", c.tool, err, c.want)
		}
	}
}

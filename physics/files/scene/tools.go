package scene

import (
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
)

// Tools are rigid tools about as large as a driven body's own, which begin as far from the tissue below. Its keys have
// a prefix, which those that have it keep; numbers are in units.
func Tools(b *Body, prefix string, units setting.Units) []physics.Tool {
	t, unit := &b.Shape.Tool, units.ToSI(setting.Length)
	r, below := t.Radius, t.below()
	if t.Kind == BoxTool {
		r = (t.Size[0] + t.Size[1] + t.Size[2]) / 12
	}
	set := func(key, format string, x ...any) string {
		return prefix + strings.TrimPrefix(key, prefix) + "=" + fmt.Sprintf(format, x...)
	}
	vector := func(key string, v mgl64.Vec3) string {
		return set(key, "[%.6g, %.6g, %.6g]", v[0]/unit, v[1]/unit, v[2]/unit)
	}
	start := func(low float64) string {
		return vector("position", b.Pose.Position.Add(b.Pose.Rotation.Rotate(mgl64.Vec3{0, low - below, 0})))
	}
	spacing := set("tool.spacing", "0") // the old one may be too fine or too coarse for another tool
	form := func(kind ToolKind, radius, length float64) []string {
		like := Tool{Kind: kind, Radius: radius}
		return []string{spacing, set("tool.length", "%.6g m", length), set("tool.kind", "%s", toolWords[kind]), set("tool.radius", "%.6g m", radius), start(like.below())}
	}
	return []physics.Tool{
		{Name: "probe", About: "A shaft with a round tip; nodes of its mesh touch.", Changes: form(ProbeTool, r, 18*r)},
		{Name: "ball", About: "A ball in closed form.", Changes: form(SphereTool, 1.6*r, 18*r)},
		{Name: "capsule", About: "A short rod with round ends, in closed form.", Changes: form(CapsuleTool, r, 5*r)},
		{Name: "spatula", About: "A flat blade with round edges, in closed form.", Changes: []string{
			spacing, vector("tool.size", mgl64.Vec3{0.8 * r, 9 * r, 3 * r}), set("tool.radius", "%.6g m", 0.35*r), set("tool.kind", "box"), start(4.5 * r)}},
		{Name: "scoop", About: "A spoon: its bowl is hollow in front, and its edge digs in. Nodes and edges of its mesh touch.", Changes: form(ScoopTool, 1.8*r, 18*r)},
		{Name: "needle", About: "A thin rod with a round tip, in closed form; it does not pierce.", Changes: form(CapsuleTool, 0.25*r, 14*r)},
	}
}

// OwnTool is a surface of the user's own: key is that of its file.
func OwnTool(key string, changes ...string) physics.Tool {
	return physics.Tool{Name: "own STL or OBJ …", About: "A surface of your own, rigid, in its own axes: its origin is where the stylus is.", Own: key, Changes: changes}
}

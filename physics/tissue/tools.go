package tissue

import (
	"fmt"

	"hapco/physics"
	"hapco/physics/scene"
	"hapco/physics/setting"
)

// Tools are rigid tools about as large as the scene's own. A scene that is driven by a
// body of another kind keeps that.
func (s *SceneFile) Tools() []physics.Tool {
	for i := range s.Bodies {
		b := &s.Bodies[i]
		t := &b.Shape.Tool
		was := b.Shape.Kind == scene.ToolShape || b.Rigid && t.Radius > 0 // an own surface took its place
		if b.Role != scene.Driven || !was {
			continue
		}
		r := t.Radius
		if t.Kind == scene.BoxTool {
			r = (t.Size[0] + t.Size[1] + t.Size[2]) / 12
		}
		set := func(key, format string, x ...any) string {
			return b.Name + ".tool." + key + "=" + fmt.Sprintf(format, x...)
		}
		form := func(kind string, radius, length float64) []string {
			// the old spacing may be too fine or too coarse for another tool
			return []string{set("spacing", "0"), set("length", "%.6g m", length), set("kind", "%s", kind), set("radius", "%.6g m", radius)}
		}
		return []physics.Tool{
			{Name: "probe", About: "A shaft with a round tip; nodes of its mesh touch.", Changes: form("probe", r, 18*r)},
			{Name: "ball", About: "A ball in closed form.", Changes: form("sphere", 1.6*r, 18*r)},
			{Name: "capsule", About: "A short rod with round ends, in closed form.", Changes: form("capsule", r, 5*r)},
			{Name: "spatula", About: "A flat blade with round edges, in closed form.", Changes: []string{
				set("spacing", "0"), set("size", "[%.6g, %.6g, %.6g]", r*0.8/s.metres(), 9*r/s.metres(), 3*r/s.metres()), set("radius", "%.6g m", 0.35*r), set("kind", "box")}},
			{Name: "scoop", About: "A spoon: its bowl is hollow in front, and its edge digs in. Nodes and edges of its mesh touch.", Changes: form("scoop", 1.8*r, 18*r)},
			{Name: "needle", About: "A thin rod with a round tip, in closed form; it does not pierce.", Changes: form("capsule", 0.25*r, 14*r)},
			{Name: "own STL or OBJ …", About: "A surface of your own, rigid, in its own axes: its origin is where the stylus is.", Own: b.Name + ".mesh",
				Changes: []string{b.Name + ".rigid=true"}},
		}
	}
	return nil
}

// metres is one unit of length of the file, m.
func (s *SceneFile) metres() float64 { return s.Units.ToSI(setting.Length) }

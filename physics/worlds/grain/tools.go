package grain

import (
	"fmt"

	"hapco/physics"
	"hapco/physics/files/setting"
)

// Tools are about as large as the scene's own, but for one in a mesh file, which they take the size of grains for.
func (s *SceneFile) Tools() []physics.Tool {
	unit := s.Units.ToSI(setting.Length)
	r := s.Tool.Radius
	switch s.Tool.Kind {
	case "scoop":
		r = s.Tool.Size.Len() / 4
	case "mesh":
		r = 5 * s.Radius
	}
	form := func(shape string) []string {
		return []string{
			fmt.Sprintf("tool.radius=%.6g", r/unit),
			fmt.Sprintf("tool.size=[%.6g, %.6g, %.6g]", 2.6*r/unit, 1.5*r/unit, 2.5*r/unit),
			"tool.shape=" + shape}
	}
	return []physics.Tool{
		{Name: "ball", About: "A ball.", Changes: form("ball")},
		{Name: "bowl", About: "Half a hollow ball, open below.", Changes: form("bowl")},
		{Name: "scoop", About: "A shovel, open above and in front: push it in, forward and up.", Changes: form("scoop")},
		{Name: "own STL or OBJ …", About: "A closed surface of your own, in its own axes: its origin is where the stylus is.", Own: "tool.mesh",
			Changes: []string{"tool.shape=mesh"}},
	}
}

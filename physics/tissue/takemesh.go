package tissue

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics/frame"
	"hapco/physics/scene"
	"hapco/physics/setting"
)

// bodyName makes a word of a file's name that --set can start with.
func bodyName(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, stem)
}

// TakeMesh puts a mesh file in the place of the scene's obstacle. Tool,
// tolerance, paths and camera follow the mesh's size, so that a fly and a whale
// can both be pressed; the stylus starts above the highest node.
func (s *SceneFile) TakeMesh(file, unit string, nodes []mgl64.Vec3) error {
	tool, obstacle := -1, -1
	for i := range s.Bodies {
		if s.Bodies[i].Role == scene.Driven {
			tool = i
		} else if obstacle < 0 {
			obstacle = i
		}
	}
	if tool < 0 || obstacle < 0 || s.Bodies[tool].Shape.Kind != scene.ToolShape {
		return fmt.Errorf("--mesh: scene %s has no tool above one obstacle (cure: --mesh with scene %s)", s.Name, assets.DefaultScene)
	}

	lo, hi := bounds(nodes)
	size := hi.Sub(lo)
	diagonal := size.Len()
	top := nodes[0]
	for _, x := range nodes {
		if x[1] > top[1] {
			top = x
		}
	}
	b := &s.Bodies[obstacle]
	b.Name = bodyName(file)
	b.Shape = scene.Shape{Kind: scene.MeshShape, File: file, Unit: unit}
	b.Clamp = scene.Selector{Kind: scene.SelectDefault}
	b.Surface = scene.Selector{Kind: scene.SelectAll}
	b.Pose = frame.Identity()

	radius := diagonal / 30
	t := &s.Bodies[tool]
	t.Shape.Tool.Radius, t.Shape.Tool.Length, t.Shape.Tool.Spacing = radius, 10*radius, 0
	t.Pose = frame.At(top.Add(mgl64.Vec3{0, 1.5 * radius, 0}))

	s.Name = file
	s.Title, s.About = filepath.Base(file), "The mesh of "+filepath.Base(file)
	s.Contact.DDCTolerance = radius / 4
	s.Contact.Length = diagonal / 2
	s.Device.Workspace = size.Mul(2)
	centre := lo.Add(hi).Mul(0.5)
	s.Camera.Target = centre
	s.Camera.Eye = centre.Add(mgl64.Vec3{0.35, 0.45, 1}.Normalize().Mul(1.6 * diagonal))
	s.Camera.Up = mgl64.Vec3{0, 1, 0}
	press := setting.Move{Direction: mgl64.Vec3{0, -1, 0}, Steps: 15, Step: radius / 10}
	slide := setting.Move{Direction: mgl64.Vec3{1, 0, 0}, Steps: 20, Step: radius / 10}
	s.Paths = []setting.Path{{Name: "penetration", Moves: []setting.Move{press}}, {Name: "sliding", Moves: []setting.Move{press, slide}}}
	s.Probes = nil
	return nil
}

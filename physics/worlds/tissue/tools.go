package tissue

import (
	"hapco/physics"
	"hapco/physics/files/scene"
)

// Tools are rigid tools about as large as the scene's own. A scene that is driven by a body of another kind keeps that.
func (s *SceneFile) Tools() []physics.Tool {
	for i := range s.Bodies {
		b := &s.Bodies[i]
		was := b.Shape.Kind == scene.ToolShape || b.Rigid && b.Shape.Tool.Radius > 0 // an own surface took its place
		if b.Role == scene.Driven && was {
			return append(scene.Tools(b, b.Name+".", s.Units), scene.OwnTool(b.Name+".mesh", b.Name+".rigid=true"))
		}
	}
	return nil
}

package finitestrain

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem/solid"
)

var (
	_ physics.Mesher = (*SceneFile)(nil)
	_ physics.Holder = (*SceneFile)(nil)
)

// TakeMesh puts a volume mesh in the place of the scene's bodies: it is held where its support is.
func (s *SceneFile) TakeMesh(file, unit string, nodes []mgl64.Vec3) error {
	radius, start := s.Setting.TakeMesh(file, nodes)
	s.Body.Name, s.Body.Shape = "organ", scene.Shape{Kind: scene.MeshShape, File: file, Unit: unit}
	s.Body.Pose, s.Organs, s.Pairs, s.Parts = frame.Identity(), nil, nil, nil
	s.Body.Clamp, s.Body.Surface = scene.Selector{Kind: scene.SelectDefault}, scene.Selector{Kind: scene.SelectAll}
	s.Tool.Shape.Tool.Kind, s.Tool.Shape.Tool.Radius, s.Tool.Shape.Tool.Spacing = scene.SphereTool, 2*radius, 0
	s.Tool.Pose = frame.At(start.Add(mgl64.Vec3{0, radius, 0}))
	return nil
}

// MeshChoices are the sides of the mesh and the presets of tissue.
func (s *SceneFile) MeshChoices() (supports, materials []physics.Choice) {
	supports = []physics.Choice{{Name: "default", Short: "lowest 5 %", About: "The set of nodes called support, where the file has one; else the lowest 5 % of each part."}}
	for _, side := range []string{"bottom", "top", "left", "right", "back", "front"} {
		supports = append(supports, physics.Choice{Name: side, About: "All nodes on that side."})
	}
	for _, p := range solid.Presets() {
		c := physics.Choice{Name: p.Name, About: fmt.Sprintf("E = %.3g kPa: %s", p.Young()/1e3, p.Source)}
		if p.Name == "liver" {
			materials = append([]physics.Choice{c}, materials...)
		} else {
			materials = append(materials, c)
		}
	}
	return supports, materials
}

// MeshText is a scene file in mm around a mesh.
func (s *SceneFile) MeshText(m *physics.MeshScene) ([]byte, error) {
	c := *s
	if err := c.TakeMesh(m.File, m.Unit, m.Nodes); err != nil {
		return nil, err
	}
	mm := func(v mgl64.Vec3) string { return fmt.Sprintf("[%.6g, %.6g, %.6g]", 1e3*v[0], 1e3*v[1], 1e3*v[2]) }
	clamp := strconv.Quote(m.Support)
	if m.Support == "box" {
		clamp = fmt.Sprintf("{ min = %s, max = %s }", mm(m.Box[0]), mm(m.Box[1]))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "kind = \"finite-strain\"\ntitle = %q\nabout = %q\ncontrols = [\"friction\", \"body.E\"]\nfriction = %g\n\n[units]\nlength = \"mm\"\npressure = \"kPa\"\n", c.Title, c.About, c.Friction)
	fmt.Fprintf(&out, "\n[body]\nmesh = %q\nfile_unit = %q\nmaterial = %q\nnu = 0.45\nclamp = %s\ncolor = \"#8c3a30\"\n", m.File, m.Unit, m.Material, clamp)
	fmt.Fprintf(&out, "\n[tool]\nkind = \"sphere\"\nradius = %.6g\nposition = %s\ncolor = \"#c9ced6\"\n", 1e3*c.Tool.Shape.Tool.Radius, mm(c.Tool.Pose.Position))
	fmt.Fprintf(&out, "\n[device]\nworkspace = %s\n\n[camera]\neye = %s\ntarget = %s\n", mm(c.Device.Workspace), mm(c.Camera.Eye), mm(c.Camera.Target))
	for _, p := range c.Paths {
		for _, move := range p.Moves {
			d := move.Direction
			fmt.Fprintf(&out, "\n[[path.%s]]\ndirection = [%g, %g, %g]\nsteps = %d\nstep = %.6g\n", p.Name, d[0], d[1], d[2], move.Steps, 1e3*move.Step)
		}
	}
	_, err := Read(m.File, out.Bytes())
	return out.Bytes(), err
}

// Hold tells how a body is held at vertices of its surface.
func (s *SceneFile) Hold(body string, held []bool) (string, error) {
	t := s.tissue()
	_, i := t.Body(body)
	if i < 1 { // the first is the tool
		return "", fmt.Errorf("support: scene %s has no body %q", s.Name, body)
	}
	from, err := t.Solid(i)
	if err != nil {
		return "", err
	}
	clamp, err := from.ClampAt(body, held)
	if err != nil {
		return "", err
	}
	if i == 1 {
		body = "body"
	}
	return body + ".clamp=" + clamp, nil
}

package tissue

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem"
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

// MeshChoices are the sides of the mesh and the presets of material.
func (s *SceneFile) MeshChoices() (supports, materials []physics.Choice) {
	supports = []physics.Choice{{Name: "default", Short: "lowest 5 %", About: "The set of nodes called support, where the file has one; else the lowest 5 % of each part."}}
	for _, side := range []string{"bottom", "top", "left", "right", "back", "front"} {
		supports = append(supports, physics.Choice{Name: side, About: "All nodes on that side."})
	}
	for _, m := range fem.Presets() {
		c := physics.Choice{Name: m.Name, About: fmt.Sprintf("E = %.3g kPa, ν = %.2g", m.Young/1e3, m.Poisson)}
		if m.Name == "tissue" {
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
	c.Bodies = slices.Clone(s.Bodies)
	if err := c.TakeMesh(m.File, m.Unit, m.Nodes); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	mm := func(v mgl64.Vec3) string { return fmt.Sprintf("[%.6g, %.6g, %.6g]", 1e3*v[0], 1e3*v[1], 1e3*v[2]) }
	clamp := strconv.Quote(m.Support)
	if m.Support == "box" {
		clamp = fmt.Sprintf("{ min = %s, max = %s }", mm(m.Box[0]), mm(m.Box[1]))
	}
	fmt.Fprintf(&out, "title = %q\nabout = %q\ncontrols = [\"friction\"]\nfriction = %g\n\n[units]\nlength = \"mm\"\npressure = \"kPa\"\n", c.Title, c.About, c.Friction)
	for i := range c.Bodies {
		b := &c.Bodies[i]
		if b.Role == scene.Driven {
			t := &b.Shape.Tool
			fmt.Fprintf(&out, "\n[[body]]\nname = %q\nrole = \"driven\"\ncolor = \"#c9ced6\"\nposition = %s\n[body.tool]\nkind = \"probe\"\nradius = %.6g\nlength = %.6g\n",
				b.Name, mm(b.Pose.Position), 1e3*t.Radius, 1e3*t.Length)
		} else {
			fmt.Fprintf(&out, "\n[[body]]\nname = %q\nrole = \"fixed\"\nmesh = %q\nfile_unit = %q\nmaterial = %q\nclamp = %s\ncolor = \"#8c3a30\"\n",
				b.Name, m.File, m.Unit, m.Material, clamp)
		}
	}
	fmt.Fprintf(&out, "\n[contact]\ntolerance = 1e-4\nddc_tolerance = %.6g\nlength = %.6g\nnormals = \"smooth\"\nanchored = true\n", 1e3*c.Contact.DDCTolerance, 1e3*c.Contact.Length)
	fmt.Fprintf(&out, "\n[device]\nworkspace = %s\nstiffness = %g\n", mm(c.Device.Workspace), c.Device.Stiffness)
	fmt.Fprintf(&out, "\n[camera]\neye = %s\ntarget = %s\n", mm(c.Camera.Eye), mm(c.Camera.Target))
	for _, p := range c.Paths {
		for _, move := range p.Moves {
			d := move.Direction
			fmt.Fprintf(&out, "\n[[path.%s]]\ndirection = [%g, %g, %g]\nsteps = %d\nstep = %.6g\n", p.Name, d[0], d[1], d[2], move.Steps, 1e3*move.Step)
		}
	}
	_, err := Read(m.File, out.Bytes())
	return out.Bytes(), err
}

// TakeMesh puts a mesh file in the place of the scene's obstacle. Tool, tolerance, paths and camera follow the mesh's
// size, so that a fly and a whale can both be pressed; the stylus starts above the highest node.
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

	radius, start := s.Setting.TakeMesh(file, nodes)
	b := &s.Bodies[obstacle]
	b.Name = bodyName(file)
	b.Shape = scene.Shape{Kind: scene.MeshShape, File: file, Unit: unit}
	b.Clamp = scene.Selector{Kind: scene.SelectDefault}
	b.Surface = scene.Selector{Kind: scene.SelectAll}
	b.Pose = frame.Identity()

	t := &s.Bodies[tool]
	t.Shape.Tool.Radius, t.Shape.Tool.Length, t.Shape.Tool.Spacing = radius, 10*radius, 0
	t.Pose = frame.At(start)

	s.Contact.DDCTolerance = radius / 4
	s.Contact.Length = 15 * radius
	s.Probes = nil
	return nil
}

// Hold tells how a body is held at vertices of its surface.
func (s *SceneFile) Hold(body string, held []bool) (string, error) {
	_, i := s.Body(body)
	if i < 0 {
		return "", fmt.Errorf("support: scene %s has no body %q", s.Name, body)
	}
	solid, err := s.Solid(i)
	if err != nil {
		return "", err
	}
	clamp, err := solid.ClampAt(body, held)
	if err != nil {
		return "", err
	}
	return body + ".clamp=" + clamp, nil
}

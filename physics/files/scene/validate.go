package scene

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/numerics/num"
)

// Largest counts that make sense; more is a slip of the keyboard.
const (
	maxBoxElements = 500_000
	maxToolNodes   = 200_000
)

// Validate checks the whole scene. The error names the first key whose value is wrong, that value, and the cure. Mesh
// files are checked when Solid reads them.
func (s *Scene) Validate() error {
	if err := s.validate(); err != nil {
		err.At = s.Name
		return err
	}
	return nil
}

func (s *Scene) validate() *setting.Error { return cmp.Or(s.check(), s.Setting.Check()) }

// check is what is wrong with the part that is a tissue world's own.
func (s *Scene) check() *setting.Error {
	return cmp.Or(s.checkBodies(), s.checkFriction(), s.checkContact(), s.checkProbes())
}

func (s *Scene) checkBodies() *setting.Error {
	driven := 0
	for i := range s.Bodies {
		b := &s.Bodies[i]
		if b.Role == Driven {
			driven++
		}
		key := setting.Join("body", strconv.Itoa(i))
		_, first := s.Body(b.Name)
		if err := cmp.Or(
			checkName(b.Name, setting.Join(key, "name")),
			setting.Unless(first == i, setting.Join(key, "name"), "give each body a name of its own", "two bodies are called %q", b.Name),
			checkBody(b, key),
			setting.Unless(b.Role != Driven || driven == 1, setting.Join(key, "role"), `leave role = "driven" at one body`, "the stylus can drive one body only, %q is the second", b.Name),
		); err != nil {
			return err
		}
	}
	return cmp.Or(
		setting.Unless(len(s.Bodies) > 0, "", "add [[body]] with a name and a shape", "the scene has no body"),
		setting.Unless(driven > 0, "body.0", `add role = "driven" to one body`, "the stylus drives no body"),
		setting.Unless(driven < len(s.Bodies), "body.0", `add a body with role = "fixed"`, "there is nothing for the stylus to touch"),
	)
}

// checkName keeps names usable as the first word of a key.
func checkName(name, key string) *setting.Error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	reserved := name == "path" || slices.Contains(arrayTables, name) || slices.ContainsFunc(sceneFields, func(f setting.Field[Scene]) bool {
		return f.Name == name || strings.HasPrefix(f.Name, name+".")
	})
	return cmp.Or(
		setting.Unless(name != "", key, `add name = "obstacle"`, "a body has no name"),
		setting.Unless(strings.Trim(name, letters) == "", key, "use letters, digits, _ and -", "the name %q has a character that keys cannot have", name),
		setting.Unless(!reserved, key, "choose another name", "a body cannot be called %q: that is a key of the scene", name),
	)
}

func checkBody(b *Body, key string) *setting.Error {
	in := func(word string) string { return setting.Join(key, word) }
	distance := b.Touch == TouchDistance
	return cmp.Or(
		checkShape(b, key),
		setting.Need(b.Role <= Driven, in("role"), b.Role, "driven or fixed"),
		setting.Need(num.Finite(b.Density) && b.Density >= 0, in("density"), b.Density, "at least 0 kg/m^3"),
		setting.Need(min(b.Color[0], b.Color[1], b.Color[2]) >= 0 && max(b.Color[0], b.Color[1], b.Color[2]) <= 1, in("color"), b.Color, "three numbers from 0 to 1"),
		setting.Need(num.FiniteVec(b.Pose.Position), in("position"), b.Pose.Position, "three finite lengths"),
		setting.Need(math.Abs(b.Pose.Rotation.Len()-1) < 1e-9, in("rotation"), b.Pose.Rotation, "a unit quaternion"),
		checkSelector(&b.Surface, in("contact_surface")),
		checkSelector(&b.Clamp, in("clamp")),
		setting.Unless(b.Surface.Kind != SelectNone, in("contact_surface"), `use "all"`, "the body %q has no surface that may touch", b.Name),
		setting.Need(b.Touch <= TouchDistance, in("rigid_contact"), b.Touch, "mesh or distance"),
		setting.Unless(!distance || b.Rigid, in("rigid_contact"), "add rigid = true, or leave it out", "the body %q deforms: only a rigid one has a signed distance", b.Name),
		setting.Unless(!distance || b.Surface.Kind == SelectAll, in("contact_surface"), `leave it out, or use rigid_contact = "mesh"`, "a signed distance is that of the whole surface"),
		checkSoft(b, key),
	)
}

// checkSoft is what is wrong with a body that deforms.
func checkSoft(b *Body, key string) *setting.Error {
	if b.Rigid {
		return nil
	}
	// An object file brings E and nu of its own; Solid checks them.
	none := b.Young == 0 && b.Poisson == 0
	own := none && b.Shape.Kind == ObjectShape
	return cmp.Or(
		setting.Unless(own || !none, key, "add material = \"tissue\" or another preset, E and nu, or rigid = true", "the body %q has no material", b.Name),
		setting.Need(own || setting.Positive(b.Young), setting.Join(key, "E"), b.Young, "Young's modulus must be above 0; this is in Pa"),
		setting.Need(own || b.Poisson > -1 && b.Poisson < 0.5, setting.Join(key, "nu"), b.Poisson, "Poisson's ratio lies above -1 and below 0.5"),
		setting.Unless(b.Clamp.Kind != SelectNone, key, `add clamp = "bottom" or another side, "default", or a node set's name; or rigid = true`,
			"no node of the deformable body %q is fixed: it would float away", b.Name),
	)
}

// checkElements bounds a box by what its factor takes, about, of the memory that is free: 2.4 GB for 36^3 elements, and
// as their number to the power of 4/3 (nested dissection).
func checkElements(n float64, e [3]int, key string) *setting.Error {
	if err := setting.Need(n <= maxBoxElements, key, e, fmt.Sprintf("at most %d in all", maxBoxElements)); err != nil {
		return err
	}
	free, known := budget.Free()
	need := 2.4e9 * math.Pow(n/(36*36*36), 4.0/3)
	most := 36 * 36 * 36 * math.Pow(float64(free)/2.4e9, 0.75)
	return setting.Need(!known || need <= float64(free), key, e,
		fmt.Sprintf("they take about %.2g GB, %.2g GB are free: about %.0f in all", need/1e9, float64(free)/1e9, most))
}

func checkShape(b *Body, key string) *setting.Error {
	in := func(word string) string { return setting.Join(key, word) }
	switch sh := &b.Shape; sh.Kind {
	case BoxShape:
		e := sh.Box.Elements
		for k := range e {
			if err := cmp.Or(
				setting.Need(setting.Positive(sh.Box.Size[k]), in("box.size"), sh.Box.Size, "three lengths above 0; these are in m"),
				setting.Need(e[k] >= 1 && e[k] <= maxBoxElements, in("box.elements"), e, fmt.Sprintf("from 1 to %d along x, y and z", maxBoxElements)),
			); err != nil {
				return err
			}
		}
		return cmp.Or(
			setting.Need(num.FiniteVec(sh.Box.Origin), in("box.origin"), sh.Box.Origin, "three finite lengths"),
			checkElements(float64(e[0])*float64(e[1])*float64(e[2]), e, in("box.elements")),
		)
	case ToolShape:
		return cmp.Or(
			checkTool(&sh.Tool, in),
			setting.Unless(!sh.Tool.closedForm() || b.Surface.Kind == SelectAll, in("contact_surface"), `leave it out, or use tool.kind = "probe", "ball" or "scoop"`, "a tool in closed form touches with all of its surface"),
			setting.Unless(b.Rigid, in("rigid"), "leave rigid out", "a tool is always rigid"),
		)
	case MeshShape, ObjectShape:
		return setting.Need(sh.File != "", in("mesh"), `""`, "give a file's name")
	}
	return setting.Fault(key, "add [body.box], [body.tool], mesh or object", "the body %q has no shape", b.Name)
}

func checkTool(t *Tool, in func(word string) string) *setting.Error {
	above0 := func(x float64) bool { return x > 0 && num.Finite(x) }
	largest := t.Radius // spacing
	var wrong *setting.Error
	switch t.Kind {
	case BoxTool:
		shortest := min(t.Size[0], t.Size[1], t.Size[2])
		largest = max(t.Size[0], t.Size[1], t.Size[2])
		wrong = cmp.Or(
			setting.Need(above0(t.Size[0]) && above0(t.Size[1]) && above0(t.Size[2]), in("tool.size"), t.Size, "three lengths above 0; these are in m"),
			setting.Need(t.Radius >= 0 && t.Radius <= shortest/2, in("tool.radius"), t.Radius, "of the edges: from 0 to half the shortest of them; this is in m"),
		)
	case SphereTool, CapsuleTool, CylinderTool:
		wrong = cmp.Or(
			setting.Need(above0(t.Radius), in("tool.radius"), t.Radius, "above 0; this is in m"),
			setting.Need(t.Kind == SphereTool || above0(t.Length), in("tool.length"), t.Length, "above 0; this is in m"),
		)
	default:
		wrong = cmp.Or(
			setting.Need(t.Kind < SphereTool, in("tool.kind"), t.Kind, strings.Join(toolWords, ", ")),
			setting.Need(above0(t.Radius), in("tool.radius"), t.Radius, "above 0; this is in m"),
			setting.Need(t.Length > t.leastLength() && num.Finite(t.Length), in("tool.length"), t.Length, "longer than the radius, of a scoop 1.4 times that; this is in m"),
		)
	}
	return cmp.Or(wrong,
		setting.Need(t.Spacing >= 0 && t.Spacing <= largest, in("tool.spacing"), t.Spacing, "from 0 to the radius, or to a box's longest edge; this is in m"),
		setting.Need(toolNodes(t) <= maxToolNodes, in("tool.spacing"), t.Spacing, "so small a spacing makes too many nodes"),
	)
}

func checkSelector(s *Selector, key string) *setting.Error {
	switch s.Kind {
	case SelectSide:
		return setting.Need(s.Side <= Front, key, s.Side, "left, right, bottom, top, back or front")
	case SelectSet:
		return setting.Need(s.Set != "", key, `""`, "give the name of a node set")
	case SelectBox:
		ordered := s.Min[0] <= s.Max[0] && s.Min[1] <= s.Max[1] && s.Min[2] <= s.Max[2]
		return setting.Unless(ordered, key, "give min below max along x, y and z", "the box from %v to %v m is empty", s.Min, s.Max)
	case SelectNodes:
		return setting.Need(len(s.Nodes) > 0, key, "no node", "give a list of node numbers")
	}
	return setting.Need(s.Kind <= SelectDefault, key, s.Kind, "a kind of this package")
}

func (s *Scene) checkFriction() *setting.Error {
	err := cmp.Or(
		setting.Need(s.Friction >= 0 && num.Finite(s.Friction), "friction", s.Friction, "at least 0"),
		setting.Need(num.FiniteVec(s.Gravity), "gravity", s.Gravity, "three finite numbers"),
	)
	for i, p := range s.Pairs {
		if err != nil {
			break
		}
		key := setting.Join("pair", strconv.Itoa(i))
		bodies := setting.Join(key, "bodies")
		rigid := func(name string) bool {
			b, _ := s.Body(name)
			return b != nil && b.Rigid
		}
		err = cmp.Or(
			s.checkKnown(p.A, bodies, "use the names of bodies"),
			s.checkKnown(p.B, bodies, "use the names of bodies"),
			setting.Unless(!rigid(p.A) || !rigid(p.B) || p.A == p.B || p.Contact == ContactNone, bodies, `contact = "none", or E in the place of rigid = true`,
				"%s and %s are both rigid, and nothing acts between them", p.A, p.B),
			setting.Need(math.IsNaN(p.Friction) || p.Friction >= 0 && num.Finite(p.Friction), setting.Join(key, "friction"), p.Friction, "at least 0"),
		)
	}
	return err
}

// checkKnown: a body has the name.
func (s *Scene) checkKnown(name, key, cure string) *setting.Error {
	b, _ := s.Body(name)
	return setting.Unless(b != nil, key, cure, "there is no body %q", name)
}

func (s *Scene) checkContact() *setting.Error {
	c := &s.Contact
	known := func(solver string) bool { return slices.Contains(contact.Names(), solver) }
	return cmp.Or(
		setting.Unless(known(c.Solver), "contact.solver", setting.Suggest(c.Solver, contact.Names(), ""), "unknown solver %q", c.Solver),
		setting.Unless(c.Shadow == "" || known(c.Shadow), "contact.shadow", setting.Suggest(c.Shadow, contact.Names(), ""), "unknown solver %q", c.Shadow),
		setting.Need(c.Criterion <= contact.SameStatus, "contact.criterion", c.Criterion, strings.Join(criterionWords, ", ")),
		setting.Need(setting.Positive(c.Tolerance), "contact.tolerance", c.Tolerance, "above 0"),
		setting.Need(c.MaxIterations >= 1 && c.MaxIterations <= 1e7, "contact.max_iterations", c.MaxIterations, "from 1 to 1e7"),
		setting.Need(c.Rho >= 0 && num.Finite(c.Rho), "contact.rho", c.Rho, "above 0, or 0 to have it calculated"),
		setting.Need(setting.Positive(c.RhoFactor), "contact.rho_factor", c.RhoFactor, "above 0"),
		setting.Need(setting.Positive(c.UzawaError), "contact.uzawa_error", c.UzawaError, "above 0"),
		setting.Need(c.UzawaIterations >= 1 && c.UzawaIterations <= 1e6, "contact.uzawa_iterations", c.UzawaIterations, "from 1 to 1e6"),
		setting.Need(setting.Positive(c.Length), "contact.length", c.Length, "above 0"),
		setting.Need(setting.Positive(c.NewtonTolerance), "contact.newton_tolerance", c.NewtonTolerance, "above 0"),
		setting.Need(c.DDCTolerance > 0, "contact.ddc_tolerance", c.DDCTolerance, "above 0, or inf"),
		setting.Need(c.Reduction >= 0 && num.Finite(c.Reduction), "contact.reduction", c.Reduction, "at least 0"),
		setting.Need(c.Deadline >= 0 && num.Finite(c.Deadline) && c.Deadline <= 3600, "contact.deadline", c.Deadline, "0 to 3600"),
		setting.Need(c.StrainLimit >= 0 && c.StrainLimit < 1, "contact.strain_limit", c.StrainLimit, "at least 0, below 1"),
		setting.Need(c.Normals <= SmoothNormals, "contact.normals", c.Normals, "face or smooth"),
	)
}

func (s *Scene) checkProbes() *setting.Error {
	for i := range s.Probes {
		p := &s.Probes[i]
		key := setting.Join("probes", p.Name)
		if err := cmp.Or(
			s.checkKnown(p.Body, setting.Join(key, "body"), "use the name of a body"),
			setting.Need(num.FiniteVec(p.Point), setting.Join(key, "at"), p.Point, "three finite lengths"),
		); err != nil {
			return err
		}
	}
	return nil
}

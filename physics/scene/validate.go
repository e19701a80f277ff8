package scene

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
)

// Largest counts that make sense; more is a slip of the keyboard.
const (
	maxBoxElements = 10_000_000
	maxPathSteps   = 10_000_000
	maxToolNodes   = 200_000
)

// Validate checks the whole scene. The error names the first key whose value is
// wrong, that value, and the cure. Mesh files are checked when Solid reads them.
func (s *Scene) Validate() error {
	if err := s.validate(); err != nil {
		err.At = s.Name
		return err
	}
	return nil
}

func (s *Scene) validate() *Error {
	checks := []func() *Error{s.checkBodies, s.checkFriction, s.checkContact, s.checkDevice, s.checkCamera, s.checkProbes, s.checkPaths}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

func finiteVector(v mgl64.Vec3) bool { return finite(v[:]...) }

// need turns a failed check into an Error about the value of a key.
func need(ok bool, key string, value any, cure string) *Error {
	if ok {
		return nil
	}
	// The key's own words: what stands after the table's name and index.
	name := key
	for _, prefix := range []string{"body.#.", "pair.#.", "probes.*.", "path.*.#."} {
		if rest, ok := cutKey(key, prefix); ok {
			name = rest
		}
	}
	return fault(key, cure, "%s = %v is out of range", name, value)
}

// cutKey removes a prefix in which # and * stand for any word.
func cutKey(key, prefix string) (rest string, ok bool) {
	for prefix != "" {
		var want, word string
		want, prefix, _ = strings.Cut(prefix, ".")
		if word, key, ok = strings.Cut(key, "."); !ok || want != "#" && want != "*" && want != word {
			return "", false
		}
	}
	return key, true
}

func firstOf(errs ...*Error) *Error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

func (s *Scene) checkBodies() *Error {
	if len(s.Bodies) == 0 {
		return fault("", "add [[body]] with a name and a shape", "the scene has no body")
	}
	driven := 0
	for i := range s.Bodies {
		b := &s.Bodies[i]
		key := join("body", strconv.Itoa(i))
		if err := checkName(b.Name, join(key, "name")); err != nil {
			return err
		}
		if _, first := s.Body(b.Name); first != i {
			return fault(join(key, "name"), "give each body a name of its own", "two bodies are called %q", b.Name)
		}
		if err := checkBody(b, key); err != nil {
			return err
		}
		if b.Role == Driven {
			if driven++; driven > 1 {
				return fault(join(key, "role"), `leave role = "driven" at one body`, "the stylus can drive one body only, %q is the second", b.Name)
			}
		}
	}
	if driven == 0 {
		return fault("body.0", `add role = "driven" to one body`, "the stylus drives no body")
	}
	if driven == len(s.Bodies) {
		return fault("body.0", `add a body with role = "fixed"`, "there is nothing for the stylus to touch")
	}
	return nil
}

// checkName keeps names usable as the first word of a key.
func checkName(name, key string) *Error {
	if name == "" {
		return fault(key, `add name = "obstacle"`, "a body has no name")
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return fault(key, "use letters, digits, _ and -", "the name %q has a character that keys cannot have", name)
		}
	}
	reserved := slices.Contains(arrayTables, name) || slices.ContainsFunc(sceneFields, func(f field[Scene]) bool {
		return f.name == name || strings.HasPrefix(f.name, name+".")
	})
	if reserved {
		return fault(key, "choose another name", "a body cannot be called %q: that is a key of the scene", name)
	}
	return nil
}

func checkBody(b *Body, key string) *Error {
	if err := checkShape(b, key); err != nil {
		return err
	}
	in := func(word string) string { return join(key, word) }
	if err := firstOf(
		need(b.Role <= Driven, in("role"), b.Role, "driven or fixed"),
		need(finite(b.Density) && b.Density >= 0, in("density"), b.Density, "at least 0 kg/m^3"),
		need(b.Color[0] >= 0 && b.Color[1] >= 0 && b.Color[2] >= 0 && b.Color[0] <= 1 && b.Color[1] <= 1 && b.Color[2] <= 1, in("color"), b.Color, "three numbers from 0 to 1"),
		need(finiteVector(b.Pose.Position), in("position"), b.Pose.Position, "three finite lengths"),
		need(math.Abs(b.Pose.Rotation.Len()-1) < 1e-9, in("rotation"), b.Pose.Rotation, "a unit quaternion"),
		checkSelector(&b.Surface, in("contact_surface")),
		checkSelector(&b.Clamp, in("clamp")),
	); err != nil {
		return err
	}
	if b.Surface.Kind == SelectNone {
		return fault(in("contact_surface"), `use "all"`, "the body %q has no surface that may touch", b.Name)
	}
	if err := need(b.Touch <= TouchDistance, in("rigid_contact"), b.Touch, "mesh or distance"); err != nil {
		return err
	}
	if b.Touch == TouchDistance && !b.Rigid {
		return fault(in("rigid_contact"), "add rigid = true, or leave it out", "the body %q deforms: only a rigid one has a signed distance", b.Name)
	}
	if b.Touch == TouchDistance && b.Surface.Kind != SelectAll {
		return fault(in("contact_surface"), `leave it out, or use rigid_contact = "mesh"`, "a signed distance is that of the whole surface")
	}
	if b.Rigid {
		return nil
	}
	// An object file brings E and nu of its own; Solid checks them.
	if b.Shape.Kind != ObjectShape || b.Young != 0 || b.Poisson != 0 {
		if b.Young == 0 && b.Poisson == 0 {
			return fault(key, "add material = \"tissue\" or another preset, E and nu, or rigid = true", "the body %q has no material", b.Name)
		}
		if err := firstOf(
			need(b.Young > 0 && finite(b.Young), in("E"), b.Young, "Young's modulus must be above 0; this is in Pa"),
			need(b.Poisson > -1 && b.Poisson < 0.5, in("nu"), b.Poisson, "Poisson's ratio lies above -1 and below 0.5"),
		); err != nil {
			return err
		}
	}
	if b.Clamp.Kind == SelectNone {
		return fault(key, `add clamp = "bottom" or another side, "default", or a node set's name; or rigid = true`,
			"no node of the deformable body %q is fixed: it would float away", b.Name)
	}
	return nil
}

func checkShape(b *Body, key string) *Error {
	in := func(word string) string { return join(key, word) }
	switch sh := &b.Shape; sh.Kind {
	case BoxShape:
		e := sh.Box.Elements
		for k := range 3 {
			if err := firstOf(
				need(sh.Box.Size[k] > 0 && finite(sh.Box.Size[k]), in("box.size"), sh.Box.Size, "three lengths above 0; these are in m"),
				need(e[k] >= 1 && e[k] <= maxBoxElements, in("box.elements"), e, "at least one along x, y and z"),
			); err != nil {
				return err
			}
		}
		return firstOf(
			need(finiteVector(sh.Box.Origin), in("box.origin"), sh.Box.Origin, "three finite lengths"),
			need(float64(e[0])*float64(e[1])*float64(e[2]) <= maxBoxElements, in("box.elements"), e, "at most ten million in all"),
		)
	case ToolShape:
		if err := checkTool(&sh.Tool, in); err != nil {
			return err
		}
		if sh.Tool.ClosedForm() && b.Surface.Kind != SelectAll {
			return fault(in("contact_surface"), `leave it out, or use tool.kind = "probe" or "ball"`, "a tool in closed form touches with all of its surface")
		}
		if !b.Rigid {
			return fault(in("rigid"), "leave rigid out", "a tool is always rigid")
		}
		return nil
	case MeshShape, ObjectShape:
		return need(sh.File != "", in("mesh"), `""`, "give a file's name")
	}
	return fault(key, "add [body.box], [body.tool], mesh or object", "the body %q has no shape", b.Name)
}

func checkTool(t *Tool, in func(word string) string) *Error {
	above0 := func(x float64) bool { return x > 0 && finite(x) }
	largest := t.Radius // spacing
	switch t.Kind {
	case BoxTool:
		shortest := min(t.Size[0], t.Size[1], t.Size[2])
		if err := firstOf(
			need(above0(t.Size[0]) && above0(t.Size[1]) && above0(t.Size[2]), in("tool.size"), t.Size, "three lengths above 0; these are in m"),
			need(t.Radius >= 0 && t.Radius <= shortest/2, in("tool.radius"), t.Radius, "of the edges: from 0 to half the shortest of them; this is in m"),
		); err != nil {
			return err
		}
		largest = max(t.Size[0], t.Size[1], t.Size[2])
	case SphereTool, CapsuleTool, CylinderTool:
		if err := firstOf(
			need(above0(t.Radius), in("tool.radius"), t.Radius, "above 0; this is in m"),
			need(t.Kind == SphereTool || above0(t.Length), in("tool.length"), t.Length, "above 0; this is in m"),
		); err != nil {
			return err
		}
	default:
		if err := firstOf(
			need(t.Kind <= BallTool, in("tool.kind"), t.Kind, strings.Join(toolWords, ", ")),
			need(above0(t.Radius), in("tool.radius"), t.Radius, "above 0; this is in m"),
			need(t.Length > t.Radius && finite(t.Length), in("tool.length"), t.Length, "longer than the radius; this is in m"),
		); err != nil {
			return err
		}
	}
	return firstOf(
		need(t.Spacing >= 0 && t.Spacing <= largest, in("tool.spacing"), t.Spacing, "from 0 to the radius, or to a box's longest edge; this is in m"),
		need(toolNodes(t) <= maxToolNodes, in("tool.spacing"), t.Spacing, "so small a spacing makes too many nodes"),
	)
}

func checkSelector(s *Selector, key string) *Error {
	switch s.Kind {
	case SelectSide:
		return need(s.Side <= Front, key, s.Side, "left, right, bottom, top, back or front")
	case SelectSet:
		return need(s.Set != "", key, `""`, "give the name of a node set")
	case SelectBox:
		for k := range 3 {
			if !(s.Min[k] <= s.Max[k]) {
				return fault(key, "give min below max along x, y and z", "the box from %v to %v m is empty", s.Min, s.Max)
			}
		}
	case SelectNodes:
		return need(len(s.Nodes) > 0, key, "no node", "give a list of node numbers")
	}
	return need(s.Kind <= SelectDefault, key, s.Kind, "a kind of this package")
}

func (s *Scene) checkFriction() *Error {
	if err := firstOf(
		need(s.Friction >= 0 && finite(s.Friction), "friction", s.Friction, "at least 0"),
		need(finiteVector(s.Gravity), "gravity", s.Gravity, "three finite numbers"),
	); err != nil {
		return err
	}
	for i, p := range s.Pairs {
		key := join("pair", strconv.Itoa(i))
		for _, name := range []string{p.A, p.B} {
			if b, _ := s.Body(name); b == nil {
				return fault(join(key, "bodies"), "use the names of bodies", "there is no body %q", name)
			}
		}
		if err := need(math.IsNaN(p.Friction) || p.Friction >= 0 && finite(p.Friction), join(key, "friction"), p.Friction, "at least 0"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scene) checkContact() *Error {
	c := &s.Contact
	positive := func(x float64) bool { return x > 0 && finite(x) }
	if !slices.Contains(contact.Names(), c.Solver) {
		return fault("contact.solver", suggest(c.Solver, contact.Names(), ""), "unknown solver %q", c.Solver)
	}
	if c.Shadow != "" && !slices.Contains(contact.Names(), c.Shadow) {
		return fault("contact.shadow", suggest(c.Shadow, contact.Names(), ""), "unknown solver %q", c.Shadow)
	}
	return firstOf(
		need(c.Criterion <= contact.SameStatus, "contact.criterion", c.Criterion, strings.Join(criterionWords, ", ")),
		need(positive(c.Tolerance), "contact.tolerance", c.Tolerance, "above 0"),
		need(c.MaxIterations >= 1, "contact.max_iterations", c.MaxIterations, "at least 1"),
		need(c.Rho >= 0 && finite(c.Rho), "contact.rho", c.Rho, "above 0, or 0 to have it calculated"),
		need(positive(c.RhoFactor), "contact.rho_factor", c.RhoFactor, "above 0"),
		need(positive(c.UzawaError), "contact.uzawa_error", c.UzawaError, "above 0"),
		need(c.UzawaIterations >= 1, "contact.uzawa_iterations", c.UzawaIterations, "at least 1"),
		need(positive(c.Length), "contact.length", c.Length, "above 0"),
		need(positive(c.NewtonTolerance), "contact.newton_tolerance", c.NewtonTolerance, "above 0"),
		need(c.DDCTolerance > 0, "contact.ddc_tolerance", c.DDCTolerance, "above 0, or inf"),
		need(c.Reduction >= 0 && finite(c.Reduction), "contact.reduction", c.Reduction, "at least 0"),
		need(c.Deadline >= 0 && finite(c.Deadline) && c.Deadline <= 3600, "contact.deadline", c.Deadline, "0 to 3600"),
		need(c.StrainLimit >= 0 && c.StrainLimit < 1, "contact.strain_limit", c.StrainLimit, "at least 0, below 1"),
		need(c.Normals <= SmoothNormals, "contact.normals", c.Normals, "face or smooth"),
	)
}

func (s *Scene) checkDevice() *Error {
	d := &s.Device
	positive := func(x float64) bool { return x > 0 && finite(x) }
	return firstOf(
		need(positive(d.Scale), "device.scale", d.Scale, "above 0"),
		need(positive(d.Workspace[0]) && positive(d.Workspace[1]) && positive(d.Workspace[2]), "device.workspace", d.Workspace, "three lengths above 0"),
		need(positive(d.MaxForce), "device.max_force", d.MaxForce, "above 0 N"),
		need(d.Reducer >= 0 && d.Reducer <= 1, "device.reducer", d.Reducer, "from 0 to 1"),
		need(positive(d.Stiffness), "device.stiffness", d.Stiffness, "above 0 N/m"),
		need(slices.Contains(couplingWords, d.Coupling), "device.coupling", d.Coupling, strings.Join(couplingWords, " or ")),
		need(d.CouplingStiffness >= 0 && d.CouplingStiffness <= 1e7, "device.coupling_stiffness", d.CouplingStiffness, "from 0 to 1e7 N/m"),
		need(d.CouplingDamping >= 0 && d.CouplingDamping <= 1e4, "device.coupling_damping", d.CouplingDamping, "from 0 to 1e4 N s/m"),
		need(d.DeadMan >= 0 && d.DeadMan <= 4, "device.dead_man", d.DeadMan, "a button from 1 to 4, or 0 for none"),
	)
}

func (s *Scene) checkCamera() *Error {
	c := &s.Camera
	degrees := c.FieldOfView * 180 / math.Pi
	if err := firstOf(
		need(finiteVector(c.Eye), "camera.eye", c.Eye, "three finite lengths"),
		need(finiteVector(c.Target), "camera.target", c.Target, "three finite lengths"),
		need(math.Abs(c.Up.Len()-1) < 1e-9, "camera.up", c.Up, "a direction"),
		need(degrees >= 1 && degrees <= 170, "camera.fov", degrees, "from 1 to 170 degrees"),
	); err != nil {
		return err
	}
	view := c.Target.Sub(c.Eye)
	if !(view.Len() > 0) {
		return fault("camera.eye", "move the eye or the target", "the camera stands in what it looks at")
	}
	if !(view.Normalize().Cross(c.Up).Len() > 1e-6) {
		return fault("camera.up", "turn up away from the line of sight", "the camera looks along its own up")
	}
	return nil
}

func (s *Scene) checkProbes() *Error {
	for i := range s.Probes {
		p := &s.Probes[i]
		key := join("probes", p.Name)
		if b, _ := s.Body(p.Body); b == nil {
			return fault(join(key, "body"), "use the name of a body", "there is no body %q", p.Body)
		}
		if err := need(finiteVector(p.Point), join(key, "at"), p.Point, "three finite lengths"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scene) checkPaths() *Error {
	for i := range s.Paths {
		p := &s.Paths[i]
		base := join("path", p.Name)
		if len(p.Moves) == 0 {
			return fault(base, "add [["+base+"]] with direction, steps and step", "the path %q has no move", p.Name)
		}
		total := 0
		for j, m := range p.Moves {
			key := join(base, strconv.Itoa(j))
			if err := firstOf(
				need(math.Abs(m.Direction.Len()-1) < 1e-9, join(key, "direction"), m.Direction, "a direction"),
				need(m.Steps >= 1 && m.Steps <= maxPathSteps, join(key, "steps"), m.Steps, "at least 1, at most ten million"),
				need(m.Step > 0 && finite(m.Step), join(key, "step"), m.Step, "above 0; this is in m"),
			); err != nil {
				return err
			}
			if total += m.Steps; total > maxPathSteps {
				return fault(join(key, "steps"), "at most ten million", "the path %q has too many steps", p.Name)
			}
		}
	}
	return nil
}

package tissue

import (
	"context"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/flex"
)

// Keys are the live parameters.
func (l *Live) Keys() []physics.Key {
	w := l.World
	names := make([]string, len(w.bodies))
	for i, b := range w.bodies {
		if !b.info.Rigid {
			names[i] = b.info.Name
		}
	}
	return KeysOf(names, w.DefaultParams(), func() *Params { return &w.params }, w.SetParams)
}

// KeysOf are keys for parameters: those rows of the scene's tables of keys that say how the panel shows them, and views
// that no file has. Bodies has the name of each soft body, "" for a rigid one; now gives the parameters in force, set
// replaces them.
func KeysOf(bodies []string, defaults Params, now func() *Params, set func(Params) error) []physics.Key {
	own, ofBody := scene.Fields()
	tuned := &scene.Scene{Friction: defaults.Friction, Contact: defaults.Contact, Bodies: make([]scene.Body, len(bodies))}
	for i := range bodies {
		tuned.Bodies[i] = scene.Body{Young: defaults.Bodies[i].Young, Poisson: defaults.Bodies[i].Poisson}
	}
	changed := func(string) error {
		p := *now()
		p.Friction, p.Contact = tuned.Friction, tuned.Contact
		p.Bodies = nil
		for i := range tuned.Bodies {
			p.Bodies = append(p.Bodies, BodyParams{Young: tuned.Bodies[i].Young, Poisson: tuned.Bodies[i].Poisson})
		}
		return set(p)
	}
	t := table{defaults: defaults, now: now, tuned: tuned, changed: changed}
	for _, k := range physics.KeysOf(own, tuned, "", "Contact", changed) {
		t.add(k)
	}
	for i, name := range bodies {
		if name == "" {
			continue
		}
		for _, k := range physics.KeysOf(ofBody, &tuned.Bodies[i], name+".", "Bodies", changed) {
			k.Body = name
			t.keys = append(t.keys, k)
		}
	}
	return t.keys
}

// table builds the keys. The places of those that others look at are found once all are there.
type table struct {
	defaults Params
	now      func() *Params
	tuned    *scene.Scene // holds the values that a scene file has
	changed  func(string) error
	keys     []physics.Key
	places   map[string]int
}

func (t *table) at(name string) int {
	if t.places == nil {
		t.places = map[string]int{}
	}
	i, ok := t.places[name]
	if !ok {
		i = physics.Place(t.keys, name)
		t.places[name] = i
	}
	return i
}

// add adds a key of the scene's table, with what it needs besides.
func (t *table) add(k physics.Key) {
	c := &t.tuned.Contact
	switch k.Name {
	case "contact.solver":
		t.solver(&k, &c.Solver, "")
		t.keys = append(t.keys, k, t.formulation())
		return
	case "contact.shadow":
		t.solver(&k, &c.Shadow, noShadow)
	case "contact.criterion":
		for _, x := range criteria {
			k.Choices = append(k.Choices, physics.Choice{Name: x.name, About: x.about})
		}
		k.Get = func() float64 { return float64(c.Criterion) }
		k.Put = puts(t, k.Name, &c.Criterion, func(x float64) contact.Criterion { return contact.Criterion(x) })
		k.Default = k.Get()
		k.Change = t.criterion()
	case "contact.tolerance":
		k.Get = func() float64 { return c.Tolerance }
		k.Put = puts(t, k.Name, &c.Tolerance, func(x float64) float64 { return x })
		k.Default = c.Tolerance
		home := t.criterionHome()
		k.Home = home
		k.Hidden = func(v []float64) bool { return contact.Criterion(v[t.at("contact.criterion")]) == contact.Physical }
		k.Off = func(v []float64) bool { return contact.Criterion(v[t.at("contact.criterion")]) == contact.SameStatus }
		as := k // the same number, as a length
		as.Unit, as.Get, as.Put = "m", nil, physics.Setter{}
		as.Help = "Gauss-Seidel error as a length: the change of the forces divided by ρ_min, an interpenetration. Smaller is more exact and slower."
		as.Source = "Thesis: «Gauss-Seidel Error», ε_Globale = |r − r_k-1| / ρ_min, 4.4.2"
		as.Range = setting.Range{Min: 1e-11, Max: 1e-3, Log: true, Floor: 1e-15, Ceil: 1}
		as.Value = func(v []float64) float64 { return v[t.at("contact.tolerance")] }
		as.Change = func(v []float64, x float64, _ *physics.Frame) { v[t.at("contact.tolerance")] = x }
		as.Hidden = func(v []float64) bool { return contact.Criterion(v[t.at("contact.criterion")]) != contact.Physical }
		as.Off = nil
		t.keys = append(t.keys, k, as)
		return
	case "contact.rho":
		t.keys = append(t.keys, t.rhoMode(), t.rhoImposed())
		k.Off = func(v []float64) bool { return v[t.at("rho_imposed")] == 0 }
		k.Live = "rho_min_N_per_m"
	case "contact.rho_factor":
		if k.Default == 0 {
			k.Default = 1
		}
		k.Off = func(v []float64) bool { return v[t.at("rho_imposed")] != 0 }
	}
	t.keys = append(t.keys, k)
}

// noShadow is what panel and scene files call the absence of a second solver.
const noShadow = "none"

// solver makes k the choice of a solver by name; none is a word for the name "".
func (t *table) solver(k *physics.Key, name *string, none string) {
	if none != "" {
		k.Choices = append(k.Choices, physics.Choice{Name: none})
	}
	for _, e := range solverList() {
		k.Choices = append(k.Choices, physics.Choice{Name: e.Name, Title: e.Title, About: e.Note, Group: families[e.Family]})
	}
	choices := k.Choices
	k.Get = func() float64 {
		for i := range choices {
			if choices[i].Name == *name || *name == "" && choices[i].Name == none {
				return float64(i)
			}
		}
		return -1
	}
	k.Put = puts(t, k.Name, name, func(x float64) string {
		if chosen := choices[int(x)].Name; chosen != none {
			return chosen
		}
		return ""
	})
	k.Default = k.Get()
}

// puts sets a field of what is tuned, unless that is refused.
func puts[T any](t *table, name string, field *T, of func(x float64) T) physics.Setter {
	return physics.Puts(func(x float64) error {
		old := *field
		*field = of(x)
		err := t.changed(name)
		if err != nil {
			*field = old
		}
		return err
	})
}

// pick is the place of a solver among the choices of a key.
func (t *table) pick(key, name string) float64 {
	for i, c := range t.keys[t.at(key)].Choices {
		if c.Name == name {
			return float64(i)
		}
	}
	return -1
}

// chosen is the name of the solver among the values v.
func (t *table) chosen(v []float64) string {
	i := t.at("contact.solver")
	return t.keys[i].Word(v[i])
}

// formulation is a view of the solver.
func (t *table) formulation() physics.Key {
	k := physics.Key{Name: "formulation", Section: "Contact", Label: "Formulation",
		Help:   "The form in which the solver states the contact laws. Another one chooses the nearest solver that has it.",
		Source: "Thesis: 2.4: (2.19) to (2.29), (2.43) to (2.45)"}
	for _, f := range formulations {
		k.Choices = append(k.Choices, physics.Choice{Name: f.name, About: f.about})
	}
	k.Value = func(v []float64) float64 { return float64(contact.Describe(t.chosen(v)).Formulation) }
	k.Change = func(v []float64, x float64, _ *physics.Frame) {
		v[t.at("contact.solver")] = t.pick("contact.solver", reformulated(t.chosen(v), contact.Formulation(x)))
	}
	return k
}

// rhoImposed is the switch that the view rhoMode needs.
func (t *table) rhoImposed() physics.Key {
	return physics.Key{Name: "rho_imposed", Switch: true, Default: truth(t.defaults.RhoImposed),
		Get: func() float64 { return truth(t.now().RhoImposed) },
		Put: physics.Puts(func(x float64) error { t.now().RhoImposed = x != 0; return nil })}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// rhoMode is a view of solver and switch: how rho is come by.
func (t *table) rhoMode() physics.Key {
	k := physics.Key{Name: "rho_mode", Section: "Contact", Label: "Rho mode", Symbol: "ρ", Buttons: true,
		Help:   "Whether the stiffness ρ of the Uzawa steps is calculated from the Delassus operator W, for all contacts or for each, or imposed by the slider below. Solvers that take no such steps use ρ_min in the physical error only.",
		Source: "Thesis: «ρ_min Calculated/Imposed», (3.1), (3.2)"}
	for _, m := range rhoModes {
		k.Choices = append(k.Choices, physics.Choice{Name: m.word, Short: m.shown, About: m.about})
	}
	uses := [...]contact.RhoUse{rhoCalculated: contact.RhoLeast, rhoPerContact: contact.RhoPerContact}
	k.Value = func(v []float64) float64 {
		switch {
		case v[t.at("rho_imposed")] != 0:
			return rhoImposed
		case contact.Describe(t.chosen(v)).Rho == contact.RhoPerContact:
			return rhoPerContact
		}
		return rhoCalculated
	}
	k.Offers = func(v []float64, i int) bool {
		if i == rhoImposed {
			return true
		}
		use := contact.Describe(t.chosen(v)).Rho
		_, twin := rhoTwin(t.chosen(v), uses[i])
		return twin || use == uses[i] || i == rhoCalculated && use == contact.RhoUnused
	}
	k.Change = func(v []float64, x float64, f *physics.Frame) {
		v[t.at("rho_imposed")] = truth(x == rhoImposed)
		if x != rhoImposed {
			if twin, ok := rhoTwin(t.chosen(v), uses[int(x)]); ok {
				v[t.at("contact.solver")] = t.pick("contact.solver", twin)
			}
			return
		}
		rho := &v[t.at("contact.rho")]
		if n := numberAt("rho_min_N_per_m"); !(*rho > 0) && f != nil && n < len(f.Numbers) {
			*rho = f.Numbers[n]
		}
		if !(*rho > 0) {
			*rho = 1000 // N/m, where no contact has shown a better one
		}
	}
	return k
}

func numberAt(name string) int {
	for i := range numbers {
		if numbers[i].Name == name {
			return i
		}
	}
	panic("tissue: no number " + name)
}

// criteria are the words of scene files, in the order of contact.Criterion.
var criteria = [...]struct{ name, about string }{
	contact.RelativeChange: {"relative", "Relative error: change of the forces in a sweep over their norm, |r − r_k-1| / |r| (2.72)."},
	contact.Physical:       {"physical", "Physical error: change of the forces over ρ_min, a length (4.4.2)."},
	contact.NaturalMap:     {"natural", "Residual of the natural map: how far the forces are from obeying the contact laws. It does not mistake slow for done."},
	contact.Scaled:         {"scaled", "The natural map's residual without units: the same for soft and stiff bodies."},
	contact.SameStatus:     {"status", "Stops when no contact changed between open, stick and slip in a sweep."},
}

// usualTolerance is where a criterion's tolerance starts when it is chosen.
func usualTolerance(c contact.Criterion) float64 {
	switch c {
	case contact.Physical:
		return 1e-7 // m
	case contact.NaturalMap, contact.Scaled:
		return 1e-6
	}
	return 1e-4
}

// criterion remembers for each criterion the tolerance that it was left with: the numbers do not compare.
func (t *table) criterion() func(v []float64, x float64, _ *physics.Frame) {
	var left [len(criteria)]float64
	for c := range left {
		left[c] = usualTolerance(contact.Criterion(c))
	}
	home := t.criterionHome()
	return func(v []float64, x float64, _ *physics.Frame) {
		at, tolerance := t.at("contact.criterion"), t.at("contact.tolerance")
		left[int(v[at])] = v[tolerance]
		v[at] = x
		v[tolerance] = left[int(x)]
		if c := contact.Criterion(x); v[tolerance] == usualTolerance(c) {
			v[tolerance] = home(v)
		}
	}
}

// criterionHome is the tolerance that the present criterion goes back to.
func (t *table) criterionHome() func(v []float64) float64 {
	d := t.defaults
	return func(v []float64) float64 {
		if c := contact.Criterion(v[t.at("contact.criterion")]); c != d.Criterion {
			return usualTolerance(c)
		}
		return d.Tolerance
	}
}

// SceneFile is the scene file of a tissue world.
type SceneFile struct{ scene.Scene }

// Read reads one: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	s, err := scene.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return &SceneFile{*s}, nil
}

// Set changes one value.
func (s *SceneFile) Set(assignment string) error { return scene.Set(&s.Scene, assignment) }

// Echo tells the unit of an assignment that names none.
func (s *SceneFile) Echo(assignment string) string { return scene.Echo(&s.Scene, assignment) }

// LiveDeadline ends the solves of a step in the window where the scene names no other, s: with what is never ended,
// such as finding contacts, most steps then stay below 3 ms. It counts the thread's processor time, and which steps it
// ends depends on the machine, so that nothing but the window and gestures that mean harm has it.
const LiveDeadline = 1.5e-3

// Open builds the world.
func (s *SceneFile) Open(ctx context.Context, o physics.Options) (physics.World, []string, error) {
	var build Builder
	if !o.NoCache {
		build.Cache = flex.DefaultCache()
	}
	open := build.New
	if o.Beside { // somebody waits
		open = build.Open
		if s.Contact.Deadline == 0 {
			s.Contact.Deadline = LiveDeadline
		}
	}
	w, notes, err := open(ctx, &s.Scene, o.Progress)
	if err != nil {
		return nil, nil, err
	}
	l := NewLive(w)
	l.dump = o.Dump
	return l, notes, nil
}

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

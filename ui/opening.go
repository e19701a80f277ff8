package ui

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// Import is what a mesh or surface file holds, and what has to be asked about it.
type Import struct {
	File                string
	What                string     // such as "STL: a surface of 900 triangles, ..."
	Size                mgl64.Vec3 // in the file's unit
	Units               []string   // the likely one first
	Supports, Materials []physics.Choice
}

// ImportChoice is what was answered.
type ImportChoice struct {
	Unit, Support, Material string
	Box                     [2]mgl64.Vec3 // of the support "box", m
}

// Files opens and saves files for the window. Its functions may be nil: then the window does not offer it. All but
// Tools, SavePlots and Export are called on goroutines of their own.
type Files struct {
	Examine func(file string) (*Import, error)
	// Import makes a scene of a mesh and of what was answered, and returns the name for Opener.
	Import func(ctx context.Context, file string, c ImportChoice, progress func(fraction float64, what string)) (scene string, err error)
	// Check runs a reference case and says in a line what came of it.
	Check func(ctx context.Context, file string) (string, error)
	// SavePlots writes a page of plots to new files and says which.
	SavePlots func(page string, plots []PlotData) (said string, err error)
	// Export begins an export of a scene to a new folder.
	Export func(scene string, info *physics.Info) (Exporter, error)
	// Tools are those that a scene can be driven with, and TakeTool makes a scene with one of them; own is the file of
	// the user's own tool.
	Tools    func(scene string) []physics.Tool
	TakeTool func(scene string, tool *physics.Tool, own string) (other string, err error)
	// Save writes the scene with changes, KEY=VALUE, and supports to a new file; said tells of changes left out.
	Save func(scene string, changes []string, held []Held) (file, said string, err error)
	// Hold makes a scene with other supports.
	Hold func(scene string, held []Held) (other string, err error)
}

// What the endings of files say about them.
var (
	sceneEndings = []string{".toml", ".mcap"} // Opener takes them as they are
	caseEndings  = []string{".json", ".json.gz"}
	meshEndings  = []string{".msh", ".msh.gz", ".vtk", ".vtu", ".inp", ".cdb", ".node", ".ele", ".mesh", ".stl", ".obj", ".ply"}
)

func endsIn(file string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(file), e) })
}

// opening is a file that is being looked at, and the questions about it.
type opening struct {
	found later   // of the goroutine that looks
	ask   *Import // questions on screen; nil: none
	unit  int
	clamp int
	made  int
	box   string // typed, "x y z  x y z", mm

	tool    *physics.Tool // the file is to be this tool; nil: it is to be opened
	list    bool          // the file list is on screen
	dir     string
	entries []os.DirEntry
	fault   string
}

// asks tells whether a dialog is open.
func (lib *library) asks() bool { return lib.opening.list || lib.opening.ask != nil }

// openFile opens whatever a file is.
func (lib *library) openFile(ctx context.Context, file string) {
	o := &lib.opening
	switch {
	case endsIn(file, sceneEndings):
		lib.wanted = file
	case o.found != nil:
		lib.warn("Another file is being looked at.")
	case endsIn(file, caseEndings) && lib.opt.Files.Check != nil:
		lib.say("Checking " + shortName(file) + " …")
		lib.look(func() (func(), error) {
			said, err := lib.opt.Files.Check(ctx, file)
			return func() { lib.say(said) }, err
		})
	case endsIn(file, meshEndings) && lib.opt.Files.Examine != nil:
		lib.say("Reading " + shortName(file) + " …")
		lib.look(func() (func(), error) {
			about, err := lib.opt.Files.Examine(file)
			return func() {
				*o = opening{ask: about, dir: o.dir}
				lib.notice.text = ""
			}, err
		})
	default:
		lib.warn(filepath.Base(file) + " is no scene (.toml), recording (.mcap), mesh (" + strings.Join(meshEndings, " ") + ") or case (.json).")
	}
}

// look has a goroutine do something with a file, and what comes of it told, or its error.
func (lib *library) look(f func() (tell func(), err error)) {
	lib.opening.found.begin(func() func() {
		tell, err := f()
		if err != nil {
			return func() { lib.warn(err.Error()) }
		}
		return tell
	})
}

// takeFound takes what the goroutine has found out, and dropped files.
func (lib *library) takeFound(ctx context.Context) {
	if lib.study.page != nil {
		lib.win.dropped = nil
	}
	if len(lib.win.dropped) > 0 {
		if len(lib.win.dropped) > 1 {
			lib.warn("One file at a time: the first was taken.")
		}
		lib.openFile(ctx, lib.win.dropped[0])
		lib.win.dropped = nil
	}
	lib.opening.found.look()
}

// openDialogs are the list of files and the questions about a mesh.
func (lib *library) openDialogs(ctx context.Context) {
	if lib.opening.list {
		lib.gui.dialog("files", 560, func() { lib.fileList(ctx) })
	} else if lib.opening.ask != nil {
		lib.gui.dialog("import", 500, func() { lib.importQuestions(ctx) })
	}
}

// showFiles opens the list of files.
func (lib *library) showFiles() {
	o := &lib.opening
	if o.dir == "" {
		o.dir, _ = os.Getwd()
	}
	o.list = true
	lib.readDir(o.dir)
}

func (lib *library) readDir(dir string) {
	o := &lib.opening
	entries, err := os.ReadDir(dir)
	if err != nil {
		o.fault = err.Error()
		return
	}
	o.dir, o.fault = dir, ""
	o.entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		name := e.Name()
		return strings.HasPrefix(name, ".") || !e.IsDir() && !endsIn(name, sceneEndings) && !endsIn(name, caseEndings) && !endsIn(name, meshEndings)
	})
	rank := func(e os.DirEntry) string { return pick(e.IsDir(), "0", "1") + strings.ToLower(e.Name()) } // folders first
	slices.SortStableFunc(o.entries, func(x, y os.DirEntry) int { return strings.Compare(rank(x), rank(y)) })
}

func (lib *library) fileList(ctx context.Context) {
	g, o := lib.gui, &lib.opening
	g.write(g.fonts.bold, inkColor, "Open a scene, mesh, surface, recording or case")
	g.dim(clipped(o.dir, imgui.ContentRegionAvail().X))
	next := ""
	imgui.BeginChildV("entries", imgui.Vec2{Y: min(g.px(360), float32(lib.gui.height)-g.px(180))}, true, imgui.WindowFlagsNone)
	if imgui.Selectable("../") {
		next = filepath.Dir(o.dir)
	}
	g.mark("Files/..")
	for _, e := range o.entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		if imgui.Selectable(name) {
			next = filepath.Join(o.dir, e.Name())
			if !e.IsDir() {
				o.list = false
			}
		}
		g.mark("Files/" + name)
	}
	imgui.EndChild()
	if o.fault != "" {
		g.colored(badColor, o.fault)
	}
	if g.button("Cancel##filesCancel", "Esc", 0) || imgui.IsKeyPressed(keyEscape) {
		o.list, o.tool = false, nil
	}
	switch {
	case next != "" && o.list:
		lib.readDir(next)
	case next != "" && o.tool != nil:
		lib.takeTool(o.tool, next)
		o.tool = nil
	case next != "":
		lib.openFile(ctx, next)
	}
}

// importQuestions ask for unit, support and material of a mesh.
func (lib *library) importQuestions(ctx context.Context) {
	g, o := lib.gui, &lib.opening
	q := o.ask
	g.labels = g.px(110)
	g.write(g.fonts.bold, inkColor, filepath.Base(q.File))
	g.paragraph(dimColor, q.What)
	imgui.Spacing()
	units := make([]physics.Choice, len(q.Units))
	for i, u := range q.Units {
		units[i].Name = u + ": " + lib.sizeIn(u)
	}
	units[0].Name += "  (likely)"
	unit := control{label: "Length unit", about: "No mesh format says its own: it is guessed from the size."}
	g.choice(&unit, &o.unit, units)
	support := control{label: "Support", about: "Nodes that are held."}
	g.choice(&support, &o.clamp, append(inShort(q.Supports), physics.Choice{Name: "box", About: "All nodes in a box."}))
	if o.clamp == len(q.Supports) {
		box := control{label: "Box", about: "Least x y z, then greatest x y z, in mm."}
		g.label(&box)
		imgui.InputTextWithHint("##box", "x y z  x y z, in mm", &o.box)
		g.mark("Box")
	}
	material := control{label: "Material", about: "Preset of Young's modulus, Poisson's ratio and density; the panel changes them later."}
	g.choice(&material, &o.made, inShort(q.Materials))
	if o.fault != "" {
		g.colored(badColor, o.fault)
	}
	imgui.Spacing()
	if g.button("Open##importOpen", "Makes a scene of it; 'Save as scene' in the panel keeps it.", g.px(120)) {
		lib.finishImport(ctx)
		return
	}
	imgui.SameLine()
	if g.button("Cancel##importCancel", "Esc", g.px(120)) || imgui.IsKeyPressed(keyEscape) && !g.popup {
		o.ask = nil
	}
}

// inShort are choices with the names of buttons.
func inShort(list []physics.Choice) []physics.Choice {
	list = slices.Clone(list)
	for i := range list {
		list[i].Name = cmp.Or(list[i].Short, list[i].Name)
	}
	return list
}

// sizeIn words the size of the mesh, were it in a unit.
func (lib *library) sizeIn(name string) string {
	metres := map[string]float64{"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}[name]
	s := lib.opening.ask.Size.Mul(metres)
	return length.text(max(s[0], s[1], s[2])) + " wide"
}

// finishImport opens the mesh with what was answered.
func (lib *library) finishImport(ctx context.Context) {
	o := &lib.opening
	q := o.ask
	c := ImportChoice{Unit: q.Units[o.unit], Support: "box", Material: q.Materials[o.made].Name}
	if o.clamp < len(q.Supports) {
		c.Support = q.Supports[o.clamp].Name
	} else {
		var v [6]float64
		n, err := fmt.Sscan(strings.ReplaceAll(o.box, ",", " "), &v[0], &v[1], &v[2], &v[3], &v[4], &v[5])
		if err != nil || n != 6 {
			o.fault = "Box: six numbers, such as 0 0 0  50 5 50"
			return
		}
		for k := range 3 {
			c.Box[0][k], c.Box[1][k] = 1e-3*math.Min(v[k], v[k+3]), 1e-3*math.Max(v[k], v[k+3])
		}
	}
	o.ask = nil
	file, run := q.File, lib.opt.Files.Import
	lib.openMade(ctx, file, func(ctx context.Context, progress func(float64, string)) (string, error) {
		return run(ctx, file, c, progress)
	})
}

var ctlTool = control{label: "Tool", about: "What the stylus drives. Another tool opens the scene anew. Alt + drag and the arrow keys turn it, T lets it turn to the surface by itself again."}

// toolRow chooses the tool.
func (lib *library) toolRow() {
	g := lib.gui
	if len(lib.tools) == 0 {
		return
	}
	list := []physics.Choice{{Name: "the scene's", About: "The tool that the scene has now."}}
	for i := range lib.tools {
		list = append(list, physics.Choice{Name: lib.tools[i].Name, About: lib.tools[i].About})
	}
	chosen := 0
	if !g.choice(&ctlTool, &chosen, list) {
		return
	}
	if t := &lib.tools[chosen-1]; t.Own != "" {
		lib.showFiles()
		lib.opening.tool = t
	} else {
		lib.takeTool(t, "")
	}
}

// takeTool opens the scene with another tool.
func (lib *library) takeTool(t *physics.Tool, own string) {
	scene, take := lib.scene.name, lib.opt.Files.TakeTool
	lib.made = func() (string, error) { return take(scene, t, own) }
}

// saveScene writes the scene with the panel's values as a file.
func (lib *library) saveScene() {
	var changes []string
	for i := range lib.scene.keys {
		k := &lib.scene.keys[i]
		if k.Get == nil || lib.scene.values[i] == lib.scene.defaults[i] || lib.study.question.hides(k) {
			continue
		}
		var value string
		switch {
		case k.Switch:
			value = fmt.Sprint(lib.scene.values[i] != 0)
		case len(k.Choices) > 0:
			value = k.Word(lib.scene.values[i])
		default:
			value = fmt.Sprintf("%.12g", lib.scene.values[i])
			if k.Unit != "" && !math.IsInf(lib.scene.values[i], 0) {
				value += " " + k.Unit
			}
		}
		changes = append(changes, k.Name+"="+value)
	}
	if lib.opening.found != nil {
		lib.warn("Another file is being looked at.")
		return
	}
	scene, held, save := lib.scene.name, lib.viewport.painted(), lib.opt.Files.Save
	lib.look(func() (func(), error) {
		file, said, err := save(scene, changes, held)
		return func() {
			lib.say("Saved " + file + said)
			lib.remember(file)
		}, err
	})
}

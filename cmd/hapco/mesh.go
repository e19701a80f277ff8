package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/files/mesh"
	"hapco/physics/files/mesh/doctor"
	"hapco/physics/files/mesh/fill"
	"hapco/physics/numerics/flex"
)

// meshCommand groups what is done with mesh files; docs/meshes.md describes it.
type meshCommand struct {
	Info           meshInfo           `cmd:"" help:"Print what a mesh holds, and what its compliance takes."`
	Check          meshCheck          `cmd:"" help:"Find what is wrong with a mesh, and the cure; exit status 1 if anything is."`
	Convert        meshConvert        `cmd:"" help:"Write a mesh in another format, or in another unit."`
	Tetrahedralize meshTetrahedralize `cmd:"" help:"Fill a closed surface with tetrahedra."`
}

// meshFile names a mesh and its unit.
type meshFile struct {
	File string `arg:"" help:"Mesh or surface file." type:"path"`
	app.UnitFlag
}

// read reads the file: a volume mesh or a surface, the other is nil.
func (f *meshFile) read() (*mesh.Mesh, *mesh.Triangles, error) {
	if err := f.Check(); err != nil {
		return nil, nil, err
	}
	m, s, err := mesh.Read(f.File)
	return m, s, app.BadInput(err)
}

// meshInfo prints what a file holds.
type meshInfo struct {
	meshFile
	JSON bool `name:"json" help:"Print JSON."`
}

// meshFacts is the output of mesh info. Lengths are in the file's unit.
type meshFacts struct {
	File        string           `json:"file"`
	Format      string           `json:"format"`
	Nodes       int              `json:"nodes"`
	Elements    int              `json:"elements"`
	ByType      map[string]int   `json:"elements_by_type"`
	NodeSets    map[string]int   `json:"node_sets"`
	ElementSets map[string]int   `json:"element_sets"`
	Low         [3]float64       `json:"low"`
	High        [3]float64       `json:"high"`
	Unit        string           `json:"unit"`
	UnitGuessed bool             `json:"unit_guessed"`
	Volume      float64          `json:"volume"`
	Triangles   int              `json:"surface_triangles"`
	SurfaceNode int              `json:"surface_nodes"`
	Components  int              `json:"components"`
	Compliance  *complianceFacts `json:"compliance,omitempty"` // of the whole surface; volume meshes only
	Notes       []string         `json:"notes,omitempty"`
}

// complianceFacts is what the compliance of the whole surface would take.
type complianceFacts struct {
	MemoryMB float64 `json:"memory_MB"`
	Seconds  float64 `json:"seconds"`
	TooLarge bool    `json:"above_limit"`
}

// Run prints the facts.
func (c *meshInfo) Run() error {
	m, s, err := c.read()
	if err != nil {
		return err
	}
	facts := meshFacts{ByType: map[string]int{}, NodeSets: map[string]int{}, ElementSets: map[string]int{}} // not null
	if m != nil {
		facts.ofMesh(m)
	} else {
		facts.ofSurface(s)
	}
	var said string
	if facts.Unit, _, said, err = c.UnitOf(mgl64.Vec3(facts.High).Sub(facts.Low)); err != nil {
		return err
	}
	if said != "" {
		facts.UnitGuessed, facts.Notes = true, append(facts.Notes, said)
	}
	if c.JSON {
		return json.NewEncoder(app.Stdout).Encode(facts)
	}
	return facts.print()
}

func (f *meshFacts) ofMesh(m *mesh.Mesh) {
	split := m.Split() // what the solver computes with
	surface := split.Surface()
	f.File, f.Format, f.Nodes, f.Elements, f.Notes = m.File, m.Format, len(m.Nodes), m.Elements(), split.Notes
	f.Volume, f.Triangles, f.SurfaceNode = app.Finite(m.Volume()), len(surface.Triangles), len(surface.Nodes)
	_, f.Components = m.Components()
	f.Compliance = estimateCompliance(len(split.Nodes), len(surface.Nodes))
	for i := range m.Blocks {
		f.ByType[m.Blocks[i].Type.String()] += m.Blocks[i].Len()
	}
	for name, set := range m.NodeSets {
		f.NodeSets[name] = len(set)
	}
	for name, set := range m.ElementSets {
		f.ElementSets[name] = len(set)
	}
	f.bounds(m.Bounds())
}

func (f *meshFacts) ofSurface(s *mesh.Triangles) {
	f.File, f.Format, f.Nodes, f.SurfaceNode, f.Notes = s.File, s.Format, len(s.Nodes), len(s.Nodes), s.Notes
	f.Volume, f.Triangles, f.Components = app.Finite(math.Abs(s.Volume())), len(s.Triangles), s.Components()
	f.bounds(s.Bounds())
}

func (f *meshFacts) bounds(low, high mgl64.Vec3) {
	for k := range 3 {
		f.Low[k], f.High[k] = app.Finite(low[k]), app.Finite(high[k])
	}
}

// estimateCompliance foresees memory and time of the compliance of a surface. The factor of a body with N unknowns has
// about 16 N^(4/3) entries (organs of 1000 to 17000 nodes); each column of the inverse passes over it once down and
// half up. The rate is that of the machines it was measured on, a few GFlop/s either way.
func estimateCompliance(nodes, surface int) *complianceFacts {
	const flopsPerCore = 1.5e10
	entries := 16 * math.Pow(3*float64(nodes), 4.0/3)
	bytes := flex.EstimateBytes(surface)
	return &complianceFacts{
		MemoryMB: float64(bytes) / 1e6,
		Seconds:  4 * entries * 3 * float64(surface) / (flopsPerCore * float64(runtime.NumCPU())),
		TooLarge: bytes > flex.DefaultMemoryLimit,
	}
}

func (f *meshFacts) print() error {
	scale, err := mesh.LengthUnit(f.Unit)
	if err != nil {
		return app.BadInput(err)
	}
	out := app.Stdout
	fmt.Fprintf(out, "file         %s\nformat       %s\nnodes        %d\n", f.File, f.Format, f.Nodes)
	if f.Compliance != nil {
		fmt.Fprintf(out, "elements     %d (%s)\n", f.Elements, counted(f.ByType))
	} else {
		fmt.Fprintf(out, "elements     none: a surface, to be filled with hapco mesh tetrahedralize\n")
	}
	fmt.Fprintf(out, "node sets    %s\nelement sets %s\n", counted(f.NodeSets), counted(f.ElementSets))
	size := mgl64.Vec3(f.High).Sub(f.Low)
	said := "as said"
	if f.UnitGuessed {
		said = "guessed"
	}
	fmt.Fprintf(out, "box          %.6g %.6g %.6g to %.6g %.6g %.6g\n", f.Low[0], f.Low[1], f.Low[2], f.High[0], f.High[1], f.High[2])
	fmt.Fprintf(out, "size         %.4g x %.4g x %.4g %s (unit %s) = %.4g x %.4g x %.4g mm\n",
		size[0], size[1], size[2], f.Unit, said, 1e3*scale*size[0], 1e3*scale*size[1], 1e3*scale*size[2])
	fmt.Fprintf(out, "volume       %.4g %s^3 = %.4g ml\n", f.Volume, f.Unit, f.Volume*scale*scale*scale*1e6)
	fmt.Fprintf(out, "surface      %d triangles, %d nodes\ncomponents   %d\n", f.Triangles, f.SurfaceNode, f.Components)
	if c := f.Compliance; c != nil {
		fmt.Fprintf(out, "compliance   of the whole surface: %.3g MB, %s\n", c.MemoryMB, roughly(c.Seconds))
		if c.TooLarge {
			fmt.Fprintf(out, "             above the limit of %.3g MB: choose a contact surface or a coarser mesh\n", flex.DefaultMemoryLimit/1e6)
		}
	}
	for _, note := range f.Notes {
		fmt.Fprintf(out, "note         %s\n", note)
	}
	return nil
}

// counted lists names and counts, the largest first; "none" when there are none.
func counted(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s %d", name, m[name]))
	}
	return strings.Join(words, ", ")
}

// roughly is a duration that is known to its order only.
func roughly(seconds float64) string {
	switch {
	case seconds < 0.1:
		return "under 0.1 s"
	case seconds < 100:
		return fmt.Sprintf("about %.1g s", seconds)
	}
	return fmt.Sprintf("about %.0f minutes", math.Ceil(seconds/60))
}

// meshCheck is the mesh doctor.
type meshCheck struct {
	meshFile
	JSON    bool   `name:"json" help:"Print JSON."`
	Picture string `help:"Write a picture of the findings to this PNG file." type:"path"`
}

// Run examines the file.
func (c *meshCheck) Run() error {
	m, s, err := c.read()
	if err != nil {
		return err
	}
	var report *doctor.Report
	var picture func(io.Writer) error
	if m != nil {
		report = doctor.Examine(m, c.LengthUnit)
		picture = func(w io.Writer) error { return report.WritePicture(w, m) }
	} else {
		report = doctor.ExamineSurface(s, c.LengthUnit)
		picture = func(w io.Writer) error { return report.WriteSurfacePicture(w, s) }
	}
	if err := app.WriteWanted(c.Picture, picture); err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(app.Stdout).Encode(report)
	} else {
		_, err = io.WriteString(app.Stdout, report.Text())
	}
	if err != nil {
		return err
	}
	if !report.Fine() {
		return fmt.Errorf("mesh check: %s: %s", report.File, report.Reason())
	}
	return nil
}

// meshConvert writes a mesh in another format.
type meshConvert struct {
	In  string `arg:"" help:"Mesh or surface file." type:"path"`
	Out string `arg:"" help:"File to write: .vtu, .msh (Gmsh 4.1), .inp (Abaqus, CalculiX) or .stl (surface)." type:"path"`
	app.UnitFlag
	ToUnit string `help:"Length unit of OUT; without it lengths stay as they are."`
}

// Run converts.
func (c *meshConvert) Run() error {
	write, err := writerFor(c.Out)
	if err != nil {
		return app.BadInput(err)
	}
	if err := c.checkUnits(); err != nil {
		return app.BadInput(err)
	}
	m, s, err := mesh.Read(c.In)
	if err != nil {
		return app.BadInput(err)
	}
	scale, err := c.scale(m, s)
	if err != nil {
		return err
	}
	if m == nil {
		if !strings.EqualFold(filepath.Ext(c.Out), ".stl") {
			return app.BadInput(fmt.Errorf("mesh convert: %s holds a surface only, which %s cannot take (cure: an output that ends in .stl, or hapco mesh tetrahedralize)", s.File, filepath.Base(c.Out)))
		}
		if scale != 1 {
			s.Scale(scale)
		}
		app.NoteAll(s.Notes)
		return app.WriteOut(c.Out, s.WriteSTL)
	}
	m.TurnMirrored()
	if r := doctor.Examine(m, "").Find("coordinates"); r != nil {
		return app.BadInput(fmt.Errorf("mesh convert: %s: %s (cure: %s)", m.File, r.Text, r.Cure))
	}
	if err := m.Check(); err != nil {
		m.Notes = append(m.Notes, "converted as it is, though unfit for computing: "+err.Error())
	}
	if scale != 1 {
		m.Scale(scale)
	}
	app.NoteAll(m.Notes)
	return app.WriteOut(c.Out, func(w io.Writer) error { return write(m, w) })
}

// checkUnits refuses units before the file is read.
func (c *meshConvert) checkUnits() error {
	if c.ToUnit == "" {
		if c.LengthUnit != "" {
			return errors.New("mesh convert: --length-unit without --to-unit (cure: both, or neither)")
		}
		return nil
	}
	if _, err := mesh.LengthUnit(c.ToUnit); err != nil {
		return err
	}
	return c.Check()
}

// scale is what the lengths are multiplied by; 1 when no unit is wanted.
func (c *meshConvert) scale(m *mesh.Mesh, s *mesh.Triangles) (float64, error) {
	if c.ToUnit == "" {
		return 1, nil
	}
	to, err := mesh.LengthUnit(c.ToUnit)
	if err != nil {
		return 0, err
	}
	var lo, hi mgl64.Vec3
	if m != nil {
		lo, hi = m.Bounds()
	} else {
		lo, hi = s.Bounds()
	}
	_, from, err := c.UnitSaid(c.In, hi.Sub(lo))
	return from / to, err
}

// writerFor is the writer of the format that a file's ending names.
func writerFor(name string) (func(*mesh.Mesh, io.Writer) error, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".vtu":
		return func(m *mesh.Mesh, w io.Writer) error { return m.WriteVTU(w) }, nil
	case ".msh":
		return (*mesh.Mesh).WriteGmsh, nil
	case ".inp":
		return (*mesh.Mesh).WriteINP, nil
	case ".stl":
		return func(m *mesh.Mesh, w io.Writer) error { return m.Split().Triangles().WriteSTL(w) }, nil
	default:
		return nil, fmt.Errorf("mesh: no format is written for the ending %q of %s (cure: .vtu, .msh, .inp or .stl)", ext, filepath.Base(name))
	}
}

// meshTetrahedralize fills a closed surface.
type meshTetrahedralize struct {
	In   string  `arg:"" help:"Closed surface: STL, OBJ, PLY, VTK, or a volume mesh's boundary." type:"path"`
	Out  string  `arg:"" help:"File to write: .vtu, .msh or .inp." type:"path"`
	Size float64 `help:"Edge length in the file's unit; 0: a twentieth of the diagonal." in:"0|1e-15..1e15"`
	app.UnitFlag
	Mesher    fill.Method   `help:"auto (gmsh where it succeeds), gmsh or builtin." default:"auto"`
	TimeLimit time.Duration `help:"Stop the gmsh program after this time." default:"2m" in:"1ms..1000h"`
}

// Run fills the surface and examines the result.
func (c *meshTetrahedralize) Run(ctx context.Context) error {
	write, err := writerFor(c.Out)
	if err != nil {
		return app.BadInput(err)
	}
	if strings.EqualFold(filepath.Ext(c.Out), ".stl") {
		return app.BadInput(fmt.Errorf("mesh tetrahedralize: STL holds no tetrahedra (cure: an output that ends in .msh, .vtu or .inp)"))
	}
	if err := c.Check(); err != nil {
		return err
	}
	s, err := mesh.LoadSurface(c.In)
	if err != nil {
		return app.BadInput(err)
	}
	m, err := fill.Fill(ctx, s, fill.Options{Size: c.Size, Method: c.Mesher, TimeLimit: c.TimeLimit})
	var refusal *fill.Refusal
	if errors.As(err, &refusal) {
		return app.BadInput(err)
	}
	if err != nil {
		return err
	}
	if err := app.WriteOut(c.Out, func(w io.Writer) error { return write(m, w) }); err != nil {
		return err
	}
	app.NoteAll(m.Notes)
	lo, hi := m.Bounds()
	unit, _, err := c.UnitSaid(c.In, hi.Sub(lo))
	if err != nil {
		return err
	}
	report := doctor.Examine(m, c.LengthUnit)
	fmt.Fprintf(app.Stdout, "%s: %s wide in %s, %d nodes, %d tetrahedra, %.4g of the surface's volume, by the %s\n", filepath.Base(c.Out), app.InMM(max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2]), unit), unit, len(m.Nodes), m.Elements(), m.Volume()/math.Abs(s.Volume()), m.Format)
	if q := report.Quality; q != nil {
		fmt.Fprintf(app.Stdout, "quality: least %.3g, mean %.3g; angles between faces %.3g to %.3g degrees\n", q.Least, q.Mean, q.Smallest, q.Greatest)
	}
	fmt.Fprintf(app.Stdout, "set %q: %d nodes in the lowest 5 %% along Y\n", fill.SupportSet, len(m.NodeSets[fill.SupportSet]))
	if !report.Fine() {
		app.Note("of the mesh: %s", report.Reason())
	}
	return nil
}

// Organs makes the embedded organ meshes: closed surfaces of our own design, filled with tetrahedra by the gmsh
// program. Run it from the module's root:
//
//	go run ./assets/gen/organs [NAME ...]
//
// It writes assets/meshes/NAME.msh.gz (Gmsh 2.2, mm) of the organs named, by default of all, with the physical groups
// "support", the patch of the surface by which the organ is attached, and NAME, the tetrahedra; and it prints the
// mesh's quality.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
)

// organ is a shape: the zero level of a field that is negative inside. mm.
type organ struct {
	name      string
	low, high vec                 // a box around it
	field     func(p vec) float64 //
	edge      func(p vec) float64 // that surface triangles should have there
	attached  func(p vec) bool    // whether a point of the surface belongs to the support
}

var organs = []*organ{&liver, &stomach, &loop}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "assets/meshes", "`folder` to write to")
	keep := flag.String("stl", "", "also keep the surfaces in this `folder`")
	flag.Parse()
	log.SetPrefix("organs: ")
	for _, name := range flag.Args() {
		if !slices.ContainsFunc(organs, func(o *organ) bool { return o.name == name }) {
			log.Fatalf("there is no %s", name)
		}
	}
	for _, o := range organs {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), o.name) {
			continue
		}
		stl := ""
		if *keep != "" {
			stl = filepath.Join(*keep, o.name+".stl")
		}
		if err := o.make(filepath.Join(*dir, o.name+".msh.gz"), stl); err != nil {
			log.Fatalf("%s: %v", o.name, err)
		}
	}
}

func (o *organ) make(out, keep string) error {
	s := march(o, 5)
	s.remesh(14)

	dir, err := os.MkdirTemp("", o.name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stl := filepath.Join(dir, o.name+".stl")
	if err := atomicfile.Write(stl, atomicfile.Bytes(s.stl())); err != nil {
		return err
	}
	if keep != "" {
		if err := atomicfile.Write(keep, atomicfile.Bytes(s.stl())); err != nil {
			return err
		}
	}
	m, err := o.fill(dir, stl)
	if err != nil {
		return err
	}
	text := o.write(m)
	back, err := mesh.Decode(out, text)
	if err != nil {
		return err
	}
	report(back)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d unpacked\n", out, packed.Len(), len(text))
	return atomicfile.Write(out, atomicfile.Bytes(packed.Bytes()))
}

// stl is the surface as ASCII STL.
func (s *surface) stl() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "solid %s\n", s.organ.name)
	for _, t := range s.t {
		n := s.normal(s.x[t[0]], s.x[t[1]], s.x[t[2]]).Normalize()
		fmt.Fprintf(&b, "facet normal %g %g %g\nouter loop\n", n[0], n[1], n[2])
		for _, v := range t {
			fmt.Fprintf(&b, "vertex %.9g %.9g %.9g\n", s.x[v][0], s.x[v][1], s.x[v][2])
		}
		b.WriteString("endloop\nendfacet\n")
	}
	fmt.Fprintf(&b, "endsolid %s\n", s.organ.name)
	return b.Bytes()
}

// fill has gmsh put tetrahedra into the closed surface without touching it.
func (o *organ) fill(dir, stl string) (*mesh.Mesh, error) {
	geo := filepath.Join(dir, o.name+".geo")
	script := fmt.Sprintf(`Merge "%s";
Surface Loop(1) = {1};
Volume(1) = {1};
Physical Volume("%s") = {1};
Mesh.MeshSizeFactor = 1.15;
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.6;
Mesh.MshFileVersion = 2.2;
`, stl, o.name)
	if err := atomicfile.Write(geo, atomicfile.Bytes([]byte(script))); err != nil {
		return nil, err
	}
	msh := filepath.Join(dir, o.name+".msh")
	cmd := exec.Command("gmsh", "-3", "-v", "2", "-rand", "1e-9", "-o", msh, geo)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("gmsh: %w (install it with: apt install gmsh)", err)
	}
	return mesh.Load(msh)
}

// write is the mesh as Gmsh 2.2 text.
func (o *organ) write(m *mesh.Mesh) []byte {
	var b bytes.Buffer
	b.WriteString("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"support\"\n3 2 \"" + o.name + "\"\n$EndPhysicalNames\n")
	fmt.Fprintf(&b, "$Nodes\n%d\n", len(m.Nodes))
	for i, x := range m.Nodes {
		fmt.Fprintf(&b, "%d %.4f %.4f %.4f\n", i+1, x[0], x[1], x[2])
	}
	surface := m.Surface()
	var lines []string
	for _, t := range surface.Triangles {
		a, c, d := surface.Nodes[t[0]], surface.Nodes[t[1]], surface.Nodes[t[2]]
		if o.attached(m.Nodes[a]) && o.attached(m.Nodes[c]) && o.attached(m.Nodes[d]) {
			lines = append(lines, fmt.Sprintf("2 2 1 1 %d %d %d", a+1, c+1, d+1))
		}
	}
	for _, e := range m.All() {
		t := e.Nodes
		lines = append(lines, fmt.Sprintf("4 2 2 1 %d %d %d %d", t[0]+1, t[1]+1, t[2]+1, t[3]+1))
	}
	fmt.Fprintf(&b, "$EndNodes\n$Elements\n%d\n", len(lines))
	for i, l := range lines {
		fmt.Fprintf(&b, "%d %s\n", i+1, l)
	}
	b.WriteString("$EndElements\n")
	return b.Bytes()
}

// report prints what makes a mesh good or bad.
func report(m *mesh.Mesh) {
	s := m.Surface()
	low, high := m.Bounds()
	fmt.Printf("%d nodes (%d on the surface), %d tetrahedra, %d triangles\n", len(m.Nodes), len(s.Nodes), m.Elements(), len(s.Triangles))
	fmt.Printf("size %.1f x %.1f x %.1f mm from %.1f, volume %.0f ml\n", high[0]-low[0], high[1]-low[1], high[2]-low[2], low, m.Volume()/1000)
	fmt.Printf("support: %d nodes\n", len(m.NodeSets["support"]))
	var lengths []float64
	for _, t := range s.Triangles {
		for k := range 3 {
			if t[k] < t[(k+1)%3] {
				lengths = append(lengths, m.Nodes[s.Nodes[t[k]]].Sub(m.Nodes[s.Nodes[t[(k+1)%3]]]).Len())
			}
		}
	}
	slices.Sort(lengths)
	n := len(lengths)
	fmt.Printf("surface edges: %.1f least, %.1f median, %.1f largest, mm\n", lengths[0], lengths[n/2], lengths[n-1])
	var angles []float64
	var places [mesh.MaxNodes]mgl64.Vec3
	for _, e := range m.All() {
		least, _ := mesh.DihedralAngles(e.Type, m.Places(e.Nodes, &places))
		angles = append(angles, least)
	}
	slices.Sort(angles)
	fmt.Printf("least dihedral angle of a tetrahedron: %.1f least, %.1f at 1 %%, %.1f median, degrees\n", angles[0], angles[len(angles)/100], angles[len(angles)/2])
}

package fill

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
	"hapco/physics/files/mesh/doctor"
)

// defaultTimeLimit is for the gmsh program; organs take seconds.
const defaultTimeLimit = 2 * time.Minute

// shellSpeck is the share of the whole volume below which a shell of its own is dirt and is left out.
const shellSpeck = 1e-4

// withGmsh fills each solid of a surface with the gmsh program.
func withGmsh(ctx context.Context, s *mesh.Triangles, o Options) (*mesh.Mesh, error) {
	program, err := exec.LookPath("gmsh")
	if err != nil {
		return nil, errNoGmsh
	}
	limit := o.TimeLimit
	if limit <= 0 {
		limit = defaultTimeLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("gmsh was stopped after %v (use a larger size, a longer time limit or the built-in mesher)", limit))
	defer cancel()

	var parts []*mesh.Mesh
	total := 0.0
	all := solids(s)
	for _, solid := range all {
		total += solid.Volume()
	}
	specks := 0
	for _, solid := range all {
		if solid.Volume() < shellSpeck*total {
			specks++
			continue
		}
		m, err := gmshSolid(ctx, program, solid, o.Size)
		if err != nil {
			return nil, err
		}
		parts = append(parts, m)
	}
	m := merged(parts)
	m.Format = "gmsh program"
	if specks > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d closed shells were left out: each holds less than %g of the volume", specks, len(all), shellSpeck))
	}
	return m, nil
}

// The ways to fill a solid. Gmsh meshes its surface anew at the wanted size, after cutting it into patches along edges
// sharper than some angle that can each be flattened. Which angle gives good patches is not known before; where none
// does the triangles stay as they are.
var ways = []struct {
	name  string
	angle float64 // degrees; 0: no new surface
}{
	{"anew in patches of 40 degrees", 40},
	{"anew in patches of 80 degrees", 80},
	{"as it is", 0},
}

// gmshScript is the job of one way.
func gmshScript(surface, out string, angle, size float64) string {
	patches := ""
	if angle > 0 {
		patches = fmt.Sprintf("ClassifySurfaces{%g*Pi/180, 1, 1, Pi};\nCreateGeometry;\n", angle)
	}
	return fmt.Sprintf(`Merge %q;
%sSurface Loop(1) = Surface{:};
Volume(1) = {1};
Mesh.MeshSizeMin = %g;
Mesh.MeshSizeMax = %g;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.6;
Mesh.MshFileVersion = 4.1;
Mesh 3;
OptimizeMesh "Gmsh";
OptimizeMesh "Relocate3D";
OptimizeMesh "Gmsh";
Save %q;
`, surface, patches, size/2, size, out)
}

// gmshSolid fills one solid: by the first way whose elements are all well shaped, else by the first that succeeds.
func gmshSolid(ctx context.Context, program string, s *mesh.Triangles, size float64) (*mesh.Mesh, error) {
	dir, err := os.MkdirTemp("", "hapco-gmsh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	write := func(w io.Writer) error { return writeGmshSurface(w, s) }
	if err := atomicfile.Write(filepath.Join(dir, "surface.msh"), write); err != nil {
		return nil, err
	}
	var failures []string
	var first *mesh.Mesh
	for k, way := range ways {
		out := fmt.Sprintf("volume%d.msh", k)
		script := filepath.Join(dir, "fill.geo")
		if err := atomicfile.Write(script, atomicfile.Bytes([]byte(gmshScript("surface.msh", out, way.angle, size)))); err != nil {
			return nil, err
		}
		err := runGmsh(ctx, program, dir, script)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var m *mesh.Mesh
		if err == nil {
			m, err = mesh.Load(filepath.Join(dir, out))
		}
		if err == nil {
			err = sameBody(m, s)
		}
		if err != nil {
			failures = append(failures, fmt.Sprintf("with the surface %s: %v", way.name, err))
			continue
		}
		m = &mesh.Mesh{Nodes: m.Nodes, Blocks: m.Blocks}
		if way.angle == 0 {
			m.Notes = []string{"the surface's own triangles were kept, whatever their size: " + strings.Join(failures, "; ")}
		}
		if doctor.Examine(m, "").Fine() {
			return m, nil
		}
		failures = append(failures, fmt.Sprintf("with the surface %s: some elements are slivers", way.name))
		if first == nil {
			first = m
		}
	}
	if first != nil {
		return first, nil
	}
	return nil, fmt.Errorf("gmsh failed: %s", strings.Join(failures, "; "))
}

// writeGmshSurface writes triangles as Gmsh 2.2 text, all digits kept.
func writeGmshSurface(out io.Writer, s *mesh.Triangles) error {
	fmt.Fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", len(s.Nodes))
	for n, x := range s.Nodes {
		fmt.Fprintln(out, n+1, x[0], x[1], x[2])
	}
	fmt.Fprintf(out, "$EndNodes\n$Elements\n%d\n", len(s.Triangles))
	for t, n := range s.Triangles {
		fmt.Fprintln(out, t+1, 2, 2, 1, 1, n[0]+1, n[1]+1, n[2]+1)
	}
	_, err := fmt.Fprintf(out, "$EndElements\n")
	return err
}

// runGmsh runs the program until it is done or ctx ends it.
func runGmsh(ctx context.Context, program, dir, script string) error {
	cmd := exec.CommandContext(ctx, program, script, "-", "-v", "2", "-nopopup")
	cmd.Dir = dir
	// A group of its own, so that what it may have started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	said, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(said)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Error"); ok {
			return fmt.Errorf("%s", strings.TrimLeft(rest, " :"))
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(said))
	}
	return nil
}

func lastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// sameBody reports a filling that is not what the surface encloses.
func sameBody(m *mesh.Mesh, s *mesh.Triangles) error {
	if got, want := m.Volume(), math.Abs(s.Volume()); !(got > want/2 && got < want*1.5) {
		return fmt.Errorf("it filled %.3g of the %.3g that the surface encloses", got, want)
	}
	return nil
}

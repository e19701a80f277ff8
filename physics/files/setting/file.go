package setting

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics/files/mesh"
	"hapco/physics/machinery/budget"
)

// assetPrefix marks a file that the program carries.
const assetPrefix = "asset:"

// Beside is the path of a file that a scene names, as seen from the scene's folder. Absolute paths, files that the
// program carries and no name at all stay as they are.
func Beside(scene, file string) string {
	if file == "" || Carried(file) || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(scene), file)
}

// Carried says whether the program carries the file: "asset:NAME".
func Carried(file string) bool { return strings.HasPrefix(file, assetPrefix) }

// OpenFile returns the contents of a file that a scene names: a path, or "asset:NAME" for one that the program carries.
func OpenFile(name string) ([]byte, error) {
	if asset, ok := strings.CutPrefix(name, assetPrefix); ok {
		return assets.Mesh(asset)
	}
	data, err := budget.Mesh.Read(name)
	if err != nil {
		return nil, fmt.Errorf("%w (give the path of a file that can be read)", err)
	}
	return data, nil
}

// ReadMesh reads a volume mesh, fit for computing, in metres; unit is that of the file's lengths.
func ReadMesh(file, unit string) (*mesh.Mesh, error) { return inMetres(file, unit, mesh.Decode) }

// ReadSurface reads the triangles of a surface file, or the boundary of a volume mesh, in metres; unit is that of the
// file's lengths. Triangles that all face inwards are turned, and Notes says so.
func ReadSurface(file, unit string) (*mesh.Triangles, error) {
	s, err := inMetres(file, unit, mesh.DecodeSurface)
	if err == nil {
		s.FaceOutwards()
	}
	return s, err
}

func inMetres[M interface{ Scale(metresPerUnit float64) }](file, unit string, decode func(name string, data []byte) (M, error)) (m M, err error) {
	data, err := OpenFile(file)
	if err != nil {
		return m, err
	}
	metres := 0.0
	if m, err = decode(file, data); err == nil {
		metres, err = mesh.LengthUnit(unit)
	}
	if err != nil {
		return *new(M), err
	}
	m.Scale(metres)
	return m, nil
}

// TakeMesh makes workspace, camera and paths follow a mesh in the place of the scene's body, so that a fly and a whale
// can both be pressed. It gives a tool's radius, m, that suits, and where it starts: above the highest node.
func (s *Setting) TakeMesh(file string, nodes []mgl64.Vec3) (radius float64, start mgl64.Vec3) {
	lo, hi := mesh.Bounds(nodes)
	top := nodes[0]
	for _, x := range nodes {
		if x[1] > top[1] {
			top = x
		}
	}
	size := hi.Sub(lo)
	diagonal := size.Len()
	radius = diagonal / 30
	s.Name = file
	s.Title, s.About = filepath.Base(file), "The mesh of "+filepath.Base(file)
	s.Device.Workspace = size.Mul(2)
	centre := lo.Add(hi).Mul(0.5)
	s.Camera.Target = centre
	s.Camera.Eye = centre.Add(mgl64.Vec3{0.35, 0.45, 1}.Normalize().Mul(1.6 * diagonal))
	s.Camera.Up = mgl64.Vec3{0, 1, 0}
	press := Move{Direction: mgl64.Vec3{0, -1, 0}, Steps: 15, Step: radius / 10}
	slide := Move{Direction: mgl64.Vec3{1, 0, 0}, Steps: 20, Step: radius / 10}
	s.Paths = []Path{{Name: "penetration", Moves: []Move{press}}, {Name: "sliding", Moves: []Move{press, slide}}}
	return radius, top.Add(mgl64.Vec3{0, 1.5 * radius, 0})
}

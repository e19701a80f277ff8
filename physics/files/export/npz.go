package export

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"hapco/physics"
)

// NPZ collects the states and writes them as one file of NumPy arrays, in double precision, SI units and world axes.
// The first axis of each counts the states; that of contact/... counts the contacts of all states, and contact/state
// tells of which state each is. Where nothing ever touches there is no contact/...
type NPZ struct {
	file   string
	info   *physics.Info
	parts  []string // of the surfaces
	arrays []*array
	byName map[string]*array
	states int
	bytes  int64
}

// array is one array: rows of the same shape, one a state; or of contacts, one a contact.
type array struct {
	name string
	row  []int // shape of a row
	rows int
	data []byte
}

// mostNPZ bounds what is collected in memory, bytes.
const mostNPZ = 4 << 30

// NewNPZ begins a file of that name; it is written when it is closed.
func NewNPZ(file string, info *physics.Info) *NPZ {
	return &NPZ{file: file, info: info, parts: parts(info), byName: map[string]*array{}}
}

func (z *NPZ) put(name string, row []int, values ...float64) {
	a := z.byName[name]
	if a == nil {
		a = &array{name: name, row: row}
		z.byName[name], z.arrays = a, append(z.arrays, a)
	}
	for _, x := range values {
		a.data = binary.LittleEndian.AppendUint64(a.data, math.Float64bits(x))
	}
	a.rows++
	z.bytes += int64(8 * len(values))
}

// Add takes a state.
func (z *NPZ) Add(t float64, f *physics.Frame) error {
	z.put("time", nil, t)
	p, q := f.Stylus.Position, f.Stylus.Rotation
	z.put("stylus_position_m", []int{3}, p[:]...)
	z.put("stylus_rotation_wxyz", []int{4}, q.W, q.V[0], q.V[1], q.V[2])
	z.put("force_N", []int{3}, f.Force[:]...)
	z.put("torque_Nm", []int{3}, f.Torque[:]...)
	for i := range z.info.Numbers {
		z.put("number/"+z.info.Numbers[i].Name, nil, f.Numbers[i])
	}
	for i := range f.Surfaces {
		at := f.Surfaces[i].Vertices
		z.put("surface/"+z.parts[i]+"/vertices_m", []int{len(at), 3}, vectors("", at).Values...)
	}
	if len(f.Instances) > 0 {
		var x []float64
		for i := range f.Instances {
			b := &f.Instances[i].Pose
			x = append(x, b.Position[0], b.Position[1], b.Position[2], b.Rotation.W, b.Rotation.V[0], b.Rotation.V[1], b.Rotation.V[2])
		}
		z.put(fmt.Sprintf("bodies_%d/pose", len(f.Instances)), []int{len(f.Instances), 7}, x...)
	}
	for i := range f.Contacts {
		c := &f.Contacts[i]
		z.put("contact/state", nil, float64(z.states))
		z.put("contact/position_m", []int{3}, c.P[:]...)
		z.put("contact/force_N", []int{3}, c.Force[:]...)
		z.put("contact/status", nil, float64(c.Status))
	}
	z.states++
	if z.bytes > mostNPZ {
		return fmt.Errorf("%s: more than %d GB (cure: fewer states)", z.file, mostNPZ>>30)
	}
	return nil
}

// Close writes the file.
func (z *NPZ) Close() error {
	return create(z.file, func(w io.Writer) error {
		out := zip.NewWriter(w)
		add := func(name string, header, data []byte) error {
			part, err := out.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
			if err == nil {
				_, err = part.Write(header)
			}
			if err == nil {
				_, err = part.Write(data)
			}
			return err
		}
		for _, a := range z.arrays {
			if err := add(a.name, header("<f8", append([]int{a.rows}, a.row...)), a.data); err != nil {
				return err
			}
		}
		for i := range z.info.Surfaces {
			triangles := z.info.Surfaces[i].Triangles
			var data []byte
			for _, t := range triangles {
				for _, n := range t {
					data = binary.LittleEndian.AppendUint32(data, uint32(n))
				}
			}
			if err := add("surface/"+z.parts[i]+"/triangles", header("<i4", []int{len(triangles), 3}), data); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// header begins a .npy file, version 1.0 of its format: a magic word, the length of a Python dictionary, and that,
// padded to a multiple of 64 bytes.
func header(kind string, shape []int) []byte {
	var s strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&s, "%d, ", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, strings.TrimSuffix(s.String(), " "))
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(b, text...)
}

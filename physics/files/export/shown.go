package export

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"hapco/physics"
	"hapco/physics/files/atomicfile"
)

// Shown is a Series of frames, for who has no world: bodies are their surfaces.
type Shown struct{ Series }

// NewShown makes the folder. The files start with name.
func NewShown(dir, name string, info *physics.Info) (*Shown, error) {
	s := &Shown{}
	return s, s.open(dir, name, info)
}

// Add writes a state.
func (s *Shown) Add(t float64, f *physics.Frame) error {
	s.frame = *f
	if s.states == 0 {
		s.first()
	}
	return s.write(t)
}

// Table is a CSV file with a row a state: time, stylus, force, and the world's numbers. It is there once it is closed.
type Table struct {
	name string
	file *atomicfile.File
	buf  *bufio.Writer
	out  *csv.Writer
	row  []string
}

// NewTable begins a file of that name.
func NewTable(name string, info *physics.Info) (*Table, error) {
	f, err := atomicfile.Create(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriter(f)
	t := &Table{name: name, file: f, buf: buf, out: csv.NewWriter(buf)}
	t.row = append(t.row, "time_s", "stylus_x_m", "stylus_y_m", "stylus_z_m", "force_x_N", "force_y_N", "force_z_N")
	for i := range info.Numbers {
		t.row = append(t.row, info.Numbers[i].Name)
	}
	return t, t.out.Write(t.row)
}

// Add writes a row.
func (t *Table) Add(at float64, f *physics.Frame) error {
	p := f.Stylus.Position
	t.row = t.row[:0]
	for _, v := range [...][]float64{{at}, p[:], f.Force[:], f.Numbers} {
		for _, x := range v {
			t.row = append(t.row, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return t.out.Write(t.row)
}

// Close ends the file.
func (t *Table) Close() error {
	defer t.file.Discard()
	t.out.Flush()
	if err := errors.Join(t.out.Error(), t.buf.Flush()); err != nil {
		return fmt.Errorf("%s cannot be written: %w", t.name, atomicfile.Cure(err))
	}
	return t.file.Replace(t.name)
}

package contact

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"hapco/physics/files/atomicfile"
)

// Dump writes the contact problems that a world meets to a folder, with the forces found, as step-NNNNNN-K.fc3d.gz,
// which ReadFC3D and `hapco solve` read. A nil Dump wants none. Any goroutine: the window steps a new world while the
// old one ends. Writing takes long and allocates.
type Dump struct {
	Folder string
	Every  int // steps from one that is written to the next
	Most   int // problems written at most

	mu                   sync.Mutex
	step, written, large int
	err                  error
}

// NewDump makes the folder.
func NewDump(folder string, every, most int) (*Dump, error) {
	if every < 1 || most < 1 {
		return nil, fmt.Errorf("contact: problems of every %d steps, at most %d (cure: 1 or more)", every, most)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("contact: %w (cure: a folder that may be written)", err)
	}
	return &Dump{Folder: folder, Every: every, Most: most}, nil
}

// Step counts a step of the world, and tells whether its problems are wanted.
func (d *Dump) Step() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil || d.written >= d.Most {
		return false
	}
	d.step++
	return (d.step-1)%d.Every == 0
}

// Take writes one problem of the step; it tells whether more are wanted. Problems without contacts are none, and
// ReadFC3D takes none of more than MaxContacts.
func (d *Dump) Take(p *Problem, r []float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.err != nil || d.written >= d.Most:
		return false
	case p.N == 0:
		return true
	case p.N > MaxContacts:
		d.large++
		return true
	}
	d.err = d.write(fmt.Sprintf("step-%06d-%d.fc3d.gz", d.step, d.written+1), p, r)
	d.written++
	return d.err == nil
}

func (d *Dump) write(name string, p *Problem, r []float64) error {
	return atomicfile.WriteSoon(filepath.Join(d.Folder, name), func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		return errors.Join(WriteFC3D(z, p, r), z.Close())
	})
}

// Done tells how many problems were written, how many were too large, and what went wrong.
func (d *Dump) Done() (written, large int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written, d.large, d.err
}

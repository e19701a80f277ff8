package app

import (
	"fmt"
	"io"

	"hapco/physics/numerics/contact"
)

// DumpFlags ask for the contact problems that a world meets, as files.
type DumpFlags struct {
	DumpProblems string `help:"Write contact problems and forces into this folder, .fc3d.gz." placeholder:"DIR" type:"path"`
	DumpEvery    int    `help:"Steps from one written problem to the next." default:"10" in:"1..1000000000"`
	DumpMost     int    `help:"Problems written at most." default:"1000" in:"1..1000000"`
}

// Begin makes the folder; nil where no problems are wanted.
func (f *DumpFlags) Begin() (*contact.Dump, error) {
	if f.DumpProblems == "" {
		return nil, nil
	}
	d, err := contact.NewDump(f.DumpProblems, f.DumpEvery, f.DumpMost)
	if err != nil {
		return nil, BadInput(fmt.Errorf("--dump-problems: %w", err))
	}
	return d, nil
}

// Say tells what was written, and what went wrong. It is for after the world's last step.
func (f *DumpFlags) Say(out io.Writer, d *contact.Dump) error {
	if d == nil {
		return nil
	}
	written, large, err := d.Done()
	if err != nil {
		return fmt.Errorf("--dump-problems: %w", err)
	}
	fmt.Fprintf(out, "hapco: %d contact problems in %s", written, f.DumpProblems)
	if large > 0 {
		fmt.Fprintf(out, "; %d had more than %d contacts", large, contact.MaxContacts)
	}
	fmt.Fprintln(out)
	return nil
}

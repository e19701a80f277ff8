package contact

import (
	"fmt"
	"slices"
	"strings"
)

// Description presents a solver in lists, panels and tables.
type Description struct {
	Name  string // the word of the command line and of scene files
	Title string // a few words
	Note  string // what to know before trusting or choosing it; may be empty
	Traits
}

type registered struct {
	Description
	make func() Solver
}

// registry is written by the init functions of this package only, so it needs no lock.
var registry []registered

// Register adds a solver under d.Name. It is called from init functions; a name given twice is a bug and panics.
func Register(d Description, make func() Solver) {
	if d.Name == "" || make == nil {
		panic("contact: a solver needs a name and a constructor")
	}
	for i := range registry {
		if registry[i].Name == d.Name {
			panic("contact: solver " + d.Name + " is registered twice")
		}
	}
	registry = append(registry, registered{d, make})
}

// New makes a solver of the registered kind.
func New(name string) (Solver, error) {
	for i := range registry {
		if registry[i].Name == name {
			return registry[i].make(), nil
		}
	}
	return nil, fmt.Errorf("contact: no solver %q; choose one of %s", name, strings.Join(Names(), ", "))
}

// Describe is the description of a solver; of an unknown name it has the name alone.
func Describe(name string) Description {
	for i := range registry {
		if registry[i].Name == name {
			return registry[i].Description
		}
	}
	return Description{Name: name, Title: name}
}

// Descriptions lists every solver, by name.
func Descriptions() []Description {
	ds := make([]Description, len(registry))
	for i := range registry {
		ds[i] = registry[i].Description
	}
	slices.SortFunc(ds, func(a, b Description) int { return strings.Compare(a.Name, b.Name) })
	return ds
}

// Names lists the names of every solver, sorted.
func Names() []string {
	ds := Descriptions()
	names := make([]string, len(ds))
	for i := range ds {
		names[i] = ds[i].Name
	}
	return names
}

package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"hapco/physics"
)

// scenesCommand lists the embedded scenes.
type scenesCommand struct{}

// Run prints one line a scene.
func (scenesCommand) Run() error {
	list, err := physics.List()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, s.About)
	}
	return t.Flush()
}

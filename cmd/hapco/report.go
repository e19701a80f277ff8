package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/study"
)

// reportCommand sums up a study.
type reportCommand struct {
	Dir string `arg:"" help:"Folder of a study: its --out." type:"path"`
	Out string `help:"Write the page to this file; DIR/report.html when left out." type:"path"`
}

// Run writes the page.
func (c *reportCommand) Run() error {
	folder, err := study.Begun(c.Dir)
	if err != nil {
		return app.BadInput(fmt.Errorf("report: %w", err))
	}
	r, err := folder.NewReport()
	if err != nil {
		return app.BadInput(fmt.Errorf("report: %s: %w", c.Dir, err))
	}
	out := cmp.Or(c.Out, filepath.Join(c.Dir, "report.html"))
	if err := app.WriteOut(out, r.Write); err != nil {
		return err
	}
	fmt.Fprintln(app.Stdout, out)
	return nil
}

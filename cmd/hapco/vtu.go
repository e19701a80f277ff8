package main

import (
	"fmt"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/export"
)

// vtuFlag asks for files that ParaView opens.
type vtuFlag struct {
	VTU string `name:"vtu" help:"Write what there is to see, step by step, into this folder for ParaView: VTU files and a .pvd." type:"path"`
}

// begin begins the series that the flag asks for; nil where it asks for none.
func (f *vtuFlag) begin(scene string, w physics.World) (*export.Series, error) {
	if f.VTU == "" {
		return nil, nil
	}
	s, err := export.Begin(f.VTU, scene, w)
	if err != nil {
		return nil, app.BadInput(fmt.Errorf("--vtu: %w", err))
	}
	return s, nil
}

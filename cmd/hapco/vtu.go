package main

import (
	"fmt"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/files/export"
)

// vtuFlag asks for files that ParaView opens.
type vtuFlag struct {
	VTU string `name:"vtu" help:"Write every state into this folder, for ParaView." type:"path" placeholder:"DIR"`
	STL string `name:"stl" help:"Write the surfaces of every state into this folder: STL, metres." type:"path" placeholder:"DIR"`
	NPZ string `name:"npz" help:"Write all states as NumPy arrays." type:"path"`
}

// check finds out, before bodies are prepared, that the arrays cannot be written.
func (f *vtuFlag) check() error {
	if f.NPZ == "" {
		return nil
	}
	if err := app.MayWrite(f.NPZ); err != nil {
		return app.BadInput(fmt.Errorf("--npz: %w", err))
	}
	return nil
}

// begin begins the files that the flags ask for; nil where they ask for none.
func (f *vtuFlag) begin(scene string, w physics.World) (*export.States, error) {
	if f.VTU == "" && f.STL == "" && f.NPZ == "" {
		return nil, nil
	}
	var series *export.Series
	var sinks []export.Sink
	if f.VTU != "" {
		var err error
		if series, err = export.Begin(f.VTU, scene, w); err != nil {
			return nil, app.BadInput(fmt.Errorf("--vtu: %w", err))
		}
	}
	if f.STL != "" {
		stl, err := export.NewSTL(f.STL, w.Info())
		if err != nil {
			return nil, app.BadInput(fmt.Errorf("--stl: %w", err))
		}
		sinks = append(sinks, stl)
	}
	if f.NPZ != "" {
		sinks = append(sinks, export.NewNPZ(f.NPZ, w.Info()))
	}
	return export.NewStates(w, series, sinks...)
}

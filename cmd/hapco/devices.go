package main

import (
	"errors"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics/devices"
	"hapco/haptics/doctor"
)

// devicesCommand lists the kinds of devices.
type devicesCommand struct{}

// Run prints a line a kind.
func (devicesCommand) Run() error { return devices.Print(app.Stdout, devices.List()) }

// doctorCommand checks what the haptic loop and the window need.
type doctorCommand struct{}

// Run prints a line a check, with cures. What makes a run impossible is an error.
func (doctorCommand) Run() error {
	all := doctor.Run(doctor.Default())
	if err := doctor.Print(app.Stdout, all); err != nil {
		return err
	}
	if doctor.Worst(all) == doctor.Fail {
		return errors.New("doctor: a check failed (cure: see above)")
	}
	return nil
}

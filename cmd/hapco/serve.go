package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/door"
	"hapco/cmd/internal/stepped"
	"hapco/haptics/remote"
	"hapco/physics"
	"hapco/physics/machinery/failsafe"
)

// serveCommand lets programs of the same user into a world.
type serveCommand struct {
	app.SceneFlags
	Socket  string  `help:"Path of the socket; without it hapco/SCENE.sock in $$XDG_RUNTIME_DIR or the cache." type:"path"`
	Live    bool    `help:"Run in real time; the client that holds the stylus is the hand."`
	Idle    float64 `help:"Seconds after which a client that asks nothing is let go." default:"600" in:"1..86400"`
	Clients int     `help:"Clients at a time." default:"8" in:"1..64"`
	RateHz  float64 `name:"rate-hz" help:"Ticks of the haptic loop per second, 500 to 4000." default:"1000" in:"500..4000"`
}

// Run serves until it is interrupted.
func (c *serveCommand) Run(ctx context.Context) error {
	s, err := c.Load()
	if err != nil {
		return err
	}
	path := c.Socket
	if path == "" {
		dir, err := door.DefaultFolder()
		if err != nil {
			return app.BadInput(fmt.Errorf("serve: %w", err))
		}
		name := filepath.Base(s.Common().Name)
		path = filepath.Join(dir, name[:len(name)-len(filepath.Ext(name))]+".sock")
	}
	opened, err := app.BuildWorld(ctx, s, physics.Options{NoCache: c.NoCache})
	if err != nil {
		return err
	}
	app.TellNotes()
	world, end, err := c.world(s, opened)
	if err != nil {
		return err
	}
	server, err := door.New(path, world)
	if err != nil {
		return app.BadInput(errors.Join(fmt.Errorf("serve: %w", err), end()))
	}
	server.Most, server.Idle = c.Clients, time.Duration(c.Idle*float64(time.Second))
	server.Notify = func(line string) { fmt.Fprintln(os.Stderr, "hapco: "+line) }
	server.Serve()
	how := "step by step"
	if c.Live {
		how = "in real time"
	}
	fmt.Fprintf(os.Stderr, "hapco: %s, %s, at %s\n", cmp.Or(c.Scene, s.Common().Name), how, path)
	<-ctx.Done()
	server.Close() // the path first
	ended := make(chan error, 1)
	failsafe.Go(func() { ended <- end() })
	select {
	case err = <-ended:
	case <-time.After(endLimit): // a step takes long
	}
	return errors.Join(err, ctx.Err())
}

// endLimit is what the world has for ending.
const endLimit = 500 * time.Millisecond

// world is what clients are let into.
func (c *serveCommand) world(s physics.Scene, opened physics.World) (w door.World, end func() error, err error) {
	if !c.Live {
		steps := door.NewSteps(stepped.New(s, opened, c.Set))
		return steps, steps.Close, nil
	}
	hand := remote.New(opened.Info().Start)
	session, err := app.OpenSession(s.Common(), opened, &app.DeviceFlags{Own: hand, RateHz: c.RateHz})
	if err != nil {
		return nil, nil, err
	}
	return door.NewLive(session, s, hand), session.Close, nil
}

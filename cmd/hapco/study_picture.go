package main

import (
	"context"
	"errors"

	"hapco/cmd/hapco/internal/app"
	"hapco/ui"
)

// picture shows the page of the trial on turn while a scripted hand feels it, writes a picture of the window, and ends.
// No answer is kept.
func (l *lead) picture(ctx context.Context, o ui.Options, file string) error {
	done, err := onDisplay(o.Width, o.Height)
	if err != nil {
		return err
	}
	defer done()
	l.at = 0
	l.device.Device = "mouse"
	o.Seconds, o.Screenshot = 4, file
	var script *app.Script
	o.Script = func(f *ui.Frame) {
		s, ok := f.Session.(*app.Session)
		if !ok || f.Seen == nil {
			return
		}
		if script == nil {
			// the hand is still on its way when the picture is made
			if script, err = app.NewScript(s.Common(), l.folder.Protocol.PathOf(&l.left[0]), 2*o.Seconds); err != nil {
				f.Close()
				return
			}
			script.Start = s.Info().Start.Position
		}
		s.Hand(script.Hand(f.Time))
	}
	return errors.Join(windowError(ui.Run(ctx, o)), err)
}

package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hapco/haptics"
	"hapco/haptics/record"
	"hapco/physics/files/atomicfile"
	"hapco/telemetry"
	"hapco/ui"
)

// taping is the part of a session that recordings come from: the ticks of the haptic loop, which the flight recorder
// has, and the steps of physics.
type taping struct {
	tape    *telemetry.Tape
	running context.Context // of the session's loops
	began   time.Time       // of the recording
	server  *telemetry.Server
}

var _ ui.Recorder = (*Session)(nil)

func (s *Session) prepareTape(ctx context.Context, server *telemetry.Server) {
	s.running, s.server = ctx, server
	if s.second != nil {
		s.together()
	}
	if server == nil {
		return
	}
	var text []byte
	s.flight.Listen(func(start int64, recs []haptics.Record) {
		for i := range recs {
			text = record.AppendTick(text[:0], &recs[i])
			server.Publish(&record.Ticks, start+recs[i].Time, text)
		}
	})
	s.watch(false)
}

// watch has the steps of physics told to recordings and listeners. Fresh puts the bodies back first.
func (s *Session) watch(fresh bool) {
	if s.tape == nil {
		s.tape = telemetry.NewTape(s.info, s.keys, func(c *record.Channel, at int64, data []byte) {
			s.flight.Also(c, at, data)
			if s.server != nil {
				s.server.Publish(c, at, data)
			}
		})
		s.loops.Go(func() { s.tape.Run(s.running) })
	}
	s.Runner.Watch(s.tape.Take, fresh)
}

// endTape takes the last steps to the recording.
func (s *Session) endTape() {
	s.Runner.Watch(nil, false)
	if s.tape != nil {
		s.tape.Drain()
	}
}

// recordFrom begins the recording that the flags ask for, from the first step on.
func (s *Session) recordFrom(flags *DeviceFlags) error {
	if flags.Record == "" {
		return nil
	}
	name, err := s.flight.Stream(flags.Record, sceneNotes(s.of.Name))
	if err != nil {
		if cure := atomicfile.Cure(err); cure != err {
			err = fmt.Errorf("--record: %w", cure)
		} else {
			err = fmt.Errorf("--record: %w (cure: a file that may be written)", err)
		}
		if flags.Later {
			lost.Store(true)
			s.note(notice{err.Error(), true})
			return nil
		}
		return BadInput(err)
	}
	if name != flags.Record {
		s.note(notice{text: fmt.Sprintf("recording to %s: %s is there already", name, filepath.Base(flags.Record))})
	}
	s.began = time.Now()
	s.watch(false)
	return nil
}

// Record begins a recording in the folder of recordings, and puts the bodies back first, so that the steps can be made
// again from a known state.
func (s *Session) Record() error {
	dir, err := recordingsFolder()
	if err != nil {
		return err
	}
	scene := strings.TrimSuffix(filepath.Base(s.of.Name), ".toml")
	name := filepath.Join(dir, fmt.Sprintf("%s-%s.mcap", scene, time.Now().Format("20060102-150405")))
	if _, err := s.flight.Stream(name, sceneNotes(s.of.Name)); err != nil {
		return err
	}
	s.began = time.Now()
	s.watch(true)
	return nil
}

// StopRecording ends the recording, and returns its file.
func (s *Session) StopRecording() string {
	name, _ := s.flight.Streaming()
	if s.server == nil {
		s.Runner.Watch(nil, false)
	}
	if s.tape != nil {
		s.tape.Drain()
	}
	s.flight.StopStream()
	return name
}

// Recording is the file that is being written and for how long; "" where there is none.
func (s *Session) Recording() (file string, seconds float64) {
	name, _ := s.flight.Streaming()
	if name == "" {
		return "", 0
	}
	return name, time.Since(s.began).Seconds()
}

// recordingsVariable names another folder of recordings.
const recordingsVariable = "HAPCO_RECORDINGS"

// recordingsFolder is where the window's recordings go; it is made where it is not there yet.
func recordingsFolder() (string, error) {
	dir := os.Getenv(recordingsVariable)
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("recordings: %w (cure: set %s to a folder)", err, recordingsVariable)
		}
		dir = filepath.Join(home, "hapco")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("recordings: %w (cure: set %s to a folder that may be written)", err, recordingsVariable)
	}
	return dir, nil
}

package door

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/internal/stepped"
	"hapco/physics/frame"
)

const (
	mostOwnSteps  = 10000   // of a world in time, in a request
	mostSnapshots = 16      // that are kept
	mostRecorded  = 1 << 30 // bytes of a recording
	chunk         = 1 << 20 // bytes of it that are fetched at once
)

// Steps is a world that goes on by the steps of who holds the stylus, and by nothing else: no clock, the same bytes for
// the same requests.
type Steps struct {
	told
	mu        sync.Mutex
	w         *stepped.World
	broken    bool // a fault has left it half done
	snapshots map[int64]*stepped.Snapshot
	last      int64    // snapshot
	tape      *os.File // of the recording, which has no name any more; nil: there is none
	recording bool
}

// NewSteps takes a world.
func NewSteps(w *stepped.World) *Steps {
	s := &Steps{w: w, snapshots: map[int64]*stepped.Snapshot{}}
	s.told = aboutOf(w.Scene, w.Info, w.Keys, w.Notes)
	s.about.Solids = w.Solids()
	return s
}

// changing are the ops of who holds the stylus.
var changing = map[string]bool{"step": true, "reach": true, "reset": true, "set": true, "snapshot": true, "restore": true, "forget": true,
	"record": true, "end_record": true, "fetch": true}

// mayAsk refuses what only the holder may.
func mayAsk(c *Client, q *Request) error {
	if changing[q.Op] && !c.Holds {
		return &stepped.Failure{Code: stepped.CodeBusy, Text: fmt.Sprintf("%s: this client only looks (cure: connect with hold=True)", q.Op)}
	}
	return nil
}

// poseOf is the pose of a request; nil: there is none.
func poseOf(q *Request) (*frame.Pose, error) {
	if q.Pose == nil {
		return nil, nil
	}
	if len(q.Pose) != 7 {
		return nil, stepped.Invalid("a pose of %d numbers (cure: position and quaternion x, y, z, w)", len(q.Pose))
	}
	return stepped.PoseOf((*[7]float64)(q.Pose)), nil
}

// Do does what a client asks for.
func (s *Steps) Do(c *Client, q *Request) (data any, arrays []Array, err error) {
	if err := mayAsk(c, q); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return nil, nil, &stepped.Failure{Code: stepped.CodeClosed, Text: "the world has failed (cure: start hapco serve again)"}
	}
	s.broken = true // until this has ended well
	data, arrays, err = s.do(q)
	s.broken = false
	return data, arrays, err
}

func (s *Steps) do(q *Request) (data any, arrays []Array, err error) {
	if arrays, known, err := seen(q, s.w.Info, s.w.Draw()); known {
		return nil, arrays, err
	}
	switch q.Op {
	case "step", "reach":
		if err := s.step(q); err != nil {
			return nil, nil, err
		}
		return nil, s.report(), nil
	case "reset":
		s.w.Reset()
		return nil, s.report(), nil
	case "own_step":
		return nil, floats(s.w.OwnStep()), nil
	case "message":
		return "", nil, nil
	case "report":
		return nil, s.report(), nil
	case "field":
		v, err := s.w.Field(q.Index, q.Field)
		return nil, floats(v...), err
	case "solid":
		b, elements, err := s.w.Solid(q.Index)
		if err != nil {
			return nil, nil, err
		}
		for _, v := range [][]mgl64.Vec3{b.Positions, b.Displacement, b.Force} {
			arrays = append(arrays, array("f8", v, 3))
		}
		return nil, append(arrays, array("f8", b.Strain, 6), array("f8", b.Stress, 6), array("i4", elements, 4)), nil
	case "get":
		k, err := s.w.Key(q.Key)
		if err != nil {
			return nil, nil, err
		}
		return nil, floats(s.w.Value(k)), nil
	case "set":
		k, err := s.w.Key(q.Key)
		if err == nil && q.Word != "" {
			err = s.w.GiveWord(k, q.Word)
		} else if err == nil {
			err = s.w.Give(k, q.Value)
		}
		return nil, nil, err
	case "snapshot":
		if len(s.snapshots) >= mostSnapshots {
			return nil, nil, stepped.Invalid("%d snapshots are kept already (cure: forget one)", len(s.snapshots))
		}
		s.last++
		s.snapshots[s.last] = s.w.Snapshot()
		return s.last, nil, nil
	case "restore":
		image := s.snapshots[q.Index]
		if image == nil {
			return nil, nil, stepped.Unknown("there is no snapshot %d (cure: one that this client has taken)", q.Index)
		}
		return nil, nil, s.w.Restore(image)
	case "forget":
		delete(s.snapshots, q.Index)
		return nil, nil, nil
	case "record", "end_record", "fetch":
		return s.record(q)
	}
	return nil, nil, stepped.Unknown("%.40q is nothing that this world does (cure: see docs/library.md)", q.Op)
}

// step goes on towards a pose, or all the way.
func (s *Steps) step(q *Request) error {
	pose, err := poseOf(q)
	if err == nil {
		err = s.tooLong()
	}
	if err != nil {
		return err
	}
	own := s.w.OwnStep()
	dt := own
	if q.Dt != nil {
		dt = *q.Dt
	}
	switch {
	case q.Op == "reach":
		return s.w.Reach(pose)
	case dt > mostOwnSteps*own && own > 0:
		return stepped.Invalid("dt = %g s is more than %d steps of the world, of %g s each (cure: several calls)", dt, mostOwnSteps, own)
	}
	return s.w.Step(pose, dt)
}

func (s *Steps) report() []Array { return []Array{array("report", []stepped.Report{s.w.Report()})} }

// record records into a file of our own, without a name, which the client fetches: no request names a file.
func (s *Steps) record(q *Request) (data any, arrays []Array, err error) {
	switch {
	case q.Op == "record" && !s.recording:
		s.unrecord()
		dir, err := os.MkdirTemp("", "hapco-door-")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "a.mcap")
		if err := s.w.Record(file); err != nil {
			return nil, nil, err
		}
		s.tape, err = os.Open(file)
		s.recording = true
		return nil, nil, err
	case q.Op == "record":
		return nil, nil, s.w.Record("") // it says so
	case q.Op == "end_record":
		s.recording = false
		return nil, nil, s.w.RecordEnd()
	case s.recording || s.tape == nil:
		return nil, nil, stepped.Invalid("there is no whole recording (cure: end_record)")
	}
	b := make([]byte, chunk)
	n, err := s.tape.ReadAt(b, max(0, q.From))
	if err == io.EOF {
		err = nil
	}
	return nil, []Array{array("u1", b[:n])}, err
}

// tooLong refuses steps of a recording that takes much of the disk.
func (s *Steps) tooLong() error {
	if !s.recording {
		return nil
	}
	if info, err := s.tape.Stat(); err != nil || info.Size() < mostRecorded {
		return err
	}
	return stepped.Invalid("the recording has %d MB (cure: end_record)", mostRecorded>>20)
}

// unrecord ends a recording and forgets it.
func (s *Steps) unrecord() {
	_ = s.w.RecordEnd()
	s.recording = false
	if s.tape != nil {
		s.tape.Close()
		s.tape = nil
	}
}

// Left takes back what the holder has asked for: snapshots and a recording.
func (s *Steps) Left(c *Client) {
	if !c.Holds {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.snapshots)
	if !s.broken {
		s.unrecord()
	}
}

// Close ends the world, unless a step is under way, which it does not wait for.
func (s *Steps) Close() error {
	if !s.mu.TryLock() {
		return nil
	}
	defer s.mu.Unlock()
	return s.w.Close()
}

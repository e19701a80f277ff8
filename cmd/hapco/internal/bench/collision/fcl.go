package collision

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
)

//go:embed fcl/peer.cpp
var peerSource []byte

// fclPeer is the program that measures FCL, compiled for this run.
type fclPeer struct{ output.Peer }

// BuildPeer compiles it. The error says what is missing.
func BuildPeer(ctx context.Context) (*fclPeer, error) {
	flags := []string{"-I/usr/include/eigen3", "-lfcl", "-lccd"}
	if out, err := exec.CommandContext(ctx, "pkg-config", "--cflags", "--libs", "fcl").Output(); err == nil {
		flags = strings.Fields(string(out))
	}
	p, err := output.Compile(ctx, "FCL", "g++ libfcl-dev", peerSource, flags...)
	if err != nil {
		return nil, err
	}
	return &fclPeer{p}, nil
}

// PeerResult is what FCL did with one motion of a surface and one kind of bounding volume. Times in microseconds of a
// step.
type PeerResult struct {
	Name      string `json:"name"`
	Motion    string `json:"motion"`
	Triangles int    `json:"triangles"`
	Volume    string `json:"volume"`
	Steps     int    `json:"steps"`

	Build    float64 `json:"build_us"`
	Median   float64 `json:"us_median"`
	P99      float64 `json:"us_p99"`
	CPU      float64 `json:"cpu_us_median"`
	Refit    float64 `json:"refit_us"`
	RefitCPU float64 `json:"refit_cpu_us"`
	Query    float64 `json:"query_us"`
	QueryCPU float64 `json:"query_cpu_us"`

	Difference float64 `json:"difference"` // largest between its distances and ours, over the surface's size
	Missed     int     `json:"missed"`     // points that only one of us found within reach

	Distances []float64 `json:"distances,omitempty"` // of the first round
}

// peerRadius is that of the spheres that stand for points, over the surface's size.
const peerRadius = 1e-5

// peerAllVolumes is the number of triangles up to which all of FCL's volumes are measured; above, only boxes along the
// axes, which are faster by far.
const peerAllVolumes = 11000

// Measure gives FCL a motion.
func (p *fclPeer) Measure(ctx context.Context, s *testSurface, m *motion, seconds float64) ([]PeerResult, error) {
	queries := filepath.Join(p.Folder, "queries")
	if err := app.WriteOut(queries, func(w io.Writer) error { return writeQueries(w, s, m) }); err != nil {
		return nil, fmt.Errorf("bench collision: %w", err)
	}
	args := []string{queries, strconv.FormatFloat(seconds, 'g', -1, 64)}
	if len(s.Triangles) > peerAllVolumes {
		args = append(args, "AABB")
	}
	out, err := exec.CommandContext(ctx, p.Program, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("bench collision: the program that measures FCL: %w", err)
	}
	var results []PeerResult
	for line := range bytes.Lines(out) {
		var r PeerResult
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("bench collision: the program that measures FCL: %w", err)
		}
		results = append(results, r)
	}
	return results, nil
}

// writeQueries writes what peer.cpp reads.
func writeQueries(w io.Writer, s *testSurface, m *motion) error {
	b := bufio.NewWriterSize(w, 1<<20)
	parts := []any{
		[]int64{int64(len(s.rest)), int64(len(s.Triangles)), int64(len(m.Surface)), int64(len(m.Points[0]))},
		[]float64{Reach * s.Size, peerRadius * s.Size},
		s.Triangles,
	}
	for f := range m.Surface {
		parts = append(parts, m.Surface[f], m.Points[f])
	}
	for _, part := range parts {
		if err := binary.Write(b, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Compare sets FCL's distances beside ours and drops them.
func (r *PeerResult) Compare(ours [][]float64, size float64) {
	i := 0
	for _, frame := range ours {
		for _, d := range frame {
			theirs := -1.0
			if i < len(r.Distances) {
				theirs = r.Distances[i]
			}
			i++
			switch {
			case (d < 0) != (theirs < 0):
				r.Missed++
			case d >= 0:
				r.Difference = max(r.Difference, math.Abs(d-theirs)/size)
			}
		}
	}
	r.Missed += max(0, len(r.Distances)-i)
	r.Distances = nil
}

// beside puts FCL's times into a point: of the queries alone, or of the step.
func (p *Point) beside(r *PeerResult, queriesOnly bool) {
	if r == nil {
		return
	}
	p.FCL, p.FCLCPU, p.FCLRefit, p.FCLVolume, p.Differ = r.Median, r.CPU, r.Refit, r.Volume, r.Difference
	if queriesOnly {
		p.FCL, p.FCLCPU, p.FCLRefit = r.Query, r.QueryCPU, 0
	}
	p.Ratio = p.FCLCPU / p.CPU.Median
}

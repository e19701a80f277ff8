package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/cmd/hapco/internal/app"
)

// largeCube is a scene whose compliance takes seconds.
const largeCube = `
title = "cube"
about = "a probe on a cube"
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "probe"
role = "driven"
position = [50, 107, 50]
[body.tool]
kind = "probe"
radius = 6
length = 60
[[body]]
name = "cube"
E = 12
nu = 0.4
clamp = "bottom"
[body.box]
size = [100, 100, 100]
elements = [24, 24, 24]
[[path.penetration]]
direction = [0, -1, 0]
steps = 1
step = 1
`

// An interrupt ends a command while it computes a compliance, with status 130
// and without half a file in the cache.
func TestInterruptWhileComputing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	file := filepath.Join(dir, "cube.toml")
	if err := os.WriteFile(file, []byte(largeCube), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, 300 * time.Millisecond, time.Second} {
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(after, cancel)
		if status := run(ctx, []string{"trace", file, "--path", "penetration", "--out", filepath.Join(dir, "out.csv")}); status != exitInterrupted {
			t.Errorf("interrupted after %v: status %d", after, status)
		}
		timer.Stop()
		cancel()
		_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && strings.HasSuffix(path, ".tmp") {
				t.Errorf("interrupted after %v: %s left behind", after, path)
			}
			return nil
		})
	}
}

// Where there is no terminal a long computation says how far it is, with the
// estimate that it began with.
func TestSlowLines(t *testing.T) {
	var l app.SlowLines
	l.Tell(0, "compliance of cube (4 nodes, about 60 s)")
	l.Tell(0.5, "compliance of cube")
	if got, want := l.Line(), "hapco: compliance of cube (4 nodes, about 60 s): 50 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.Tell(0.75, "compliance of other")
	if got, want := l.Line(), "hapco: compliance of other: 75 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

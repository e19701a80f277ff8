package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/files/scene"
	"hapco/physics/measure/batch"
)

// TestWriteOutReplacesOnlyFiles: links, pipes and devices stay what they are.
func TestWriteOutReplacesOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }

	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	if err := app.WriteOut(link, hello); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "hello" {
		t.Errorf("the file behind the link holds %q", text)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions became %v, %v", info, err)
	}

	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	if err := app.WriteOut(pipe, hello); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe became %v, %v", info, err)
	}
	if text := <-read; text != "hello" {
		t.Errorf("the pipe's reader got %q", text)
	}

	var input app.InputError
	if err := app.WriteOut(dir, hello); !errors.As(err, &input) {
		t.Errorf("writing to a directory: %v, want bad input", err)
	}

	// Failing halfway leaves the old contents and nothing beside them.
	if err := app.WriteOut(file, func(w io.Writer) error { return errors.Join(hello(w), io.ErrShortWrite) }); err == nil {
		t.Error("a failed write passed")
	}
	if text, _ := os.ReadFile(file); string(text) != "hello" {
		t.Errorf("a failed write left %q", text)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestTraceStepsAreBounded: a path too long to keep is refused before memory
// is asked for.
func TestTraceStepsAreBounded(t *testing.T) {
	s, err := scene.Load("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []batch.Way{
		{Path: "penetration", Steps: 99999999999},
		{Path: "penetration", StepMM: 1e-9},
		{Path: "penetration", StepMM: 1e-300},
	} {
		if _, err := c.Offsets(&s.Setting); err == nil {
			t.Errorf("--steps %d --step-mm %g passed", c.Steps, c.StepMM)
		}
	}
	ok := batch.Way{Path: "penetration", Steps: 3, StepMM: 0.5}
	if o, err := ok.Offsets(&s.Setting); err != nil || len(o) != 3 {
		t.Errorf("3 steps: %d, %v", len(o), err)
	}
}

// No two columns of a trace have one name, and what a column has in millimetres the table has, too.
func TestTraceTellsEachNumberOnce(t *testing.T) {
	for _, scene := range []string{"block-neo-hookean", "bench-a-16"} {
		text := func(format ...string) string {
			out := filepath.Join(t.TempDir(), "trace")
			args := append([]string{"trace", scene, "--path", "penetration", "--steps", "1", "--out", out}, format...)
			if status := run(t.Context(), args); status != 0 {
				t.Fatalf("%v: exit status %d", args, status)
			}
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		head, _, _ := strings.Cut(text("--csv"), "\n")
		columns := strings.Split(head, ",")
		slices.Sort(columns)
		if once := slices.Compact(slices.Clone(columns)); len(once) != len(columns) {
			t.Errorf("%s: columns %v", scene, columns)
		}
	}
	row := object{{Name: "way_m", Value: 0.0025, Column: "way_mm", Scale: 1e3, Short: "way mm"}}
	var table, csv strings.Builder
	if err := writeTable(&table, row, []object{row}); err != nil {
		t.Fatal(err)
	}
	if err := writeCSV(&csv, row, []object{row}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "2.5") || !strings.Contains(csv.String(), "2.5") {
		t.Errorf("%q, %q: want 2.5 mm in both", table.String(), csv.String())
	}
}

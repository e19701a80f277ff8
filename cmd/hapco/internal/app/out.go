package app

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"
)

func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Finite makes a number that JSON can hold; -1 stands for none.
func Finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return -1
	}
	return x
}

// dirOf is the folder that a file is in.
func dirOf(name string) string { return filepath.Dir(name) }

// WriteOut writes to a file, or to standard output when name is "". A file
// appears whole or not at all, and keeps its permissions. What a link points to
// is replaced, not the link; a device or a pipe is written to, never replaced.
func WriteOut(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(os.Stdout)
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return BadInput(fmt.Errorf("%s: is a directory (cure: the name of a file)", name))
		case !info.Mode().IsRegular():
			return writeThrough(name, write)
		}
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return BadInput(fmt.Errorf("%w (cure: a file that may be written)", err))
		}
	}
	f, err := os.CreateTemp(dirOf(name), ".hapco-*")
	if err != nil {
		return BadInput(fmt.Errorf("%s cannot be written: %w (cure: a folder that exists and may be written)", name, err))
	}
	defer os.Remove(f.Name()) // fails once renamed
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := f.Chmod(mode); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.Rename(f.Name(), name)
}

// writeThrough writes to what is no regular file, such as /dev/stdout.
func writeThrough(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return BadInput(fmt.Errorf("%w (cure: a file that may be written)", err))
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return f.Close()
}

package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hapco/physics/machinery/testkit"
)

// both runs a test with files that have no name until they are complete, and without.
func both(t *testing.T, test func(t *testing.T)) {
	t.Run("without names", test)
	t.Run("by names", func(t *testing.T) {
		without = false
		defer func() { without = true }()
		test(t)
	})
}

// holds wants a folder to hold these files and nothing else: name, content, name ...
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != len(want)/2 {
		t.Errorf("%v in %s, want %d files, %v", list, dir, len(want)/2, err)
	}
	for i := 0; i < len(want); i += 2 {
		if text, err := os.ReadFile(filepath.Join(dir, want[i])); err != nil || string(text) != want[i+1] {
			t.Errorf("%s holds %q, want %q: %v", want[i], text, want[i+1], err)
		}
	}
}

// A file is made, replaced with its permissions, and through a link; what fails on the way
// leaves what was there, and nothing beside it.
func TestWrite(t *testing.T) {
	both(t, func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, "a")
		fails := errors.New("no more")
		half := func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20))
			return errors.Join(err, fails)
		}
		if err := Write(name, half); !errors.Is(err, fails) {
			t.Error(err)
		}
		holds(t, dir)
		for _, text := range []string{"one", "two"} {
			if err := Write(name, Bytes([]byte(text))); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, "a", text)
			if err := os.Chmod(name, 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := Write(name, half); !errors.Is(err, fails) {
			t.Error(err)
		}
		holds(t, dir, "a", "two")

		links := t.TempDir()
		link := filepath.Join(links, "link")
		if err := os.Symlink(name, link); err != nil {
			t.Fatal(err)
		}
		if err := WriteSoon(link, Bytes([]byte("three"))); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); to != name || err != nil {
			t.Errorf("the link leads to %s, %v", to, err)
		}
		holds(t, dir, "a", "three")

		var refused *Refused
		for _, bad := range []string{dir, filepath.Join(dir, "none", "a"), filepath.Join(name, "a")} {
			if err := Write(bad, Bytes(nil)); !errors.As(err, &refused) || strings.Contains(err.Error(), ".hapco-") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", bad, err)
			}
		}
		if err := Write("/dev/full", Bytes([]byte("x"))); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "cure") || errors.As(err, &refused) {
			t.Error(err)
		}
		holds(t, dir, "a", "three")
	})
}

// New takes the first free name and never writes over one that is there.
func TestNew(t *testing.T) {
	both(t, func(t *testing.T) {
		dir := t.TempDir()
		called := func(n int) string { return filepath.Join(dir, fmt.Sprint(n)) }
		for n := range 3 {
			if name, err := New(called, Bytes([]byte{byte('a' + n)})); name != called(n+1) || err != nil {
				t.Errorf("%s, %v", name, err)
			}
		}
		holds(t, dir, "1", "a", "2", "b", "3", "c")
		f, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Add(called(2)); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
		f.Discard()
		f.Discard()
		holds(t, dir, "1", "a", "2", "b", "3", "c")
	})
}

// Where there is no room, what was there stays, whether a file is replaced or added to.
func TestNoRoom(t *testing.T) {
	both(t, func(t *testing.T) {
		dir := t.TempDir()
		name, log := filepath.Join(dir, "a"), filepath.Join(dir, "log")
		if err := errors.Join(Write(name, Bytes([]byte("old"))), Append(log, []byte("one\n")), Append(log, []byte("two\n"))); err != nil {
			t.Fatal(err)
		}
		testkit.FullDisk(t, 1000, func() {
			for what, err := range map[string]error{
				"write":          Write(name, Bytes(make([]byte, 5000))),
				"append":         Append(log, make([]byte, 5000)),
				"append to none": Append(filepath.Join(dir, "none"), make([]byte, 5000)),
			} {
				var refused *Refused
				if !errors.Is(err, syscall.EFBIG) || errors.As(err, &refused) || !strings.Contains(err.Error(), "cure") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if name, err := New(func(int) string { return name + "1" }, Bytes(make([]byte, 5000))); name != "" || !errors.Is(err, syscall.EFBIG) {
				t.Errorf("%q, %v", name, err)
			}
		})
		holds(t, dir, "a", "old", "log", "one\ntwo\n")
	})
}

const writer = "HAPCO_TEST_WRITER"

// A program that is killed while it writes new files and replaces old ones leaves whole
// files, and nothing beside them.
func TestKilled(t *testing.T) {
	size := 1 << 20
	if dir := os.Getenv(writer); dir != "" {
		for n := 0; ; n++ {
			text := bytes.Repeat([]byte{byte('a' + n%26)}, size)
			if err := Write(filepath.Join(dir, fmt.Sprint(n%100)), Bytes(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kills := 5
	if testkit.Long() {
		kills = 100
	}
	for range kills {
		dir := t.TempDir()
		c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), writer+"="+dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "files", func() bool { list, _ := os.ReadDir(dir); return len(list) > 2 })
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil || len(text) != size || bytes.Count(text, text[:1]) != size || strings.HasPrefix(e.Name(), ".") {
				t.Errorf("%s: %d bytes, %v", e.Name(), len(text), err)
			}
		}
	}
}

// Two that replace a file at once leave one of theirs.
func TestTwoAtOnce(t *testing.T) {
	both(t, func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, "a")
		errs := make(chan error, 4)
		for k := range 4 {
			go func() {
				var err error
				for range 50 {
					err = errors.Join(err, WriteSoon(name, Bytes(bytes.Repeat([]byte{byte('a' + k)}, 1000))))
				}
				errs <- err
			}()
		}
		for range 4 {
			if err := testkit.Await(t, "a writer", errs); err != nil {
				t.Error(err)
			}
		}
		text, err := os.ReadFile(name)
		if err != nil || len(text) != 1000 || bytes.Count(text, text[:1]) != 1000 {
			t.Errorf("%q, %v", text, err)
		}
		holds(t, dir, "a", string(text))
	})
}

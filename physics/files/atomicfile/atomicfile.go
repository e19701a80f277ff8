// Package atomicfile writes files whole or not at all: what fails, or is killed, leaves the file that was there before,
// or none, and nothing beside it. Every file of the program is written by it, but for recordings, which grow while they
// can be read.
//
// What is written has no name until it is complete: open(2), O_TMPFILE. A new file is then given its name at once. In
// the place of an old one it has another name between two calls of the system, since Linux replaces by names alone.
// Where a file system has no files without names they are called .hapco-* until they are complete.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Refused is that a file of this name cannot be begun: the name or its folder is at fault, not the disk.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// File is being written. It is one goroutine's.
type File struct {
	*os.File
	dir     string
	named   bool // File.Name is a name in dir, .hapco-*
	placed  bool
	Lasting bool // it is on the disk before it has its name: it survives the loss of power
}

// without says whether files without names are tried.
var without = true

// Create begins a file in a folder.
func Create(dir string) (*File, error) {
	dir = cmp.Or(dir, ".")
	f := &File{dir: dir}
	if without {
		fd, err := unix.Open(dir, unix.O_RDWR|unix.O_TMPFILE|unix.O_CLOEXEC, 0o666)
		if err == nil {
			f.File = os.NewFile(uintptr(fd), filepath.Join(dir, "a new file"))
			if _, err := os.Lstat(f.self()); err == nil {
				return f, nil
			}
			f.File.Close() // no /proc here
		}
	}
	for {
		var err error
		f.File, err = os.OpenFile(other(dir), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			f.named = true
			return f, nil
		}
		if NoRoom(err) {
			return nil, Cure(bare(err))
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, &Refused{fmt.Errorf("%w (cure: a folder that exists and may be written)", bare(err))}
		}
	}
}

// other is a name that a file has until it is complete.
func other(dir string) string {
	return filepath.Join(dir, ".hapco-"+strconv.FormatUint(rand.Uint64(), 36))
}

// bare is an error without the name of a file that nobody knows.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", filepath.Dir(path.Path), path.Err)
	}
	return err
}

// self is where the system shows the open file.
func (f *File) self() string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// Add gives the file a name that no other has, and ends it. Where that is taken the error is fs.ErrExist, and another
// may be tried.
func (f *File) Add(name string) error {
	if err := f.settle(); err != nil {
		return err
	}
	if err := f.link(name); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			f.Discard()
		}
		return err
	}
	return f.end()
}

// Replace gives the file its name, in the place of one that is there, and ends it.
func (f *File) Replace(name string) error {
	err := f.settle()
	if err == nil && !f.named {
		// In most cases there is none yet.
		err = f.link(name)
		for errors.Is(err, fs.ErrExist) {
			between := other(f.dir)
			if err = f.link(between); err == nil {
				if err = os.Rename(between, name); err != nil {
					os.Remove(between)
				}
				break
			}
		}
	} else if err == nil {
		if err = os.Rename(f.Name(), name); err == nil {
			f.placed = true
		}
	}
	if err != nil {
		f.Discard()
		return err
	}
	return f.end()
}

// settle finds out that what was written is there to stay.
func (f *File) settle() error {
	if !f.Lasting {
		return nil
	}
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		f.Discard()
		return err
	}
	return nil
}

// link gives the file one more name.
func (f *File) link(name string) error {
	if f.named {
		return os.Link(f.Name(), name)
	}
	if err := unix.Linkat(unix.AT_FDCWD, f.self(), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: "what was written", New: name, Err: err}
	}
	return nil
}

func (f *File) end() error {
	if f.named && !f.placed {
		os.Remove(f.Name())
	}
	f.placed = true
	if f.Lasting {
		if d, err := os.Open(f.dir); err == nil {
			_ = d.Sync() // the name, too, where the file system can
			d.Close()
		}
	}
	return f.Close()
}

// Discard gives up what was written. After Add or Replace it does nothing.
func (f *File) Discard() {
	if f.placed {
		return
	}
	f.placed = true
	if f.named {
		os.Remove(f.Name())
	}
	f.Close()
}

// Write makes the file name, or replaces it and keeps its permissions. What a link points to is replaced, not the link;
// a device or a pipe is written to, never replaced. It is on the disk when Write returns.
func Write(name string, write func(io.Writer) error) error { return replace(name, true, write) }

// WriteSoon is Write for what can be made again: a loss of power may take it.
func WriteSoon(name string, write func(io.Writer) error) error { return replace(name, false, write) }

// Bytes is a content for Write.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

func replace(name string, lasting bool, write func(io.Writer) error) error {
	var mode fs.FileMode
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return &Refused{fmt.Errorf("%s: is a directory (cure: the name of a file)", name)}
		case !info.Mode().IsRegular():
			return through(name, write)
		}
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return &Refused{fmt.Errorf("%w (cure: a file that may be written)", err)}
		}
	} else if to, err := os.Readlink(name); err == nil { // a link to what is not there yet
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	f, err := Create(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	defer f.Discard()
	f.Lasting = lasting
	if err := buffered(f, write); err != nil {
		return failed(name, err)
	}
	if mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Replace(name)
	}
	return failed(name, err)
}

// New is Write under the first free name of those that called gives for 1, 2, 3 and so on; it returns the name.
func New(called func(n int) string, write func(io.Writer) error) (name string, err error) {
	name = called(1)
	f, err := Create(filepath.Dir(name))
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", name, err)
	}
	defer f.Discard()
	f.Lasting = true
	if err := buffered(f, write); err != nil {
		return "", failed(name, err)
	}
	const most = 10000
	for n := 1; n < most; n++ {
		name = called(n)
		err := f.Add(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", failed(name, err)
		}
	}
	return "", &Refused{fmt.Errorf("%s and all before it are there already (cure: another folder)", name)}
}

// Append adds a record to the end of a file, whole or not at all.
func Append(name string, record []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return &Refused{fmt.Errorf("%w (cure: a file that may be written)", err)}
	}
	n, err := f.Write(record)
	if err == nil {
		err = f.Sync()
	}
	if end, e := f.Seek(0, io.SeekCurrent); err != nil && e == nil {
		if end -= int64(n); end == 0 {
			os.Remove(name)
		} else {
			_ = f.Truncate(end)
		}
	}
	return failed(name, errors.Join(err, f.Close()))
}

// through writes to what is no regular file, such as /dev/stdout.
func through(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return &Refused{fmt.Errorf("%w (cure: a file that may be written)", err)}
	}
	return failed(name, errors.Join(buffered(f, write), f.Close()))
}

func buffered(f io.Writer, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// failed names the file, where what was written has no name, and the cure of a full disk; nil of no error.
func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) && (path.Op == "write" || path.Op == "sync" || path.Op == "close") {
		err = path.Err
	}
	return fmt.Errorf("%s cannot be written: %w", name, Cure(err))
}

// NoRoom tells that a disk is full, or a limit of what a user may have on it is reached.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Cure adds what helps to the error of a write.
func Cure(err error) error {
	switch {
	case !NoRoom(err):
		return err
	case errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%w (cure: a larger limit for files, ulimit -f)", err)
	}
	return fmt.Errorf("%w (cure: room on the disk)", err)
}

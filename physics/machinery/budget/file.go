package budget

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
)

// Kind is a kind of file that the program reads: what it is called, and how large one may be. Files are opened through
// a kind, so that each has a bound of its own.
type Kind struct {
	Name string
	Most int64 // bytes on disk
}

// The kinds. Each bound is some hundred times the largest honest file that is known.
var (
	Mesh      = Kind{"a mesh", MaxFile}
	Recording = Kind{"a recording", 16 << 30} // read message by message; 1 kHz for a day is 15 GB
	Problem   = Kind{"a contact problem", MaxFile}
	Case      = Kind{"a reference case", 1 << 30}
	Scene     = Kind{"a scene", 16 << 20}
	Study     = Kind{"a study", 16 << 20}
	Sweep     = Kind{"a sweep", 64 << 20}
	Settings  = Kind{"a file of settings", 16 << 20}
	Table     = Kind{"a table", 256 << 20}
)

// Open opens a file of this kind for reading. What is no plain file is refused before it is opened: a pipe may wait for
// ever, and a device never end. No more than Most bytes are read, also of a file that grows.
func (k Kind) Open(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil { // else opening says why not
		if err := k.check(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = k.check(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{File: f, kind: k, left: k.Most, Size: info.Size()}, nil
}

func (k Kind) check(path string, info os.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if info.Size() > k.Most {
			return fmt.Errorf("%s has %.3g MB, more than the %d MB that %s may have", path, float64(info.Size())/1e6, k.Most>>20, k.Name)
		}
		return nil
	case mode.IsDir():
		what = "folder"
	case mode&os.ModeNamedPipe != 0:
		what = "pipe"
	case mode&os.ModeSocket != 0:
		what = "socket"
	default:
		what = "device"
	}
	return fmt.Errorf("%s is a %s, not %s", path, what, k.Name)
}

// Read is all of a file of this kind.
func (k Kind) Read(path string) ([]byte, error) {
	f, err := k.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := bytes.NewBuffer(make([]byte, 0, f.Size+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), err
}

// Text is Read without a byte-order mark.
func (k Kind) Text(path string) ([]byte, error) {
	data, err := k.Read(path)
	if err != nil {
		return nil, err
	}
	return Unmarked(data)
}

// Unmarked is a text without the byte-order mark of UTF-8, which some editors write. Text in UTF-16, which its mark
// tells, is refused.
func Unmarked(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return nil, fmt.Errorf("the text is in UTF-16 (cure: save it as UTF-8)")
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// File is an open file of a kind.
type File struct {
	*os.File
	Size int64
	kind Kind
	left int64
}

// Read reads on, up to the kind's bound.
func (f *File) Read(p []byte) (int, error) {
	if f.left <= 0 {
		var more [1]byte
		if n, err := f.File.Read(more[:]); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("%s has more than the %d MB that %s may have", f.Name(), f.kind.Most>>20, f.kind.Name)
	}
	n, err := f.File.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// WriteTo hides os.File's, which would go past the bound.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{f})
}

// SkipMark passes the byte-order mark that a stream of text may begin with.
func SkipMark(r *bufio.Reader) error {
	head, _ := r.Peek(3)
	rest, err := Unmarked(head)
	if err == nil {
		_, err = r.Discard(len(head) - len(rest))
	}
	return err
}

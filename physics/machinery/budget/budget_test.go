package budget

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGunzip(t *testing.T) {
	mixed := make([]byte, 300000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range mixed {
		mixed[i] = byte(r.UintN(16))
	}
	for name, c := range map[string]struct {
		data []byte
		fits bool
	}{
		"honest":       {mixed, true},
		"small zeros":  {make([]byte, spareUnpacked), true}, // a whole array of zeros is no attack
		"many zeros":   {make([]byte, 5*spareUnpacked), false},
		"zeros behind": {append(bytes.Clone(mixed), make([]byte, 5*spareUnpacked)...), false},
	} {
		z, err := Gunzip(bytes.NewReader(packed(t, c.data)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(z)
		var large *TooLarge
		if c.fits && (err != nil || !bytes.Equal(got, c.data)) || !c.fits && !errors.As(err, &large) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if !c.fits { // and it stays so
			if n, err := z.Read(make([]byte, 10)); n != 0 || err == nil {
				t.Errorf("%s goes on with %d bytes", name, n)
			}
		}
	}
}

func TestMemory(t *testing.T) {
	m := For(1 << 20)
	if m.Take(Ratio<<20+SpareMemory+1) || !m.Take(Ratio<<20+SpareMemory) || m.Take(1) {
		t.Error("64 times 1 MB and 64 MB are not what a file of 1 MB may take")
	}
	if m = For(1 << 60); !m.Take(1 << 62) {
		t.Error("the memory of a huge file is negative")
	}
}

// Each kind of file has its own bound, and what is no plain file is refused before it is
// opened: a pipe without a writer and /dev/zero would otherwise be read for ever.
func TestKindsRefuse(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 64<<30); err != nil {
		t.Skip(err)
	}
	for _, k := range []Kind{Mesh, Recording, Problem, Case, Scene, Study, Sweep, Settings, Table} {
		for file, want := range map[string]string{dir: "folder", pipe: "pipe", "/dev/zero": "device", huge: "more than"} {
			if _, err := k.Read(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %s: %v", k.Name, file, err)
			}
		}
	}
	// A file that grows behind its size, as those of /proc are.
	grown := Kind{"a test", 10}
	file := filepath.Join(dir, "grown")
	if err := os.WriteFile(file, []byte("1234567890"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := grown.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(file, []byte("12345678901"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); len(data) != 10 || err == nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{"\xef\xbb\xbfx": "x", "x": "x", "": "", "\xef\xbb": "\xef\xbb"} {
		if got, err := Unmarked([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := Unmarked([]byte("\xff\xfex\x00")); err == nil {
		t.Error("UTF-16 is read")
	}
}

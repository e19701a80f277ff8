package budget

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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
		"small zeros":  {make([]byte, SpareUnpacked), true}, // a whole array of zeros is no attack
		"many zeros":   {make([]byte, 5*SpareUnpacked), false},
		"zeros behind": {append(bytes.Clone(mixed), make([]byte, 5*SpareUnpacked)...), false},
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

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(file); string(data) != "text" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Truncate(file, MaxFile+1); err != nil { // a hole, which takes no room
		t.Skip(err)
	}
	for _, name := range []string{file, dir, filepath.Join(dir, "none")} {
		if _, err := ReadFile(name); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// Package budget bounds what reading a file may take. Every reader of files uses it, so that a small file cannot fill
// the memory: neither packed data that unpacks without end, nor a few bytes that stand for many.
//
// A packed file may unpack to Ratio times its own size plus spareUnpacked, and reading may take Ratio times the
// unpacked file plus SpareMemory. Honest files stay far below: text meshes pack by a factor of 3 to 15, and take 2 to
// 20 times their size.
package budget

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
)

// The bounds. Sizes are in bytes.
const (
	Ratio         = 64
	spareUnpacked = 16 << 20
	SpareMemory   = 64 << 20
	MaxFile       = 2 << 30 // of a file on disk, and of what it unpacks to
)

// Memory is what reading one file may still take.
type Memory struct{ left int64 }

// For is the memory for a file of that many bytes, unpacked.
func For(unpacked int64) Memory {
	if unpacked > (math.MaxInt64-SpareMemory)/Ratio {
		return Memory{math.MaxInt64}
	}
	return Memory{Ratio*unpacked + SpareMemory}
}

// Take takes n bytes; false when they are not left. They are given back by taking less than 0.
func (m *Memory) Take(n int64) bool {
	if n > m.left {
		return false
	}
	m.left -= n
	return true
}

// unpacked is the most that a file, or the packed part of one, may unpack to.
func unpacked(packed int64) int64 { return min(Ratio*min(packed, MaxFile)+spareUnpacked, MaxFile) }

// TooLarge says that what was packed grows beyond Unpacked.
type TooLarge struct{ Packed, Limit int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%.3g MB unpack to more than %.4g MB, which is %d times their size and %d MB", float64(e.Packed)/1e6, float64(e.Limit)/1e6, Ratio, spareUnpacked>>20)
}

// Meter counts what goes into an unpacker and what comes out of it, and ends with a TooLarge when that is too much. In
// goes before the unpacker, Out behind it.
type Meter struct {
	in, out int64
	err     error // stays: what follows is not to be read
}

// NewMeter is for packed data whose size is known.
func NewMeter(packed int64) *Meter { return &Meter{in: packed} }

// In counts what the unpacker reads from r.
func (m *Meter) In(r io.Reader) io.Reader { return &counted{r: r, m: m} }

// Out counts what the unpacker gives.
func (m *Meter) Out(r io.Reader) io.Reader { return &counted{r: r, m: m, out: true} }

// Count adds n bytes that came out otherwise.
func (m *Meter) Count(n int) error {
	m.out += int64(n)
	if limit := unpacked(m.in); m.out > limit && m.err == nil {
		m.err = &TooLarge{Packed: m.in, Limit: limit}
	}
	return m.err
}

type counted struct {
	r   io.Reader
	m   *Meter
	out bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if !c.out {
		c.m.in += int64(n)
		return n, err
	}
	if e := c.m.Count(n); e != nil {
		return 0, e
	}
	return n, err
}

// Gunzip unpacks what r holds, within bounds. Where r is read ahead of what is unpacked, the bound is the looser for
// it, by 64 times as much.
func Gunzip(r io.Reader) (io.ReadCloser, error) {
	m := &Meter{}
	z, err := gzip.NewReader(m.In(r))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{m.Out(z), z}, nil
}

// IsGzip tells packed data by how it begins.
func IsGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

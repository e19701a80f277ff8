package flex

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
)

// Cache keeps compliances in files, so that a scene opens at once from the second time on. A file is used only when all
// of it is as it was written and for the very same body. Several programs may use one folder at the same time: files
// are written under another name, renamed when whole, and never changed. Methods of a nil Cache find and keep nothing.
type Cache struct {
	Dir   string
	Limit int64 // bytes of all files; the ones unused for longest go first
}

// defaultCacheLimit is the size of the default cache, bytes.
const defaultCacheLimit = 8 << 30

// DefaultCache is the user's cache, or nil when the system names no folder.
func DefaultCache() *Cache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &Cache{Dir: filepath.Join(dir, "hapco", "compliance"), Limit: defaultCacheLimit}
}

// Key names a compliance by all that it follows from.
type Key [sha256.Size]byte

// KeyOf is the key of the compliance of some nodes of a mesh.
func KeyOf(m *mesh.Mesh, fixed []int32, nu float64, nodes []int32, single bool) (key Key) {
	h := sha256.New()
	number := func(n int) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	number(cacheVersion)
	number(int(math.Float64bits(nu)))
	if single {
		number(1)
	}
	number(len(m.Nodes))
	for _, x := range m.Nodes {
		for _, c := range x {
			number(int(math.Float64bits(c)))
		}
	}
	number(len(m.Blocks))
	for i := range m.Blocks {
		number(int(m.Blocks[i].Type))
		integers(h, m.Blocks[i].Nodes)
	}
	held := slices.Clone(fixed)
	slices.Sort(held)
	integers(h, slices.Compact(held))
	integers(h, nodes)
	h.Sum(key[:0])
	return key
}

func integers(h hash.Hash, list []int32) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(list)))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	h.Write(b)
}

// A file is a header, the matrix, and extra float64 numbers; numbers are little endian. cacheVersion counts changes of
// this layout and of what the numbers mean.
const (
	cacheMagic   = "HapCoCpl"
	cacheVersion = 2
	headerSize   = 128
	sumAt        = headerSize - 4 // CRC-32C of the header before it
)

type cacheHeader struct {
	key    Key
	nodes  int
	extra  int
	single bool
	sum    uint32 // CRC-32C of all that follows
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (h *cacheHeader) encode() []byte {
	b := make([]byte, headerSize)
	copy(b, cacheMagic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], cacheVersion)
	if h.single {
		b[12] = 1
	}
	le.PutUint64(b[16:], uint64(h.nodes))
	le.PutUint64(b[24:], uint64(h.extra))
	copy(b[32:], h.key[:])
	le.PutUint32(b[64:], h.sum)
	le.PutUint32(b[sumAt:], crc32.Checksum(b[:sumAt], castagnoli))
	return b
}

// decode is false unless b is a header of this version.
func (h *cacheHeader) decode(b []byte) bool {
	le := binary.LittleEndian
	if len(b) < headerSize || string(b[:8]) != cacheMagic || le.Uint32(b[8:]) != cacheVersion ||
		le.Uint32(b[sumAt:]) != crc32.Checksum(b[:sumAt], castagnoli) {
		return false
	}
	h.single = b[12] == 1
	h.nodes, h.extra = int(le.Uint64(b[16:])), int(le.Uint64(b[24:]))
	copy(h.key[:], b[32:])
	h.sum = le.Uint32(b[64:])
	return h.nodes >= 0 && h.nodes < 1<<24 && h.extra >= 0 && h.extra < 1<<32
}

func (h *cacheHeader) matrixBytes() int64 {
	size := EstimateBytes(h.nodes)
	if h.single {
		size /= 2
	}
	return size
}

func (h *cacheHeader) fileBytes() int64 {
	return headerSize + align(h.matrixBytes()) + 8*int64(h.extra)
}

// align keeps the extra numbers on multiples of their size.
func align(n int64) int64 { return (n + 7) &^ 7 }

func (c *Cache) file(key Key) string { return filepath.Join(c.Dir, fmt.Sprintf("%x.cpl", key[:16])) }

// Load finds a compliance, with as many extra numbers as were saved. A file that is damaged, or of another version, is
// as good as none and is removed. It is read, not mapped: what happens to the file later is of no consequence.
func (c *Cache) Load(key Key) (found *Compliance, extra []float64, ok bool) {
	if c == nil || !littleEndian {
		return nil, nil, false
	}
	name := c.file(key)
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, false
	}
	defer f.Close()
	if found, extra, ok = read(f, key); !ok {
		os.Remove(name)
		return nil, nil, false
	}
	now := time.Now()
	os.Chtimes(name, now, now) // used last: see trim
	return found, extra, true
}

// read is false for a file that is not whole, or is of something else.
func read(f *os.File, key Key) (found *Compliance, extra []float64, ok bool) {
	var h cacheHeader
	header := make([]byte, headerSize)
	info, err := f.Stat()
	if err != nil {
		return nil, nil, false
	}
	if _, err := io.ReadFull(f, header); err != nil || !h.decode(header) || h.key != key || h.fileBytes() != info.Size() {
		return nil, nil, false
	}
	found = &Compliance{N: h.nodes}
	if count := 9 * h.nodes * h.nodes; h.single {
		found.Single = make([]float32, count)
	} else {
		found.C = make([]float64, count)
	}
	rest := make([]byte, h.fileBytes()-headerSize-h.matrixBytes())
	sum := uint32(0)
	for _, b := range [][]byte{found.bytes(), rest} {
		for len(b) > 0 { // in parts that are still in the processor's cache when they are summed
			part := b[:min(len(b), readPart)]
			if _, err := io.ReadFull(f, part); err != nil {
				return nil, nil, false
			}
			sum = crc32.Update(sum, castagnoli, part)
			b = b[len(part):]
		}
	}
	if sum != h.sum {
		return nil, nil, false
	}
	extra = make([]float64, h.extra)
	for i := range extra {
		extra[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[align(h.matrixBytes())-h.matrixBytes()+8*int64(i):]))
	}
	return found, extra, true
}

// readPart is read between two looks at the sum, bytes.
const readPart = 256 << 10

// littleEndian machines hold numbers as the files do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// savePart is written between two looks whether to stop, bytes.
const savePart = 8 << 20

// errTooLarge says why a compliance was not kept.
var errTooLarge = errors.New("flex: larger than the cache may be")

// Save keeps a compliance and some extra numbers. An error means that it was not kept; there is no harm in that. It
// stops soon when ctx ends, and leaves nothing behind then.
func (c *Cache) Save(ctx context.Context, key Key, m *Compliance, extra []float64) (err error) {
	if c == nil || !littleEndian {
		return nil
	}
	h := cacheHeader{key: key, nodes: m.N, extra: len(extra), single: m.Single != nil}
	if h.fileBytes() > c.Limit {
		return errTooLarge
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	f, err := atomicfile.Create(c.Dir)
	if err != nil {
		return err
	}
	defer f.Discard()
	body := [][]byte{m.bytes(), make([]byte, align(h.matrixBytes())-h.matrixBytes()), nil}
	for _, x := range extra {
		body[2] = binary.LittleEndian.AppendUint64(body[2], math.Float64bits(x))
	}
	if _, err := f.Seek(headerSize, io.SeekStart); err != nil { // the header needs the sum
		return err
	}
	for _, b := range body {
		for len(b) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := b[:min(len(b), savePart)]
			h.sum = crc32.Update(h.sum, castagnoli, part)
			if _, err := f.Write(part); err != nil {
				return err
			}
			b = b[len(part):]
		}
	}
	if _, err := f.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	runtime.KeepAlive(m)
	if err := f.Replace(c.file(key)); err != nil { // what the loss of power damages, its sum tells
		return err
	}
	return c.trim(c.file(key))
}

// bytes are the matrix as it lies in memory.
func (c *Compliance) bytes() []byte {
	switch {
	case len(c.Single) > 0:
		return unsafe.Slice((*byte)(unsafe.Pointer(&c.Single[0])), 4*len(c.Single))
	case len(c.C) > 0:
		return unsafe.Slice((*byte)(unsafe.Pointer(&c.C[0])), 8*len(c.C))
	}
	return nil
}

// trim removes what was unused for longest until the files fit the limit, and what a program that died left behind.
// keep stays.
func (c *Cache) trim(keep string) error {
	list, err := os.ReadDir(c.Dir)
	if err != nil {
		return err
	}
	type file struct {
		name string
		size int64
		used time.Time
	}
	var files []file
	total := int64(0)
	for _, e := range list {
		info, err := e.Info()
		name := filepath.Join(c.Dir, e.Name())
		switch {
		case err != nil || !info.Mode().IsRegular():
		case (filepath.Ext(name) == ".tmp" || strings.HasPrefix(e.Name(), ".hapco-")) && time.Since(info.ModTime()) > time.Hour:
			os.Remove(name)
		case filepath.Ext(name) == ".cpl":
			files = append(files, file{name, info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= c.Limit {
			break
		}
		if f.name != keep && os.Remove(f.name) == nil {
			total -= f.size
		}
	}
	return nil
}

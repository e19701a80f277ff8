package flex

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"hapco/physics/machinery/testkit"
)

func TestCacheKeepsAndFinds(t *testing.T) {
	m, fixed := box(t, [3]int{4, 3, 3})
	nodes := m.Surface().Nodes
	f := factorize(t, m, fixed, 0.4)
	cache := &Cache{Dir: filepath.Join(t.TempDir(), "deep", "cache"), Limit: 1 << 30}
	for _, single := range []bool{false, true} {
		c, err := f.ComplianceIn(context.Background(), nodes, single, nil)
		if err != nil {
			t.Fatal(err)
		}
		key := KeyOf(m, fixed, 0.4, nodes, single)
		if _, _, ok := cache.Load(key); ok {
			t.Fatal("found before it was saved")
		}
		if err := cache.Save(context.Background(), key, c, []float64{1, 2.5, math.Pi}); err != nil {
			t.Fatal(err)
		}
		got, extra, ok := cache.Load(key)
		if !ok || got.N != c.N || !slices.Equal(got.C, c.C) || !slices.Equal(got.Single, c.Single) || !slices.Equal(extra, []float64{1, 2.5, math.Pi}) {
			t.Fatalf("single %v: found %v, not what was saved", single, ok)
		}
		// what was found works like what was saved
		force, want, u := noise(9), make([]float64, 3*c.N), make([]float64, 3*c.N)
		at := []int32{3, 20, 7}
		c.Displace(want, at, force)
		got.Displace(u, at, force)
		if !slices.Equal(u, want) {
			t.Error("displacements differ")
		}
	}
	var none *Cache
	if _, _, ok := none.Load(Key{}); ok || none.Save(context.Background(), Key{}, &Compliance{}, nil) != nil {
		t.Error("no cache keeps something")
	}
}

// Everything that a compliance follows from is in its key.
func TestCacheKeys(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	nodes := m.Surface().Nodes
	keys := map[Key]string{KeyOf(m, fixed, 0.4, nodes, false): "the body"}
	differs := func(what string, key Key) {
		t.Helper()
		if other, same := keys[key]; same {
			t.Errorf("%s has the key of %s", what, other)
		}
		keys[key] = what
	}
	differs("another nu", KeyOf(m, fixed, math.Nextafter(0.4, 1), nodes, false))
	differs("single precision", KeyOf(m, fixed, 0.4, nodes, true))
	differs("fewer supports", KeyOf(m, fixed[1:], 0.4, nodes, false))
	differs("another region", KeyOf(m, fixed, 0.4, nodes[1:], false))
	moved, _ := box(t, [3]int{2, 2, 2})
	moved.Nodes[5][1] = math.Nextafter(moved.Nodes[5][1], 1)
	differs("a moved node", KeyOf(moved, fixed, 0.4, nodes, false))
	turned, _ := box(t, [3]int{2, 2, 2})
	turned.Blocks[0].Nodes[0], turned.Blocks[0].Nodes[1] = turned.Blocks[0].Nodes[1], turned.Blocks[0].Nodes[0]
	differs("another element", KeyOf(turned, fixed, 0.4, nodes, false))
	retyped, _ := box(t, [3]int{2, 2, 2})
	retyped.Blocks[0].Type++
	differs("another type of element", KeyOf(retyped, fixed, 0.4, nodes, false))
	again := append(slices.Clone(fixed[1:]), fixed[0], fixed[0])
	if KeyOf(m, again, 0.4, nodes, false) != KeyOf(m, fixed, 0.4, nodes, false) {
		t.Error("the order of the supports changes the key")
	}
}

// A file that is not what was written is never used, wherever it is wrong.
func TestCacheRefusesDamage(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	nodes := m.NodeSets["top"]
	c := compliance(t, factorize(t, m, fixed, 0.4), nodes)
	cache := &Cache{Dir: t.TempDir(), Limit: 1 << 30}
	key := KeyOf(m, fixed, 0.4, nodes, false)
	if err := cache.Save(context.Background(), key, c, []float64{1}); err != nil {
		t.Fatal(err)
	}
	name := cache.file(key)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := cache.Load(key); ok {
			t.Errorf("%s: used", what)
		}
		if _, err := os.Stat(name); err == nil && len(data) > 0 {
			t.Errorf("%s: the file is still there", what)
		}
	}
	for at := 0; at < len(whole); at += 1 + at/40 {
		bad := slices.Clone(whole)
		bad[at] ^= 0x10
		try("a flipped bit", bad)
	}
	for _, n := range []int{0, 1, headerSize - 1, headerSize, len(whole) - 1} {
		try("cut short", whole[:n])
	}
	try("longer", append(slices.Clone(whole), 0))
	// a whole file of another body under this name
	other := KeyOf(m, fixed, 0.3, nodes, false)
	if err := cache.Save(context.Background(), other, c, nil); err != nil {
		t.Fatal(err)
	}
	stale, err := os.ReadFile(cache.file(other))
	if err != nil {
		t.Fatal(err)
	}
	try("stale", stale)
	if err := os.WriteFile(name, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := cache.Load(key); !ok {
		t.Error("the whole file is refused")
	}
}

func TestCacheKeepsItsLimit(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	nodes := m.NodeSets["top"]
	c := compliance(t, factorize(t, m, fixed, 0.4), nodes)
	size := headerSize + EstimateBytes(c.N)
	cache := &Cache{Dir: t.TempDir(), Limit: 3*size + 10}
	keys := make([]Key, 5)
	for i := range keys {
		keys[i] = Key{byte(i)}
		if err := cache.Save(context.Background(), keys[i], c, nil); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-100) * time.Minute)
		os.Chtimes(cache.file(keys[i]), old, old)
		cache.Load(keys[0]) // used all the time
	}
	for i, want := range []bool{true, false, false, true, true} {
		if _, _, ok := cache.Load(keys[i]); ok != want {
			t.Errorf("file %d: found %v", i, ok)
		}
	}
	left := filepath.Join(cache.Dir, "new-1.tmp")
	os.WriteFile(left, []byte("x"), 0o644)
	old := time.Now().Add(-2 * time.Hour)
	os.Chtimes(left, old, old)
	cache.Limit = size - 1
	if err := cache.Save(context.Background(), keys[0], c, nil); err != errTooLarge {
		t.Errorf("too large: %v", err)
	}
	cache.Limit = size
	if err := cache.Save(context.Background(), keys[1], c, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a leftover stays")
	}
	if _, _, ok := cache.Load(keys[0]); ok {
		t.Error("more is kept than the limit")
	}
	broken := &Cache{Dir: filepath.Join(left, "file"), Limit: 1 << 30}
	os.WriteFile(left, nil, 0o644)
	if broken.Save(context.Background(), keys[0], c, nil) == nil {
		t.Error("saved below a file")
	}
}

// Many writers and readers of the same and of different files: whoever finds
// something finds it whole.
func TestCacheConcurrently(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	nodes := m.NodeSets["top"]
	c := compliance(t, factorize(t, m, fixed, 0.4), nodes)
	dir := t.TempDir()
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			cache := &Cache{Dir: dir, Limit: 3 * EstimateBytes(c.N)}
			for i := range 25 {
				key := Key{byte((g + i) % 4)}
				if err := cache.Save(context.Background(), key, c, nil); err != nil {
					t.Error(err)
				}
				if got, _, ok := cache.Load(key); ok && !slices.Equal(got.C, c.C) {
					t.Error("found something else")
				}
			}
		})
	}
	wait.Wait()
}

// TestSingleIsRounded: single precision is double precision rounded, and forces
// give displacements within that of the exact ones.
func TestSingleIsRounded(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	nodes := m.Surface().Nodes
	exact := compliance(t, f, nodes)
	single, err := f.ComplianceIn(context.Background(), nodes, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range exact.C {
		if single.Single[i] != float32(x) {
			t.Fatalf("entry %d: %g for %g", i, single.Single[i], x)
		}
	}
	rng := noise(3 * 40)
	at := make([]int32, 40)
	for i := range at {
		at[i] = int32(i * 7)
	}
	want, got := make([]float64, 3*exact.N), make([]float64, 3*exact.N)
	exact.Displace(want, at, rng)
	single.Displace(got, at, rng)
	worst := 0.0
	for i := range want {
		worst = max(worst, math.Abs(got[i]-want[i]))
	}
	if worst > 1e-6*largest(want) {
		t.Errorf("displacements differ by %g of %g", worst, largest(want))
	}
	// the kernels of the step agree with each other in either precision
	wanted := []int32{5, 99, 0, 200}
	for _, c := range []*Compliance{exact, single} {
		u, whole := make([]float64, 12), make([]float64, 3*c.N)
		c.DisplaceAt(u, wanted, at, rng)
		c.Displace(whole, at, rng)
		for i, node := range wanted {
			for k := range 3 {
				if d := math.Abs(u[3*i+k] - whole[3*int(node)+k]); d > 1e-13*largest(whole) {
					t.Errorf("node %d: %g apart", node, d)
				}
			}
		}
		self := 0.0
		for _, node := range at {
			self = max(self, c.SelfCompliance(node))
		}
		bound := math.Sqrt(self * work(c, at, rng))
		for _, node := range at {
			u := whole[3*node:][:3]
			if l := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2]); l > bound*(1+1e-6) {
				t.Errorf("node %d moves by %g, bound %g", node, l, bound)
			}
		}
	}
}

// work is f^T C f.
func work(c *Compliance, at []int32, f []float64) (sum float64) {
	u := make([]float64, len(f))
	c.DisplaceAt(u, at, at, f)
	for i := range u {
		sum += f[i] * u[i]
	}
	return sum
}

// A save that is stopped leaves no file behind, whole or not.
func TestCacheSaveStops(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	c := compliance(t, factorize(t, m, fixed, 0.4), m.NodeSets["top"])
	dir := t.TempDir()
	cache := &Cache{Dir: dir, Limit: 1 << 30}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := cache.Save(ctx, Key{1}, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v left behind (%v)", list, err)
	}
}

// What happens to a file after it was found is of no consequence: the matrix
// stays, whether small or of many pages.
func TestCacheFileShrinks(t *testing.T) {
	c := &Cache{Dir: filepath.Join(t.TempDir(), "cache"), Limit: 1 << 30}
	for _, n := range []int{2, 150} {
		m := &Compliance{N: n, C: make([]float64, 9*n*n)}
		for i := range m.C {
			m.C[i] = float64(i)
		}
		key := Key{byte(n)}
		if err := c.Save(context.Background(), key, m, nil); err != nil {
			t.Fatal(err)
		}
		found, _, ok := c.Load(key)
		if !ok {
			t.Fatal("not found")
		}
		if err := os.Truncate(c.file(key), 0); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(found.C, m.C) {
			t.Errorf("%d nodes: the matrix changed with its file", n)
		}
		if _, _, ok := c.Load(key); ok {
			t.Errorf("%d nodes: an empty file was used", n)
		}
	}
	if info, err := os.Stat(c.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v, %v", info.Mode(), err)
	}
}

// On a full disk nothing is kept, and nothing left.
func TestCacheOnAFullDisk(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	c := compliance(t, factorize(t, m, fixed, 0.4), m.NodeSets["top"])
	cache := &Cache{Dir: t.TempDir(), Limit: 1 << 30}
	testkit.FullDisk(t, 1000, func() {
		if err := cache.Save(context.Background(), Key{1}, c, nil); !errors.Is(err, syscall.EFBIG) {
			t.Error(err)
		}
	})
	if list, err := os.ReadDir(cache.Dir); err != nil || len(list) != 0 {
		t.Errorf("%v is left, %v", list, err)
	}
}

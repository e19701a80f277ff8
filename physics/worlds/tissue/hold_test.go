package tissue

import (
	"slices"
	"strings"
	"testing"

	"hapco/physics/files/scene"
)

// A body is held at the marked vertices of its surface, and nowhere else; too few of them
// are refused.
func TestHold(t *testing.T) {
	bench, err := scene.Load("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	s := &SceneFile{*bench}
	obstacle := func() (int, *scene.Solid) {
		_, i := s.Body("obstacle")
		solid, err := s.Solid(i)
		if err != nil {
			t.Fatal(err)
		}
		return i, solid
	}
	_, before := obstacle()
	marks := make([]bool, len(before.Surface.Nodes))
	var want []int32
	for k, n := range before.Surface.Nodes {
		if x := before.Mesh.Nodes[n]; x[0] > 0 && x[1] > -1 {
			marks[k] = k%3 == 0
		}
		if marks[k] {
			want = append(want, n)
		}
	}
	change, err := s.Hold("obstacle", marks)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(change); err != nil {
		t.Fatal(err)
	}
	_, after := obstacle()
	slices.Sort(want)
	got := slices.Sorted(slices.Values(after.Fixed))
	if !slices.Equal(got, want) || slices.Equal(got, before.Fixed) {
		t.Errorf("held at %d nodes, want %d", len(got), len(want))
	}
	for _, bad := range []struct {
		body  string
		marks []bool
		says  string
	}{
		{"nobody", marks, "no body"},
		{"obstacle", marks[1:], "surface nodes"},
		{"obstacle", make([]bool, len(marks)), "float"},
	} {
		if _, err := s.Hold(bad.body, bad.marks); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s, %d marks: %v, want a word about %s", bad.body, len(bad.marks), err, bad.says)
		}
	}
}

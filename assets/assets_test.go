package assets

import (
	"slices"
	"strings"
	"testing"
)

func TestScenesStartWithTheDefault(t *testing.T) {
	names := Scenes()
	want := []string{"liver", "liver-linear", "bench-a-16", "bench-a-36", "bench-b-66", "bench-c-16", "bench-c-36", "organs", "liver-stomach", "loop", "spatula"}
	if names[0] != DefaultScene {
		t.Errorf("the first scene is %q, want %q", names[0], DefaultScene)
	}
	for _, n := range want {
		if !slices.Contains(names, n) {
			t.Errorf("scene %q is missing", n)
			continue
		}
		text, err := Scene(n)
		if err != nil || len(text) == 0 {
			t.Errorf("Scene(%q): %d bytes, %v", n, len(text), err)
		}
	}
}

func TestLookUpErrorsListWhatThereIs(t *testing.T) {
	if _, err := Scene("kidney"); err == nil || !strings.Contains(err.Error(), `unknown scene "kidney" (one of liver, `) {
		t.Errorf("unknown scene: %v", err)
	}
	if _, err := Scene("../scenes/liver"); err == nil {
		t.Error("a path is taken for a scene's name")
	}
	if _, err := Mesh("spleen.msh"); err == nil || !strings.Contains(err.Error(), `unknown mesh "spleen.msh" (one of block.msh`) {
		t.Errorf("unknown mesh: %v", err)
	}
}

// The repository and the program stay small: the organs take less than 400 KiB.
func TestMeshesAreSmall(t *testing.T) {
	total := 0
	for _, name := range meshNames() {
		packed, err := meshes.ReadFile("meshes/" + name + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		total += len(packed)
		text, err := Mesh(name)
		if err != nil || !strings.HasPrefix(string(text), "$MeshFormat\n") {
			t.Errorf("Mesh %s: %d bytes, %v", name, len(text), err)
		}
	}
	if total > 400<<10 {
		t.Errorf("the packed meshes have %d bytes", total)
	}
}

// Package assets carries the scenes and meshes that come with the program, so that it runs from one file. It stands on
// nothing of ours: scenes and meshes are handed out as the text of their files.
package assets

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed scenes/*.toml
var scenes embed.FS

//go:embed meshes/*.msh.gz
var meshes embed.FS

// The pictures of the scenes: `hapco scenes --pictures assets/pictures` makes them.
//
//go:embed pictures/*.jpg
var pictures embed.FS

//go:embed studies/*.toml
var studies embed.FS

// Studies lists the names of the embedded protocols of studies.
func Studies() []string { return list(studies, "studies", ".toml") }

// Study returns the TOML text of an embedded protocol.
func Study(name string) ([]byte, error) {
	return known(studies, "study", "studies/"+name+".toml", name, Studies())
}

// known reads a file that has one of the names.
func known(files embed.FS, what, path, name string, names []string) ([]byte, error) {
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("assets: unknown %s %q (one of %s)", what, name, strings.Join(names, ", "))
	}
	return files.ReadFile(path)
}

// DefaultScene is the scene that opens when none is named.
const DefaultScene = "liver"

// Scenes lists the names of the embedded scenes, the default one first, then by name.
func Scenes() []string {
	all := list(scenes, "scenes", ".toml")
	if i := slices.Index(all, DefaultScene); i > 0 {
		all = append([]string{DefaultScene}, slices.Delete(all, i, i+1)...)
	}
	return all
}

// Scene returns the TOML text of an embedded scene.
func Scene(name string) ([]byte, error) {
	return known(scenes, "scene", "scenes/"+name+".toml", name, Scenes())
}

// Picture is a scene's picture for the gallery, JPEG; nil where there is none.
func Picture(scene string) []byte {
	data, err := pictures.ReadFile("pictures/" + scene + ".jpg")
	if err != nil {
		return nil
	}
	return data
}

// meshNames lists the names of the embedded meshes.
func meshNames() []string { return list(meshes, "meshes", ".gz") }

// Mesh returns the text of an embedded mesh file, unpacked.
func Mesh(name string) ([]byte, error) {
	packed, err := known(meshes, "mesh", "meshes/"+name+".gz", name, meshNames())
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("assets: mesh %s: %w", name, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("assets: mesh %s: %w", name, err)
	}
	return data, nil
}

// list names the files of a folder by what stands before suffix, ascending.
func list(files embed.FS, dir, suffix string) []string {
	var names []string
	matches, err := fs.Glob(files, path.Join(dir, "*"+suffix))
	if err != nil {
		panic("assets: " + err.Error()) // the pattern is ours
	}
	for _, m := range matches {
		names = append(names, strings.TrimSuffix(path.Base(m), suffix))
	}
	slices.Sort(names)
	return names
}

package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
	"hapco/physics/files/mesh/fill"
	"hapco/physics/files/setting"
	"hapco/ui"
)

// Examine looks at a mesh or surface file: what the window has to ask before it opens it.
func Examine(file string) (*ui.Import, error) {
	taker, err := mesher()
	if err != nil {
		return nil, err
	}
	out := &ui.Import{File: file}
	var lo, hi mgl64.Vec3
	m, err := mesh.Load(file)
	if err == nil {
		lo, hi = m.Bounds()
		out.What = fmt.Sprintf("%s: %d nodes, %d elements", cmp.Or(m.Format, "volume mesh"), len(m.Nodes), m.Elements())
	} else {
		s, other := mesh.LoadSurface(file)
		if other != nil {
			return nil, errors.Join(err, other)
		}
		lo, hi = s.Bounds()
		out.What = fmt.Sprintf("%s: a surface of %d triangles, to be filled with tetrahedra", cmp.Or(s.Format, "surface"), len(s.Triangles))
	}
	out.Size = hi.Sub(lo)
	guess, next := mesh.GuessUnit(out.Size.Len())
	out.Units = []string{guess, next}
	for _, u := range []string{"m", "cm", "mm", "um", "in"} {
		if !slices.Contains(out.Units, u) {
			out.Units = append(out.Units, u)
		}
	}
	out.Supports, out.Materials = taker.MeshChoices()
	return out, nil
}

// mesher is the default scene, in which a mesh takes the obstacle's place.
func mesher() (physics.MeshScener, error) {
	s, err := physics.Load(assets.DefaultScene)
	if err != nil {
		return nil, err
	}
	taker, ok := s.(physics.MeshScener)
	if !ok {
		return nil, fmt.Errorf("scene %s has no obstacle that a mesh could replace", assets.DefaultScene)
	}
	return taker, nil
}

// Import makes a scene file of a mesh or surface and of what was chosen about it, in the folder dir, and returns its
// name. A surface is filled on the way; its mesh lies beside.
func Import(ctx context.Context, dir, file string, c ui.ImportChoice, progress func(float64, string)) (string, error) {
	taker, err := mesher()
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	if dir, err = folderFor(dir, file); err != nil {
		return "", err
	}
	stem := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	metres, err := mesh.LengthUnit(c.Unit)
	if err != nil {
		return "", err
	}
	m, err := mesh.Load(file)
	if err != nil {
		s, bad := mesh.LoadSurface(file)
		if bad != nil {
			return "", errors.Join(err, bad)
		}
		progress(0, "filling the surface with tetrahedra")
		if m, err = fill.Fill(ctx, s, fill.Options{}); err != nil {
			return "", err
		}
		file = stem + ".msh"
		if err := WriteOut(file, m.WriteGmsh); err != nil {
			return "", fmt.Errorf("open %s: %w", file, err)
		}
	}
	m.Scale(metres)
	text, err := taker.MeshText(&physics.MeshScene{File: file, Unit: c.Unit, Nodes: m.Nodes, Support: c.Support, Material: c.Material, Box: c.Box})
	if err != nil {
		return "", err
	}
	name := stem + ".toml"
	if err := WriteOut(name, atomicfile.Bytes(text)); err != nil {
		return "", fmt.Errorf("open %s: %w", file, err)
	}
	return name, nil
}

// SaveScene writes a scene with changes, KEY=VALUE, as a new file in the folder dir and returns its name; where replace
// is set it may take the place of an old one. Changes that the scene's file has no key for are left out, and named.
func SaveScene(dir, scene string, changes []string, replace bool) (file string, left []string, err error) {
	_, text, err := setting.FileText(scene)
	if err != nil {
		return "", nil, err
	}
	s, err := physics.Load(scene)
	if err != nil {
		return "", nil, err
	}
	kept := slices.Clone(s.Common().Changes)
	for _, c := range changes {
		if s.Set(c) != nil {
			left = append(left, c)
			continue
		}
		key, _, _ := strings.Cut(c, "=")
		kept = slices.DeleteFunc(kept, func(old string) bool { k, _, _ := strings.Cut(old, "="); return k == key })
		kept = append(kept, c)
	}
	out, err := elsewhere(string(text), scene, dir)
	if err != nil {
		return "", nil, err
	}
	if len(kept) > 0 {
		out = withChanges(out, kept)
	}
	stem := filepath.Join(dir, strings.TrimSuffix(filepath.Base(scene), filepath.Ext(scene)))
	if replace {
		return stem + ".toml", left, WriteOut(stem+".toml", atomicfile.Bytes([]byte(out)))
	}
	file, err = atomicfile.New(func(n int) string {
		if n == 1 {
			return stem + ".toml"
		}
		return fmt.Sprintf("%s-%d.toml", stem, n)
	}, atomicfile.Bytes([]byte(out)))
	if err != nil {
		return "", left, fmt.Errorf("save the scene: %w", err)
	}
	return file, left, nil
}

// Tools are those that a scene can be driven with.
func Tools(scene string) []physics.Tool {
	s, err := physics.Load(scene)
	if err != nil {
		return nil
	}
	if t, ok := s.(physics.Tooler); ok {
		return t.Tools()
	}
	return nil
}

// TakeTool makes a scene file with another tool in the folder dir and returns its name. own is the file of the user's
// own tool, where the tool needs one.
func TakeTool(dir, scene string, tool *physics.Tool, own string) (string, error) {
	changes := slices.Clone(tool.Changes)
	if tool.Own != "" {
		s, err := mesh.LoadSurface(own)
		if err != nil {
			return "", err
		}
		lo, hi := s.Bounds()
		unit, _ := mesh.GuessUnit(hi.Sub(lo).Len())
		if own, err = filepath.Abs(own); err != nil {
			return "", err
		}
		body, _, _ := strings.Cut(tool.Own, ".")
		changes = append([]string{body + ".file_unit=" + unit, tool.Own + "=" + own}, changes...)
	}
	return remake(dir, scene, changes)
}

// Held are the changes by which bodies of a scene are held elsewhere.
func Held(scene string, held []ui.Held) (changes []string, err error) {
	if len(held) == 0 {
		return nil, nil
	}
	s, err := physics.Load(scene)
	if err != nil {
		return nil, err
	}
	holder, ok := s.(physics.Holder)
	if !ok {
		return nil, fmt.Errorf("support: scene %s has no bodies that could be held by their nodes", scene)
	}
	for _, h := range held {
		change, err := holder.Hold(h.Body, h.Nodes)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// Hold makes a scene file with other supports in the folder dir and returns its name.
func Hold(dir, scene string, held []ui.Held) (string, error) {
	changes, err := Held(scene, held)
	if err != nil {
		return "", err
	}
	return remake(dir, scene, changes)
}

// remake writes a scene with changes in the folder dir, or where it lies itself if that is a part of dir.
func remake(dir, scene string, changes []string) (string, error) {
	dir, err := folderFor(dir, scene)
	if err != nil {
		return "", err
	}
	file, left, err := SaveScene(dir, scene, changes, true)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("scene %s does not take %s", scene, strings.Join(left, ", "))
	}
	return file, err
}

// folderFor makes a folder in dir for what comes of a file: files of one name from two places do not overwrite each
// other. What lies in dir already keeps its place.
func folderFor(dir, file string) (string, error) {
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	switch {
	case strings.HasPrefix(whole, root+string(filepath.Separator)):
		dir = filepath.Dir(whole)
	case filepath.Ext(file) != "":
		dir = filepath.Join(dir, fmt.Sprintf("%.4x", sha256.Sum256([]byte(filepath.Dir(whole)))))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("open %s: %w (cure: a folder that may be written)", file, err)
	}
	return dir, nil
}

var quotedValue = regexp.MustCompile(`=[ \t]*("[^"\\\n]*"|'[^'\n]*')`)

// elsewhere is a scene's text for the folder dir: files beside the scene that it names get their whole path, where that
// is another folder.
func elsewhere(text, scene, dir string) (string, error) {
	from, err := filepath.Abs(filepath.Dir(scene))
	if err != nil {
		return "", err
	}
	if to, err := filepath.Abs(dir); err != nil || from == to {
		return text, err
	}
	return quotedValue.ReplaceAllStringFunc(text, func(value string) string {
		name := strings.Trim(value, "= \t\"'")
		file := setting.Beside(from+"/", name)
		if info, err := os.Stat(file); file == name || filepath.Ext(name) == "" || err != nil || !info.Mode().IsRegular() {
			return value
		}
		return fmt.Sprintf("= %q", file)
	}), nil
}

var changesLine = regexp.MustCompile(`(?ms)^[ \t]*changes[ \t]*=[ \t]*\[.*?\][ \t]*(#[^\n]*)?(\n|\z)`)

// withChanges puts the line of changes before the first key, in place of an old one.
func withChanges(text string, changes []string) string {
	var quoted []string
	for _, c := range changes {
		quoted = append(quoted, fmt.Sprintf("%q", c))
	}
	line := "changes = [" + strings.Join(quoted, ", ") + "]"
	lines := strings.Split(changesLine.ReplaceAllString(text, ""), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { l = strings.TrimSpace(l); return l != "" && !strings.HasPrefix(l, "#") })
	return strings.Join(slices.Insert(lines, max(at, 0), line), "\n")
}

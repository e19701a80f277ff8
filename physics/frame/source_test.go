package frame

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mgl64 compares with an absolute 1e-10: no length, mass or inertia may be compared so, and no
// matrix inverted so. Inverse is what to use; tests may do as they like.
func TestNoAbsoluteEpsilonsOfMathgl(t *testing.T) {
	bad := regexp.MustCompile(`\.Inv\(\)|\bmgl(32|64)\.FloatEqual|\.ApproxEqual\b|\.OrientationEqual\(|\.ApproxFuncEqual`)
	root := "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for i, line := range strings.Split(string(text), "\n") {
			if at := strings.Index(line, "//"); at >= 0 {
				line = line[:at]
			}
			if bad.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("%d files were read: is this the source?", files)
	}
}

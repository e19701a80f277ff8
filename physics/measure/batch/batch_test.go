package batch

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// pathFile is a file with a text.
func pathFile(t testing.TB, text string) string {
	name := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPathTurns: columns rx_deg, ry_deg, rz_deg are a rotation vector about the world's
// axes; columns with other names are somebody else's.
func TestPathTurns(t *testing.T) {
	p, err := readPath(pathFile(t, "\ufeffdx_mm, dy_mm, dz_mm, rx_deg, ry_deg, rz_deg\n0,-1,0,0,0,90\n1,2,3,0,0,0\n"))
	if err != nil || len(p) != 2 {
		t.Fatal(p, err)
	}
	if got := p[0].Vector(mgl64.Vec3{1, 0, 0}); got.Sub(mgl64.Vec3{0, 1, 0}).Len() > 1e-15 {
		t.Errorf("x goes to %v, want y", got)
	}
	if p[0].Position != (mgl64.Vec3{0, -1e-3, 0}) || p[1].Position != (mgl64.Vec3{1e-3, 2e-3, 3e-3}) || p[1].Rotation != mgl64.QuatIdent() {
		t.Errorf("%v", p)
	}
	for _, text := range []string{"0,-1,0,0,0,90\n", "dx_mm,dy_mm,dz_mm,fx_N,fy_N,fz_N\n0,-1,0,0,0,90\n"} {
		if p, err := readPath(pathFile(t, text)); err != nil || len(p) != 1 || p[0].Rotation != mgl64.QuatIdent() {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for text, want := range map[string]string{
		"dx_mm,dy_mm,dz_mm,rx_deg,ry_deg,rz_deg\n0,-1,0\n":        ":2: 3 columns (cure: ",
		"dx_mm,dy_mm,dz_mm,rx_deg,ry_deg,rz_deg\n0,1,0,0,x,0\n":   `:2: "x" is no number`,
		"dx_mm,dy_mm,dz_mm,rx_deg,ry_deg,rz_deg\n0,1,0,0,NaN,0\n": `:2: "NaN" is no number`,
		"dx_mm,dy_mm,dz_mm\n": "no positions (cure: ",
	} {
		if _, err := readPath(pathFile(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzPath: what is read is finite and its rotations are rotations.
func FuzzPath(f *testing.F) {
	f.Add("dx_mm,dy_mm,dz_mm,rx_deg,ry_deg,rz_deg\n0,-1,0,1e-300,0,9e307\n")
	f.Add("0,-1,0\n\"1\",2,3\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readPath(pathFile(t, text))
		if err != nil {
			return
		}
		for _, o := range p {
			if n := o.Rotation.Len(); !(math.Abs(n-1) < 1e-9) || math.IsNaN(o.Position.Len()) {
				t.Fatalf("%q: %v", text, o)
			}
		}
	})
}

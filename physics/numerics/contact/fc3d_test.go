package contact_test

import (
	"bytes"
	"compress/gzip"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
)

const oneContact = `# a comment
contacts 1
order NTT
mu 0.5
q
-1 2
3
W 3
0 0 15
1 1 14
  2 2 16
`

func TestReadFC3D(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"with count", oneContact},
		{"without count", strings.Replace(oneContact, "W 3", "W", 1)},
		{"solution", oneContact + "r 1 2 3"},
		{"carriage returns", strings.ReplaceAll(oneContact, "\n", "\r\n")},
	} {
		p, r, err := contact.ReadFC3D(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.N != 1 || p.Mu[0] != 0.5 || p.Q[2] != 3 || p.W[0] != 15 || p.W[4] != 14 || p.W[8] != 16 || p.W[1] != 0 {
			t.Errorf("%s: read %+v", c.name, p)
		}
		if (r != nil) != (c.name == "solution") || r != nil && r[2] != 3 {
			t.Errorf("%s: solution %v", c.name, r)
		}
	}
}

func TestReadFC3DRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "begin with: contacts N"},
		{"negative size", "contacts -1", "line 1"},
		{"huge size", "contacts 99999999999", "0 to 4096"},
		{"size without data", "contacts 4000", "mu is missing"},
		{"other order", strings.Replace(oneContact, "NTT", "TTN", 1), `order "TTN"`},
		{"order first", "order NTT\ncontacts 1", "before the number of contacts"},
		{"word in q", strings.Replace(oneContact, "-1 2", "-1 x", 1), `line 6: "x" where value 2 of the 3 of q`},
		{"nan in q", strings.Replace(oneContact, "-1 2", "-1 nan", 1), "line 6"},
		{"short q", strings.Replace(oneContact, "3\nW", "W", 1), `"W" where value 3`},
		{"negative mu", strings.Replace(oneContact, "0.5", "-0.5", 1), "mu of contact 0 is -0.5"},
		{"wrong count", strings.Replace(oneContact, "W 3", "W 4", 1), "announces 4 entries and has 3"},
		{"half a triplet", strings.Replace(oneContact, "W 3", "W", 1) + "1 1", "not whole"},
		{"outside", strings.Replace(oneContact, "2 2 16", "3 2 16", 1), "line 11: entry (3, 2)"},
		{"twice", oneContact[:strings.Index(oneContact, "W 3")] + "W\n0 0 1\n0 0 1", "given twice"},
		{"negative diagonal", strings.Replace(oneContact, "2 2 16", "2 2 -16", 1), "no negative diagonal"},
		{"infinite entry", strings.Replace(oneContact, "2 2 16", "2 2 inf", 1), "in W"},
		{"two mu", oneContact + "mu 1", "mu is given twice"},
		{"body outside", oneContact + "G 1\n1 -1", "from -1 to 0"},
		{"short G", oneContact + "G 1\n0 -1 1 2", "the 36 of G"},
		{"no factor", oneContact + "G 1\n0 -1" + strings.Repeat(" 1", 36), "no factor of W"},
		{"unknown word", oneContact + "bananas", "none of contacts"},
		{"no W", oneContact[:strings.Index(oneContact, "W 3")], "W is missing"},
		{"long token", strings.Repeat("a", 1000), "before the number"},
		{"cut gzip", "\x1f\x8b\x08", "gzip"},
	} {
		_, _, err := contact.ReadFC3D(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %v", c.name, err)
		}
	}
}

func TestFC3DRoundTrip(t *testing.T) {
	p := contacttest.Random(rand.New(rand.NewPCG(1, 2)), 5, 20, 0.3)
	p.Motions = &contact.Motions{Bodies: 5, A: []int32{0, 1, 2, 3, 4}, B: []int32{-1, -1, -1, -1, -1}, G: make([]float64, 180)}
	clear(p.W)
	for i := range 15 {
		g := 1 / float64(i+3)
		p.W[16*i] = g * g
		p.Motions.G[36*(i/3)+7*(i%3)] = g
	}
	r := make([]float64, 15)
	for i := range r {
		r[i] = math.Sqrt(float64(i))
	}
	var buf, packed bytes.Buffer
	if err := contact.WriteFC3D(&buf, p, r); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(buf.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, in := range []*bytes.Buffer{&buf, &packed} {
		p2, r2, err := contact.ReadFC3D(in)
		if err != nil {
			t.Fatal(err)
		}
		same := func(name string, a, b []float64) {
			if len(a) != len(b) {
				t.Fatalf("%s: %d and %d values", name, len(a), len(b))
			}
			for i := range a {
				if a[i] != b[i] {
					t.Fatalf("%s[%d]: %g and %g", name, i, a[i], b[i])
				}
			}
		}
		same("W", p.W, p2.W)
		same("q", p.Q, p2.Q)
		same("mu", p.Mu, p2.Mu)
		same("r", r, r2)
		same("G", p.Motions.G, p2.Motions.G)
		if p2.Motions.Bodies != 5 || !slices.Equal(p.Motions.A, p2.Motions.A) || !slices.Equal(p.Motions.B, p2.Motions.B) {
			t.Errorf("bodies %+v", p2.Motions)
		}
	}
}

func FuzzReadFC3D(f *testing.F) {
	f.Add([]byte(oneContact))
	f.Add([]byte(oneContact + "r 1 2 3"))
	f.Add([]byte("contacts 0\n"))
	f.Add([]byte("contacts 2\nmu 1 1\nq 1 2 3 4 5 6\nW\n"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, r, err := contact.ReadFC3D(bytes.NewReader(b))
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("accepted a problem that is none: %v", err)
		}
		var out bytes.Buffer
		if err := contact.WriteFC3D(&out, p, r); err != nil {
			t.Fatal(err)
		}
		if _, _, err := contact.ReadFC3D(&out); err != nil {
			t.Fatalf("does not read what it wrote: %v", err)
		}
	})
}

package touch

import (
	"math"
	"testing"

	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// The layer's force is minus the slope of its energy, its secant leads from the thickness to the gap, and a few secants
// lead to the force that bisection finds.
func TestLayer(t *testing.T) {
	s := &Set{Contacts: []Contact{{Thick: 0.01, Firm: 3, Frame: [3]vec{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}}}
	c := &s.Contacts[0]
	for _, gap := range []float64{1e-5, 1e-3, 5e-3, 9.9e-3, 0.02} {
		energy := func(g float64) float64 { c.Gap = g; return s.Energy() }
		h := 1e-6 * gap
		slope := (energy(gap+h) - energy(gap-h)) / (2 * h)
		c.Gap = gap
		if r := c.Pressure(); math.Abs(slope+r) > 1e-5*max(r, 1e-3) {
			t.Errorf("at a gap of %g: a slope of %g, a force of %g", gap, slope, r)
		}
		if c.Bear(c.Pressure(), 0, 0); gap < c.Thick {
			if g := c.Thick - c.Soft()*c.R()[0]; math.Abs(g-gap) > 1e-12 {
				t.Errorf("a gap of %g, by the secant %g", gap, g)
			}
		}
	}
	// a spring that would go 0.03 beyond the surface
	const spring, beyond = 100, 0.03
	low, high := 1e-9, c.Thick
	for range 100 {
		if c.Gap = (low + high) / 2; spring*(beyond+c.Gap) > c.Pressure() {
			high = c.Gap
		} else {
			low = c.Gap
		}
	}
	want := c.Pressure()
	c.Bear(0, 0, 0)
	for pass := range 4 {
		c.Bear((beyond+c.Thick)/(1./spring+c.Soft()), 0, 0)
		if miss := math.Abs(c.R()[0]/want - 1); miss > []float64{0.2, 0.05, 0.01, 0.002}[pass] {
			t.Errorf("pass %d: %g N, want %g", pass, c.R()[0], want)
		}
	}
}

// Friction takes hold of material points. A contact that sticks has slipped by what they have gone since, also over
// several states; one that slides begins anew, less what its layer gives back.
func TestSlip(t *testing.T) {
	x, triangles := sheet(2)
	s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Core: [2]vec{{-3, 0, 0}, {3, 0, 0}}, Round: 0.08, Pose: frame.At(vec{0.1, 0.085, 0.2})}, Options{Thickness: 0.01, Layer: 1})
	s.Collect(0.05)
	along := func(c *Contact) vec {
		slip := s.Slip(c)
		return c.Frame[1].Mul(slip[0]).Add(c.Frame[2].Mul(slip[1]))
	}
	c := &s.Contacts[0]
	if along(c).Len() != 0 {
		t.Errorf("a new contact has slipped by %v", along(c))
	}
	go1 := func(way vec) {
		s.Place(frame.At(s.Tool.Pose.Position.Add(way)))
		s.Refresh()
		s.Collect(0.05)
		c = &s.Contacts[0]
	}
	c.Bear(1, 0, 0)
	for n := 1; n <= 3; n++ {
		go1(vec{0.01, 0, 0})
		if d := along(c).Sub(vec{-0.01 * float64(n), 0, 0}).Len(); d > 1e-12 {
			t.Errorf("state %d: it has slipped by %v", n, along(c))
		}
		c.Bear(1, 0.1, 0)
		s.Commit()
	}
	if w := s.Loss(); math.Abs(w-0.4*c.R()[0]*along(c).Add(c.Frame[1].Mul(c.Soft()*0.1)).Len()) > 1e-12 {
		t.Errorf("friction takes %g", w)
	}
	c.Bear(1, 0, 0.4)
	s.Commit()
	if d := along(c).Add(c.Frame[2].Mul(0.4 * c.Soft())).Len(); d > 1e-12 {
		t.Errorf("after it slid it has slipped by %v", along(c))
	}
	if s.Loss() > 1e-12 {
		t.Errorf("friction takes %g of nothing", s.Loss())
	}
	go1(vec{0, 0.2, 0})
	if s.Commit(); along(c).Len() > c.Soft() {
		t.Errorf("open, it has slipped by %v", along(c))
	}
}

// The tool gives way as a whole: its block in W is what a force at one contact moves it by at another.
func TestToolInTheProblem(t *testing.T) {
	x, triangles := sheet(3)
	s := newSet(t, []*Surface{surface(x, triangles, 1)}, []Pairing{{0, -1, 0.4}}, Tool{Core: [2]vec{{-0.3, 0, 0}, {0.3, 0, 0}}, Round: 0.08, Pose: frame.At(vec{0.01, 0.1, 0.02})}, Options{Thickness: 0.03, Layer: 1})
	s.Collect(0.05)
	n := len(s.Contacts)
	if n < 2 {
		t.Fatalf("%d contacts", n)
	}
	p := contact.Problem{W: make([]float64, 9*n*n), Q: make([]float64, 3*n)}
	k := Coupling{Stiffness: 300, Turn: 2}
	s.Problem(&p, k)
	for j := range n {
		for i := range s.Contacts {
			s.Contacts[i].Bear(0, 0, 0)
		}
		soft := s.Contacts[j].Soft()
		for l := range 3 {
			var r [3]float64
			r[l] = 1
			s.Contacts[j].Bear(r[0], r[1], r[2])
			force, torque := s.ToolForce()
			way, turn := force.Mul(1/k.Stiffness), torque.Mul(1/k.Turn)
			for i := range s.Contacts {
				c := &s.Contacts[i]
				went := way.Add(turn.Cross(s.At(&c.Q).Sub(s.Tool.Pose.Position))).Mul(-1) // of P - Q
				for m, u := range c.Frame {
					want := u.Dot(went)
					if i == j && l == m {
						want += soft
					}
					if got := p.W[(3*i+m)*3*n+3*j+l]; math.Abs(got-want) > 1e-15 {
						t.Fatalf("W of %d,%d by %d,%d is %g, want %g", i, m, j, l, got, want)
					}
				}
			}
			s.Contacts[j].Bear(0, 0, 0)
		}
	}
	for i := range s.Contacts {
		if c := &s.Contacts[i]; p.Q[3*i] != c.Gap-c.Thick || p.Mu[i] != 0.4 || p.ID[i] != uint64(c.Key) {
			t.Errorf("contact %d: q %g, mu %g", i, p.Q[3*i], p.Mu[i])
		}
	}
}

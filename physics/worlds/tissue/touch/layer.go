package touch

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
)

// Soft is the layer's secant compliance at the contact's force, m/N: its gap is Thick - Soft r_n.
func (c *Contact) Soft() float64 { return c.Thick / (c.Firm + max(0, c.Force.Dot(c.Frame[0]))) }

// Pressure is what the layer bears at the contact's gap, N.
func (c *Contact) Pressure() float64 { return c.Firm * max(0, c.Thick/c.Gap-1) }

// Energy is that of the layers at the present gaps, J.
func (s *Set) Energy() (e float64) {
	for i := range s.Contacts {
		if c := &s.Contacts[i]; c.Gap < c.Thick {
			e += c.Firm * (c.Thick*math.Log(c.Thick/c.Gap) - (c.Thick - c.Gap))
		}
	}
	return e
}

// Loss is what friction has taken since the last state that was committed, at the present forces, J.
func (s *Set) Loss() (e float64) {
	for i := range s.Contacts {
		c := &s.Contacts[i]
		slip, r, soft := s.Slip(c), c.R(), c.Soft()
		e += c.Mu * max(0, r[0]) * math.Hypot(slip[0]+soft*r[1], slip[1]+soft*r[2])
	}
	return e
}

// Coupling is what holds the tool at the place where it would be without contact: a spring and one against turning
// about the tool's origin. 0: it is led, and gives way to nothing.
type Coupling struct {
	Stiffness float64 // N/m
	Turn      float64 // N m/rad
}

// Problem completes that of the bodies. p.W and p.Q are theirs: what a force at one contact moves P - Q at another, and
// how P - Q would go from where it is without contact forces, tool included, in the contacts' frames. It adds the gap
// and the slip up to here, the layers, and the tool, which gives way as a whole.
func (s *Set) Problem(p *contact.Problem, tool Coupling) {
	n := len(s.Contacts)
	p.N, p.Blocks = n, nil
	p.Mu, p.ID = p.Mu[:0], p.ID[:0]
	for i := range s.Contacts {
		c := &s.Contacts[i]
		p.Mu, p.ID = append(p.Mu, c.Mu), append(p.ID, uint64(c.Key))
		slip, soft := s.Slip(c), c.Soft()
		for k, x := range [3]float64{c.Gap - c.Thick, slip[0], slip[1]} {
			p.Q[3*i+k] += x
			p.W[(3*i+k)*3*n+3*i+k] += soft
		}
	}
	if tool.Stiffness > 0 {
		s.addTool(p.W, tool)
	}
}

// addTool adds J diag(1/Stiffness, 1/Turn) J^T, J the motion of P - Q with the tool.
func (s *Set) addTool(w []float64, tool Coupling) {
	n := len(s.Contacts)
	for i := range s.Contacts {
		a, first := s.onTool(&s.Contacts[i])
		for j := range s.Contacts {
			b, second := s.onTool(&s.Contacts[j])
			if first*second == 0 {
				continue
			}
			for k, u := range s.Contacts[i].Frame {
				for l, v := range s.Contacts[j].Frame {
					x := u.Dot(v) / tool.Stiffness
					if tool.Turn > 0 {
						x += a.Cross(u).Dot(b.Cross(v)) / tool.Turn
					}
					w[(3*i+k)*3*n+3*j+l] += first * second * x
				}
			}
		}
	}
}

// onTool is where a contact's force acts on the tool, from its origin, and the sign with which it does; 0: it does not.
func (s *Set) onTool(c *Contact) (arm mgl64.Vec3, sign float64) {
	switch {
	case c.Q.Count == 0 || s.Surfaces[c.Q.Surface].Tool:
		return s.At(&c.Q).Sub(s.Tool.Pose.Position), -1
	case s.Surfaces[c.P.Surface].Tool:
		return s.At(&c.P).Sub(s.Tool.Pose.Position), 1
	}
	return arm, 0
}

// ToolForce is what the contacts do to the tool: the force, N, and the torque about its origin, N m.
func (s *Set) ToolForce() (force, torque mgl64.Vec3) {
	for i := range s.Contacts {
		c := &s.Contacts[i]
		arm, sign := s.onTool(c)
		f := c.Force.Mul(sign)
		force, torque = force.Add(f), torque.Add(arm.Cross(f))
	}
	return force, torque
}

// Broken is by how much the laws of contact are broken where the surfaces are now, N: the distance between the forces
// and what Coulomb's cone leaves of them less the displacement that should not be, over the compliance there (De Saxce
// and Feng, 1998). It is 0 where the layers bear what their gaps ask for, and friction too. p is the problem that was
// solved.
func (s *Set) Broken(p *contact.Problem) float64 {
	n, sum := len(s.Contacts), 0.0
	for i := range s.Contacts {
		c := &s.Contacts[i]
		r, soft, slip := c.R(), c.Soft(), s.Slip(c)
		w := 0.0
		for k := 3 * i; k < 3*i+3; k++ {
			w += p.W[k*3*n+k] / 3
		}
		t1, t2 := slip[0]+soft*r[1], slip[1]+soft*r[2]
		x := c.Gap - c.Thick + soft*r[0] + c.Mu*math.Hypot(t1, t2)
		a, b, d := contact.ProjectCone(c.Mu, r[0]-x/w, r[1]-t1/w, r[2]-t2/w)
		sum += (r[0]-a)*(r[0]-a) + (r[1]-b)*(r[1]-b) + (r[2]-d)*(r[2]-d)
	}
	return math.Sqrt(sum)
}

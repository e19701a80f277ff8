package rigid

// charges is a law of forces on points of a body above the plane y = 0: each has the potential charge (E0 y + K/y).
type charges struct {
	Body   *Body
	Points []vec3
	Charge []float64
	E0, K  float64 // N and N m^2 per charge
}

func (c *charges) Apply(*World) {
	for i, p := range c.Points {
		at := c.Body.point(p)
		c.Body.Push(vec3{0, c.Charge[i] * (c.K/(at[1]*at[1]) - c.E0), 0}, at)
	}
}

// Energy of the charges, J.
func (c *charges) Energy(*World) (e float64) {
	for i, p := range c.Points {
		y := c.Body.point(p)[1]
		e += c.Charge[i] * (c.E0*y + c.K/y)
	}
	return e
}

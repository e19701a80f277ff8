package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/solid"
)

// derived adds what follows from a static equilibrium: of the loads, if there are any, and of the nodes whose three
// axes are prescribed, if there are any.
func derived(c *staticInput, b *solid.Body, x, reactions []float64, out map[string]any) {
	if len(c.Forces) > 0 {
		out["tip_mean_displacement_m"] = meanOfLoaded(c, x)
		if beam, ok := elasticaOf(c, b); ok {
			out["elastica"] = beam
		}
	}
	nodes := driven(c)
	if len(nodes) == 0 {
		return
	}
	for axis, name := range []string{"x", "y", "z"} {
		out["end_torque_about_"+name+"_N_m"] = torque(nodes, axis, x, reactions)
	}
	out["mean_pressure_from_radial_reactions_Pa"] = radialPressure(nodes, x, reactions)
	out["outer_stretch_mean"] = outerStretch(c, x)
}

// meanOfLoaded is the mean displacement of the nodes that carry a load, m.
func meanOfLoaded(c *staticInput, x []float64) (mean mgl64.Vec3) {
	for _, f := range c.Forces {
		n := int(f[0])
		for k := range 3 {
			mean[k] += (x[3*n+k] - c.Mesh.Nodes[n][k]) / float64(len(c.Forces))
		}
	}
	return mean
}

// elasticaOf is the inextensible beam of the body's box, as long as its longest edge, whose tip carries all loads; ok
// is false where they do not point across it along another edge.
func elasticaOf(c *staticInput, b *solid.Body) (beam map[string]any, ok bool) {
	low, high := b.Mesh.Bounds()
	edges := high.Sub(low)
	long := 0
	for k := range 3 {
		if edges[k] > edges[long] {
			long = k
		}
	}
	var load mgl64.Vec3
	for _, f := range c.Forces {
		load = load.Add(mgl64.Vec3{f[1], f[2], f[3]})
	}
	across, other := (long+1)%3, (long+2)%3
	if math.Abs(load[other]) > math.Abs(load[across]) {
		across, other = other, across
	}
	if !(math.Abs(load[across]) > (1-1e-9)*load.Len()) {
		return nil, false
	}
	inertia := edges[other] * math.Pow(edges[across], 3) / 12
	length := edges[long]
	_, deflection, shortening := elastica(load.Len() * length * length / (c.Material.Young * inertia))
	return map[string]any{"deflection_m": deflection * length, "shortening_m": shortening * length}, true
}

// elastica is the inextensible cantilever under a dead load P across its tip, for a = P L^2/(E I): the tip's rotation,
// rad, and its deflection and shortening over L. The angle t obeys t” = -a cos t with t = 0 at the base and t' = 0 at
// the tip.
func elastica(a float64) (rotation, deflection, shortening float64) {
	const steps = 4000
	const h = 1. / steps
	// back from the tip with angle t0: the angle, its slope, and the integrals of sin t and cos t
	shoot := func(t0 float64) (t, along, across float64) {
		y := [4]float64{t0, 0, 0, 0}
		rate := func(_ float64, y [4]float64) [4]float64 {
			s, c := math.Sincos(y[0])
			return [4]float64{y[1], -a * c, c, s}
		}
		for range steps {
			y = rungeKutta(0, y, h, rate)
		}
		return y[0], y[2], y[3]
	}
	low, high := 0.0, math.Pi/2
	for range 60 { // the angle at the base grows with that at the tip
		middle := (low + high) / 2
		if t, _, _ := shoot(middle); t > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	rotation = (low + high) / 2
	_, along, across := shoot(rotation)
	return rotation, across, 1 - along
}

// rungeKutta is one step of the classical method of order 4, of dy/dt = rate.
func rungeKutta(t float64, y [4]float64, h float64, rate func(t float64, y [4]float64) [4]float64) [4]float64 {
	ahead := func(k [4]float64, h float64) [4]float64 {
		for i := range k {
			k[i] = y[i] + h*k[i]
		}
		return k
	}
	k1 := rate(t, y)
	k2 := rate(t+h/2, ahead(k1, h/2))
	k3 := rate(t+h/2, ahead(k2, h/2))
	k4 := rate(t+h, ahead(k3, h))
	for i := range y {
		y[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
	}
	return y
}

// driven lists the nodes whose three axes are prescribed, in the order of the input.
func driven(c *staticInput) (nodes []int) {
	axes := map[int]int{}
	for _, p := range c.Prescribed {
		n := int(p[0])
		if axes[n] |= 1 << int(p[1]); axes[n] == 7 {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// torque is that of the reactions at some nodes about an axis through the origin, N m.
func torque(nodes []int, axis int, x, reactions []float64) (sum float64) {
	a, b := (axis+1)%3, (axis+2)%3
	for _, n := range nodes {
		sum += x[3*n+a]*reactions[3*n+b] - x[3*n+b]*reactions[3*n+a]
	}
	return sum
}

// radialPressure is what the reactions at some nodes of an octant press outward from the origin, over the octant of a
// sphere through these nodes, Pa.
func radialPressure(nodes []int, x, reactions []float64) float64 {
	push, radius := 0.0, 0.0
	for _, n := range nodes {
		p, r := mgl64.Vec3(x[3*n:3*n+3]), mgl64.Vec3(reactions[3*n:3*n+3])
		if d := p.Len(); d > 0 {
			push += r.Dot(p) / d
			radius += d / float64(len(nodes))
		}
	}
	if radius == 0 {
		return 0
	}
	return push / (math.Pi * radius * radius / 2)
}

// outerStretch is the mean stretch of the radius of the nodes that are farthest from the origin at rest.
func outerStretch(c *staticInput, x []float64) float64 {
	outer := 0.0
	for _, p := range c.Mesh.Nodes {
		outer = math.Max(outer, mgl64.Vec3(p).Len())
	}
	sum, count := 0.0, 0.0
	for n, p := range c.Mesh.Nodes {
		if r := mgl64.Vec3(p).Len(); r > (1-1e-6)*outer {
			sum += mgl64.Vec3(x[3*n:3*n+3]).Len() / r
			count++
		}
	}
	return sum / count
}

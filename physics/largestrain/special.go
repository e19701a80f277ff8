package largestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem/solid"
)

// special adds the results that are usual for three experiments, known by their
// inputs: the bending of a slender cantilever, the twist of an end, and the
// inflation of a sphere's octant.
func special(c *staticInput, b *solid.Body, x, reactions []float64, out map[string]any) {
	cantilever(c, b, x, out)
	twist(c, x, reactions, out)
	inflation(c, x, reactions, out)
}

// cantilever: one end of a prism at least ten times as long as wide is fixed, the
// other carries a dead load across it. The mean displacement there stands beside
// that of the inextensible elastica.
func cantilever(c *staticInput, b *solid.Body, x []float64, out map[string]any) {
	low, high := b.Mesh.Bounds()
	edges := high.Sub(low)
	long := 0
	for k := range 3 {
		if edges[k] > edges[long] {
			long = k
		}
	}
	p, q := (long+1)%3, (long+2)%3
	if edges[long] < 10*math.Max(edges[p], edges[q]) || len(c.Prescribed) > 0 || len(c.Forces) == 0 {
		return
	}
	at := func(n int) float64 { return c.Mesh.Nodes[n][long] }
	base, count := low[long], 0
	if len(c.Fixed) > 0 && at(c.Fixed[0]) > low[long]+edges[long]/2 {
		base = high[long]
	}
	tip := low[long] + high[long] - base
	small := 1e-9 * edges[long]
	for n := range c.Mesh.Nodes {
		if math.Abs(at(n)-base) < small {
			count++
		}
	}
	for _, n := range c.Fixed {
		if math.Abs(at(n)-base) > small {
			return
		}
	}
	if count != len(c.Fixed) {
		return
	}
	var load, mean mgl64.Vec3
	for _, f := range c.Forces {
		n := int(f[0])
		if math.Abs(at(n)-tip) > small {
			return
		}
		for k := range 3 {
			load[k] += f[1+k]
			mean[k] += (x[3*n+k] - c.Mesh.Nodes[n][k]) / float64(len(c.Forces))
		}
	}
	out["tip_mean_displacement_m"] = mean
	across := p
	if math.Abs(load[q]) > math.Abs(load[p]) {
		across = q
	}
	if math.Abs(load[across]) < (1-1e-9)*load.Len() {
		return
	}
	other := 3 - long - across
	inertia := edges[other] * math.Pow(edges[across], 3) / 12
	length := edges[long]
	_, deflection, shortening := Elastica(load.Len() * length * length / (c.Material.Young * inertia))
	out["elastica"] = map[string]any{"deflection_m": deflection * length, "shortening_m": shortening * length}
}

// Elastica is the inextensible cantilever under a dead load P across its tip, for
// a = P L^2/(E I): the tip's rotation, rad, and its deflection and shortening over
// L. The angle t obeys t” = -a cos t with t = 0 at the base and t' = 0 at the tip.
func Elastica(a float64) (rotation, deflection, shortening float64) {
	const steps = 4000
	const h = 1. / steps
	// back from the tip with angle t0: the angle, its slope, and the integrals of
	// sin t and cos t
	shoot := func(t0 float64) (t, along, across float64) {
		y := [4]float64{t0, 0, 0, 0}
		rate := func(y [4]float64) [4]float64 {
			s, c := math.Sincos(y[0])
			return [4]float64{y[1], -a * c, c, s}
		}
		for range steps {
			k1 := rate(y)
			k2 := rate(ahead(y, k1, h/2))
			k3 := rate(ahead(y, k2, h/2))
			k4 := rate(ahead(y, k3, h))
			for i := range y {
				y[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
			}
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

func ahead(y, k [4]float64, h float64) [4]float64 {
	for i := range y {
		y[i] += h * k[i]
	}
	return y
}

// wholly lists the nodes whose three axes are prescribed, and where they go; ok is
// false where other prescribed displacements are not 0.
func wholly(c *staticInput) (nodes []int, moved map[int]mgl64.Vec3, ok bool) {
	axes := map[int]int{}
	moved = map[int]mgl64.Vec3{}
	for _, p := range c.Prescribed {
		n := int(p[0])
		u := moved[n]
		u[int(p[1])] = p[2]
		moved[n] = u
		axes[n] |= 1 << int(p[1])
	}
	ok = true
	for n, u := range moved {
		if axes[n] == 7 {
			nodes = append(nodes, n)
		} else if u != (mgl64.Vec3{}) {
			ok = false
		}
	}
	slices.Sort(nodes)
	return nodes, moved, ok
}

// twist: an end turns about one of the axes through the origin. The torque is that
// of the reactions about it.
func twist(c *staticInput, x, reactions []float64, out map[string]any) {
	nodes, moved, ok := wholly(c)
	if !ok || len(nodes) < 3 || len(nodes)*3 != len(c.Prescribed) {
		return
	}
	for axis := range 3 {
		a, b := (axis+1)%3, (axis+2)%3
		// the turn that fits best, then what it leaves
		sin, cos, size := 0.0, 0.0, 0.0
		for _, n := range nodes {
			p, u := c.Mesh.Nodes[n], moved[n]
			qa, qb := p[a]+u[a], p[b]+u[b]
			cos += p[a]*qa + p[b]*qb
			sin += p[a]*qb - p[b]*qa
			size += p[a]*p[a] + p[b]*p[b]
		}
		angle := math.Atan2(sin, cos)
		left := 0.0
		s, k := math.Sincos(angle)
		for _, n := range nodes {
			p, u := c.Mesh.Nodes[n], moved[n]
			left += math.Pow(p[a]+u[a]-k*p[a]+s*p[b], 2) + math.Pow(p[b]+u[b]-s*p[a]-k*p[b], 2)
			left += math.Pow(u[axis]-moved[nodes[0]][axis], 2)
		}
		if math.Abs(angle) < 0.01 || left > 1e-12*size {
			continue
		}
		torque := 0.0
		for _, n := range nodes {
			torque += x[3*n+a]*reactions[3*n+b] - x[3*n+b]*reactions[3*n+a]
		}
		out["end_torque_about_"+"xyz"[axis:axis+1]+"_N_m"] = torque
		return
	}
}

// inflation: nodes at one distance from the origin, those of an octant's inner
// surface, move outward by one share of it, and the planes of symmetry hold the
// rest.
func inflation(c *staticInput, x, reactions []float64, out map[string]any) {
	nodes, moved, ok := wholly(c)
	if !ok || len(nodes) < 3 || len(c.Fixed) > 0 {
		return
	}
	inner := mgl64.Vec3(c.Mesh.Nodes[nodes[0]]).Len()
	share := moved[nodes[0]].Len() / inner
	outer := 0.0
	for _, p := range c.Mesh.Nodes {
		if p[0] < -1e-9*inner || p[1] < -1e-9*inner || p[2] < -1e-9*inner {
			return
		}
		outer = math.Max(outer, mgl64.Vec3(p).Len())
	}
	push := 0.0
	for _, n := range nodes {
		p := mgl64.Vec3(c.Mesh.Nodes[n])
		if math.Abs(p.Len()-inner) > 1e-6*inner || moved[n].Sub(p.Mul(share)).Len() > 1e-6*inner {
			return
		}
		push += mgl64.Vec3{reactions[3*n], reactions[3*n+1], reactions[3*n+2]}.Dot(p) / p.Len()
	}
	a := (1 + share) * inner
	out["mean_pressure_from_radial_reactions_Pa"] = push / (math.Pi * a * a / 2)
	sum, count := 0.0, 0.0
	for n, p := range c.Mesh.Nodes {
		if r := mgl64.Vec3(p).Len(); r > (1-1e-6)*outer {
			sum += mgl64.Vec3{x[3*n], x[3*n+1], x[3*n+2]}.Len() / r
			count++
		}
	}
	out["outer_stretch_mean"] = sum / count
}

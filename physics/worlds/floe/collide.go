package floe

// keep copies the velocities of the floes of all contacts; restore puts them back.
func (c *collider) keep() []float64 {
	kept := grow(&c.kept, 3*len(c.ends))
	for i, x := range c.ends {
		at := kept[3*i:]
		at[0], at[1], at[2] = x.v[0], x.v[1], x.rate
	}
	return kept
}

func (c *collider) restore(kept []float64) {
	for i, x := range c.ends {
		if at := kept[3*i:]; !x.fixed {
			x.v, x.rate = Vec2{at[0], at[1]}, at[2]
		}
	}
}

// collide lets a cluster of touching floes collide.
func (c *collider) collide(w *World, list []int32) error {
	c.take(w, list)
	c.speeds()
	fast, accel := 0.0, 0.0
	for _, x := range c.ends {
		fast = max(fast, x.speed())
		accel = max(accel, x.accel)
	}
	if c.approach() <= roundoff*fast {
		return nil
	}
	c.Collisions++
	eps := w.config.Restitution
	if c.approach() <= resting*accel*w.euler.bound {
		for _, j := range c.list {
			j.rest = true
		}
		if w.config.Repairs.Rest {
			eps = 0
		}
	}
	for i := range c.list {
		// What hits within the window, and bounces, does so now: to let it close its gap first would cost the energy of that.
		if eps > 0 && c.w[i] < -c.give[i] {
			c.give[i] = 0
		}
	}
	if w.config.Repairs.Sequential && eps > 0 {
		return c.relay(w, list, eps, fast)
	}
	return c.strike(w, eps, fast)
}

// strike is one collision of the contacts in the collider: compression, then decompression, W_N = (1 + eps) W_c - eps
// W-.
func (c *collider) strike(w *World, eps, fast float64) error {
	c.tolerance = tight
	if !w.config.Repairs.ForcesFirst {
		return c.letter(w, eps)
	}
	for k, times := 0, 1+eps; ; k, times = k+1, 1 {
		c.begin()
		if err := c.compress(w.config.Law); err != nil {
			return err
		}
		c.spend(times)
		c.end()
		// Where it was swept, what is left is for the next step.
		if !w.config.Repairs.CloseAgain || k == 5 || c.approach() <= c.tolerance*fast || k == 2 && c.tolerance > tight {
			return nil
		}
		c.Again++
	}
}

// spend applies the impulses, f times for 1 + eps. A problem that was solved loosely, or is next to singular, may give
// energy: then restitution goes first, and then a part of the rest.
func (c *collider) spend(f float64) {
	before := c.kinetic()
	if c.push(f); c.kinetic() > before*(1+tight) && !c.driven() {
		c.tolerance = max(c.tolerance, loose)
		if f > 1 {
			c.push(1 - f)
		}
		for f = min(f, 1); c.kinetic() > before*(1+tight) && f > leastShare; f /= 2 {
			c.push(-f / 2)
		}
	}
	c.book(f) // at once: what is left of it, added and taken away in parts, would be rounding
}

// driven tells whether an obstacle that moves is there: it gives energy.
func (c *collider) driven() bool {
	for _, x := range c.ends {
		if x.fixed && (x.v != Vec2{} || x.rate != 0) {
			return true
		}
	}
	return false
}

// kinetic is the energy of the floes of the cluster, J.
func (c *collider) kinetic() float64 {
	sum := 0.0
	for _, x := range c.ends {
		if !x.fixed && !x.seen {
			x.seen = true
			sum += (x.v.LenSqr()/x.invMass + x.rate*x.rate/x.invInertia) / 2 // of the mass that contacts see
		}
	}
	for _, x := range c.ends {
		if !x.fixed { // other goroutines may look at an obstacle
			x.seen = false
		}
	}
	return sum
}

// letter is a collision whose problem holds the impulses of the forces of the step, which restitution then multiplies,
// as the reports have it. What that adds to the energy is booked as an impact below 0.
func (c *collider) letter(w *World, eps float64) error {
	if err := c.compress(w.config.Law); err != nil {
		return err
	}
	c.apply(1)
	for _, x := range c.ends { // every floe once: before is cleared by setting it to the result
		if x.fixed {
			continue
		}
		e := (x.mass*x.v.LenSqr() + x.inertia*x.rate*x.rate) / 2
		v := x.v.Mul(1 + eps).Sub(x.before.Mul(eps))
		rate := (1+eps)*x.rate - eps*x.beforeRate
		x.v, x.rate, x.before, x.beforeRate = v, rate, v, rate
		c.impact -= (x.mass*v.LenSqr()+x.inertia*rate*rate)/2 - e
	}
	return nil
}

// relay lets a shock run through floes that touch: the two that approach fastest collide, alone, until none approach.
func (c *collider) relay(w *World, list []int32, eps, fast float64) error {
	for range 100 * len(list) {
		c.take(w, list)
		c.speeds()
		worst := 0
		for i := range c.w {
			if c.w[i]+c.give[i] < c.w[worst]+c.give[worst] {
				worst = i
			}
		}
		if -c.w[worst]-c.give[worst] <= max(c.tolerance, tight)*fast {
			return nil
		}
		a, b := c.pair(worst)
		n := 0
		for i := range c.list {
			if x, y := c.pair(i); x == a && y == b {
				c.list[n], c.ends[2*n], c.ends[2*n+1], c.arm[n] = c.list[i], a, b, c.arm[i]
				c.w[n], c.s[n], c.give[n] = c.w[i], c.s[i], c.give[i]
				n++
			}
		}
		c.list, c.ends, c.arm = c.list[:n], c.ends[:2*n], c.arm[:n]
		c.w, c.s, c.give, c.lambda, c.beta = c.w[:n], c.s[:n], c.give[:n], c.lambda[:n], c.beta[:n]
		if err := c.strike(w, eps, fast); err != nil {
			return err
		}
	}
	c.take(w, list) // an endless relay: what is left ends without restitution
	c.speeds()
	return c.strike(w, 0, fast)
}

// begin and end put the energy that a collision loses to the account: an impulse does the work of itself times the mean
// of the speeds before and after.
func (c *collider) begin() {
	c.start = append(append(c.start[:0], c.w...), c.s...)
	for _, j := range c.list {
		c.start = append(c.start, j.Impulse, j.Friction)
	}
}

func (c *collider) end() {
	c.speeds()
	n := len(c.list)
	for i, j := range c.list {
		c.impact -= (j.Impulse - c.start[2*n+2*i]) * (c.start[i] + c.w[i]) / 2
		c.friction -= (j.Friction - c.start[2*n+2*i+1]) * (c.start[n+i] + c.s[i]) / 2
	}
}

// spread moves floes that touch, and are closer than a quarter of xi, apart again: steps along straight lines bring
// floes that turn or slide in contact closer, by a little each time. Only places change, by at most xi/8 a floe and
// step, with equal and opposite shares of mass, so that the centre of mass stays.
func (c *collider) spread(w *World, list []int32) {
	tight, xi := false, w.config.Collision
	for _, i := range list {
		tight = tight || w.contacts[i].Gap < xi/4
	}
	if !tight {
		return
	}
	c.take(w, list)
	kept := c.keep()
	c.shifts = true
	for _, x := range c.ends { // the velocities serve as shifts for a moment
		if !x.fixed {
			x.v, x.rate = Vec2{}, 0
		}
	}
	for range 20 {
		for i, j := range c.list {
			rise, _ := c.speed(i)
			weight, _, _ := c.own(i)
			l := max(0, c.lambda[i]+(xi/2-j.Gap-rise)/weight)
			c.kick(i, l-c.lambda[i], 0)
			c.lambda[i] = l
		}
	}
	most := 0.0
	for _, x := range c.ends {
		if !x.fixed {
			most = max(most, x.speed())
		}
	}
	share := min(1, xi/8/most)
	for _, x := range c.ends {
		if x.fixed || x.v == (Vec2{}) && x.rate == 0 {
			continue
		}
		x.angle += share * x.rate
		g := x.g.Add(x.v.Mul(share))
		x.travel += share * x.speed()
		x.v, x.rate = Vec2{}, 0 // a floe of several contacts moves once
		x.put(&x.plate, g, x.angle)
	}
	c.shifts = false
	c.restore(kept)
}

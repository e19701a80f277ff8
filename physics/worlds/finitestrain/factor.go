package finitestrain

import (
	"context"
	"errors"
	"math"

	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/flex"
)

// factoredTangent is the body's tangent at one state, factorised.
type factoredTangent struct {
	body   *solid.Body
	factor *flex.Factor
	quick  *flex.Quick
	values []float64
	x      []float64
	slot   map[int32]int
	nodes  []int32     // by slot
	half   []flex.Half // by slot
	used   []int       // by slot: the step in which a row was there last
	joined bool        // the nodes that are near have their columns
	more   []*flex.Half
	free   []int32
	joins  []bool       // by slot
	comp   [][9]float64 // compliance between slots, most x most blocks
	most   int
	step   int
	motion Motion
	rest   []float64 // K(rest), where there is motion
	shift  float64
	lower  float64 // what the shift was divided by to find this one
	tooLow bool    // and was too low then
	err    error
}

// finer is the step in which the shift is sought, one step lower in each new tangent. The
// shift makes the hand's model stiffer: by 9 to 19 % on a loop that is pressed onto itself by
// 22 to 28 mm, and by 23 to 45 % with steps of 4. So where the body rests the steps become
// smaller, down to finest. Upwards they grow: a liver that buckles in a drag took 27 tries of
// 11 ms each, and had tangents of 0.3 s before. Downwards they grow, too, as long as the
// tangent stays positive definite: where tissue has snapped free of the tool, the shift fell
// from 323 to 1 in 92 steps, in which the body had not come to rest, and was given up.
const (
	finer    = 1.3
	finest   = 1.02
	coarsest = 100
)

// factorise takes the tangent at X, and waits for it. Where that fails the one before stays in use.
func (l *Live) factorise() error {
	l.halt()
	f := l.tangents.spare
	copy(f.x, l.X)
	f.motion, f.rest = l.Options.Motion, l.past.rest
	f.step, f.shift, f.lower = l.steps, l.tangents.now.shift, finer
	f.take(l.tangents.ctx, l.k)
	if l.tangents.outdated = false; f.err != nil {
		return f.err
	}
	f.joined = true
	l.tangents.now, l.tangents.spare = f, l.tangents.now
	return nil
}

// halt waits for the second thread, and drops what it has found.
func (l *Live) halt() {
	if l.tangents.working {
		l.tangents.spare = <-l.tangents.done
		l.tangents.working = false
	}
}

// take factorises the tangent at f.x. Where it is not positive definite, the least shift
// is added that makes it so.
func (f *factoredTangent) take(ctx context.Context, k *fem.Matrix) {
	f.body.Tangent(f.values, f.x)
	if m := &f.motion; m.moves() {
		ca, cv := m.Scheme.Rates(m.Step)
		for i, v := range f.rest {
			f.values[i] += cv * m.Beta * v
		}
		for col := range k.N {
			f.values[k.ColPtr[col+1]-1] += (ca + cv*m.Alpha) * m.Heavier * m.Mass[k.FreeNode[col/3]]
		}
	}
	mean := 0.0
	for col := range k.N {
		mean += f.values[k.ColPtr[col+1]-1] / float64(k.N)
	}
	if f.shift /= f.lower; f.shift < 1e-4*mean {
		f.shift = 0
	}
	added, coarser, rise := 0.0, f.lower, finer*finer
	for f.tooLow = false; ; f.tooLow = true {
		for col := range k.N {
			f.values[k.ColPtr[col+1]-1] += f.shift - added
		}
		added = f.shift
		f.err = f.factor.RefactorizeSingle(ctx, f.values)
		if !errors.Is(f.err, flex.ErrNotPositive) || f.shift > 100*mean {
			break
		}
		f.shift = math.Max(1e-4*mean, coarser*f.shift) // at first what it was before
		coarser = rise
		rise *= finer
	}
	clear(f.slot)
	f.nodes = f.nodes[:0]
	if f.err != nil {
		return
	}
	f.quick.Of(f.factor)
	f.joined = false
}

// refine brings u nearer to K u = b, to 1e-8 of b, by conjugate gradients: the factor, in single precision, is right to few
// digits where a body is slender and hardly gives volume.
func (f *factoredTangent) refine(k *fem.Matrix, u, b []float64) {
	const most, near = 200, 1e-8
	left, z, p, kp := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
	equilibrium.Multiply(k, f.values, kp, u)
	for i := range b {
		left[i] = b[i] - kp[i]
	}
	for last, n := math.Inf(1), 0; n < most && equilibrium.Norm(left) > near*equilibrium.Norm(b); n++ {
		f.quick.First(left)
		f.quick.Second(z)
		now := equilibrium.Inner(left, z)
		for i := range p {
			p[i] = z[i] + now/last*p[i]
		}
		equilibrium.Multiply(k, f.values, kp, p)
		last = now
		by := now / equilibrium.Inner(p, kp)
		for i := range p {
			u[i] += by * p[i]
			left[i] -= by * kp[i]
		}
	}
}

// put stores the compliance between two slots, both ways.
func (f *factoredTangent) put(i, j int, w [9]float64) {
	f.comp[i*f.most+j] = w
	f.comp[j*f.most+i] = [9]float64{w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]}
}

// join makes sure that the compliance of some nodes is known, no more than half of what
// there is room for. Where there is none left, those go that have not been used for long.
func (f *factoredTangent) join(nodes []int32, k *fem.Matrix, step int) {
	f.more, f.free = f.more[:0], f.free[:0]
	for _, n := range nodes {
		if i, ok := f.slot[n]; ok {
			f.used[i] = step
		}
	}
	for _, n := range nodes {
		if _, ok := f.slot[n]; ok {
			continue
		}
		i := len(f.nodes)
		if i < f.most {
			f.nodes = append(f.nodes, n)
		} else {
			i = 0
			for j, u := range f.used {
				if u < f.used[i] {
					i = j
				}
			}
			delete(f.slot, f.nodes[i])
			f.nodes[i] = n
		}
		f.slot[n], f.used[i], f.joins[i] = i, step, true
		f.more, f.free = append(f.more, &f.half[i]), append(f.free, k.Index[n])
	}
	if len(f.more) == 0 {
		return
	}
	f.quick.Halves(f.more, f.free)
	for i, joins := range f.joins[:len(f.nodes)] {
		for j := range f.nodes {
			if joins && (j <= i || !f.joins[j]) { // a pair of new ones once
				f.put(i, j, f.quick.Across(&f.half[i], &f.half[j]))
			}
		}
	}
	clear(f.joins)
}

// swap takes a factor that the second thread has finished, after that thread has found
// the columns of the nodes that are near by then, too, and sets it to work on the
// present state. A tangent of another law is none: corrections with it go anywhere, and the hand's
// model would have the forces of one body and the compliance of another. So the step waits for a new one.
func (l *Live) swap() {
	if l.tangents.outdated {
		if err := l.factorise(); err != nil {
			l.tangents.failure = err
		}
		l.report.Fresh = true
	}
	if l.tangents.working && l.steps >= l.tangents.due {
		var f *factoredTangent
		if l.Deadline == nil || l.Options.Lag > 0 || l.Deadline.Ready(len(l.tangents.done) > 0) {
			f = <-l.tangents.done
		}
		switch {
		case f == nil:
		case f.err != nil:
			l.tangents.working = false
			l.tangents.spare, l.tangents.failure = f, f.err
		case f.joined:
			l.tangents.working = false
			l.tangents.now, l.tangents.spare = f, l.tangents.now
			l.report.Fresh = true
		default:
			l.want()
			l.tangents.due = l.steps + 1
			failsafe.With(second, errand{l, f, true})
		}
	}
	if l.tangents.newest = !l.Options.Refresh; l.tangents.working || l.tangents.newest || l.tangents.now.step == l.steps {
		return
	}
	l.want()
	lower := finer
	if !l.tangents.now.tooLow {
		lower = math.Max(finer, math.Min(l.tangents.now.lower*l.tangents.now.lower, coarsest))
	}
	if l.tangents.newest = l.current(); l.tangents.newest {
		if l.tangents.now.shift == 0 {
			return
		}
		if len(l.constraints) > 0 { // else the shift goes altogether: with it a body comes back to rest slowly
			if lower = l.tangents.now.lower; l.tangents.now.tooLow {
				lower = math.Sqrt(lower)
			}
			if lower < finest {
				return
			}
		}
	}
	f := l.tangents.spare
	copy(f.x, l.X)
	f.motion, f.rest = l.Options.Motion, l.past.rest
	f.step, f.shift, f.lower = l.steps, l.tangents.now.shift, lower
	l.tangents.newest, l.tangents.working = false, true
	l.tangents.due = l.steps + l.lag()
	failsafe.With(second, errand{l, f, false})
}

// errand is what the second thread does for a tangent: it takes it, or joins to it what contacts want of it by now.
type errand struct {
	l     *Live
	f     *factoredTangent
	joins bool
}

func second(e errand) {
	if e.joins {
		e.f.join(e.l.tangents.wanted, e.l.k, e.f.step)
		e.f.joined = true
	} else {
		e.f.take(e.l.tangents.ctx, e.l.k)
	}
	e.l.tangents.done <- e.f
}

// lag is after how many steps a factor may be taken at the soonest.
func (l *Live) lag() int {
	if l.Deadline == nil {
		return max(l.Options.Lag, 1)
	}
	return l.Options.Lag
}

// current tells that a newer factor would be no better, but for its shift: the nodes are where
// the tangent in use was taken, and those that the tool may reach have their columns.
func (l *Live) current() bool {
	if !l.tool.took { // nothing goes on with it
		return false
	}
	for _, n := range l.tangents.wanted {
		if _, ok := l.tangents.now.slot[n]; !ok {
			return false
		}
	}
	for i, x := range l.X {
		if math.Abs(x-l.tangents.now.x[i]) > 1e-3*l.Options.Reach {
			return false
		}
	}
	return true
}

// want lists the nodes for which the next factor brings its columns along: those
// that the tool may reach by then.
func (l *Live) want() {
	c := &l.contacts
	c.near = c.set.NearTool(c.near[:0], l.Options.Reach)
	l.tangents.wanted = l.tangents.wanted[:0]
	for i := range c.near {
		n := c.nodes[c.near[i].Surface][c.near[i].Node]
		if l.k.Index[n] >= 0 && len(l.tangents.wanted) < l.Options.Contacts {
			l.tangents.wanted = append(l.tangents.wanted, n)
		}
	}
}

// columns makes sure that the factor in use knows the compliance of the rows' nodes.
func (l *Live) columns() {
	l.tangents.columned = l.moving(l.tangents.columned[:0])
	l.tangents.now.join(l.tangents.columned, l.k, l.steps)
}

package tissue

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
)

const (
	// wholeSurface is the number of surface nodes up to which the compliance is that of the whole surface, unless the
	// builder says another: 650 MB.
	wholeSurface = 3000
	// doubleBytes is the size up to which a compliance is stored in double precision.
	doubleBytes = 64 << 20
	// worthKeeping is the time from which on a compliance is kept in the cache.
	worthKeeping = 100 * time.Millisecond
)

// Contactable is the number of nodes of the driven body that may touch.
func (w *World) Contactable() int { return len(w.bodies[w.driven].region) }

// ComplianceBytes is the memory that the compliances of all bodies take.
func (w *World) ComplianceBytes() (bytes int64) {
	for _, b := range w.bodies {
		if c := b.flexibility.compliance; c != nil {
			bytes += c.Bytes()
		}
	}
	return bytes
}

// chooseCompliance decides of which surface nodes the compliance is computed: all, or those that may touch and those
// that are probed.
func (b *body) chooseCompliance(s *scene.Scene, whole int) {
	if whole == 0 {
		whole = wholeSurface
	}
	if len(b.surface) <= whole || len(b.region) == len(b.surface) {
		return
	}
	wanted := slices.Clone(b.region)
	for _, p := range s.Probes {
		if p.Body == b.info.Name {
			wanted = append(wanted, int32(b.nearest(p.Point)))
		}
	}
	slices.Sort(wanted)
	b.chosen = slices.Compact(wanted)
	b.rows = make([]int32, len(b.surface))
	for i := range b.rows {
		b.rows[i] = -1
	}
	for row, node := range b.chosen {
		b.rows[node] = int32(row)
	}
}

// complianceNodes are the mesh nodes of the compliance, in its order.
func (b *body) complianceNodes() []int32 {
	if b.rows == nil {
		return b.surface
	}
	nodes := make([]int32, len(b.chosen))
	for i, node := range b.chosen {
		nodes[i] = b.surface[node]
	}
	return nodes
}

// order is what a body's compliance is asked for.
type order struct {
	body    *body
	poisson float64
	nodes   []int32 // of the mesh
	single  bool    // stored in single precision
	weights int     // numbers of the effect of its own weight
	key     flex.Key
}

func newOrder(b *body, poisson float64) *order {
	o := &order{body: b, poisson: poisson, nodes: b.complianceNodes()}
	o.single = flex.EstimateBytes(len(o.nodes)) > doubleBytes
	if b.density > 0 && b.gravity.Len() > 0 {
		o.weights = 9 * len(b.surface)
	}
	o.key = flex.KeyOf(b.mesh, b.fixed, poisson, o.nodes, o.single)
	return o
}

// blank is a flexibility to fill in.
func (o *order) blank() flexibility {
	return flexibility{poisson: o.poisson, factor: &lazyFactor{mesh: o.body.mesh, fixed: o.body.fixed, poisson: o.poisson}}
}

// cached looks for it in the cache.
func (o *order) cached(cache *flex.Cache) (f flexibility, ok bool) {
	c, extra, ok := cache.Load(o.key)
	if !ok || c.N != len(o.nodes) || len(extra) < o.weights {
		return f, false
	}
	f = o.blank()
	f.compliance = c
	f.weigh(extra[:o.weights], o.body.density)
	f.rate(o.body)
	return f, true
}

// unitWeights are the displacements of the surface by the body's own weight.
func (o *order) unitWeights(factor *flex.Factor) []float64 {
	extra := make([]float64, 0, o.weights)
	if o.weights > 0 {
		for axis := range 3 {
			extra = append(extra, surfaceWeight(factor, o.body, axis)...)
		}
	}
	return extra
}

// flexibility computes the compliance of what may touch and the effect of the body's own weight, or finds them in the
// cache; supplied, unless nil, is the compliance. It reads only what does not change about a body, so it may run beside
// the steps. When ctx ends it returns at once: what cannot be stopped goes on without anyone to hear of it.
func (build Builder) flexibility(ctx context.Context, b *body, poisson float64, supplied *flex.Compliance, progress func(fraction float64, detail string)) (flexibility, error) {
	c, err := abandonable(ctx, func() (*computed, error) {
		return build.compute(ctx, b, poisson, supplied, progress)
	})
	if err != nil {
		return flexibility{}, err
	}
	c.keep(ctx, build.Cache)
	return c.flexibility, nil
}

// computed is a flexibility and what the cache needs of it.
type computed struct {
	flexibility
	order *order
	extra []float64
	worth bool
}

// Close frees what nobody has got.
func (c *computed) Close() {
	if f := c.factor.factor; f != nil {
		f.Close()
	}
}

// keep puts what was worth the time into the cache. It can be stopped, and leaves no half of a file: never call it
// where nobody waits for it.
func (c *computed) keep(ctx context.Context, cache *flex.Cache) {
	if c.worth {
		// what cannot be kept is computed again: slower, not wrong
		_ = cache.Save(ctx, c.order.key, c.compliance, c.extra)
	}
}

func (build Builder) compute(ctx context.Context, b *body, poisson float64, supplied *flex.Compliance, progress func(fraction float64, detail string)) (*computed, error) {
	report := func(fraction float64, detail string) {
		if progress != nil && ctx.Err() == nil {
			progress(fraction, detail)
		}
	}
	o := newOrder(b, poisson)
	if supplied == nil {
		if f, ok := o.cached(build.Cache); ok {
			return &computed{flexibility: f}, nil
		}
	}
	c := &computed{flexibility: o.blank(), order: o}
	c.compliance = supplied
	start := time.Now()
	factor, err := build.factorize(ctx, b, poisson, o.nodes, o.single, report)
	if err != nil {
		return nil, err
	}
	if supplied == nil {
		factor.MemoryLimit = build.MemoryLimit
		if c.compliance, err = factor.ComplianceIn(ctx, o.nodes, o.single, func(x float64) { report(0.5+0.5*x, "") }); err != nil {
			factor.Close()
			return nil, err
		}
	}
	c.factor.factor = factor
	c.extra = o.unitWeights(factor)
	c.weigh(c.extra, b.density)
	c.rate(b)
	c.worth = supplied == nil && time.Since(start) > worthKeeping
	return c, nil
}

// abandonable does what cannot be stopped midway, and returns when ctx ends all the same.
func abandonable[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome)
	failsafe.Go(func() {
		v, err := do()
		select {
		case done <- outcome{v, err}:
		case <-ctx.Done(): // nobody waits: its memory is free again at once
			if c, ok := any(v).(interface{ Close() }); ok && err == nil {
				c.Close()
			}
		}
	})
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// weigh takes the displacements of the surface under an acceleration of 1 m/s^2 along the three axes at a density of 1
// kg/m^3, one after the other.
func (f *flexibility) weigh(unit []float64, density float64) {
	n := len(unit) / 3
	for axis := range f.weight {
		if n == 0 {
			return
		}
		w := slices.Clone(unit[axis*n : (axis+1)*n])
		for i := range w {
			w[i] *= density
		}
		f.weight[axis], f.heaviest[axis] = w, longest(w)
	}
}

// surfaceWeight is the displacement of the surface under an acceleration of 1 m/s^2 along one body axis, at E = 1 Pa
// and 1 kg/m^3.
func surfaceWeight(factor *flex.Factor, b *body, axis int) []float64 {
	var force mgl64.Vec3
	force[axis] = 1
	load := make([]float64, 3*len(b.mesh.Nodes))
	fem.BodyForce(load, b.mesh, force)
	u := make([]float64, len(load))
	factor.Solve(u, load)
	out := make([]float64, 3*len(b.surface))
	for i, node := range b.surface {
		copy(out[3*i:3*i+3], u[3*node:3*node+3])
	}
	return out
}

// rate finds how far forces can move each node that may touch.
func (f *flexibility) rate(b *body) {
	f.soft = make([]float64, len(b.rest))
	for _, node := range b.region {
		f.soft[node] = math.Sqrt(f.compliance.SelfCompliance(b.row(node)))
	}
	f.compare()
}

// compare finds the softest and each node's share of it.
func (f *flexibility) compare() {
	f.softest, f.share = slices.Max(append([]float64{0}, f.soft...)), make([]float64, len(f.soft))
	for i, x := range f.soft {
		if f.softest > 0 {
			f.share[i] = min(1, x/f.softest*(1+1e-9))
		}
	}
}

// longest of the vectors that a flat slice holds.
func longest(u []float64) float64 {
	most := 0.0
	for i := 0; i < len(u); i += 3 {
		most = max(most, math.Hypot(math.Hypot(u[i], u[i+1]), u[i+2]))
	}
	return most
}

// suppliedCompliance restricts the flexibility matrix of an object file (figure 4.23) to the surface, at E = 1 Pa.
func suppliedCompliance(solid *scene.Solid) *flex.Compliance {
	n, all := len(solid.Surface.Nodes), 3*len(solid.Mesh.Nodes)
	c := &flex.Compliance{N: n, C: make([]float64, 9*n*n)}
	for i, a := range solid.Surface.Nodes {
		for j, b := range solid.Surface.Nodes {
			for d := range 3 {
				for e := range 3 {
					c.C[(3*i+d)*3*n+3*j+e] = solid.Young * solid.Flexibility[(3*int(a)+d)*all+3*int(b)+e]
				}
			}
		}
	}
	return c
}

// lazyFactor solves with all of K, for what only the eye needs. Where the compliance came from the cache it factorises
// when first asked, on a goroutine of its own. Any goroutine may use it.
type lazyFactor struct {
	mesh    *mesh.Mesh
	fixed   []int32
	poisson float64

	mutex  sync.Mutex
	factor *flex.Factor
	stop   context.CancelFunc // of the factorisation; nil before it is asked for
	closed bool               // nobody asks any more
	stress *fem.Stress        // made when first asked for: it takes seconds on large meshes
}

// close ends a factorisation under way, for good. It frees the factor where nobody else has it.
func (s *lazyFactor) close(alone bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.closed = true
	if s.stop != nil {
		s.stop()
	}
	if alone && s.factor != nil {
		s.factor.Close()
	}
	s.factor = nil
}

// recovery of stresses from displacements.
func (s *lazyFactor) recovery() *fem.Stress {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.stress == nil {
		s.stress = fem.NewStress(s.mesh)
	}
	return s.stress
}

// ready tells whether solve answers at once.
func (s *lazyFactor) ready() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.factor != nil
}

// solveNow is solve for who can wait for the factorisation. It is false where there can be none.
func (s *lazyFactor) solveNow(u, force []float64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return false
	}
	if s.factor == nil {
		f, err := s.factorize(context.Background())
		if err != nil {
			return false
		}
		s.factor = f
	}
	s.factor.Solve(u, force)
	return true
}

func (s *lazyFactor) factorize(ctx context.Context) (*flex.Factor, error) {
	plan, err := flex.NewPlan(s.mesh, s.fixed, s.poisson, nil)
	if err != nil {
		return nil, err
	}
	plan.Yields = true // steps go on beside it
	return plan.Factorize(ctx)
}

// solve computes the displacements u of all nodes under nodal forces, at E = 1 Pa. It is false while there is no
// factor, or when there can be none.
func (s *lazyFactor) solve(u, force []float64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.factor != nil {
		s.factor.Solve(u, force)
		return true
	}
	if s.stop == nil && !s.closed {
		var ctx context.Context
		ctx, s.stop = context.WithCancel(context.Background())
		failsafe.Go(func() {
			f, err := s.factorize(ctx)
			if err != nil {
				return
			}
			s.mutex.Lock()
			defer s.mutex.Unlock()
			if s.closed {
				f.Close()
				return
			}
			s.factor = f
		})
	}
	return false
}

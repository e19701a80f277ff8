package tissue

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/latest"
	"hapco/physics/numerics/flex"
)

const (
	// largeMesh and largeSurface are the nodes from which on a body's compliance takes long enough to be computed
	// beside the steps.
	largeMesh, largeSurface = 4000, 1500
	// hugeMesh is the number of nodes from which on the factorisation may be above the default limit: it is looked at
	// before the world opens. The densest known bodies, cubes, take 1.5 GB at 50 000 nodes, growing with the power 1.4.
	hugeMesh = 80000
	// firstNodes of the surface, far from each other, and nearNodes about the stylus are what the first coarse
	// compliance is computed of.
	firstNodes, nearNodes = 96, 96
	// Pace of one processor: of the factorisation, operations a second, and of rows, products of entries of the factor
	// with right-hand sides. Measured on cubes of 9 000 to 50 000 nodes; they serve for estimates only.
	factorPace, rowPace = 1.7e10, 2e10
)

// Readiness says what a body's compliance is good for.
type Readiness uint8

const (
	// Exact: nothing is under way that would change it but another nu.
	Exact Readiness = iota
	// Coarse: near the stylus the body answers as it should, farther away by interpolation between the nodes that are
	// ready.
	Coarse
	// Inside: the compliance is there, but the stylus is inside of the body. It can be touched once the stylus is out.
	Inside
	// Untouchable: no compliance yet.
	Untouchable
)

// Preparation is how far a compliance is that is computed beside the steps.
type Preparation struct {
	Body     string
	What     string  // what is being done; why it failed
	Plan     string  // nodes, memory and time, once they are known
	Fraction float64 // of the time that all of it takes, as far as can be told
	Ready    Readiness
	Failed   bool
	OnDemand bool // all of it would take too much memory: what is near the stylus is computed
}

// Line says it in one.
func (p *Preparation) Line() string {
	if p.Failed {
		return p.Body + ": " + p.What
	}
	return "compliance of " + p.Body + ": " + p.What
}

// preparation computes one body's compliance for one Poisson's ratio beside the steps: coarse first, then all of it.
type preparation struct {
	index   int
	poisson float64
	old     bool       // the body has an elasticity already
	plan    *flex.Plan // of the factorisation where that was made before; else nil
	stop    context.CancelFunc

	status   atomic.Pointer[prepared]
	bits     atomic.Uint64 // share of what is being done, where that is known
	next     atomic.Pointer[stage]
	focus    *latest.Box[focus]
	wake     chan struct{} // the focus has changed
	released chan struct{} // closed once the body's elasticity of before is in use no more
	finished chan error
	turned   bool // the body has taken a first stage
	over     bool // released is closed
	stopped  bool // nobody wants it any more
}

// stage is an elasticity to swap in.
type stage struct {
	flexibility flexibility
	coarse      bool
}

// focus is where on the body the stylus is.
type focus struct {
	tip     mgl64.Vec3 // body frame
	touched []int32    // surface nodes under contacts
}

// prepared is what a preparation says of itself: it is doing what from the share base of all the time on, for span of
// it, expected to take that long.
type prepared struct {
	what, plan string
	base, span float64
	since      time.Time
	expected   time.Duration // 0: bits tell the share that is done
	onDemand   bool
}

func newPreparation(index int, poisson float64, old bool) *preparation {
	p := &preparation{index: index, poisson: poisson, old: old, focus: latest.New(func(*focus) {}),
		wake: make(chan struct{}, 1), released: make(chan struct{}), finished: make(chan error, 1)}
	p.say(prepared{what: "waiting"})
	return p
}

func (p *preparation) say(s prepared) {
	s.since = time.Now()
	p.bits.Store(0)
	p.status.Store(&s)
}

// fill writes what there is to say into the snapshot's. Any goroutine.
func (p *preparation) fill(out *Preparation) {
	s := p.status.Load()
	x := math.Float64frombits(p.bits.Load())
	if s.expected > 0 {
		// Nobody can tell how far a factorisation is: by the time it should take, ever more slowly beyond.
		x = time.Since(s.since).Seconds() / s.expected.Seconds()
		if x > 0.7 {
			x = 1 - 0.3*math.Exp((0.7-x)/0.3)
		}
	}
	out.What, out.Plan, out.OnDemand = s.what, s.plan, s.onDemand
	out.Fraction = min(1, s.base+s.span*x)
}

// look tells the preparation where the stylus is. Physics goroutine.
func (p *preparation) look(w *World) {
	b, d := w.bodies[p.index], w.bodies[w.driven]
	f := p.focus.Back()
	f.touched = append(f.touched[:0], b.active.nodes...)
	at := d.pose.Position
	f.tip = b.rotation.Transpose().Mul3x1(at.Sub(b.pose.Position))
	p.focus.Publish()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// turns lets the preparations of a world do their long computations one after the other, those of the first, coarse
// answers first.
type turns struct {
	mutex   sync.Mutex
	busy    bool
	urgent  int // preparations without a coarse answer yet
	changed chan struct{}
}

func newTurns() *turns { return &turns{changed: make(chan struct{})} }

// take waits for its turn.
func (t *turns) take(ctx context.Context, urgent bool) error {
	for {
		t.mutex.Lock()
		mine := !t.busy && (urgent || t.urgent == 0)
		t.busy = t.busy || mine
		changed := t.changed
		t.mutex.Unlock()
		if mine {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *turns) give() { t.change(func() { t.busy = false }) }

func (t *turns) expect(more int) { t.change(func() { t.urgent += more }) }

func (t *turns) change(how func()) {
	t.mutex.Lock()
	how()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mutex.Unlock()
}

// large tells whether a body's compliance is worth a coarse answer first.
func (build Builder) large(b *body) bool {
	if build.Later > 0 {
		return len(b.mesh.Nodes) >= build.Later
	}
	wanted := len(b.surface)
	if b.rows != nil {
		wanted = len(b.chosen)
	}
	return len(b.mesh.Nodes) >= largeMesh || wanted >= largeSurface
}

func (build Builder) limit() int64 {
	if build.MemoryLimit == 0 {
		return flex.DefaultMemoryLimit
	}
	return build.MemoryLimit
}

// preview refuses, before the world opens, a body that nothing could be computed of. What it found out is kept for the
// factorisation.
func (build Builder) preview(ctx context.Context, b *body, poisson float64) error {
	huge := hugeMesh * math.Pow(float64(build.limit())/flex.DefaultMemoryLimit, 0.7)
	if float64(len(b.mesh.Nodes)) < huge {
		return nil
	}
	plan, err := abandonable(ctx, func() (*flex.Plan, error) { return flex.NewPlan(b.mesh, b.fixed, poisson, nil) })
	if err != nil {
		return err
	}
	b.plan = plan
	return build.fits(plan, len(b.complianceNodes()))
}

// fits refuses a factorisation that leaves no room for a coarse compliance.
func (build Builder) fits(plan *flex.Plan, nodes int) error {
	least := flex.ReadyBytes(min(nodes, firstNodes+2*nearNodes))
	if limit := build.limit(); plan.Cost.FactorBytes+least > limit {
		return fmt.Errorf("the factorised stiffness alone takes %.1f GB, the limit is %.1f GB (cure: a coarser mesh)", float64(plan.Cost.FactorBytes)/1e9, float64(limit)/1e9)
	}
	return nil
}

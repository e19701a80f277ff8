package tissue

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/flex"
)

// job is a preparation at work.
type job struct {
	build     Builder
	body      *body
	p         *preparation
	order     *order
	ctx, life context.Context
	hand      func(f flexibility, coarse bool)

	factor *flex.Factor
	base   flexibility // all but the compliance
	extra  []float64   // of its own weight, for the cache
	start  time.Time
	plan   string
	full   bool // all of it fits into memory
	room   int64

	nodes *coarseNodes
	ready flex.Ready
	seen  focus
	rows  []*flex.Rows // by worker

	firstTime, factorTime, fullTime time.Duration // estimates
}

// first factorises and hands over a coarse compliance.
func (j *job) first() error {
	j.start = time.Now()
	b, build := j.body, j.build
	n, wanted := len(b.mesh.Nodes), len(j.order.nodes)
	j.p.say(prepared{what: "ordering the unknowns", expected: time.Duration(float64(n) * 4e4), span: 0.03})
	plan, err := abandonable(j.life, func() (*flex.Plan, error) {
		if j.p.plan != nil {
			return j.p.plan, nil
		}
		return flex.NewPlan(b.mesh, b.fixed, j.order.poisson, nil)
	})
	if err != nil {
		return err
	}
	if err := build.fits(plan, wanted); err != nil {
		return err
	}
	j.estimate(plan)
	total := (j.factorTime + j.firstTime + j.fullTime).Seconds() / 0.97
	share := func(d time.Duration) float64 { return d.Seconds() / total }

	if err := j.ctx.Err(); err != nil {
		return err
	}
	j.p.say(prepared{what: "factorising", plan: j.plan, base: 0.03, span: share(j.factorTime), expected: j.factorTime, onDemand: !j.full})
	build.reached("factorise")
	j.factor, err = abandonable(j.life, func() (*flex.Factor, error) {
		return plan.Factorize(j.ctx)
	})
	if err != nil {
		return err
	}
	if err := j.ctx.Err(); err != nil {
		return err
	}
	j.p.say(prepared{what: "the first nodes", plan: j.plan, base: 0.03 + share(j.factorTime), span: share(j.firstTime), expected: j.firstTime, onDemand: !j.full})
	_, err = abandonable(j.life, func() (struct{}, error) {
		j.base = j.order.blank()
		j.extra = j.order.unitWeights(j.factor)
		j.base.weigh(j.extra, b.density)
		j.base.factor.factor = j.factor
		for range min(runtime.GOMAXPROCS(0), 8) {
			j.rows = append(j.rows, j.factor.NewRows())
		}
		j.nodes = newCoarseNodes(b)
		chosen := j.nodes.farthest(min(firstNodes, wanted))
		j.look()
		chosen = append(chosen, j.nodes.nearest(j.seen.tip, j.seen.touched, nearNodes, nearNodes)...)
		if err := j.compute(chosen); err != nil {
			return struct{}{}, err
		}
		j.publish(true)
		return struct{}{}, nil
	})
	return err
}

// estimate says what is to come, and whether all of it fits.
func (j *job) estimate(plan *flex.Plan) {
	wanted := float64(len(j.order.nodes))
	entries, processors := float64(plan.Cost.FactorBytes)/8, float64(runtime.GOMAXPROCS(0))
	seconds := func(s float64) time.Duration { return time.Duration(max(s, 1e-3) * 1e9) }
	rows := 3 * entries / (rowPace * processors) // of a node, s
	j.factorTime = seconds(plan.Cost.Operations / factorPace)
	j.firstTime = seconds(rows * min(wanted, firstNodes+nearNodes))
	j.fullTime = seconds(rows * wanted * processors / max(1, processors-1)) // see Factor.Yields
	size := flex.EstimateBytes(len(j.order.nodes))
	if j.order.single {
		size /= 2
	}
	limit := j.build.limit()
	coarse := flex.ReadyBytes(firstNodes + 4*nearNodes)
	j.full = plan.Cost.FactorBytes+size+coarse <= limit
	j.room = limit - plan.Cost.FactorBytes
	what := fmt.Sprintf("%s nodes, %s on the surface", thousands(len(j.body.mesh.Nodes)), thousands(len(j.order.nodes)))
	if !j.full {
		j.fullTime = 0
		j.plan = fmt.Sprintf("%s: all of it would take %.1f GB, the limit is %.1f GB", what, float64(plan.Cost.FactorBytes+size)/1e9, float64(limit)/1e9)
		return
	}
	j.room -= size
	time := (j.factorTime + j.firstTime + j.fullTime).Seconds()
	j.plan = fmt.Sprintf("%s; %.1f GB, about %s", what, float64(plan.Cost.FactorBytes+size)/1e9, roughly(time))
}

// roughly is a time in words.
func roughly(s float64) string {
	if s < 90 {
		return fmt.Sprintf("%.0f s", max(1, s))
	}
	return fmt.Sprintf("%.0f min", s/60)
}

// thousands is a number with its digits in threes.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + " " + s[at:]
	}
	return s
}

// look takes the newest focus; it tells whether that is another.
func (j *job) look() bool {
	f, newer := j.p.focus.Get()
	if !newer {
		return false
	}
	j.seen.tip = f.tip
	j.seen.touched = append(j.seen.touched[:0], f.touched...)
	return true
}

// compute makes chosen nodes ready.
func (j *job) compute(chosen []int32) error {
	if len(chosen) == 0 {
		return nil
	}
	surface := j.body.surface
	// Late in the elimination first: their rows need but the end of it.
	slices.SortFunc(chosen, func(a, b int32) int { return int(j.factor.Order(surface[b]) - j.factor.Order(surface[a])) })
	j.nodes.admit(chosen)
	before := j.ready.Len()
	at := make([]int32, len(j.nodes.ready))
	for i, node := range j.nodes.ready {
		at[i] = surface[node]
	}
	batches := (len(chosen) + flex.RowNodes - 1) / flex.RowNodes
	results := make([][][]float64, batches) // of each batch: the rows of its nodes
	errs := make([]error, len(j.rows))
	var next, done atomic.Int64
	var wait failsafe.Group
	for k, rows := range j.rows {
		wait.Go(func() {
			for j.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= batches {
					return
				}
				first := before + i*flex.RowNodes
				end := min(first+flex.RowNodes, len(at))
				block := make([]float64, 9*(end-first)*end)
				if errs[k] = rows.Compute(j.ctx, block, at[first:end], at[:end]); errs[k] != nil {
					return
				}
				for node := first; node < end; node++ {
					own := make([]float64, 0, 9*(node+1))
					for r := range 3 {
						own = append(own, block[(3*(node-first)+r)*3*end:][:3*(node+1)]...)
					}
					results[i] = append(results[i], own)
				}
				done.Add(1)
			}
		})
	}
	wait.Wait()
	for _, err := range append(errs, j.ctx.Err()) {
		if err != nil {
			return err
		}
	}
	for _, batch := range results {
		for _, own := range batch {
			j.ready = j.ready.Add(own)
		}
	}
	return nil
}

// publish hands over the compliance condensed on the nodes that are ready; coarse tells that more are to come.
func (j *job) publish(coarse bool) {
	j.give(flex.Condense(j.nodes.spread(), j.ready), coarse)
}

// give hands over a compliance.
func (j *job) give(c *flex.Compliance, coarse bool) (f flexibility) {
	f = j.base
	f.compliance = c
	f.rate(j.body)
	j.hand(f, coarse)
	return f
}

// rest computes all of the compliance, or where that is too large, more and more nodes of it; meanwhile those near the
// stylus become ready first.
func (j *job) rest(turn *turns) error {
	if !j.full {
		return j.onDemand()
	}
	// What comes is large: wait until what it takes the place of is gone.
	if j.p.old {
		select {
		case <-j.p.released:
			runtime.GC()
		case <-j.ctx.Done():
			return j.ctx.Err()
		}
	}
	refining, stop := context.WithCancel(j.ctx)
	var refiner failsafe.Group
	refiner.Go(func() { j.refine(refining) })
	defer refiner.Wait()
	defer stop()
	if err := turn.take(j.ctx, false); err != nil {
		return err
	}
	defer turn.give()

	total := (j.factorTime + j.firstTime + j.fullTime).Seconds() / 0.97
	base := 0.03 + (j.factorTime+j.firstTime).Seconds()/total
	j.p.say(prepared{what: "all nodes", plan: j.plan, base: base, span: 1 - base})
	j.build.reached("all")
	j.factor.MemoryLimit, j.factor.Yields = j.build.limit(), true
	c, err := abandonable(j.life, func() (*flex.Compliance, error) {
		return j.factor.ComplianceIn(j.ctx, j.order.nodes, j.order.single, func(x float64) { j.p.bits.Store(math.Float64bits(x)) })
	})
	if err != nil {
		return err
	}
	stop()
	refiner.Wait()
	f := j.give(c, false)
	j.p.say(prepared{what: "keeping it in the cache", plan: j.plan, base: 1})
	// However little it took: patch by patch its last digits are others than in one go, and steps that are made again
	// are to find these.
	kept := computed{flexibility: f, order: j.order, extra: j.extra, worth: true}
	kept.keep(j.ctx, j.build.Cache)
	return nil
}

// refine makes ready what is near the stylus, until ctx ends.
func (j *job) refine(ctx context.Context) {
	for ctx.Err() == nil {
		if chosen := j.near(); len(chosen) > 0 {
			if j.compute(chosen) != nil {
				return
			}
			j.publish(true)
			continue
		}
		select {
		case <-ctx.Done():
		case <-j.p.wake:
		}
	}
}

// near chooses some nodes near the stylus to make ready; none where all there are, or where memory is used up.
func (j *job) near() []int32 {
	j.look()
	most := min(flex.RowNodes, j.capacity()-j.ready.Len())
	if most <= 0 {
		return nil
	}
	return j.nodes.nearest(j.seen.tip, j.seen.touched, most, nearNodes)
}

// capacity is the number of nodes whose compliance there is room for.
func (j *job) capacity() int { return int(math.Sqrt(float64(j.room) / 36)) }

// onDemand makes nodes ready until memory is used up: those near the stylus first, else those farthest from all that
// are. The last fifth of the memory is kept for where the stylus goes.
func (j *job) onDemand() error {
	spread := j.capacity() * 4 / 5
	free := 0
	for _, node := range j.nodes.wanted {
		if !j.nodes.held[node] {
			free++
		}
	}
	last := time.Now()
	for j.ctx.Err() == nil {
		close := j.near()
		chosen := close
		if len(chosen) == 0 {
			chosen = j.nodes.farthest(min(flex.RowNodes, spread-j.ready.Len()))
		}
		share := float64(j.ready.Len()) / float64(min(free, spread))
		if len(chosen) == 0 {
			j.p.say(prepared{what: "as much as memory holds", plan: j.plan, base: 1, onDemand: true})
			select {
			case <-j.ctx.Done():
			case <-j.p.wake:
			}
			continue
		}
		j.p.say(prepared{what: "what is near the stylus first", plan: j.plan, base: min(0.99, share), onDemand: true})
		if err := j.compute(chosen); err != nil {
			return err
		}
		if j.ready.Len() == free {
			j.publish(false)
			return nil
		}
		if len(close) > 0 || time.Since(last) > 3*time.Second {
			j.publish(true)
			last = time.Now()
		}
	}
	return j.ctx.Err()
}

// prepare computes a body's compliance and hands it over in stages. It returns when the last one is handed over, or
// soon after ctx ends; life ends what cannot be stopped, too.
func (build Builder) prepare(ctx, life context.Context, b *body, p *preparation, turn *turns) error {
	coarseDone := sync.OnceFunc(func() { turn.expect(-1) })
	defer coarseDone()
	hand := func(f flexibility, coarse bool) { p.next.Store(&stage{f, coarse}) }

	if !build.large(b) {
		p.say(prepared{what: "computing", span: 1})
		f, err := build.flexibility(life, b, p.poisson, nil, func(x float64, _ string) { p.bits.Store(math.Float64bits(x)) })
		if err == nil {
			hand(f, false)
		}
		return err
	}

	p.say(prepared{what: "looking into the cache", expected: time.Second, span: 0.02})
	type found struct {
		order *order
		f     flexibility
		ok    bool
	}
	from, err := abandonable(life, func() (found, error) {
		o := newOrder(b, p.poisson)
		f, ok := o.cached(build.Cache)
		return found{o, f, ok}, nil
	})
	if err != nil {
		return err
	}
	if from.ok {
		hand(from.f, false)
		return nil
	}
	j := &job{build: build, body: b, p: p, order: from.order, life: life, ctx: ctx, hand: hand}
	if err := turn.take(ctx, true); err != nil {
		return err
	}
	err = j.first()
	turn.give()
	if err != nil {
		return err
	}
	coarseDone()
	return j.rest(turn)
}

package largestrain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
	"hapco/physics/fem"
	"hapco/physics/fem/solid"
	"hapco/physics/flex"
	"hapco/physics/guard"
)

// LiveOptions tune a Live body. DefaultLiveOptions fills them.
type LiveOptions struct {
	Friction    float64
	Contacts    int           // at most at a time: the nearest nodes
	Reach       float64       // nodes with a smaller gap may touch, m
	Corrections int           // of the equilibrium, at most a step
	Deadline    time.Duration // of a step: after the first, no correction begins that would end later; 0: none
	Tolerance   float64       // ends the corrections: the residual over the sum of the contact forces
	Accept      float64       // the same, for a state that is shown
	Tries       int           // steps after which a state that cannot be shown is given up; twice as many each time in a row, and where the deadline cuts them short
	Refresh     bool          // a second thread factorises the newest tangent, again and again
	Patch       int           // nodes around the contacts that are relaxed after a correction, twice as many where that is not enough; 0: none
	Memory      int           // corrections remembered: Anderson's mixing
	Warp        bool          // a factor is turned with the nodes since its tangent was taken
	Lag         int           // where above 0: a factor comes so many steps after it was begun, waited for; repeats exactly
	LeastJ      float64       // no state is taken in which an element's det F is smaller
}

// DefaultLiveOptions are for a body of the given extent, m.
func DefaultLiveOptions(extent float64) LiveOptions {
	return LiveOptions{Friction: 0.3, Contacts: 36, Reach: 0.03 * extent, Corrections: 6, Tolerance: 0.005, Accept: 0.01, Tries: 6, Patch: 300, Memory: 5, Refresh: true, LeastJ: 0.01}
}

// LiveReport tells what a step has come to.
type LiveReport struct {
	Contacts    int        // that press
	Force       mgl64.Vec3 // of the tool on the body, N
	Pressed     float64    // sum of the sizes of the contact forces, N
	Residual    float64    // size of what is missing to equilibrium, N
	Deepest     float64    // how far a node is inside the tool, m
	Corrections int        // made
	Relaxed     int        // times that the nodes around the contacts were relaxed
	Shortened   int        // corrections that were taken in part, or not at all
	LeastJ      float64    // smallest det F
	Age         int        // steps since the tangent of the factor in use
	Fresh       bool       // a newer factor came into use in this step
	Late        bool       // the deadline ended the corrections: Residual is what it has cost
	Settled     bool       // X is an equilibrium to Options.Accept, and shown
	Back        bool       // it was given up: X is what was shown before
	Tool        Obstacle   // that the body is in equilibrium with
	Share       float64    // of its way that it has gone; 0 while it is not settled
}

// givenUp is the residual that a deadline has left, N.
func (r *LiveReport) givenUp() float64 {
	if r.Late && !r.Settled {
		return r.Residual
	}
	return 0
}

// Live is a body of linear tetrahedra in quasi-static equilibrium with a tool that
// moves, step by step, in real time. Each step improves the equilibrium as far as
// its time allows, and says what is missing:
//
//   - the residual f_ext + H^T r - f_int is exact, at the law's own forces;
//   - it is corrected by the newest factor of the tangent that there is, which a
//     second thread makes;
//   - what the older tangent leaves around the contacts is relaxed on the present one,
//     by some hundreds of nodes alone;
//   - the contact forces r come from x = W r + q with W of the same factor, whose
//     columns are computed for the nodes in reach alone;
//   - a correction that would turn an element over, or lead away from equilibrium,
//     is shortened.
//
// One goroutine calls Step. Nothing is allocated in it but when nodes come into
// reach.
type Live struct {
	Options LiveOptions
	Load    []float64 // dead forces, 3 a node, N
	X       []float64 // places under way, 3 a node, m
	Shown   []float64 // those of the last equilibrium, 3 a node, m

	body   *solid.Body
	tets   *solid.Tets
	k      *fem.Matrix
	nodes  []int32 // that may touch
	solver contact.Solver

	now     *linear
	spare   *linear
	done    chan *linear // at most one
	stop    context.CancelFunc
	ctx     context.Context
	threads func() // puts back the threads of linear algebra
	working bool
	steps   int
	due     int // step from which a factor may be taken
	failure error

	force, trial, trialF []float64 // 3 a node
	goodForce            []float64
	goodHeld             []nodeForce
	tool                 Obstacle
	share, limit         float64       // of the tool's way: where it stands, and how far it may go in a step
	cost                 time.Duration // of a correction, lately
	backs                int           // how often the last equilibrium has been gone back to, in a row
	whole                int           // of tries, those that no deadline cut short
	tries                int           // steps for which it has stood there
	residual, du         []float64     // free unknowns
	turn                 []solid.Mat3
	problem              contact.Problem
	laws                 contact.Options
	rows                 []liveRow
	near                 []liveRow
	wanted, touched      []int32
	at, r                []float64
	held                 map[int32][3]float64 // contact forces by node, N
	report               LiveReport
	pull                 pull
	mixed                mixing
	patch                patch
	saved                []mgl64.Vec3
	scale, least         float64 // largest sum of contact forces so far, N; det F
	grip                 grip
}

// liveRow is a node at the tool.
type liveRow struct {
	node  int32
	gap   float64
	frame [3]mgl64.Vec3 // n, t1, t2
	slot  int           // in the compliance
	old   [3]float64    // force, in the frame
}

// linear is the body's tangent at one state, factorised.
type linear struct {
	body   *solid.Body
	factor *flex.Factor
	quick  *flex.Quick
	values []float64
	x      []float64
	turn   []solid.Mat3 // of the nodes at x
	slot   map[int32]int
	nodes  []int32     // by slot
	half   []flex.Half // by slot
	used   []int       // by slot: the step in which a row was there last
	joined bool        // the nodes that are near have their columns
	more   []*flex.Half
	free   []int32
	comp   [][9]float64 // compliance between slots, most x most blocks
	most   int
	step   int
	shift  float64
	err    error
}

// NewLive prepares a body at rest. nodes may touch; fixed do not move.
func NewLive(b *solid.Body, fixed, nodes []int32, options LiveOptions) (*Live, error) {
	tets, ok := solid.NewTets(b)
	if !ok {
		return nil, errors.New("largestrain: a live body is made of linear tetrahedra of one material (split the mesh)")
	}
	k, err := fem.Pattern(b.Mesh, fixed)
	if err != nil {
		return nil, err
	}
	b.Bind(k)
	solver, err := contact.New("auto")
	if err != nil {
		return nil, err
	}
	n := 3 * len(b.Mesh.Nodes)
	l := &Live{Options: options, Load: make([]float64, n), X: b.Rest(), Shown: b.Rest(), limit: 1, goodForce: make([]float64, n), body: b, tets: tets, k: k, solver: solver,
		done: make(chan *linear, 1), force: make([]float64, n), trial: make([]float64, n), trialF: make([]float64, n),
		residual: make([]float64, k.N), du: make([]float64, k.N), turn: make([]solid.Mat3, len(b.Mesh.Nodes)), held: map[int32][3]float64{}, grip: grip{nodes: map[int32]bool{}}}
	l.laws = contact.DefaultOptions()
	l.laws.Criterion, l.laws.Tolerance, l.laws.MaxIterations = contact.Scaled, 1e-5, 500
	l.threads = flex.OneThread() // one processor is for the steps
	l.ctx, l.stop = context.WithCancel(context.Background())
	for _, n := range nodes {
		if n >= 0 && int(n) < len(k.Index) && k.Index[n] >= 0 {
			l.nodes = append(l.nodes, n)
		}
	}
	l.pull.prepare(b)
	l.patch.prepare(l)
	for _, to := range []**linear{&l.now, &l.spare} {
		f, err := flex.Analyze(k)
		if err != nil {
			return nil, err
		}
		most := 4 * options.Contacts
		*to = &linear{body: b.Twin(), factor: f, quick: flex.NewQuick(), values: make([]float64, len(k.Row)), x: make([]float64, n), turn: make([]solid.Mat3, len(b.Mesh.Nodes)),
			slot: map[int32]int{}, half: make([]flex.Half, most), used: make([]int, most), comp: make([][9]float64, most*most), most: most}
	}
	copy(l.now.x, l.X)
	l.now.take(l.ctx, k, &l.pull)
	l.now.joined = true
	if l.now.err != nil {
		l.Close()
		return nil, fmt.Errorf("largestrain: the body is not held: %w (fix at least three nodes that are not on one line)", l.now.err)
	}
	l.Reset()
	return l, nil
}

// Reset puts the body back to rest, without a tool. Factors stay.
func (l *Live) Reset() {
	copy(l.X, l.body.Rest())
	l.least = l.tets.Forces(l.force, l.X)
	clear(l.held)
	l.rows = l.rows[:0]
	l.Release()
	l.mixed.forget()
	l.tries, l.whole, l.backs, l.limit, l.scale = 0, 0, 0, 1, 0
	l.keep()
}

// Close ends the second thread and frees the factors.
func (l *Live) Close() {
	l.stop()
	if l.working {
		l.spare = <-l.done
		l.working = false
	}
	for _, f := range []*linear{l.now, l.spare} {
		if f != nil {
			f.factor.Close()
		}
	}
	if l.threads != nil {
		l.threads()
		l.threads = nil
	}
}

// take factorises the tangent at f.x. Where it is not positive definite, the least shift
// is added that makes it so.
func (f *linear) take(ctx context.Context, k *fem.Matrix, p *pull) {
	f.body.Tangent(f.values, f.x)
	mean := 0.0
	for col := range k.N {
		mean += f.values[k.ColPtr[col+1]-1] / float64(k.N)
	}
	f.shift /= 4
	if f.shift < 1e-4*mean {
		f.shift = 0
	}
	added := 0.0
	for {
		for col := range k.N {
			f.values[k.ColPtr[col+1]-1] += f.shift - added
		}
		added = f.shift
		f.err = f.factor.RefactorizeSingle(ctx, f.values)
		if !errors.Is(f.err, flex.ErrNotPositive) || f.shift > 100*mean {
			break
		}
		f.shift = math.Max(1e-3*mean, 4*f.shift)
	}
	clear(f.slot)
	f.nodes = f.nodes[:0]
	if f.err != nil {
		return
	}
	f.quick.Of(f.factor)
	f.joined = false
	p.rotations(f.turn, f.x)
}

// put stores the compliance between two slots, both ways.
func (f *linear) put(i, j int, w [9]float64) {
	f.comp[i*f.most+j] = w
	f.comp[j*f.most+i] = [9]float64{w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]}
}

// join makes sure that the compliance of some nodes is known, no more than half of what
// there is room for. Where there is none left, those go that have not been used for long.
func (f *linear) join(nodes []int32, k *fem.Matrix, step int) {
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
		f.slot[n], f.used[i] = i, step
		f.more, f.free = append(f.more, &f.half[i]), append(f.free, k.Index[n])
	}
	if len(f.more) == 0 {
		return
	}
	f.quick.Halves(f.more, f.free)
	for _, n := range nodes {
		i := f.slot[n]
		for m := range f.more {
			if f.more[m] == &f.half[i] {
				for j := range f.nodes {
					f.put(i, j, f.quick.Across(&f.half[i], &f.half[j]))
				}
				break
			}
		}
	}
}

// swap takes a factor that the second thread has finished, after that thread has found
// the columns of the nodes that are near by then, too, and sets it to work on the
// present state.
func (l *Live) swap(tool Obstacle) {
	if l.working && l.steps >= l.due {
		var f *linear
		if l.Options.Lag > 0 {
			f = <-l.done
		} else {
			select {
			case f = <-l.done:
			default:
			}
		}
		switch {
		case f == nil:
		case f.err != nil:
			l.working = false
			l.spare, l.failure = f, f.err
		case f.joined:
			l.working = false
			l.now, l.spare = f, l.now
			l.report.Fresh = true
			l.mixed.forget() // another factor, other corrections
		default:
			l.want(tool)
			l.due = l.steps + 1
			guard.Go(func() {
				f.join(l.wanted, l.k, f.step)
				f.joined = true
				l.done <- f
			})
		}
	}
	if l.working || !l.Options.Refresh || l.now.step == l.steps {
		return
	}
	if l.want(tool); l.idle() {
		return
	}
	f := l.spare
	copy(f.x, l.X)
	f.step = l.steps
	l.working = true
	l.due = l.steps + l.Options.Lag
	guard.Go(func() {
		f.take(l.ctx, l.k, &l.pull)
		l.done <- f
	})
}

// idle tells that a newer factor would be no better: no tool is near, and the nodes are
// where the tangent in use was taken.
func (l *Live) idle() bool {
	if len(l.rows)+len(l.wanted) > 0 {
		return false
	}
	for i, x := range l.X {
		if math.Abs(x-l.now.x[i]) > 1e-3*l.Options.Reach {
			return false
		}
	}
	return true
}

// Step lets the tool go from share 0 towards 1 of its way. What it shows is always
// an equilibrium to LiveOptions.Accept: where a step's corrections do not reach
// that, the tool stands still in the steps that follow until they do; and where
// they never do, everything goes back to the last equilibrium, and the tool tries
// a shorter way. A tool that is given while another stands still is not looked at.
func (l *Live) Step(tool Obstacle) LiveReport {
	begin := time.Now()
	l.report = LiveReport{}
	l.steps++
	if l.tries == 0 {
		l.tool, l.share = tool, l.limit
	}
	tool = l.tool
	l.detect(tool)
	l.swap(tool)
	if len(l.rows) == 0 && len(l.held) == 0 && l.balance(l.force) <= 1e-9+1e-7*l.scale {
		l.report.Residual, l.report.LeastJ = size(l.residual), l.least // at rest
	} else {
		l.settle(tool, begin)
	}
	r := &l.report
	r.Age, r.Tool = l.steps-l.now.step, tool
	r.Settled = r.Residual <= l.Options.Accept*r.Pressed+1e-9+1e-7*l.scale && r.Deepest <= 0.05*l.Options.Reach
	if l.tries++; !r.Late {
		l.whole++
	}
	switch {
	case r.Settled:
		r.Share = l.share
		l.tries, l.whole, l.backs, l.limit = 0, 0, 0, math.Min(1, 1.5*l.limit)
		l.keep()
		l.review(tool)
	case l.tries+l.whole >= 2*l.Options.Tries<<min(l.backs, 4): // where a short way does not help it snaps, and that takes patience
		l.goBack()
		l.tries, l.whole, l.backs, l.limit = 0, 0, l.backs+1, math.Max(l.limit/2, 1./128)
		r.Back = true
	}
	return *r
}

// settle corrects the equilibrium until it is good enough, or time is up.
func (l *Live) settle(tool Obstacle, begin time.Time) {
	l.columns()
	l.warp()
	if l.tries == 0 {
		l.mixed.restart()
	}
	for {
		from := time.Now()
		taken := l.correct(tool)
		l.report.Corrections++
		for k := 1; k <= 2 && l.relaxes() && !l.good() && l.relax(tool, k*l.Options.Patch); k++ {
			taken = true
		}
		l.cost = max(time.Since(from), l.cost-l.cost/16)
		if l.good() || !taken && l.report.Corrections > 1 || l.report.Corrections >= l.Options.Corrections {
			return
		}
		if l.Options.Deadline > 0 && time.Since(begin)+l.cost > l.Options.Deadline {
			l.report.Late = true
			return
		}
		l.detect(tool)
		l.columns()
	}
}

// relaxes tells whether corrections are followed by relaxations: in a small body they
// would cost as much.
func (l *Live) relaxes() bool {
	return l.Options.Patch > 0 && len(l.k.FreeNode) > 4*l.Options.Patch
}

// good tells that no more corrections are needed.
func (l *Live) good() bool {
	return l.report.Residual <= l.Options.Tolerance*l.report.Pressed+1e-9 && l.report.Deepest < 0.02*l.Options.Reach
}

// keep remembers the equilibrium.
func (l *Live) keep() {
	copy(l.Shown, l.X)
	copy(l.goodForce, l.force)
	l.goodHeld = l.goodHeld[:0]
	for n, f := range l.held {
		l.goodHeld = append(l.goodHeld, nodeForce{n, f})
	}
}

// goBack returns to it.
func (l *Live) goBack() {
	copy(l.X, l.Shown)
	copy(l.force, l.goodForce)
	clear(l.held)
	for _, g := range l.goodHeld {
		l.held[g.node] = g.force
	}
	l.mixed.forget()
}

type nodeForce struct {
	node  int32
	force [3]float64
}

// Err is what last kept a factor from being made, nil if nothing did.
func (l *Live) Err() error { return l.failure }

// detect finds the nearest nodes in reach, and their frames and old forces.
func (l *Live) detect(tool Obstacle) {
	l.near = l.near[:0]
	for _, n := range l.nodes {
		gap, normal := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
		if l.grip.near(n, gap, l.Options.Reach) {
			l.near = append(l.near, liveRow{node: n, gap: gap, frame: [3]mgl64.Vec3{normal}})
		}
	}
	if len(l.near) > l.Options.Contacts {
		slices.SortFunc(l.near, func(a, b liveRow) int { return l.grip.grippedFirst(&a, &b) })
		l.near = l.near[:l.Options.Contacts]
	}
	l.rows, l.near = l.near, l.rows
	kept := 0
	for i := range l.rows {
		r := &l.rows[i]
		n := r.frame[0]
		k := 0
		for a := range 3 {
			if math.Abs(n[a]) < math.Abs(n[k]) {
				k = a
			}
		}
		var side mgl64.Vec3
		side[k] = 1
		r.frame[1] = n.Cross(side).Normalize()
		r.frame[2] = n.Cross(r.frame[1])
		if f, ok := l.held[r.node]; ok {
			kept++
			for d := range 3 {
				r.old[d] = mgl64.Vec3(f).Dot(r.frame[d])
			}
		}
	}
	if kept < len(l.held) { // what is out of reach carries nothing any more
		for n := range l.held {
			if !slices.ContainsFunc(l.rows, func(r liveRow) bool { return r.node == n }) {
				delete(l.held, n)
			}
		}
	}
}

// want lists the nodes for which the next factor brings its columns along: those
// that the tool may reach by then.
func (l *Live) want(tool Obstacle) {
	l.near = l.near[:0]
	for _, n := range l.nodes {
		if gap, _ := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share); gap < 5*l.Options.Reach {
			l.near = append(l.near, liveRow{node: n, gap: gap})
		}
	}
	most := 3 * l.Options.Contacts
	if len(l.near) > most {
		slices.SortFunc(l.near, func(a, b liveRow) int { return cmp.Compare(a.gap, b.gap) })
		l.near = l.near[:most]
	}
	l.wanted = l.wanted[:0]
	for i := range l.near {
		l.wanted = append(l.wanted, l.near[i].node)
	}
}

// columns makes sure that the factor in use knows the compliance of the rows' nodes.
func (l *Live) columns() {
	l.touched = l.touched[:0]
	for i := range l.rows {
		l.touched = append(l.touched, l.rows[i].node)
	}
	l.now.join(l.touched, l.k, l.steps)
}

// warp finds how the nodes have turned since the factor's tangent was taken.
func (l *Live) warp() {
	if !l.Options.Warp {
		for i := range l.turn {
			l.turn[i] = solid.Identity
		}
		return
	}
	l.pull.rotations(l.turn, l.X)
	for i := range l.turn {
		l.turn[i] = l.turn[i].MulT(&l.now.turn[i])
	}
}

func rotate(m *solid.Mat3, v []float64) {
	x, y, z := v[0], v[1], v[2]
	v[0] = m[0]*x + m[1]*y + m[2]*z
	v[1] = m[3]*x + m[4]*y + m[5]*z
	v[2] = m[6]*x + m[7]*y + m[8]*z
}

func rotateBack(m *solid.Mat3, v []float64) {
	x, y, z := v[0], v[1], v[2]
	v[0] = m[0]*x + m[3]*y + m[6]*z
	v[1] = m[1]*x + m[4]*y + m[7]*z
	v[2] = m[2]*x + m[5]*y + m[8]*z
}

// balance fills residual with load + H^T r - force and gives its size.
func (l *Live) balance(force []float64) float64 {
	for i, n := range l.k.FreeNode {
		for c := range 3 {
			l.residual[3*i+c] = l.Load[3*int(n)+c] - force[3*int(n)+c]
		}
	}
	for n, f := range l.held {
		i := 3 * int(l.k.Index[n])
		for c := range 3 {
			l.residual[i+c] += f[c]
		}
	}
	return size(l.residual)
}

// correct makes one correction; false where it did not get nearer to equilibrium.
func (l *Live) correct(tool Obstacle) bool {
	quick := l.now.quick
	m := len(l.rows)
	l.at, l.r = grown(l.at, 3*m), grown(l.r, 3*m)
	l.balance(l.force)
	for i, n := range l.k.FreeNode {
		rotateBack(&l.turn[n], l.residual[3*i:3*i+3])
	}
	quick.First(l.residual)
	for i := range l.rows {
		r := &l.rows[i]
		r.slot = l.now.slot[r.node]
		at := quick.At(&l.now.half[r.slot])
		copy(l.at[3*i:], at[:])
	}
	l.touch(tool)
	for i := range l.rows { // what the contacts change
		r := &l.rows[i]
		var f mgl64.Vec3
		for d := range 3 {
			f = f.Add(r.frame[d].Mul(l.r[3*i+d] - r.old[d]))
		}
		rotateBack(&l.turn[r.node], f[:])
		quick.Join(&l.now.half[r.slot], f)
	}
	quick.Second(l.du)
	far := 0.0
	for i, n := range l.k.FreeNode {
		rotate(&l.turn[n], l.du[3*i:3*i+3])
		for c := range 3 {
			far = math.Max(far, math.Abs(l.du[3*i+c]))
		}
	}
	for i := range l.rows { // from here on the new forces act
		l.push(&l.rows[i], mgl64.Vec3(l.r[3*i:3*i+3]))
	}
	before := l.balance(l.force)
	if l.Options.Memory > 0 {
		l.mixed.mix(l.du, l.X, l.k, l.Options.Memory)
	}
	length := 1.0
	if far > l.Options.Reach {
		length = l.Options.Reach / far
	}
	// what a relaxation will see to need not be better at once
	most, taken := 1+1e-9, false
	if l.relaxes() {
		most = 10
	}
	for range 4 {
		copy(l.trial, l.X)
		for i, n := range l.k.FreeNode {
			for c := range 3 {
				l.trial[3*int(n)+c] += length * l.du[3*i+c]
			}
		}
		j := l.tets.Forces(l.trialF, l.trial)
		after := l.balance(l.trialF)
		if j > l.Options.LeastJ && finite(after) && after < most*before {
			taken = true
			l.X, l.trial = l.trial, l.X
			l.force, l.trialF = l.trialF, l.force
			l.least = j
			l.report.LeastJ, l.report.Residual = j, after
			l.scale = math.Max(l.scale, l.report.Pressed)
			break
		}
		length /= 3
		if l.report.Shortened++; far == 0 {
			break
		}
	}
	if !taken {
		l.report.Residual = before
	}
	l.measure(tool)
	return taken
}

// push makes a force, in the row's frame, that of its contact.
func (l *Live) push(r *liveRow, force mgl64.Vec3) {
	var f mgl64.Vec3
	for d := range 3 {
		f = f.Add(r.frame[d].Mul(force[d]))
	}
	if f != (mgl64.Vec3{}) {
		l.held[r.node] = f
	} else {
		delete(l.held, r.node)
	}
}

// touch states and solves the contact problem.
func (l *Live) touch(tool Obstacle) {
	m := len(l.rows)
	l.problem.Resize(m)
	if m == 0 {
		return
	}
	// frames turned back into the factor's
	for i := range l.rows {
		a := &l.rows[i]
		for j := range l.rows {
			b := &l.rows[j]
			w := &l.now.comp[a.slot*l.now.most+b.slot]
			for e := range 3 {
				v := a2(b.frame[e])
				rotateBack(&l.turn[b.node], v[:])
				u := [3]float64{w[0]*v[0] + w[1]*v[1] + w[2]*v[2], w[3]*v[0] + w[4]*v[1] + w[5]*v[2], w[6]*v[0] + w[7]*v[1] + w[8]*v[2]}
				rotate(&l.turn[a.node], u[:])
				for d := range 3 {
					l.problem.W[(3*i+d)*3*m+3*j+e] = a.frame[d][0]*u[0] + a.frame[d][1]*u[1] + a.frame[d][2]*u[2]
				}
			}
		}
	}
	for i := range l.rows {
		r := &l.rows[i]
		u := l.at[3*i : 3*i+3]
		rotate(&l.turn[r.node], u)
		p, s := mgl64.Vec3(l.X[3*r.node:3*r.node+3]), mgl64.Vec3(l.Shown[3*r.node:3*r.node+3])
		slip := p.Sub(s).Sub(tool.Moved(p, 0, l.share))
		for d := range 3 {
			q := r.frame[d].Dot(mgl64.Vec3(u))
			if d == 0 {
				q += r.gap
			} else {
				q += r.frame[d].Dot(slip)
			}
			for j := range l.rows {
				for e := range 3 {
					q -= l.problem.W[(3*i+d)*3*m+3*j+e] * l.rows[j].old[e]
				}
			}
			l.problem.Q[3*i+d] = q
			l.r[3*i+d] = r.old[d]
		}
		l.problem.Mu[i] = l.Options.Friction
	}
	l.shift(1)
	l.solver.Solve(&l.problem, l.r, &l.laws)
	l.shift(-1)
	for _, v := range l.r {
		if !finite(v) {
			clear(l.r)
			break
		}
	}
}

func a2(v mgl64.Vec3) [3]float64 { return v }

// measure fills in what the report says of the contacts.
func (l *Live) measure(tool Obstacle) {
	l.report.Contacts, l.report.Pressed, l.report.Force, l.report.Deepest = 0, 0, mgl64.Vec3{}, 0
	for i := range l.rows {
		n := l.rows[i].node
		gap, _ := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
		l.report.Deepest = math.Max(l.report.Deepest, -gap)
		if f, ok := l.held[n]; ok {
			l.report.Contacts++
			l.report.Force = l.report.Force.Add(f)
			l.report.Pressed += mgl64.Vec3(f).Len()
		}
	}
}

// mixing is Anderson's: of the last corrections d_k at places x_k it takes the
// combination, with weights that add up to 1, whose correction is smallest, and
// goes on from there. Differences are taken within a step, where the tool stands
// still, and serve in later ones too.
type mixing struct {
	dx, dd [][]float64 // differences of places, and of corrections
	next   int
	x, d   []float64 // of the last correction
	has    bool
	gram   []float64
	right  []float64
}

// restart forgets the last correction, not the differences.
func (m *mixing) restart() { m.has = false }

func (m *mixing) forget() { m.dx, m.dd, m.next, m.has = m.dx[:0], m.dd[:0], 0, false }

// mix turns a correction du at places x into the mixed one.
func (m *mixing) mix(du, x []float64, k *fem.Matrix, memory int) {
	if m.d == nil {
		m.x, m.d = make([]float64, len(du)), make([]float64, len(du))
	}
	if m.has {
		if len(m.dx) < memory {
			m.dx, m.dd = append(m.dx, make([]float64, len(du))), append(m.dd, make([]float64, len(du)))
		}
		at := m.next % len(m.dx)
		m.next++
		a, b := m.dx[at], m.dd[at]
		for i, n := range k.FreeNode {
			for c := range 3 {
				a[3*i+c] = x[3*int(n)+c] - m.x[3*i+c]
				b[3*i+c] = du[3*i+c] - m.d[3*i+c]
			}
		}
	}
	for i, n := range k.FreeNode {
		copy(m.x[3*i:3*i+3], x[3*n:3*n+3])
	}
	copy(m.d, du)
	m.has = true
	n := len(m.dx)
	if n == 0 {
		return
	}
	// least squares |du - sum g_j dd_j|, slightly damped
	m.gram, m.right = grown(m.gram, n*n), grown(m.right, n)
	for i := range n {
		for j := range i + 1 {
			v := inner(m.dd[i], m.dd[j])
			m.gram[i*n+j], m.gram[j*n+i] = v, v
		}
		m.gram[i*n+i] *= 1 + 1e-6
		m.right[i] = inner(m.dd[i], du)
	}
	if !solveSmall(m.gram, m.right, n) {
		m.forget()
		return
	}
	for j, g := range m.right {
		a, b := m.dx[j], m.dd[j]
		for i := range du {
			du[i] -= g * (a[i] + b[i])
		}
	}
}

// solveSmall solves a positive definite system in place, by Cholesky.
func solveSmall(a, b []float64, n int) bool {
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= a[j*n+k] * a[j*n+k]
		}
		if !(d > 1e-12*a[j*n+j]) {
			return false
		}
		d = math.Sqrt(d)
		a[j*n+j] = d
		for i := j + 1; i < n; i++ {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			a[i*n+j] = v / d
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i*n+k] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k*n+i] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	return true
}

func grown(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, n+n/2)
	}
	return v[:n]
}

// pull recovers how the nodes have turned: the rotation of the mean gradient of the
// elements around each, F_n = sum over b of x_b c_nb^T.
type pull struct {
	first []int32
	other []int32
	coef  [][3]float64
}

func (p *pull) prepare(b *solid.Body) {
	type pair struct{ n, other int32 }
	of := map[pair][3]float64{}
	volume := make([]float64, len(b.Mesh.Nodes))
	b.EachPoint(func(nodes []int32, grad [][3]float64, weight float64) {
		for _, n := range nodes {
			volume[n] += weight
			for k, other := range nodes {
				c := of[pair{n, other}]
				for j := range 3 {
					c[j] += weight * grad[k][j]
				}
				of[pair{n, other}] = c
			}
		}
	})
	keys := make([]pair, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b pair) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.other, b.other)) })
	p.first = make([]int32, len(b.Mesh.Nodes)+1)
	for _, k := range keys {
		p.first[k.n+1]++
		c := of[k]
		for j := range 3 {
			c[j] /= volume[k.n]
		}
		p.other, p.coef = append(p.other, k.other), append(p.coef, c)
	}
	for n := range volume {
		p.first[n+1] += p.first[n]
	}
}

func (p *pull) rotations(dst []solid.Mat3, x []float64) {
	for n := range dst {
		var f solid.Mat3
		for at := p.first[n]; at < p.first[n+1]; at++ {
			o, c := 3*p.other[at], &p.coef[at]
			for i := range 3 {
				v := x[int(o)+i]
				f[3*i] += v * c[0]
				f[3*i+1] += v * c[1]
				f[3*i+2] += v * c[2]
			}
		}
		dst[n] = solid.Rotation(&f)
	}
}

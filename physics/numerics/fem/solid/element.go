package solid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// Formulation says how an element uses the gradients at its points.
type Formulation uint8

const (
	// Full takes each point's own F.
	Full Formulation = iota
	// MeanDilatation takes Fbar = (Jbar/J)^(1/3) F with Jbar = J + m (Theta - J), Theta the mean of J over the element
	// [Simo, Taylor, Pister 1985]: a nearly incompressible material then costs one constraint an element, not one a
	// point, and does not lock. m is 1 for hexahedra; for quadratic tetrahedra, which bend right by themselves and
	// would be too soft so, what nu asks for (see meanShare). Barrier acts at each point's own J.
	MeanDilatation
	// ElementRotation is the linear element in one frame that turns with it (1.9 to 1.12): f = R K0 (R^T x - X), R of
	// the mean gradient. Its material is linear.
	ElementRotation
	// Best is MeanDilatation where there is an element of it, else Full.
	Best
)

const maxNodes = 10 // of an element

var rules = map[mesh.ElementType][]fem.Point{
	mesh.Tet4:  fem.Points(mesh.Tet4, [3]float64{0.25, 0.25, 0.25}),
	mesh.Hex8:  fem.Points(mesh.Hex8),
	mesh.Tet10: fem.Points(mesh.Tet10, tetPoints...),
}

// massRules integrate products of two shape functions.
var massRules = map[mesh.ElementType][]fem.Point{
	mesh.Tet4:  fem.Points(mesh.Tet4, tetPoints...),
	mesh.Hex8:  rules[mesh.Hex8],
	mesh.Tet10: rules[mesh.Tet10],
}

// supports tells whether there is an element of this type and formulation.
func supports(t mesh.ElementType, f Formulation) bool {
	switch f {
	case Full:
		return rules[t] != nil
	case MeanDilatation:
		return t == mesh.Hex8 || t == mesh.Tet10
	case ElementRotation:
		return t == mesh.Hex8
	}
	return false
}

// tetPoints is the rule of four points, exact for quadratic functions.
var tetPoints = func() (at [][3]float64) {
	a, b := (5-math.Sqrt(5))/20, (5+3*math.Sqrt(5))/20
	return [][3]float64{{a, a, a}, {b, a, a}, {a, b, a}, {a, a, b}}
}()

// gradients maps the derivatives at a point to the places x at rest, and returns det dX/dxi, not positive for an
// inverted element.
func gradients(p *fem.Point, x []mgl64.Vec3, grad *[maxNodes][3]float64) float64 {
	var j Mat3 // dX/dxi
	for a := range x {
		for i := range 3 {
			for k := range 3 {
				j[3*i+k] += x[a][i] * p.DN[a][k]
			}
		}
	}
	c := j.Cofactor()
	det := j[0]*c[0] + j[1]*c[1] + j[2]*c[2]
	for a := range x {
		for i := range 3 {
			grad[a][i] = (c[3*i]*p.DN[a][0] + c[3*i+1]*p.DN[a][1] + c[3*i+2]*p.DN[a][2]) / det
		}
	}
	return det
}

// block is a run of elements of one type with one material.
type block struct {
	kind   Formulation
	law    Law
	own    Law     // the law of a point's F or Fbar: with mean dilatation, what is in the Barrier
	wall   Barrier // of a point's J: with mean dilatation
	ofMean float64 // m
	shape  mesh.ElementType
	flat   bool // a membrane
	nodes  int  // of an element
	points int  // of an element
	conn   []int32
	weight []float64    // of each point, m^3
	grad   [][3]float64 // of each point's nodes, 1/m
	rigid  []float64    // ElementRotation: K0 of each element, (3 nodes)^2
	stays  []Mat3       // of each point: a second Piola stress that no strain changes, Pa; or nil
	rest   []mgl64.Vec3 // places of the body's nodes at rest
}

func (b *block) len() int { return len(b.conn) / b.nodes }

func (b *block) element(e int) []int32 { return b.conn[e*b.nodes : (e+1)*b.nodes : (e+1)*b.nodes] }

func newBlock(m *mesh.Mesh, from *mesh.Block, kind Formulation, law Law, first int) (*block, error) {
	if kind == Best {
		if kind = Full; supports(from.Type, MeanDilatation) {
			kind = MeanDilatation
		}
	}
	if !supports(from.Type, kind) {
		return nil, fmt.Errorf("solid: no such element of a %s (mean dilatation takes hexahedra and quadratic tetrahedra, the element's rotation hexahedra)", from.Type)
	}
	rule := rules[from.Type]
	b := &block{kind: kind, shape: from.Type, nodes: from.Type.NodeCount(), points: len(rule), conn: from.Nodes, rest: m.Nodes}
	var x [maxNodes]mgl64.Vec3
	var g [maxNodes][3]float64
	for e := range b.len() {
		for a, n := range b.element(e) {
			x[a] = m.Nodes[n]
		}
		for k := range rule {
			det := gradients(&rule[k], x[:b.nodes], &g)
			if !(det > 0) {
				return nil, fmt.Errorf("solid: element %d, a %s, is inverted (repair the mesh)", first+e, from.Type)
			}
			b.weight = append(b.weight, det*rule[k].Weight)
			b.grad = append(b.grad, g[:b.nodes]...)
		}
	}
	if kind == ElementRotation {
		linear, ok := law.(Linear)
		if !ok {
			c, isCorotational := law.(Corotational)
			if !isCorotational {
				return nil, fmt.Errorf("solid: an element that turns as a whole takes the linear material only")
			}
			linear = Linear(c)
		}
		law = linear
		b.rigid = make([]float64, b.len()*9*b.nodes*b.nodes)
		var a Mat9
		linear.Tangent(&a, &Identity)
		var w work
		for e := range b.len() {
			k := b.rigid[e*9*b.nodes*b.nodes : (e+1)*9*b.nodes*b.nodes]
			for q := range b.points {
				at := e*b.points + q
				addTangent(k, b.nodes, &a, b.weight[at], b.grad[at*b.nodes:(at+1)*b.nodes], &w)
			}
		}
	}
	b.take(law)
	return b, nil
}

// take makes the block one of this law.
func (b *block) take(law Law) {
	b.law, b.own, b.wall, b.ofMean = law, law, Barrier{}, 0
	if b.kind != MeanDilatation {
		return
	}
	if w, ok := law.(Barrier); ok {
		b.own, b.wall = w.Law, w
	}
	if b.ofMean = 1; b.shape == mesh.Tet10 {
		b.ofMean = meanShare(law)
	}
}

// meanShare is m of quadratic tetrahedra: 1 - sqrt(1 - lambda/kappa). At small strains the energy of volume is then
// kappa/2 times the mean's square and, of what differs from it, that of the shear modulus alone: 2/3 mu in kappa's
// place. So nothing changes at nu = 0, and nothing locks at 0.5. In a cantilever of two cells m = 1 bends 7 % too much
// at nu = 0 and m = 0 6 % too little at nu = 0.49.
func meanShare(law Law) float64 {
	var a Mat9
	law.Tangent(&a, &Identity)
	lambda, mu := a[9*0+4], a[9*1+1]
	return 1 - math.Sqrt(min(1, 1-lambda/(lambda+2*mu/3)))
}

// work is the scratch of one goroutine.
type work struct {
	x     [maxNodes][3]float64
	f     [8]Mat3
	j     [8]float64
	force [maxNodes][3]float64
	a, d  Mat9
	p     Mat3
	bar   Mat3
	k     [9 * maxNodes * maxNodes]float64
	beta  [maxNodes][3]float64
	c     [maxNodes][3]float64
	ta    [27]float64

	momentary bool // without the stresses that stay
}

// gather fills the places and gradients of an element, whose nodes are numbered anew unless number is nil.
func (w *work) gather(b *block, e int, x []float64, number []int32) {
	for a, n := range b.element(e) {
		at := 3 * place(n, number)
		w.x[a] = [3]float64{x[at], x[at+1], x[at+2]}
	}
	for q := range b.points {
		at := e*b.points + q
		w.f[q] = gradient(w.x[:b.nodes], b.grad[at*b.nodes:(at+1)*b.nodes])
	}
}

// least is the smallest det F of the points that gather has found, below 0 where one is not finite.
func (b *block) least(w *work) float64 {
	least := math.Inf(1)
	for q := range b.points {
		j := w.f[q].Det()
		if j-j != 0 {
			return math.Inf(-1)
		}
		if b.flat {
			continue
		}
		least = math.Min(least, j)
	}
	return least
}

// gradient is F = sum of x_a g_a^T.
func gradient(x, g [][3]float64) (f Mat3) {
	for a := range g {
		xa, ga := &x[a], &g[a]
		f[0] += xa[0] * ga[0]
		f[1] += xa[0] * ga[1]
		f[2] += xa[0] * ga[2]
		f[3] += xa[1] * ga[0]
		f[4] += xa[1] * ga[1]
		f[5] += xa[1] * ga[2]
		f[6] += xa[2] * ga[0]
		f[7] += xa[2] * ga[1]
		f[8] += xa[2] * ga[2]
	}
	return f
}

// addForce adds w P g_a to the force on each node.
func addForce(force, g [][3]float64, p *Mat3, w float64) {
	for a := range g {
		for i := range 3 {
			force[a][i] += w * (p[3*i]*g[a][0] + p[3*i+1]*g[a][1] + p[3*i+2]*g[a][2])
		}
	}
}

// addTangent adds w g_aJ A_iJkL g_bL to the element's matrix, (3n)x(3n) by rows.
func addTangent(k []float64, n int, a *Mat9, w float64, g [][3]float64, s *work) {
	ta := &s.ta
	for p := range n {
		gp := [3]float64{w * g[p][0], w * g[p][1], w * g[p][2]}
		for i := range 3 {
			r0, r1, r2 := a[27*i:27*i+9:27*i+9], a[27*i+9:27*i+18:27*i+18], a[27*i+18:27*i+27:27*i+27]
			for c := range 9 {
				ta[9*i+c] = gp[0]*r0[c] + gp[1]*r1[c] + gp[2]*r2[c]
			}
		}
		for q := range n {
			gq := &g[q]
			for i := range 3 {
				row := k[(3*p+i)*3*n+3*q : (3*p+i)*3*n+3*q+3 : (3*p+i)*3*n+3*q+3]
				t := ta[9*i : 9*i+9 : 9*i+9]
				row[0] += t[0]*gq[0] + t[1]*gq[1] + t[2]*gq[2]
				row[1] += t[3]*gq[0] + t[4]*gq[1] + t[5]*gq[2]
				row[2] += t[6]*gq[0] + t[7]*gq[1] + t[8]*gq[2]
			}
		}
	}
}

// The law at point `at`, with the stress that stays: W + S:(C-I)/2, P + F S, and d_ik S_JL more in the tangent.

func (b *block) energyAt(at int, f *Mat3) float64 {
	e := b.own.Energy(f)
	if b.stays != nil {
		strain, _ := green(f)
		e += b.stays[at].Dot(&strain)
	}
	return e
}

func (b *block) stressAt(at int, p, f *Mat3, w *work) {
	b.own.Stress(p, f)
	if b.stays != nil && !w.momentary {
		fs := f.Mul(&b.stays[at])
		for k := range p {
			p[k] += fs[k]
		}
	}
}

func (b *block) tangentAt(at int, a *Mat9, f *Mat3, w *work) {
	b.own.Tangent(a, f)
	if b.stays != nil && !w.momentary {
		a.onDirections(1, &b.stays[at])
	}
}

// dilate fills w.j. theta is not positive where the element is turned over; then, or where a
// point is, the energy is infinite.
func (b *block) dilate(e int, w *work) (theta, volume float64, ok bool) {
	ok = true
	for q := range b.points {
		w.j[q] = w.f[q].Det()
		weight := b.weight[e*b.points+q]
		theta += weight * w.j[q]
		volume += weight
		ok = ok && w.j[q] > 0
	}
	return theta / volume, volume, ok
}

// bar is phi of Fbar = phi F at point q after dilate, and the share of what changes it: d phi/phi = c (d Theta/Theta -
// d J/J).
func (b *block) bar(q int, theta float64, w *work) (phi, c float64) {
	j := w.j[q] + b.ofMean*(theta-w.j[q])
	return math.Cbrt(j / w.j[q]), b.ofMean * theta / (3 * j)
}

// turnBar makes F at the points of an element with mean dilatation Fbar, unless one is turned over.
func (b *block) turnBar(e int, w *work) {
	if b.kind != MeanDilatation {
		return
	}
	if theta, _, ok := b.dilate(e, w); ok {
		for q := range b.points {
			phi, _ := b.bar(q, theta, w)
			w.f[q] = scaled(&w.f[q], phi)
		}
	}
}

func scaled(f *Mat3, s float64) (out Mat3) {
	for k := range f {
		out[k] = s * f[k]
	}
	return out
}

// energy of an element in the places w.gather has found.
func (b *block) energy(e int, w *work) float64 {
	sum := 0.0
	switch b.kind {
	case Full:
		for q := range b.points {
			at := e*b.points + q
			sum += b.weight[at] * b.energyAt(at, &w.f[q])
		}
	case MeanDilatation:
		theta, _, ok := b.dilate(e, w)
		if !ok {
			return math.Inf(1)
		}
		for q := range b.points {
			at := e*b.points + q
			phi, _ := b.bar(q, theta, w)
			w.bar = scaled(&w.f[q], phi)
			wall, _, _ := b.wall.of(w.j[q])
			sum += b.weight[at] * (b.energyAt(at, &w.bar) + wall)
		}
	case ElementRotation:
		r := b.rotation(e, w)
		var d, kd [3 * maxNodes]float64
		b.local(e, w, &r, &d, &kd)
		for i := range 3 * b.nodes {
			sum += d[i] * kd[i] / 2
		}
	}
	return sum
}

// forces fills w.force.
//
// With mean dilatation, tau = Pbar:Fbar, phi and c of bar, and b' the slope of the barrier:
//
//	f_a = sum w (phi Pbar - c tau F^-T + b' cof F) g_a + T/Theta dTheta/dx_a,  T = sum w c tau
func (b *block) forces(e int, w *work) {
	clear(w.force[:b.nodes])
	p, bar := &w.p, &w.bar // what a law is handed would escape
	switch b.kind {
	case Full:
		for q := range b.points {
			at := e*b.points + q
			b.stressAt(at, p, &w.f[q], w)
			addForce(w.force[:], b.grad[at*b.nodes:(at+1)*b.nodes], p, b.weight[at])
		}
	case MeanDilatation:
		theta, volume, ok := b.dilate(e, w)
		if !ok {
			w.force[0] = [3]float64{math.NaN(), math.NaN(), math.NaN()}
			return
		}
		total := 0.0
		clear(w.beta[:b.nodes])
		for q := range b.points {
			at := e*b.points + q
			g := b.grad[at*b.nodes : (at+1)*b.nodes]
			phi, c := b.bar(q, theta, w)
			*bar = scaled(&w.f[q], phi)
			b.stressAt(at, p, bar, w)
			tau := p.Dot(bar)
			total += b.weight[at] * c * tau
			_, slope, _ := b.wall.of(w.j[q])
			cof := w.f[q].Cofactor()
			addForce(w.beta[:], g, &cof, b.weight[at]/(volume*theta))
			for k := range p {
				p[k] = phi*p[k] + (slope-c*tau/w.j[q])*cof[k]
			}
			addForce(w.force[:], g, p, b.weight[at])
		}
		for a := range b.nodes {
			for i := range 3 {
				w.force[a][i] += total * w.beta[a][i]
			}
		}
	case ElementRotation:
		r := b.rotation(e, w)
		var d, kd [3 * maxNodes]float64
		b.local(e, w, &r, &d, &kd)
		for a := range b.nodes {
			w.force[a] = turn(&r, kd[3*a:3*a+3])
		}
	}
}

func turn(r *Mat3, v []float64) [3]float64 {
	return [3]float64{r[0]*v[0] + r[1]*v[1] + r[2]*v[2], r[3]*v[0] + r[4]*v[1] + r[5]*v[2], r[6]*v[0] + r[7]*v[1] + r[8]*v[2]}
}

func turnBack(r *Mat3, v []float64) [3]float64 {
	return [3]float64{r[0]*v[0] + r[3]*v[1] + r[6]*v[2], r[1]*v[0] + r[4]*v[1] + r[7]*v[2], r[2]*v[0] + r[5]*v[1] + r[8]*v[2]}
}

// mean is the element's mean gradient.
func (b *block) mean(e int, w *work) (f Mat3) {
	volume := 0.0
	for q := range b.points {
		weight := b.weight[e*b.points+q]
		volume += weight
		for k := range f {
			f[k] += weight * w.f[q][k]
		}
	}
	return scaled(&f, 1/volume)
}

func (b *block) rotation(e int, w *work) Mat3 {
	f := b.mean(e, w)
	return Rotation(&f)
}

// local is d = R^T x - X and K0 d, 3 a node.
func (b *block) local(e int, w *work, r *Mat3, d, kd *[3 * maxNodes]float64) {
	for a, n := range b.element(e) {
		y := turnBack(r, w.x[a][:])
		for i := range 3 {
			d[3*a+i] = y[i] - b.rest[n][i]
		}
	}
	size := 3 * b.nodes
	k := b.rigid[e*size*size : (e+1)*size*size]
	for i := range size {
		s := 0.0
		for j, v := range k[i*size : (i+1)*size] {
			s += v * d[j]
		}
		kd[i] = s
	}
}

// tangent fills w.k, (3 nodes)x(3 nodes) by rows. approximate leaves out how the element's own rotation changes, which
// keeps it symmetric.
func (b *block) tangent(e int, w *work, approximate bool) {
	size := 3 * b.nodes
	clear(w.k[:size*size])
	switch b.kind {
	case Full:
		for q := range b.points {
			at := e*b.points + q
			b.tangentAt(at, &w.a, &w.f[q], w)
			addTangent(w.k[:], b.nodes, &w.a, b.weight[at], b.grad[at*b.nodes:(at+1)*b.nodes], w)
		}
	case MeanDilatation:
		b.dilatedTangent(e, w)
	case ElementRotation:
		b.rotatedTangent(e, w, approximate)
	}
}

// dilatedTangent is the second derivative of sum w (W(Fbar) + b(J)). In terms of dF at each point and t =
// dTheta/Theta, with G = F^-T, Q = I - c F G and e = c - 2c^2:
//
//	dF:D:dF + 2 t k:dF + s t^2 + T d2Theta/Theta
//	D = phi^2 Q^T A Q - phi c (Pbar G + G Pbar) + tau (e G G + c G x G) + b" cof cof + b' d2J
//	k = phi^2 c Q^T A F + phi c Pbar - tau e G
//	s = phi^2 c^2 F:A:F + tau (e - c)
//
// where G x G is G_iL G_kJ, and d2Theta adds T/(Theta V) J (G G - G x G).
func (b *block) dilatedTangent(e int, w *work) {
	theta, volume, ok := b.dilate(e, w)
	if !ok {
		w.k[0] = math.NaN()
		return
	}
	n := b.nodes
	total := 0.0
	p, bar := &w.p, &w.bar
	for q := range b.points {
		phi, c := b.bar(q, theta, w)
		*bar = scaled(&w.f[q], phi)
		b.stressAt(e*b.points+q, p, bar, w)
		total += b.weight[e*b.points+q] * c * p.Dot(bar)
	}
	clear(w.beta[:n])
	clear(w.c[:n])
	sum := 0.0
	for q := range b.points {
		at := e*b.points + q
		g := b.grad[at*n : (at+1)*n]
		f := &w.f[q]
		phi, c := b.bar(q, theta, w)
		*bar = scaled(f, phi)
		b.stressAt(at, p, bar, w)
		tau, ee := p.Dot(bar), c-2*c*c
		b.tangentAt(at, &w.a, bar, w)
		inv := f.Cofactor()
		addForce(w.beta[:], g, &inv, b.weight[at]/(volume*theta))
		_, slope, curve := b.wall.of(w.j[q])
		for k := range inv {
			inv[k] /= w.j[q]
		}
		af, fa := w.a.Times(f), w.a.timesLeft(f)
		faf := f.Dot(&af)
		d := &w.d
		for k := range d {
			d[k] = phi * phi * w.a[k]
		}
		d.outer(-phi*phi*c, &inv, &fa)
		d.outer(-phi*phi*c, &af, &inv)
		d.outer(phi*phi*c*c*faf, &inv, &inv)
		d.outerBoth(-phi*c, p, &inv)
		share := (total/(theta*volume) + slope) * w.j[q]
		d.outer(tau*ee+share+curve*w.j[q]*w.j[q], &inv, &inv)
		d.crossed(tau*c-share, &inv, &inv)
		addTangent(w.k[:], n, d, b.weight[at], g, w)
		var k Mat3
		for i := range k {
			k[i] = phi*phi*c*(af[i]-c*faf*inv[i]) + phi*c*p[i] - tau*ee*inv[i]
		}
		addForce(w.c[:], g, &k, b.weight[at])
		sum += b.weight[at] * (phi*phi*c*c*faf + tau*(ee-c))
	}
	for a := range n {
		for i := range 3 {
			row := w.k[(3*a+i)*3*n : (3*a+i+1)*3*n]
			for c := range n {
				for j := range 3 {
					row[3*c+j] += w.c[a][i]*w.beta[c][j] + w.beta[a][i]*w.c[c][j] + sum*w.beta[a][i]*w.beta[c][j]
				}
			}
		}
	}
}

// rotatedTangent is df/dx of f = R K0 (R^T x - X): with dR = R [o]x, y = R^T x and z = K0 (y - X),
//
//	df = R (K0 (R^T dx - o x y) + o x z),  (tr(U) I - U) o = axial(R^T dF - dF^T R)
//
// It is not symmetric: f is not the gradient of the energy.
func (b *block) rotatedTangent(e int, w *work, approximate bool) {
	n, size := b.nodes, 3*b.nodes
	mean := b.mean(e, w)
	r := Rotation(&mean)
	k0 := b.rigid[e*size*size : (e+1)*size*size]
	// m = K0 R^T - (K0 Y - Z) Omega, by rows; then K = R m
	var m [9 * maxNodes * maxNodes]float64
	for i := range size {
		for a := range n {
			v := turn(&r, k0[i*size+3*a:i*size+3*a+3])
			copy(m[i*size+3*a:], v[:])
		}
	}
	if !approximate {
		u := r.TMul(&mean)
		inverse := turning(&u)
		var omega [3][3 * maxNodes]float64 // o by dx
		volume := 0.0
		for q := range b.points {
			volume += b.weight[e*b.points+q]
		}
		for a := range n {
			var g [3]float64 // mean gradient of the node's function
			for q := range b.points {
				at := e*b.points + q
				for j := range 3 {
					g[j] += b.weight[at] / volume * b.grad[at*n+a][j]
				}
			}
			for i := range 3 {
				// dF = e_i g^T; axial_p = e_i^T (R_.n g_m - R_.m g_n)
				var axial [3]float64
				for p := range 3 {
					k, l := (p+1)%3, (p+2)%3
					axial[p] = r[3*i+l]*g[k] - r[3*i+k]*g[l]
				}
				for p := range 3 {
					omega[p][3*a+i] = inverse[3*p]*axial[0] + inverse[3*p+1]*axial[1] + inverse[3*p+2]*axial[2]
				}
			}
		}
		var d, z [3 * maxNodes]float64
		b.local(e, w, &r, &d, &z)
		// columns of o x y and o x z for the three unit vectors o
		for p := range 3 {
			var oy, oz [3 * maxNodes]float64
			var o [3]float64
			o[p] = 1
			for a := range n {
				y := turnBack(&r, w.x[a][:])
				v := cross(o, y)
				copy(oy[3*a:], v[:])
				v = cross(o, [3]float64{z[3*a], z[3*a+1], z[3*a+2]})
				copy(oz[3*a:], v[:])
			}
			for i := range size {
				s := oz[i]
				for j, v := range k0[i*size : (i+1)*size] {
					s -= v * oy[j]
				}
				for j := range size {
					m[i*size+j] += s * omega[p][j]
				}
			}
		}
	}
	for a := range n {
		for j := range size {
			v := turn(&r, []float64{m[3*a*size+j], m[(3*a+1)*size+j], m[(3*a+2)*size+j]})
			for i := range 3 {
				w.k[(3*a+i)*size+j] = v[i]
			}
		}
	}
}

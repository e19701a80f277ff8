package contact

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// MaxContacts is the largest problem that ReadFC3D accepts: its dense W takes 1.2 GB.
const MaxContacts = 4096

// LoadFC3D reads the problem, and the solution if there is one, from a .fc3d file, gzipped or not.
func LoadFC3D(path string) (*Problem, []float64, error) {
	f, err := budget.Problem.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("contact: %w", err)
	}
	defer f.Close()
	p, r, err := ReadFC3D(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, r, nil
}

// ReadFC3D reads one problem and, where the file has one, a solution r (3N; otherwise nil). Gzipped input is recognised
// by its content. The format: tokens separated by white space, lines that start with # are comments;
//
//	contacts N
//	order NTT                  (optional; no other order is accepted)
//	mu  N values
//	q   3N values
//	W   [count]  then triplets i j value, 0-based
//	G   bodies   then for each contact its bodies A and B, 0-based or -1, and its 3x6 blocks of A and B  (optional)
//	r   3N values              (optional)
//
// A problem whose W is mostly zero blocks also gets the block storage. Errors name the line and what belongs there.
func ReadFC3D(in io.Reader) (*Problem, []float64, error) {
	br := bufio.NewReaderSize(in, 1<<16)
	if head, _ := br.Peek(2); budget.IsGzip(head) {
		z, err := budget.Gunzip(br)
		if err != nil {
			return nil, nil, fmt.Errorf("contact: %w; give a whole .gz file", err)
		}
		defer z.Close()
		br = bufio.NewReaderSize(z, 1<<16)
	}
	if err := budget.SkipMark(br); err != nil {
		return nil, nil, fmt.Errorf("contact: %w", err)
	}
	t := &fc3d{in: br, line: 1}
	var r []float64
	p, err := refusal.Caught(func() (p *Problem) {
		p, r = t.problem()
		return p
	})
	if err != nil {
		return nil, nil, err
	}
	p.Compress()
	return p, r, nil
}

// fc3d reads tokens and remembers the line of the current one.
type fc3d struct {
	in     *bufio.Reader
	line   int // of the reading position
	tok    []byte
	at     int   // line of tok
	read   int64 // bytes of all tokens so far: comments and spaces pay for no memory
	inLine bool  // something other than white space was seen in this line
}

// next moves to the next token; at the end of the input tok is empty.
func (t *fc3d) next() {
	t.read += int64(len(t.tok) + 1)
	t.tok = t.tok[:0]
	for {
		c, err := t.in.ReadByte()
		if err != nil {
			t.broken(err)
			return
		}
		switch {
		case c == '\n':
			if len(t.tok) > 0 {
				_ = t.in.UnreadByte() // cannot fail just after ReadByte
				return
			}
			t.line++
			t.inLine = false
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			if len(t.tok) > 0 {
				return
			}
		case c == '#' && !t.inLine:
			t.skipLine()
		default:
			if len(t.tok) == 0 {
				t.at = t.line
			}
			t.inLine = true
			if t.tok = append(t.tok, c); len(t.tok) > 64 {
				return // longer than any number or keyword; the caller refuses it
			}
		}
	}
}

// broken refuses an input that ends before it is whole.
func (t *fc3d) broken(err error) {
	if err != io.EOF {
		panic(refusal.Of("contact: line %d: %w; give the whole file, unpacked", t.line, err))
	}
}

func (t *fc3d) skipLine() {
	for {
		c, err := t.in.ReadByte()
		if err != nil {
			t.broken(err)
			return
		}
		if c == '\n' {
			_ = t.in.UnreadByte()
			return
		}
	}
}

func (t *fc3d) fail(format string, args ...any) refusal.Fault {
	where := fmt.Sprintf("line %d", t.at)
	if len(t.tok) == 0 {
		where = "end of file"
	}
	return refusal.Of("contact: %s: %s", where, fmt.Sprintf(format, args...))
}

// number parses the current token as a finite number.
func (t *fc3d) number() (float64, bool) {
	v, err := strconv.ParseFloat(string(t.tok), 64)
	return v, err == nil && num.Finite(v)
}

// values reads n numbers of section name. It grows as values come, so that a false size in the header cannot take
// memory.
func (t *fc3d) values(name string, n int) []float64 {
	var v []float64
	for len(v) < n {
		t.next()
		x, ok := t.number()
		if !ok {
			panic(t.fail("%q where value %d of the %d of %s belongs; give a finite number", t.tok, len(v)+1, n, name))
		}
		v = append(v, x)
	}
	return v
}

func (t *fc3d) problem() (*Problem, []float64) {
	p := &Problem{N: -1}
	var r []float64
	var haveW bool
	t.next()
	for len(t.tok) > 0 {
		key := string(t.tok)
		switch {
		case key == "contacts":
			t.contacts(p)
		case p.N < 0:
			panic(t.fail("%q before the number of contacts; begin with: contacts N", key))
		case key == "order":
			if t.next(); !bytes.Equal(t.tok, []byte("NTT")) {
				panic(t.fail("order %q; only NTT (normal, then two tangents) is read", t.tok))
			}
			t.next()
		case key == "mu" && p.Mu == nil:
			t.friction(p)
		case key == "q" && p.Q == nil:
			p.Q = t.values("q", 3*p.N)
			t.next()
		case key == "r" && r == nil:
			r = t.values("r", 3*p.N)
			t.next()
		case key == "W" && !haveW:
			haveW = true
			t.delassus(p)
		case key == "G" && p.Motions == nil:
			t.motions(p)
		case key == "mu" || key == "q" || key == "r" || key == "W" || key == "G":
			panic(t.fail("%s is given twice; keep one", key))
		default:
			panic(t.fail("%q is none of contacts, order, mu, q, W, G, r", key))
		}
	}
	switch {
	case p.N < 0:
		panic(t.fail("no problem here; begin with: contacts N"))
	case p.Mu == nil && p.N > 0:
		panic(t.fail("mu is missing; give mu and %d values", p.N))
	case p.Q == nil && p.N > 0:
		panic(t.fail("q is missing; give q and %d values", 3*p.N))
	case !haveW && p.N > 0:
		panic(t.fail("W is missing; give W and its entries as triplets i j value"))
	case p.Motions != nil && !p.Motions.factor(p):
		panic(t.fail("G is no factor of W; give W = G G^T, or no G"))
	}
	return p, r
}

func (t *fc3d) contacts(p *Problem) {
	if p.N >= 0 {
		panic(t.fail("contacts is given twice; keep one"))
	}
	t.next()
	n, err := strconv.Atoi(string(t.tok))
	if err != nil || n < 0 || n > MaxContacts {
		panic(t.fail("%q contacts; give a whole number from 0 to %d", t.tok, MaxContacts))
	}
	p.N = n
	t.next()
}

func (t *fc3d) friction(p *Problem) {
	p.Mu = t.values("mu", p.N)
	for c, mu := range p.Mu {
		if mu < 0 {
			panic(t.fail("mu of contact %d is %g; give 0 or more", c, mu))
		}
	}
	t.next()
}

// motions reads the factor of W.
func (t *fc3d) motions(p *Problem) {
	t.next()
	n, err := strconv.Atoi(string(t.tok))
	if err != nil || n < 0 || n > 2*p.N {
		panic(t.fail("%q bodies; give a whole number from 0 to %d", t.tok, 2*p.N))
	}
	m := &Motions{Bodies: n}
	body := func() int32 {
		t.next()
		b, err := strconv.Atoi(string(t.tok))
		if err != nil || b < -1 || b >= n {
			panic(t.fail("body %q; give a whole number from -1 to %d", t.tok, n-1))
		}
		return int32(b)
	}
	for range p.N {
		m.A, m.B = append(m.A, body()), append(m.B, body())
		m.G = append(m.G, t.values("G", 36)...)
	}
	p.Motions = m
	t.next()
}

// delassus reads the triplets up to the next word. A count in front of them shows by the number of numbers: one more
// than a multiple of three.
func (t *fc3d) delassus(p *Problem) {
	type number struct {
		v    float64
		line int
	}
	var v []number
	most := 27*p.N*p.N + 1 // a count, and every entry once
	for {
		t.next()
		x, ok := t.number()
		if !ok {
			break
		}
		if v = append(v, number{x, t.at}); len(v) > most {
			panic(t.fail("W has more numbers than %d contacts can have; give each entry once", p.N))
		}
	}
	if len(t.tok) > 0 && (t.tok[0] == '-' || t.tok[0] == '+' || t.tok[0] == '.' || t.tok[0] >= '0' && t.tok[0] <= '9') || bytes.EqualFold(t.tok, []byte("nan")) || bytes.EqualFold(t.tok, []byte("inf")) {
		panic(t.fail("%q in W; give triplets i j value of finite numbers", t.tok))
	}
	switch len(v) % 3 {
	case 1:
		if v[0].v != float64(len(v)/3) {
			panic(refusal.Of("contact: line %d: W announces %g entries and has %d; make them agree, or leave the count out", v[0].line, v[0].v, len(v)/3))
		}
		v = v[1:]
	case 2:
		panic(refusal.Of("contact: line %d: the last entry of W is not whole; give triplets i j value", v[len(v)-1].line))
	}
	n := 3 * p.N
	seen := make([]uint64, (n*n+63)/64)
	for k := 0; k < len(v); k += 3 {
		fi, fj := v[k].v, v[k+1].v
		if !(fi >= 0 && fi < float64(n) && fj >= 0 && fj < float64(n)) || fi != math.Trunc(fi) || fj != math.Trunc(fj) {
			panic(refusal.Of("contact: line %d: entry (%g, %g) of W; rows and columns are whole numbers from 0 to %d", v[k].line, fi, fj, n-1))
		}
		e := int(fi)*n + int(fj)
		if seen[e/64]>>(e%64)&1 != 0 {
			panic(refusal.Of("contact: line %d: entry (%g, %g) of W is given twice; keep one", v[k].line, fi, fj))
		}
		seen[e/64] |= 1 << (e % 64)
		if fi == fj && v[k+2].v < 0 {
			panic(refusal.Of("contact: line %d: W[%g,%g] = %g; a Delassus operator has no negative diagonal entry", v[k].line, fi, fj, v[k+2].v))
		}
	}
	// Only now is it known that the entries are as many as they seem.
	if memory := budget.For(t.read); !memory.Take(8 * int64(n) * int64(n)) {
		panic(t.fail("W of %d contacts takes %.3g MB, more than %d times what the file says of it and %d MB; give W whole, or fewer contacts",
			p.N, float64(8*n*n)/1e6, budget.Ratio, budget.SpareMemory>>20))
	}
	p.W = make([]float64, n*n)
	for k := 0; k < len(v); k += 3 {
		p.W[int(v[k].v)*n+int(v[k+1].v)] = v[k+2].v
	}
}

// WriteFC3D writes p, and r where it is not nil, in the format of ReadFC3D. Zero entries of W are left out; every
// number keeps all its digits.
func WriteFC3D(out io.Writer, p *Problem, r []float64) error {
	w := bufio.NewWriterSize(out, 1<<16)
	var num []byte
	float := func(v float64, end byte) {
		num = strconv.AppendFloat(num[:0], v, 'g', -1, 64)
		_, _ = w.Write(num) // bufio keeps the first error for Flush
		_ = w.WriteByte(end)
	}
	section := func(name string, v []float64) {
		fmt.Fprintln(w, name)
		for i, x := range v {
			end := byte(' ')
			if i%3 == 2 || i == len(v)-1 {
				end = '\n'
			}
			float(x, end)
		}
	}
	fmt.Fprintf(w, "contacts %d\norder NTT\n", p.N)
	section("mu", p.Mu)
	section("q", p.Q)
	count := 0
	for _, v := range p.W {
		if v != 0 {
			count++
		}
	}
	fmt.Fprintf(w, "W %d\n", count)
	n := 3 * p.N
	for k, v := range p.W {
		if v != 0 {
			num = strconv.AppendInt(num[:0], int64(k/n), 10)
			num = append(num, ' ')
			num = strconv.AppendInt(num, int64(k%n), 10)
			num = append(num, ' ')
			_, _ = w.Write(num)
			float(v, '\n')
		}
	}
	if m := p.Motions; m != nil {
		fmt.Fprintf(w, "G %d\n", m.Bodies)
		for c := range p.N {
			fmt.Fprintf(w, "%d %d ", m.A[c], m.B[c])
			for i, v := range m.G[36*c : 36*c+36] {
				float(v, " \n"[i/35])
			}
		}
	}
	if r != nil {
		section("r", r)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("contact: write problem: %w", err)
	}
	return nil
}

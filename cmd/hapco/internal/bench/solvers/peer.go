package solvers

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/contact"
)

//go:embed siconos/peer.c
var siconosSource []byte

// peerTolerance is the natural-map error that both are held to.
const peerTolerance = 1e-8

// peerLadder are tolerances that Siconos is given, in this order: its own measure of an error is not ours, and a looser
// one may do.
var peerLadder = [...]float64{1e-8, 1e-4, 1e-6, 1e-10, 1e-12}

// Rounds of the comparison, the settings that take part in them, and the time of a turn.
const (
	peerRounds   = 11
	peerFinal    = 4
	peerTurn     = 3 * time.Millisecond
	peerPatience = 20.0 // s, with a setting at last, and with ours
	peerSmall    = 100  // contacts up to which a first look takes several solves
)

// peerRow is one problem.
type peerRow struct {
	Problem  string  `json:"problem"`
	Contacts int     `json:"contacts"`
	Ours     float64 `json:"us"` // medians; 0: not solved
	Theirs   float64 `json:"peer_us"`
	Setting  string  `json:"peer_setting,omitempty"`
	Solved   int     `json:"peer_settings_that_solve"`
	Ratio    float64 `json:"ratio"` // theirs over ours, median of the rounds
	Low      float64 `json:"ratio_quarter"`
	High     float64 `json:"ratio_three_quarters"`
}

// peerClass sums up the problems of one size that both solve.
type peerClass struct {
	Size     string  `json:"contacts"`
	Problems int     `json:"problems"`
	Mean     float64 `json:"ratio_geometric_mean"`
	Median   float64 `json:"ratio_median"`
	Least    float64 `json:"ratio_least"`
	On       string  `json:"least_on"`
	Most     float64 `json:"ratio_most"`
	most     int     // contacts
}

// siconos is the program that measures Siconos, compiled for this run, and its conversation about one problem.
type siconos struct {
	output.Peer
	settings []string
	patience []float64 // s, with a setting: the next one where the one before sees none solve
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	answer   []float64
}

// buildSiconos compiles it. The error says what is missing.
func buildSiconos(ctx context.Context) (*siconos, error) {
	flags := append([]string{"-I/usr/include/siconos", "-I/usr/include/siconos/numerics", "-lsiconos_numerics"},
		strings.Fields(os.Getenv("CFLAGS"))...) // -I and -L of one's own build
	peer, err := output.Compile(ctx, "Siconos", "gcc libsiconos-numerics-dev", siconosSource, flags...)
	if err != nil {
		return nil, err
	}
	names, err := exec.CommandContext(ctx, peer.Program).Output()
	if err != nil {
		peer.Remove()
		return nil, fmt.Errorf("no comparison with Siconos: %w", err)
	}
	return &siconos{Peer: peer, patience: []float64{0.3, 3, peerPatience}, settings: strings.Fields(string(names))}, nil
}

// begin hands it a problem.
func (s *siconos) begin(ctx context.Context, p *contact.Problem) {
	s.cmd = exec.CommandContext(ctx, s.Program, "solve")
	s.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	in, err1 := s.cmd.StdinPipe()
	out, err2 := s.cmd.StdoutPipe()
	refusal.Need(cmp.Or(err1, err2, s.cmd.Start()))
	s.in, s.out, s.answer = in, bufio.NewReader(out), make([]float64, 3*p.N)
	for _, part := range []any{int64(p.N), p.Mu, p.Q, p.W} {
		refusal.Need(binary.Write(in, binary.LittleEndian, part))
	}
}

func (s *siconos) end() {
	s.in.Close()
	_ = s.cmd.Wait() // what went wrong showed before
}

// solve is the time of a solve, ns, with the forces of the last one in s.answer; ok tells that the solver is content.
func (s *siconos) solve(setting string, tolerance, patience float64, solves int) (ns float64, ok bool) {
	refusal.Must(fmt.Fprintln(s.in, setting, tolerance, patience, solves))
	line := refusal.Must(s.out.ReadString('\n'))
	if line == "no\n" {
		return 0, false
	}
	refusal.Must(fmt.Sscanf(line, "ok %g", &ns))
	refusal.Need(binary.Read(s.out, binary.LittleEndian, s.answer))
	return ns, true
}

// peerTry is a setting with a tolerance.
type peerTry struct {
	setting   string
	tolerance float64
	ns        float64
	turns     []float64
}

// screen tries every setting and returns those whose answers are as exact as ours have to be, the fastest first.
func (s *siconos) screen(p *contact.Problem, patience float64) (found []peerTry) {
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = peerTolerance, contact.NaturalMap
	x := make([]float64, 3*p.N)
	solves := 1
	if p.N <= peerSmall {
		solves = 20
	}
	for _, setting := range s.settings {
		best, solved := peerTry{ns: math.Inf(1)}, false
		for _, tol := range peerLadder {
			if solved && tol < peerTolerance {
				break // exact enough already
			}
			ns, ok := s.solve(setting, tol, patience, solves)
			if !ok {
				if tol == peerTolerance {
					break // nor to another, within the time
				}
				continue
			}
			p.Displacements(x, s.answer)
			e := p.Errors(s.answer, x)
			if !e.Verified(&opt, p.RhoMin(), 1) {
				continue
			}
			if solved = true; ns < best.ns {
				best = peerTry{setting: setting, tolerance: tol, ns: ns}
			}
		}
		if solved {
			found = append(found, best)
			// those that are much slower need not come to an end
			patience = min(patience, s.patience[0]+4e-9*best.ns*float64(solves+1))
		}
	}
	slices.SortFunc(found, func(a, b peerTry) int { return cmp.Compare(a.ns, b.ns) })
	return found
}

// turns is how many solves of so many ns make a turn.
func turns(ns float64) int { return int(min(2000, max(1, float64(peerTurn)/ns))) }

// against compares auto with Siconos on one problem.
func (s *siconos) against(ctx context.Context, p *contact.Problem, quick bool) (peerRow, error) {
	return refusal.Caught(func() peerRow { return s.beside(ctx, p, quick) })
}

func (s *siconos) beside(ctx context.Context, p *contact.Problem, quick bool) peerRow {
	rounds := output.Either(quick, 5, peerRounds)
	row := peerRow{Contacts: p.N}
	solver := refusal.Must(contact.New("auto"))
	var watch contact.Watch
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = peerTolerance, contact.NaturalMap, 1000000
	r := make([]float64, 3*p.N)
	ours := func(solves int) (ns float64, ok bool) {
		start := cputime.Thread()
		for range solves {
			clear(r)
			ok = solver.Solve(p, r, &opt).Converged
		}
		return float64(cputime.Thread()-start) / float64(solves), ok
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// the first solve may be halted; the others need no watch
	opt.Watch = &watch
	stop := time.AfterFunc(time.Duration(peerPatience*float64(time.Second)), watch.Halt)
	halt := context.AfterFunc(ctx, watch.Halt)
	_, solved := ours(1)
	stop.Stop()
	halt()
	opt.Watch = nil
	s.begin(ctx, p)
	defer s.end()
	var found []peerTry
	for _, seconds := range s.patience { // most settings fail on most large problems, and take all they get
		if found = s.screen(p, seconds); len(found) > 0 {
			break
		}
	}
	row.Solved = len(found)
	found = found[:min(len(found), peerFinal)]
	if !solved {
		if len(found) > 0 {
			row.Theirs, row.Setting = found[0].ns/1e3, fmt.Sprintf("%s@%g", found[0].setting, found[0].tolerance)
		}
		return row
	}
	one, _ := ours(1)
	if one > float64(time.Second) || len(found) > 0 && found[0].ns > float64(time.Second) {
		rounds = 3
	}
	mine := make([]float64, 0, rounds)
	for range rounds {
		refusal.Need(ctx.Err())
		ns, _ := ours(turns(one))
		mine = append(mine, ns)
		for k := range found {
			f := &found[k]
			if ns, ok := s.solve(f.setting, f.tolerance, 10*peerPatience, turns(f.ns)); ok {
				f.turns = append(f.turns, ns)
			}
		}
	}
	row.Ours = output.Median(mine) / 1e3
	best := math.Inf(1)
	for _, f := range found {
		if len(f.turns) < rounds || output.Median(f.turns) >= best {
			continue
		}
		best = output.Median(f.turns)
		row.Theirs, row.Setting = best/1e3, fmt.Sprintf("%s@%g", f.setting, f.tolerance)
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = f.turns[i] / mine[i]
		}
		row.Low, row.Ratio, row.High = output.Rank(ratios, 0.25), output.Median(ratios), output.Rank(ratios, 0.75)
	}
	return row
}

// peerReport is what is written.
type peerReport struct {
	Machine  string      `json:"machine"`
	Settings int         `json:"peer_settings"`
	Rows     []peerRow   `json:"problems"`
	Classes  []peerClass `json:"classes"`
}

// comparePeer measures auto beside Siconos on every problem, in turns.
func (c *Command) comparePeer(ctx context.Context, files []string) {
	s, err := buildSiconos(ctx)
	refusal.Need(app.BadInput(err))
	defer s.Remove()
	report := peerReport{Machine: app.Machine(), Settings: len(s.settings) * len(peerLadder)}
	for _, file := range files {
		row, err := s.against(ctx, load(file), c.Quick)
		if ctx.Err() != nil {
			break // what is measured is written
		}
		refusal.NeedAt(err, "bench solvers: the program that measures Siconos, on %s", file)
		row.Problem = problemName(file)
		report.Rows = append(report.Rows, row)
	}
	report.sumUp()
	c.WriteAll("siconos", report, output.Table(report.Rows))
	refusal.Must(app.Stdout.Write(report.table()))
}

func (r *peerReport) sumUp() {
	for _, class := range []peerClass{{Size: "1 to 5", most: 5}, {Size: "6 to 100", most: 100}, {Size: "above 100", most: math.MaxInt}} {
		var ratios []float64
		class.Least = math.Inf(1)
		for _, row := range r.Rows {
			if row.Ratio == 0 || row.Contacts > class.most || len(r.Classes) > 0 && row.Contacts <= r.Classes[len(r.Classes)-1].most {
				continue
			}
			ratios = append(ratios, row.Ratio)
			if row.Ratio < class.Least {
				class.Least, class.On = row.Ratio, row.Problem
			}
			class.Most = max(class.Most, row.Ratio)
		}
		if class.Problems = len(ratios); class.Problems > 0 {
			class.Median, class.Mean = output.Median(ratios), output.GeometricMean(ratios)
		} else {
			class.Least = 0
		}
		r.Classes = append(r.Classes, class)
	}
}

func (r *peerReport) table() []byte {
	var text bytes.Buffer
	t := app.Table(&text)
	us := func(v float64) string {
		if v == 0 {
			return "not solved"
		}
		return fmt.Sprintf("%.4g", v)
	}
	fmt.Fprintln(t, "problem\tcontacts\tauto, us\tSiconos, us\tratio\tquartiles\tits best setting\tthat solve\t")
	for _, x := range r.Rows {
		ratio, spread := "", ""
		if x.Ratio > 0 {
			ratio, spread = fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.2f to %.2f", x.Low, x.High)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t\n", x.Problem, x.Contacts, us(x.Ours), us(x.Theirs), ratio, spread, x.Setting, x.Solved)
	}
	fmt.Fprintln(t, "\ncontacts\tproblems\tgeometric mean\tmedian\tleast\ton\tmost\t")
	for _, x := range r.Classes {
		if x.Problems > 0 {
			fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%.2f\t%s\t%.2f\t\n", x.Size, x.Problems, x.Mean, x.Median, x.Least, x.On, x.Most)
		}
	}
	t.Flush() // into memory
	return text.Bytes()
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/measure/verify"
)

// verifyCommand runs reference cases.
type verifyCommand struct {
	Files []string `arg:"" name:"case" help:"Case files (.json, plain or gzipped)."`
	JSON  bool     `name:"json" help:"Print a JSON object a case, one a line."`
	Brief bool     `help:"Of each result print only the number that is furthest off."`
}

// Run runs the cases in turn. A file that cannot be run does not keep the others from running.
func (c *verifyCommand) Run(ctx context.Context) error {
	out := bufio.NewWriter(app.Stdout)
	var bad []error
	missed := 0
	for _, file := range c.Files {
		res, err := runCase(ctx, file)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		if res.Passed != nil && !*res.Passed {
			missed++
		}
		if c.JSON {
			err = json.NewEncoder(out).Encode(res)
		} else {
			printCase(out, res, c.Brief)
		}
		if err := errors.Join(err, out.Flush()); err != nil {
			return err
		}
	}
	switch {
	case len(bad) > 0:
		return app.BadInput(errors.Join(bad...))
	case missed > 0:
		return fmt.Errorf("verify: %d of %d cases failed", missed, len(c.Files))
	}
	return nil
}

func runCase(ctx context.Context, file string) (*verify.Result, error) {
	c, err := verify.Load(file)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx)
}

// printCase prints every expected number beside ours, and the verdict.
func printCase(out io.Writer, res *verify.Result, brief bool) {
	fmt.Fprintf(out, "%s (%s.%s)\n", res.Name, res.World, res.Kind)
	checks := res.Checks
	if brief {
		checks = furthest(checks)
	}
	t := app.Table(out)
	if len(checks) > 0 {
		fmt.Fprintln(t, "result\texpected\tours\terror\ttolerance\t")
	}
	for _, k := range checks {
		verdict := ""
		if !k.Passed() {
			verdict = "FAILED"
		}
		fmt.Fprintf(t, "%s\t%.10g\t%.10g\t%.2g\t%.2g\t%s\n", k.Name, k.Expected, k.Ours, k.Error, k.Tolerance, verdict)
	}
	t.Flush() // the writer below keeps the error
	switch {
	case res.Passed == nil:
		data, _ := json.Marshal(res.Outputs) // null where a number is not finite
		fmt.Fprintf(out, "%s\nnot judged: nothing is expected\n", data)
	case *res.Passed:
		fmt.Fprintf(out, "passed: %d numbers, largest error %.2g\n", len(res.Checks), *res.MaxError)
	case len(res.Checks) == 0:
		fmt.Fprintln(out, "failed: a result is no finite number")
	default:
		fmt.Fprintf(out, "failed: %d of %d numbers\n", len(res.Checks)-passed(res), len(res.Checks))
	}
}

// passed is how many of a case's numbers agree.
func passed(res *verify.Result) (n int) {
	for _, k := range res.Checks {
		if k.Passed() {
			n++
		}
	}
	return n
}

// furthest keeps of each result, over all its indices, the number whose error is the largest share of its tolerance.
func furthest(checks []verify.Check) []verify.Check {
	var kept []verify.Check
	at := map[string]int{}
	for _, k := range checks {
		name := indices.ReplaceAllString(k.Name, "")
		i, seen := at[name]
		if !seen {
			at[name] = len(kept)
			kept = append(kept, k)
		} else if !(k.Error*kept[i].Tolerance <= kept[i].Error*k.Tolerance) {
			kept[i] = k
		}
	}
	return kept
}

var indices = regexp.MustCompile(`\[[0-9]+\]`)

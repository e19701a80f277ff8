package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hapco/physics/machinery/refusal"
)

// Runner repeats one sort of experiment.
type Runner struct {
	// Run does what the input says and returns the results, which become JSON. It never sees what is expected. What is
	// wrong with the input ends it, see package refusal.
	Run func(ctx context.Context, in *Input) (outputs any)

	// Compare holds the results against c.Expected. nil: CompareNumbers. What is wrong with the case ends it.
	Compare func(c *Case, outputs any) []Check

	// Remarks lists members beside input that are for reading only.
	Remarks []string

	// Adopt takes a file of an older form, without kind: it returns the members of the same case in the present form,
	// or nil where the file is not of its kind. nil: there is no older form.
	Adopt func(members map[string]any) map[string]any

	// Restate returns the members of a case so that expected holds results alone: the rows of a table say there where
	// they are taken, too. nil: it is so already.
	Restate func(members map[string]any) map[string]any
}

var runners = map[string]Runner{}

// Register makes a runner known as "world.kind". It is called while packages are initialised.
func Register(kind string, r Runner) {
	if _, ok := runners[kind]; ok || r.Run == nil {
		panic("verify: kind " + kind + " is registered twice, or cannot run")
	}
	runners[kind] = r
}

// kinds lists the registered kinds by name.
func kinds() []string { return slices.Sorted(maps.Keys(runners)) }

// Result is a case that has been run. Its JSON is that of hapco verify --json.
type Result struct {
	Name     string   `json:"name"`
	World    string   `json:"world"`
	Kind     string   `json:"kind"`
	Outputs  any      `json:"outputs"`   // null where one of them is no finite number
	MaxError *float64 `json:"max_error"` // largest error beside a tolerance; null where nothing was compared
	Passed   *bool    `json:"passed"`    // null where nothing is expected
	Checks   []Check  `json:"-"`
}

// Run runs the case and compares. An error is one line about the case's input; numbers that miss are no error.
func (c *Case) Run(ctx context.Context) (*Result, error) {
	outputs, err := refusal.Caught(func() any { return c.runner.Run(ctx, &c.Input) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", c.Input.File, err)
	}
	res := &Result{Name: c.Name, World: c.World, Kind: c.Kind, Outputs: outputs}
	_, broken := json.Marshal(outputs) // JSON has no NaN
	if broken != nil {
		res.Outputs = nil
	}
	if c.Expected == nil {
		return res, nil
	}
	passed := false
	res.Passed = &passed
	if broken != nil {
		return res, nil
	}
	compare := c.runner.Compare
	if compare == nil {
		compare = CompareNumbers
	}
	res.Checks, err = refusal.Caught(func() []Check { return compare(c, outputs) })
	if err == nil && len(res.Checks) == 0 {
		err = errors.New("expected holds nothing that can be compared")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Input.File, err)
	}
	passed = true
	most := 0.0
	for _, k := range res.Checks {
		passed = passed && k.Passed()
		if !(k.Error <= most) {
			most = k.Error
		}
	}
	if most-most == 0 {
		res.MaxError = &most
	}
	return res, nil
}

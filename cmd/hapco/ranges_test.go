package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"hapco/cmd/hapco/internal/app"
)

// numeric tells whether a flag is a number, or a text with a unit.
func numeric(f *kong.Flag) bool {
	return f.Target.CanInt() || f.Target.CanUint() || f.Target.CanFloat() || f.Tag.Has("of")
}

// TestFlagsHaveRanges: every number of every command has a range, its default lies in it, and what lies in
// none is refused in one line before anything is done. What 0 means where it is not the least of
// an interval, the help says.
func TestFlagsHaveRanges(t *testing.T) {
	var c cli
	p, err := kong.New(&c, kong.Name("hapco"), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	refuses := func(args []string) error {
		k, err := p.Parse(args)
		if err != nil {
			return err
		}
		return app.CheckRanges(k)
	}
	flags := 0
	for _, n := range p.Model.Leaves(true) {
		words := strings.Fields(n.Path())
		for i := range n.Positional {
			if a := n.Positional[i]; a.Required {
				words = append(words, "x")
			}
		}
		var own []*kong.Flag
		for _, group := range n.AllFlags(true) {
			own = append(own, group...)
		}
		for _, f := range own { // what is required besides
			if f.Required && !f.Tag.Has("of") {
				words = append(words, "--"+f.Name+"=x")
			}
		}
		for _, f := range own {
			if !numeric(f) {
				continue
			}
			flags++
			if !f.Tag.Has("in") {
				t.Errorf("hapco %s --%s has no range", n.Path(), f.Name)
				continue
			}
			with := func(value string) []string {
				return append(slices.Concat(words, needed(own, f)), "--"+f.Name+"="+value)
			}
			for _, value := range []string{"nan", "inf", "-inf", "1e300", "-1e300", "1e300h"} {
				if err := refuses(with(value)); err == nil || !strings.Contains(err.Error(), "--"+f.Name) {
					t.Errorf("hapco %s: %v", strings.Join(with(value), " "), err)
				}
			}
			if status, out, said := hapco(t, with("nan")...); status != exitBadInput || out != "" || strings.Count(said, "\n") != 1 || !strings.Contains(said, "(cure: ") {
				t.Errorf("hapco %s: status %d, %q, %q", strings.Join(with("nan"), " "), status, out, said)
			}
			for _, interval := range strings.Split(f.Tag.Get("in"), "|") { // its ends are in it
				for _, end := range strings.Split(interval, "..") {
					if err := refuses(with(end)); err != nil {
						t.Error(err)
					}
				}
				if zero, err := strconv.ParseFloat(strings.TrimSuffix(interval, "s"), 64); err == nil && zero == 0 && !strings.Contains(f.Help, "0: ") {
					t.Errorf("hapco %s --%s: %q does not say what 0 means", n.Path(), f.Name, f.Help)
				}
			}
		}
		if err := refuses(append(words, needed(own, nil)...)); err != nil {
			t.Errorf("a default: %v", err)
		}
	}
	if flags < 60 {
		t.Errorf("%d flags are numbers", flags)
	}
}

// needed are the flags with a unit that a command asks for, but for one.
func needed(flags []*kong.Flag, but *kong.Flag) (args []string) {
	for _, f := range flags {
		if f.Required && f.Tag.Has("of") && f != but {
			args = append(args, "--"+f.Name+"=1")
		}
	}
	return args
}

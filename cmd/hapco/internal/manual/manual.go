// Package manual writes what is said about the command line elsewhere than in --help: the reference, manual pages and
// completion for shells. All of it comes from the commands themselves.
package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Command is one subcommand that can be called.
type Command struct {
	Path  string // such as "mesh check"
	Help  string
	Args  []Arg
	Flags []Flag
}

// Arg is a positional argument.
type Arg struct {
	Name, Help     string
	Optional, Many bool
}

// Flag is a flag.
type Flag struct {
	Name, Help, Default string
	Short               string // one letter; "": none
	Value               string // "": it takes no value
	Negatable, File     bool
}

// Of lists the subcommands of a program.
func Of(app *kong.Application) (all []Command) {
	for _, n := range app.Leaves(true) {
		c := Command{Path: strings.TrimSpace(strings.TrimPrefix(n.FullPath(), app.Name)), Help: n.Help}
		if i := strings.IndexAny(c.Path, "<["); i > 0 {
			c.Path = strings.TrimSpace(c.Path[:i])
		}
		for _, p := range n.Positional {
			c.Args = append(c.Args, Arg{p.Name, p.Help, !p.Required, p.IsSlice()})
		}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				g := Flag{Name: f.Name, Help: f.Help, Default: f.Default, Negatable: f.Tag.Negatable != "", File: f.Tag.Type == "path" || f.Tag.Type == "existingfile"}
				if f.Short != 0 {
					g.Short = string(f.Short)
				}
				if !f.IsBool() {
					switch {
					case f.PlaceHolder != "":
						g.Value = f.PlaceHolder
					case g.File:
						g.Value = "FILE"
					case f.Target.CanInt() || f.Target.CanFloat():
						g.Value = "NUMBER"
					default:
						g.Value = "WORD"
					}
				}
				c.Flags = append(c.Flags, g)
			}
		}
		all = append(all, c)
	}
	return all
}

// synopsis is how it is called.
func (c *Command) synopsis() string {
	words := []string{"hapco", c.Path}
	for _, a := range c.Args {
		words = append(words, a.spelled())
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// spelled is an argument in a synopsis.
func (a *Arg) spelled() string {
	name := strings.ToUpper(a.Name)
	if a.Many {
		name += "..."
	}
	if a.Optional {
		name = "[" + name + "]"
	}
	return name
}

// spelled is a flag as it is typed.
func (f *Flag) spelled() string {
	s := "--" + f.Name
	if f.Negatable {
		s = "--[no-]" + f.Name
	}
	if f.Short != "" {
		s = "-" + f.Short + ", " + s
	}
	if f.Value != "" {
		s += "=" + f.Value
	}
	return s
}

// usual is its default, "" where that is none.
func (f *Flag) usual() string {
	switch f.Default {
	case "0", "0s", "-1":
		return ""
	}
	return f.Default
}

// line is its line in a list.
func (f *Flag) line() string {
	usual := f.usual()
	if usual != "" {
		usual = " (" + usual + ")"
	}
	return fmt.Sprintf("`%s`%s|%s\n", f.spelled(), usual, f.Help)
}

// commonFrom is how many commands a flag is said of once for all.
const commonFrom = 2

// Reference is a page, in Markdown, of all commands, and of the window's keys with what each does. What several commands
// have in common is said once.
func Reference(all []Command, keys [][2]string) string {
	var b strings.Builder
	b.WriteString("# Reference\n\nMade by `make reference`. Keys of scene files: [scene-format](scene-format.md); words: [glossary](glossary.md). " +
		"In brackets: defaults.\n\n[Flags of several commands](#flags-of-several-commands), [mouse and keys](#mouse-and-keys-of-the-window).\n\n## Commands\n")
	often := map[string]int{}
	for i := range all {
		for j := range all[i].Flags {
			often[all[i].Flags[j].line()]++
		}
	}
	var common []string
	for i := range all {
		c := &all[i]
		fmt.Fprintf(&b, "\n### hapco %s\n\n%s\n", c.Path, c.Help)
		var own, others []string
		for _, a := range c.Args {
			own = append(own, fmt.Sprintf("`%s`|%s\n", a.spelled(), a.Help))
		}
		for _, f := range c.Flags {
			switch line := f.line(); {
			case f.Name == "help" || f.Name == "version":
			case often[line] < commonFrom:
				own = append(own, line)
			default:
				others = append(others, "`--"+f.Name+"`")
				if !slices.Contains(common, line) {
					common = append(common, line)
				}
			}
		}
		if len(own) > 0 {
			b.WriteString("\nflag|meaning\n---|---\n" + strings.Join(own, ""))
		}
		if len(others) > 0 {
			b.WriteString("\nAlso: " + strings.Join(others, ", ") + ".\n")
		}
	}
	slices.Sort(common)
	b.WriteString("\n## Flags of several commands\n\nflag|meaning\n---|---\n" + strings.Join(common, "") +
		"`--help`, `--version`|of every command\n\n## Mouse and keys of the window\n\nkeys|what\n---|---\n")
	for _, k := range keys {
		if k[0] != "" {
			fmt.Fprintf(&b, "%s|%s\n", k[0], k[1])
		}
	}
	return b.String()
}

// roff makes text safe for manual pages.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

// Page is the manual page of a command; date is shown at its foot.
func (c *Command) Page(date, version string) string {
	var b strings.Builder
	name := "hapco-" + strings.ReplaceAll(c.Path, " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 %q %q \"HapCo\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", strings.ToUpper(roff(name)), date, "hapco "+version, roff(name), roff(strings.TrimSuffix(c.Help, ".")), roff(c.synopsis()))
	if len(c.Args) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
		for _, a := range c.Args {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.ToUpper(a.Name)), roff(a.Help))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, f := range c.Flags {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.spelled()), roff(f.Help))
		if usual := f.usual(); usual != "" {
			fmt.Fprintf(&b, "Default: %s.\n", roff(usual))
		}
	}
	b.WriteString(".SH SEE ALSO\n.BR hapco (1)\n")
	return b.String()
}

// MainPage is the manual page of the program.
func MainPage(all []Command, keys [][2]string, about, date, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HAPCO 1 %q %q \"HapCo\"\n.SH NAME\nhapco \\- haptic simulator of contact\n.SH SYNOPSIS\n.B hapco\n[\\fICOMMAND\\fR] [\\fIflags\\fR]\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n", date, "hapco "+version, roff(about))
	for _, c := range all {
		fmt.Fprintf(&b, ".TP\n.BR hapco\\-%s (1)\n%s\n", roff(strings.ReplaceAll(c.Path, " ", "-")), roff(c.Help))
	}
	b.WriteString(".SH KEYS OF THE WINDOW\n")
	for _, k := range keys {
		if k[0] != "" {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(k[0]), roff(k[1]))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 where all is well, 1 where something failed, 2 for input that is refused, 130 where it was interrupted.\n")
	return b.String()
}

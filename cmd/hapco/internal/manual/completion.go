package manual

import (
	"fmt"
	"strings"
)

// flagWords are the flags of a command as they are typed.
func flagWords(c *Command) (words []string) {
	for i := range c.Flags {
		words = append(words, "--"+c.Flags[i].Name)
		if c.Flags[i].Negatable {
			words = append(words, "--no-"+c.Flags[i].Name)
		}
	}
	return words
}

// tree is what may follow each beginning of a command, "" for the first word, and what each command does.
func tree(all []Command) (order []string, next map[string][]string, help map[string]string) {
	next, help = map[string][]string{}, map[string]string{}
	seen := map[string]bool{}
	for i := range all {
		words := strings.Fields(all[i].Path)
		help[all[i].Path] = all[i].Help
		for k, w := range words {
			at := strings.Join(words[:k], " ")
			if len(next[at]) == 0 {
				order = append(order, at)
			}
			if !seen[at+" "+w] {
				seen[at+" "+w] = true
				next[at] = append(next[at], w)
			}
		}
	}
	return order, next, help
}

// Bash completes commands, flags, scenes and files in bash.
func Bash(all []Command) string {
	var b strings.Builder
	b.WriteString("# Completion of hapco for bash.\n_hapco() {\n\tlocal cur prev path= i\n\tcur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n" +
		"\tfor ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n\t\tcase ${COMP_WORDS[i]} in -*) break ;; esac\n" +
		"\t\tcase \"${path:+$path }${COMP_WORDS[i]}\" in\n\t\t")
	order, next, _ := tree(all)
	var begins []string
	for _, at := range order {
		for _, w := range next[at] {
			begins = append(begins, fmt.Sprintf("%q", strings.TrimSpace(at+" "+w)))
		}
	}
	b.WriteString(strings.Join(begins, "|") + ") path=\"${path:+$path }${COMP_WORDS[i]}\" ;;\n\t\tesac\n\tdone\n")
	b.WriteString("\tlocal words=\n\tcase $path in\n")
	for _, at := range order {
		fmt.Fprintf(&b, "\t%q) words=%q ;;\n", at, strings.Join(next[at], " "))
	}
	for i := range all {
		c := &all[i]
		fmt.Fprintf(&b, "\t%q) words=%q ;;\n", c.Path, strings.Join(flagWords(c), " "))
	}
	b.WriteString("\tesac\n\tif [[ $cur != -* ]]; then\n\t\tcase $path in\n\t\trun|trace) words=$(hapco scenes 2>/dev/null | awk '{print $1}') ;;\n\t\tesac\n\tfi\n" +
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t[[ ${#COMPREPLY[@]} -gt 0 || $cur == -* ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _hapco hapco\n")
	return b.String()
}

func zshQuoted(s string) string {
	return strings.NewReplacer("'", "'\\''", "[", "\\[", "]", "\\]", ":", "\\:").Replace(s)
}

// Zsh completes them in zsh, where a variable path would take the place of PATH.
func Zsh(all []Command) string {
	var b strings.Builder
	b.WriteString("#compdef hapco\n# Completion of hapco for zsh.\n_hapco() {\n\tlocal at=\"\" i\n\tfor ((i = 2; i < CURRENT && i < 4; i++)); do\n\t\t[[ $words[i] == -* ]] && break\n\t\tat=\"${at:+$at }$words[i]\"\n\tdone\n")
	order, next, help := tree(all)
	b.WriteString("\tcase $at in\n")
	for i := range all { // the longest first: run before what is left
		c := &all[i]
		fmt.Fprintf(&b, "\t'%s'|'%s '*)\n\t\t_arguments -S", c.Path, c.Path)
		for _, f := range c.Flags {
			value := ""
			if f.Value != "" {
				value = ":value:"
				if f.File {
					value = ":file:_files"
				}
				fmt.Fprintf(&b, " \\\n\t\t\t'*--%s=[%s]%s'", f.Name, zshQuoted(f.Help), value)
			} else {
				fmt.Fprintf(&b, " \\\n\t\t\t'--%s[%s]'", f.Name, zshQuoted(f.Help))
			}
		}
		switch c.Path {
		case "run", "trace":
			b.WriteString(" \\\n\t\t\t'*:scene:(${(f)\"$(hapco scenes 2>/dev/null | awk '\\''{print $1}'\\'')\"})'")
		default:
			b.WriteString(" \\\n\t\t\t'*:file:_files'")
		}
		b.WriteString(" ;;\n")
	}
	for _, at := range order {
		fmt.Fprintf(&b, "\t'%s')\n\t\tlocal -a commands=(", at)
		for _, w := range next[at] {
			fmt.Fprintf(&b, " '%s:%s'", w, zshQuoted(help[strings.TrimSpace(at+" "+w)]))
		}
		b.WriteString(")\n\t\t_describe command commands ;;\n")
	}
	b.WriteString("\tesac\n}\n_hapco \"$@\"\n")
	return b.String()
}

// Fish completes them in fish.
func Fish(all []Command) string {
	var b strings.Builder
	quoted := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	b.WriteString("# Completion of hapco for fish.\n")
	order, next, help := tree(all)
	under := func(at string) string {
		if at == "" {
			return "__fish_use_subcommand"
		}
		words := strings.Fields(at)
		condition := "__fish_seen_subcommand_from " + words[0]
		if len(words) > 1 {
			condition += "; and __fish_seen_subcommand_from " + words[1]
		}
		return condition
	}
	for _, at := range order {
		for _, w := range next[at] {
			fmt.Fprintf(&b, "complete -c hapco -f -n %s -a %s -d %s\n", quoted(under(at)), w, quoted(help[strings.TrimSpace(at+" "+w)]))
		}
	}
	for i := range all {
		c := &all[i]
		for _, f := range c.Flags {
			more := ""
			if f.Value != "" {
				more = " -x"
				if f.File {
					more = " -r -F"
				}
			}
			if f.Short != "" {
				more += " -s " + f.Short
			}
			fmt.Fprintf(&b, "complete -c hapco -n %s -l %s%s -d %s\n", quoted(under(c.Path)), f.Name, more, quoted(f.Help))
		}
	}
	b.WriteString("complete -c hapco -n '__fish_seen_subcommand_from run trace' -a \"(hapco scenes 2>/dev/null | string match -r '^\\S+')\"\n")
	return b.String()
}

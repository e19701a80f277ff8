// Package bench measures: one file or two for each of `hapco bench`'s subcommands. It is
// the only part of the program that meets kinds of worlds by name.
package bench

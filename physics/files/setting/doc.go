// Package setting reads what scene files of every kind have in common, and holds the machinery with which a kind reads
// its own part: tables of fields, units, and errors that name file, line and cure. A file is TOML; what it says becomes
// plain data in SI units. The format is described in docs/scene-format.md.
package setting

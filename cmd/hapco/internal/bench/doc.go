// Package bench lists the measurements of `hapco bench`, one folder each. They are the only part of the program that
// meets kinds of worlds by name.
package bench

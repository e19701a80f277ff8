// Package grain measures packed grains, beside LAMMPS where it is installed.
package grain

// Package solvers times the contact solvers on files of problems, auto without its stages, and auto beside Siconos.
package solvers

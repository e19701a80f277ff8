// Package solvers times the contact solvers on files of problems, and auto without its stages.
package solvers

// Package collision measures proximity queries, beside FCL where it is installed.
package collision

// Package output is what measurements share: their folder, their files and their statistics.
package output

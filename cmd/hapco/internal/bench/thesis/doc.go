// Package thesis repeats the thesis's experiments.
package thesis

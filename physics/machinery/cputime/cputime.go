// Package cputime tells how much processor time a thread has had: what other programs do not disturb.
package cputime

import "time"

// began is when the program started.
var began = time.Now()

package app

import "time"

// began is when the program started.
var began = time.Now()

package servo

// #include "servo.h"
import "C"

// starve makes the nth allocation from now on find no memory, for tests.
func starve(nth int) { C.hapco_servo_starves = C.int(nth) }

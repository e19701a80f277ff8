// Package servo is the haptic loop in C: a thread that Go's scheduler and collector cannot hold up. One goroutine
// enters it by Run and stays inside one call until Stop. Physics and the window meet it only in latest-value boxes and
// a ring in C memory, through sync/atomic: no call crosses over.
//
// kernel.c is one tick, the twin of that in twin_kernel_test.go; servo.c is the loop. A device written in Go sits
// behind a mailbox that a goroutine serves; a device with C functions is called directly; one with a scheduler of its
// own (a Phantom) calls the servo from there.
package servo

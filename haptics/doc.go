// Package haptics runs the loop between the operator's hand and the simulation: it reads the device, solves the newest
// contact model for that very pose, couples hand and stylus, watches the energy, limits the force and writes it.
//
// Package servo is the loop: a kernel in C, one tick, on a thread that neither Go's scheduler nor its collector can
// hold up; its tests have the kernel in Go, for comparison. The order within a tick:
//
//  1. the reading is checked; its age, its model's age and its speed are noted
//  2. contact model, shifted to this pose and to the coupling's rest stretch:
//     projected Gauss-Seidel with exact local solves, warm from the last tick,
//     within a budget; the coupling's compliance is part of the problem, so that
//     the stylus is in equilibrium between spring and tissue at the end of every
//     tick, however stiff the tissue
//  3. a new model's difference to the old one fades in over a physics period,
//     and no faster than the hand pays for the energy in it
//  4. reducer (section 4.4.2), passivity controller
//  5. fades (start-up ramp, dead-man, clutch, stale model, speed), saturation
//     (fig. 4.21), long-term limit, slew rate; not-finite numbers let go at once
//
// The stylus that physics moves is not the hand but Sample.Stylus: behind the hand by the stretch of the coupling.
package haptics

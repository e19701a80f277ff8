// Package physics is the seam between worlds and those who show, feel and record them. A kind of world (soft tissue,
// grains, ...) registers itself by name and implements World; window, picture, haptic loop and command line know only
// what is declared here. Packages below: setting reads scene files, local is what the hand feels between two steps.
//
//	world.go   World, Input, Report, and the interfaces that a world may have besides
//	frame.go   Frame and Info: what there is to see
//	key.go     Key: one live parameter
//	kinds.go   the registry of kinds, and opening a scene
//	runner.go  Runner: steps a world on a goroutine of its own
package physics

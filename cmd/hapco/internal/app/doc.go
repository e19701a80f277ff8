// Package app is what the subcommands share: opening scenes and worlds, a session with its loops, device and recorder,
// a scripted hand, and writing files.
package app

// Package telemetry tells other programs what a running world does: every physics step with what it started from,
// contacts, parameters and the stylus, as JSON messages with schemas. Recordings keep them beside the ticks of the
// haptic loop, and a server sends them to Foxglove. From a recording they are read back, to make the same steps again.
package telemetry

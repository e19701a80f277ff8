// Package bodies probes scenes of soft bodies for a minute, and with a hostile hand.
package bodies

// Package figure draws the plots of measurements, replays and sweeps.
package figure

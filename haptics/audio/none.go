//go:build !linux || !cgo

package audio

import "errors"

func openDevice(string, int) (device, error) {
	return nil, errors.New("it is played on Linux only")
}

//go:build !amd64

package rigid

var fast = false

func (s *sweeper) sweep(write bool) (size float64) { return s.sweepGo(write) }

func (s *sweeper) push() { s.pushGo() }

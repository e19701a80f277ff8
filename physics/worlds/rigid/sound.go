package rigid

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
)

// The sound of a body that rings is the velocity of its surface, mode by mode, by the root mean square of the mode's
// displacements. All bodies of a world have the same samples a second: modes that take shorter steps are averaged over
// those of a sample.

// keep takes in the sound of one step of the modes.
func (v *vibration) keep(s float64) {
	v.sum += s
	if v.part++; v.part < v.each {
		return
	}
	s, v.sum, v.part = v.sum/float64(v.each), 0, 0
	if len(v.sound) < maxSound {
		v.sound = append(v.sound, s)
		return
	}
	v.sound[v.next] = s
	v.next = (v.next + 1) % maxSound
}

// listen keeps the last maxSound samples of the sound of all bodies that vibrate from now on; false: none does.
func (w *World) listen() bool {
	for _, v := range w.vibrations {
		if !v.keeping {
			v.keeping, v.sound = true, make([]float64, 0, maxSound)
		}
	}
	return len(w.vibrations) > 0
}

// sound is what was heard, of all bodies together.
type sound struct {
	Rate    int // samples a second
	Samples []float64
}

// sound copies what was kept. An error tells that nothing was.
func (w *World) sound() (*sound, error) {
	s := &sound{}
	for _, v := range w.vibrations {
		s.Rate = v.rate(w.Config.Step)
		n := len(v.sound)
		s.Samples = append(s.Samples, make([]float64, max(0, n-len(s.Samples)))...)
		for i := range n {
			s.Samples[i] += v.sound[(v.next+i)%n]
		}
	}
	if len(s.Samples) == 0 {
		return nil, errors.New("rigid: no sound was kept (cure: listen to a body that vibrates, then strike it)")
	}
	return s, nil
}

// rate is how many samples a second the bodies' sound has.
func (v *vibration) rate(step float64) int { return int(math.Round(float64(v.sub/v.each) / step)) }

// latest writes the velocity of what rings over the last step to dst, m/s, a number a sample.
func (w *World) latest(dst []float64) []float64 {
	dst = dst[:0]
	for _, v := range w.vibrations {
		n := min(v.sub/v.each, len(v.sound))
		for len(dst) < n {
			dst = append(dst, 0)
		}
		for i := range n {
			dst[i] += v.sound[(v.next+len(v.sound)-n+i)%len(v.sound)] / v.osc.h
		}
	}
	return dst
}

// writeWAV writes 16-bit samples, the loudest at half of what they hold.
func (s *sound) writeWAV(out io.Writer) error {
	loudest := cmp.Or(floats.Norm(s.Samples, math.Inf(1)), 1)
	rate := uint32(s.Rate)
	size := uint32(2 * len(s.Samples))
	head := []any{[4]byte{'R', 'I', 'F', 'F'}, 36 + size, [4]byte{'W', 'A', 'V', 'E'}, [4]byte{'f', 'm', 't', ' '}, uint32(16),
		uint16(1), uint16(1), rate, 2 * rate, uint16(2), uint16(16), [4]byte{'d', 'a', 't', 'a'}, size}
	for _, x := range head {
		if err := binary.Write(out, binary.LittleEndian, x); err != nil {
			return err
		}
	}
	samples := make([]int16, len(s.Samples))
	for i, x := range s.Samples {
		samples[i] = int16(x / loudest * 16384)
	}
	return binary.Write(out, binary.LittleEndian, samples)
}

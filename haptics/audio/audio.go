// Package audio plays sound while it is made: what rings in a scene, on the system's sound device. The library of the
// device is looked for when the program runs, so that a machine without one builds and runs the same program; it is
// told in one line.
package audio

import (
	"math"
	"sync/atomic"
	"time"

	"hapco/physics/machinery/failsafe"
)

// Player takes samples from the goroutine that makes them and plays them on its own.
type Player struct {
	ring       [capacity]float64
	head, tail atomic.Uint64 // samples taken in, samples played
	group      failsafe.Group
	stop, deaf atomic.Bool // it is to end; nothing is played
	word       atomic.Pointer[string]

	loudest float64 // so far, m/s
}

// capacity is how many samples wait at most, a sixth of a second: what comes on top is lost, so that sound never lags
// behind what is seen and felt.
const capacity = 1 << 13

// period is how many samples go to the device at once.
const period = 480

// latency of the device, and how long the player waits for samples before it looks again.
const (
	latency = 50 * time.Millisecond
	pause   = 2 * time.Millisecond
)

// device is a sound device: 16-bit samples of one channel.
type device interface {
	write(samples []int16) error // waits until the device has room
	close()
}

// Open plays on the system's device at so many samples a second. It returns at once; Word tells later what has failed.
func Open(rate int) *Player {
	return start(func() (device, error) { return openDevice("default", rate) })
}

func start(open func() (device, error)) *Player {
	p := &Player{loudest: faint}
	p.group.Go(func() {
		d, err := open()
		if err != nil {
			p.fail(err)
			return
		}
		defer d.close()
		var block [period]int16
		for !p.stop.Load() {
			n := p.take(block[:])
			if n == 0 {
				time.Sleep(pause)
			} else if err := d.write(block[:n]); err != nil {
				p.fail(err)
				return
			}
		}
	})
	return p
}

func (p *Player) fail(err error) {
	p.deaf.Store(true)
	said := "no sound: " + err.Error()
	p.word.Store(&said)
}

// Word is what there is to tell since the last call; "": nothing.
func (p *Player) Word() string {
	if said := p.word.Swap(nil); said != nil {
		return *said
	}
	return ""
}

// Play takes in the velocity of what rings, m/s, and never waits; one goroutine may call it. Only 0 is silence, of
// which nothing is played.
func (p *Player) Play(samples []float64) {
	if p.deaf.Load() {
		return
	}
	head, tail := p.head.Load(), p.tail.Load()
	silent := head == tail
	for _, x := range samples {
		if silent = silent && x == 0; silent {
			continue
		}
		if head-tail == capacity {
			break
		}
		p.ring[head%capacity] = x
		head++
	}
	p.head.Store(head)
}

// take moves what waits to dst, as loud as it may be.
func (p *Player) take(dst []int16) (n int) {
	tail := p.tail.Load()
	for head := p.head.Load(); tail < head && n < len(dst); n++ {
		dst[n] = p.sample(p.ring[tail%capacity])
		tail++
	}
	p.tail.Store(tail)
	return n
}

// volume is how loud the loudest sound so far is, of 1; what is slower than faint, m/s, is quieter from the start.
const (
	volume = 0.4
	faint  = 1e-3
)

// sample is at most volume, whatever comes.
func (p *Player) sample(x float64) int16 {
	if x-x != 0 { // no number
		return 0
	}
	p.loudest = max(p.loudest, math.Abs(x))
	return int16(x / p.loudest * volume * math.MaxInt16)
}

// Close ends the sound.
func (p *Player) Close() error {
	p.stop.Store(true)
	p.group.Wait()
	return nil
}

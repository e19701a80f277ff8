package servo

import (
	"math"

	"hapco/haptics"
)

// gain is the product of all fades: start-up ramp, gate, staleness, speed.
func (k *twin) gain(in *haptics.Input, touching bool, p *haptics.Params, rec *haptics.Record) float64 {
	T := k.period
	open := true
	if !p.Enabled {
		rec.Flags |= haptics.Disabled
		open = false
	}
	if in.Clutched {
		rec.Flags |= haptics.Clutched
		open = false
	}
	if p.DeadMan != 0 && in.Buttons&p.DeadMan == 0 {
		rec.Flags |= haptics.DeadMan
		open = false
	}
	if open {
		k.gate = math.Min(1, k.gate+T/gateTime)
	} else {
		k.gate = math.Max(0, k.gate-T/gateTime)
	}

	stale := 1.0
	if k.seen {
		rec.Age = float64(k.age) * T
		patience := p.Stale.Seconds()
		slow := 1.5 * k.blendAll * T
		if slow > patience {
			patience = math.Min(slow, maxPatience*patience)
		}
		if over := rec.Age - patience; over > 0 {
			rec.Flags |= haptics.Stale
			stale = math.Max(0, 1-over/p.Fade.Seconds())
			if stale == 0 {
				k.dropped = true
				k.ramp = 0
			}
		} else {
			k.dropped = false
		}
	}

	// Before the first model nobody knows whether the stylus is free: the ramp
	// waits, or it would have run its course when a model in contact comes.
	if k.seen && (!touching || in.Buttons&1 != 0) {
		k.armed = true
	}
	if !k.armed {
		rec.Flags |= haptics.Waiting
	} else if !k.dropped && !(p.Passivity && touching && k.energy < 0) {
		// in contact the force comes back no faster than the hand pays for it
		k.ramp = math.Min(1, k.ramp+T/p.Ramp.Seconds())
	}
	if k.ramp < 1 {
		rec.Flags |= haptics.Ramping
	}

	v := math.Sqrt(k.velocity[0]*k.velocity[0] + k.velocity[1]*k.velocity[1] + k.velocity[2]*k.velocity[2])
	u := math.Sqrt(in.Velocity[0]*in.Velocity[0] + in.Velocity[1]*in.Velocity[1] + in.Velocity[2]*in.Velocity[2])
	if u > v {
		v = u
	}
	speed := 1.0
	if !(v <= p.SlowSpeed) {
		rec.Flags |= haptics.Speed
		speed = 0
		if v < p.FastSpeed {
			speed = (p.FastSpeed - v) / (p.FastSpeed - p.SlowSpeed)
		}
	}
	rec.Gain = k.ramp * k.ramp * k.gate * stale * speed
	return rec.Gain
}

// limit cuts force and torque to what may be sent: magnitude, long-term, slew.
func (k *twin) limit(f, t *[3]float64, p *haptics.Params, rec *haptics.Record) {
	T := k.period
	most := p.MaxForce
	if !(most >= 0) {
		most = 0
	}
	if length(f) > most {
		rec.Flags |= haptics.Saturated
	}
	if p.Continuous > 0 {
		if k.heat > 0.8 && most > p.Continuous {
			cut := most - (most-p.Continuous)*math.Min(1, (k.heat-0.8)/0.2)
			if length(f) > cut {
				rec.Flags |= haptics.Thermal
			}
			most = cut
		}
	}
	shorten(f[:], most)
	shorten(t[:], p.MaxTorque)

	if slew(f, &k.force, p.Slew*T) {
		rec.Flags |= haptics.Slewed
	}
	if p.MaxForce > 0 {
		slew(t, &k.torque, p.Slew*T*p.MaxTorque/p.MaxForce)
	}
	// the last word: limits may have come down since the last tick
	shorten(f[:], most)
	shorten(t[:], p.MaxTorque)
	if p.Continuous > 0 {
		l := length(f) / p.Continuous
		k.heat += T / p.Thermal.Seconds() * (l*l - k.heat)
		if !(k.heat >= 0 && k.heat <= 1e6) {
			k.heat = 0
		}
	}
}

// slew keeps f within step of the last force, three times that when it falls.
func slew(f, last *[3]float64, step float64) bool {
	d := [3]float64{f[0] - last[0], f[1] - last[1], f[2] - last[2]}
	if length(f) <= length(last) {
		step *= fallFactor
	}
	l := length(&d)
	if l <= step {
		return false
	}
	s := step / l
	for i := range 3 {
		f[i] = last[i] + s*d[i]
	}
	return true
}

// letGo drops the force at once and starts over.
func (k *twin) letGo() {
	k.force, k.torque = [3]float64{}, [3]float64{}
	k.gate, k.ramp, k.armed = 0, 0, false
	k.stretch = [6]float64{}
	k.before, k.jump, k.blend, k.solved = [6]float64{}, [6]float64{}, 0, false
	k.velocity = [3]float64{}
	for i := range k.r {
		k.r[i] = 0
	}
}

func length(v *[3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// shorten cuts v to length most; to nothing when its length overflows.
func shorten(v []float64, most float64) {
	l := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if l <= most {
		return
	}
	s := most / l
	for i := range 3 {
		if s > 0 && s <= 1 {
			v[i] *= s
		} else {
			v[i] = 0
		}
	}
}

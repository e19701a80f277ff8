package servo

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// held lets a kernel with a virtual coupling hold still at x m until nothing changes,
// and returns the force that it wants, N.
func held(k ticker, m *local.Model, p *haptics.Params, x mgl64.Vec3) (rec haptics.Record) {
	in := haptics.Input{State: haptics.State{Pose: frame.At(x)}}
	for i := range 4000 {
		in.Time += 1e6
		k.Tick(&in, m, i == 0, p, &rec)
	}
	return rec
}

// A hand that holds a spring behind the coupling feels both in series, also where a
// frictionless contact stands beside the field: then the two stand in parallel.
func TestFieldIsASpring(t *testing.T) {
	const stiff, contactStiff, coupling = 700.0, 500.0, 300.0
	for _, contacts := range []int{0, 1} {
		var m local.Model
		local.Make(&m, 4)
		m.SetN(contacts)
		if contacts == 1 { // pushes up where the stylus is below y = 0
			m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
			m.Arm[0], m.Mu[0] = mgl64.Vec3{}, 0
			copy(m.W, []float64{1 / contactStiff, 0, 0, 0, 1 / contactStiff, 0, 0, 0, 1 / contactStiff})
			clear(m.Free)
			clear(m.R)
			m.FillRigid()
		}
		m.Field.On = true
		m.Field.Force[1] = 0.5
		for i := range 3 {
			m.Field.K[7*i] = stiff
		}
		m.Period = time.Millisecond
		c := NewKernel(rate, 4)
		defer c.Close()
		for name, k := range map[string]ticker{"C": c, "Go": newTwin(rate, 4)} {
			p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
			p.Budget, p.Passivity, p.Coupling = 0, false, haptics.Virtual
			p.Stiffness, p.Damping = coupling, 1
			rec := held(k, &m, &p, mgl64.Vec3{0, -0.004, 0})
			// coupling (tool - hand) = force of field and contact at the tool
			sum := stiff + float64(contacts)*contactStiff
			tool := (-0.004*coupling + 0.5) / (coupling + sum)
			want := 0.5 - sum*tool
			if contacts == 1 && tool > 0 {
				t.Fatal("the contact is open: nothing is tested")
			}
			if math.Abs(rec.Raw[1]-want) > 1e-9*want || math.Abs(rec.Tool[1]-tool) > 1e-9 || rec.Raw[0] != 0 || rec.Flags&haptics.BadModel != 0 {
				t.Errorf("%s, %d contacts: %g N at %g m, want %g N at %g m (flags %v)", name, contacts, rec.Raw[1], rec.Tool[1], want, tool, rec.Flags)
			}
		}
	}
}

// A field that pushes the stylus ever further gives its force alone, and one that is no
// number gives none.
func TestFieldWithoutSense(t *testing.T) {
	var m local.Model
	local.Make(&m, 1)
	m.SetN(0)
	c := NewKernel(rate, 1)
	defer c.Close()
	for name, k := range map[string]ticker{"C": c, "Go": newTwin(rate, 1)} {
		p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
		p.Budget, p.Passivity, p.Coupling = 0, false, haptics.Virtual
		for _, f := range []struct{ force, stiff, want float64 }{{0.3, -1e6, 0.3}, {math.NaN(), 10, 0}, {0.3, math.Inf(1), 0}} {
			m.Field = local.Field{On: true}
			m.Field.Force[0], m.Field.K[0] = f.force, f.stiff
			if rec := held(k, &m, &p, mgl64.Vec3{0.01, 0, 0}); math.Abs(rec.Raw[0]-f.want) > 1e-12 || rec.Flags&haptics.BadModel == 0 {
				t.Errorf("%s, field of %g N and %g N/m: %g N, want %g (flags %v)", name, f.force, f.stiff, rec.Raw[0], f.want, rec.Flags)
			}
		}
	}
}

package audio

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
)

// took is a device that keeps what it is given.
type took struct {
	samples chan int16
	fails   bool
}

func (d *took) write(samples []int16) error {
	if d.fails {
		return errors.New("it is unplugged")
	}
	for _, x := range samples {
		d.samples <- x
	}
	return nil
}
func (d *took) close() {}

// Samples arrive in order and no louder than the volume, whatever comes; silence is none.
func TestSamplesAreBounded(t *testing.T) {
	d := &took{samples: make(chan int16, capacity)}
	p := start(func() (device, error) { return d, nil })
	p.Play(make([]float64, 100))
	in := []float64{faint / 2, -2 * faint, faint, math.NaN(), math.Inf(1), 0, 1e300, -1e300, 5e299}
	p.Play(in)
	want := []float64{0.5, -1, 0.5, 0, 0, 0, 1, -1, 0.5}
	for i, w := range want {
		if got := float64(<-d.samples); math.Abs(got-w*volume*math.MaxInt16) > 1 {
			t.Errorf("sample %d of %g is %g, want %g", i, in[i], got, w*volume*math.MaxInt16)
		}
	}
	if err := p.Close(); err != nil || len(d.samples) > 0 || p.Word() != "" {
		t.Errorf("%v, %d samples more, %q", err, len(d.samples), p.Word())
	}
	if n := testing.AllocsPerRun(10, func() { p.Play(in) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// What is played too slowly is lost and waited for by nobody.
func TestPlayNeverWaits(t *testing.T) {
	d := &took{samples: make(chan int16)}
	p := start(func() (device, error) { return d, nil })
	block := make([]float64, 3*capacity)
	for i := range block {
		block[i] = 1
	}
	p.Play(block)
	if n := p.head.Load() - p.tail.Load(); n > capacity {
		t.Errorf("%d samples wait", n)
	}
	go func() {
		for range d.samples {
		}
	}()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	close(d.samples)
}

// Without a device there is one line.
func TestNoDevice(t *testing.T) {
	for _, open := range []func() (device, error){
		func() (device, error) { return openDevice("hw:97,3", 48000) },
		func() (device, error) { return &took{fails: true}, nil },
	} {
		p := start(open)
		said := ""
		testkit.Eventually(t, "no word", func() bool {
			p.Play([]float64{1})
			said = p.Word()
			return said != ""
		})
		if !strings.HasPrefix(said, "no sound: ") || strings.Contains(said, "\n") || p.Word() != "" {
			t.Errorf("%q", said)
		}
		p.Play([]float64{1})
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ALSA gets the samples: its own plug-in writes them to a file.
func TestALSA(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.raw")
	conf := filepath.Join(t.TempDir(), "asound.conf")
	text := "pcm.!default { type file file \"" + file + "\" format \"raw\" slave.pcm { type null } }\n"
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ALSA_CONFIG_PATH", conf)
	d, err := openDevice("default", 48000)
	if err != nil {
		t.Skip(err) // a machine without ALSA
	}
	p := start(func() (device, error) { return d, nil })
	tone := make([]float64, 4800)
	for i := range tone {
		tone[i] = math.Sin(2*math.Pi*440*float64(i)/48000) + 1e-3
	}
	p.Play(tone)
	testkit.Eventually(t, "samples wait", func() bool { return p.tail.Load() == p.head.Load() })
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != 2*len(tone) {
		t.Fatalf("%d bytes of %d", len(data), 2*len(tone))
	}
	loudest := 0
	for i := 0; i < len(data); i += 2 {
		x := int(int16(binary.LittleEndian.Uint16(data[i:])))
		loudest = max(loudest, x, -x)
	}
	if want := volume * math.MaxInt16; math.Abs(float64(loudest)-want) > 1 {
		t.Errorf("the loudest sample is %d, want %g", loudest, want)
	}
}

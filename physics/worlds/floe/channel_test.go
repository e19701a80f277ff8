package floe

import (
	"testing"

	"hapco/physics/files/setting"
)

// Floes drift along a channel, whatever the restitution: downwind at about the same pace,
// within the banks, apart from each other; and bounces keep more of them in motion beside
// the mean, and apart.
func TestChannelByRestitution(t *testing.T) {
	_, text, err := setting.FileText("ice-channel")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("ice-channel", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set("field.number=30"); err != nil {
		t.Fatal(err)
	}
	scene := s.(*SceneFile)
	got, err := scene.Drifts([]float64{0, 0.9}, []float64{0, 200, 450})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 6 || got[0].Way != 0 || got[0].Time != 0 {
		t.Fatalf("%d drifts, the first: %+v", len(got), got[0])
	}
	for i, d := range got {
		t.Logf("restitution %g, %g s: way %.2f m, across %.2f m, kinetic %.4g J, random %.3g J, %d collisions", d.Restitution, d.Time, d.Way, d.Leeward, d.Kinetic, d.Random, d.Collisions)
		if i%3 > 0 && !(d.Way > got[i-1].Way+5) {
			t.Errorf("restitution %g: after %g s the floes have gone %g m", d.Restitution, d.Time, d.Way)
		}
		var shapes []placed
		for k, outline := range d.Outlines {
			p := newPlate(outline)
			shapes = append(shapes, placed{})
			shapes[k].put(&p, Vec2{}, 0)
			for _, x := range outline {
				if bank := &scene.Banks[0]; !d.Fixed[k] && (x[0] < bank.Lo[0] || x[0] > bank.Hi[0] || x[1] < bank.Lo[1] || x[1] > bank.Hi[1]) {
					t.Fatalf("restitution %g, %g s: floe %d is at %v, beyond the banks", d.Restitution, d.Time, k, x)
				}
			}
			for j := range k {
				if !(d.Fixed[j] && d.Fixed[k]) && overlap(&shapes[j], &shapes[k]) {
					t.Fatalf("restitution %g, %g s: floes %d and %d overlap", d.Restitution, d.Time, j, k)
				}
			}
		}
	}
	if soft, hard := got[2].Random, got[5].Random; !(hard > 1.15*soft) || got[5].Contacts >= got[2].Contacts {
		t.Errorf("with a restitution of 0.9 the floes have %g J beside their mean motion and touch at %d places, with 0 %g J at %d", hard, got[5].Contacts, soft, got[2].Contacts)
	}
	if _, err := scene.Drifts(nil, nil); err == nil {
		t.Error("no drift at all is no error")
	}
}

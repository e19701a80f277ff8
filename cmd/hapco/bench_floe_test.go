package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hapco/cmd/hapco/internal/bench/floe"
	"hapco/cmd/hapco/internal/bench/output"
)

// The bench measures several sizes and a scene, all laws agree on what is lost, a field
// under compression breaks, floes that bounce less touch more in a channel, and where Box2D is installed it stands beside ours.
func TestBenchFloe(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	out := t.TempDir()
	b := floe.Command{Flags: output.Flags{Out: out, Quick: true}, Floes: 400}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(out, "floe.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rep floe.Report
	if err := json.Unmarshal(data, &rep); err != nil {
		t.Fatal(err)
	}
	if len(rep.Points) < 2 || len(rep.Laws) != 4 || rep.Laws[0].Problems < 10 {
		t.Fatalf("%+v", rep)
	}
	for _, l := range rep.Laws {
		if l.Failed > 0 || l.Lost < 0.999*rep.Laws[0].Lost || l.Lost > 1.001*rep.Laws[0].Lost {
			t.Errorf("%+v beside %+v", l, rep.Laws[0])
		}
	}
	if q := rep.Squeezed; q == nil || q.Cracks < 20 || q.After[0] != q.Before[0]+q.Cracks {
		t.Errorf("%+v", q)
	}
	if s := rep.Scene; s.Floes != 1000 || !(s.Second > 0) || s.Contacts < 5 || !(s.Frame > 0) {
		t.Errorf("%+v", s)
	}
	if d := rep.Channel; len(d) != 4 || d[1].Contacts <= d[3].Contacts || d[1].Impact <= d[3].Impact {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(filepath.Join(out, "floe-channel.png")); err != nil {
		t.Error(err)
	}
	if rep.Peer == nil {
		t.Log(rep.Note)
		return
	}
	for _, r := range rep.Peer.Rows {
		if r.Energy > 1e-3 || r.Energy < -0.01 {
			t.Errorf("%+v", r)
		}
	}
}

package record

import (
	"os"
	"path/filepath"
	"testing"

	"hapco/haptics"
)

// A stylus that rests for minutes makes ticks that pack well: they must still be read.
func TestRestingStylusIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rest.mcap")
	w, err := Create(path, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	const ticks = 60000
	for i := range ticks {
		r := haptics.Record{Tick: uint64(i), Time: int64(i) * 1e6, Late: 60000, Work: 20000, Rotation: [4]float64{0, 0, 0, 1}, Position: [3]float64{0.1234567890123, 0.2345678901234, 0}}
		if err := w.Write([]haptics.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	recs, _, err := Read(path)
	if err != nil || len(recs) != ticks {
		t.Fatalf("%d ticks: %v", len(recs), err)
	}
	t.Logf("%.1f bytes a tick, of %d", float64(info.Size())/ticks, len(AppendTick(nil, &recs[1])))
}

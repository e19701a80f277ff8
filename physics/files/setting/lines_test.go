package setting

import "testing"

func TestKeyLines(t *testing.T) {
	text := "a = 1 # [x]\n\n[b]\nc.d = \"\"\"one\ntwo # \\\"\"\"\"\ne = [\n  1, # ]\n  {f = 2, 'g' = '}'},\n]\n[[h]]\ni = 1\n[h.j]\nk = 2\n[[h]]\n[h.j]\n\"k\" = 3\n"
	got := keyLines(text)
	for key, want := range map[string]int{"a": 1, "b": 3, "b.c": 4, "b.c.d": 4, "b.e": 6, "b.e.0": 7, "b.e.1.f": 8, "b.e.1.g": 8,
		"h": 10, "h.0": 10, "h.0.i": 11, "h.0.j": 12, "h.0.j.k": 13, "h.1": 14, "h.1.j": 15, "h.1.j.k": 16} {
		if got[key] != want {
			t.Errorf("line of %s = %d, want %d", key, got[key], want)
		}
	}
}

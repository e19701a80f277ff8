package output

import (
	"reflect"
	"testing"
)

// A table has what JSON has, but for lists of numbers.
func TestTable(t *testing.T) {
	type part struct {
		MS float64 `json:"ms"`
	}
	type inner struct {
		N int `json:"n,omitempty"`
	}
	type result struct {
		Name string `json:"name"`
		inner
		CPU    part     `json:"cpu"`
		Error  *float64 `json:"error"`
		Broken []string `json:"broken"`
		Times  []float64
		hidden []string
	}
	e := 0.5
	got := Table([]result{{"a", inner{2}, part{1e-7}, nil, []string{"x", "y"}, []float64{1}, nil}, {Name: "b", Error: &e}})
	want := [][]string{{"name", "n", "cpu_ms", "error", "broken"}, {"a", "2", "1e-07", "", "x; y"}, {"b", "0", "0", "0.5", ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

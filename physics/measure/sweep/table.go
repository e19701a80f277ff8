package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// figures are the columns after the keys.
var figures = []struct {
	name string
	of   func(r *Result) any // nil: unknown
}{
	{"force_x_N", func(r *Result) any { return r.Force[0] }},
	{"force_y_N", func(r *Result) any { return r.Force[1] }},
	{"force_z_N", func(r *Result) any { return r.Force[2] }},
	{"force_max_N", func(r *Result) any { return r.ForceMax }},
	{"iterations_total", func(r *Result) any { return known(r.Iterations) }},
	{"converged", func(r *Result) any { return known(r.Converged) }},
}

func known[T any](x *T) any {
	if x == nil {
		return nil
	}
	return *x
}

// WriteCSV writes a line for each finished run, in the order of the sheet.
func (f *Folder) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := slices.Clone(f.sheet.Columns)
	for _, x := range figures {
		head = append(head, x.name)
	}
	_ = out.Write(head) // csv keeps the first error
	for n, r := range f.Results() {
		if r == nil {
			continue
		}
		var line []string
		for _, v := range f.sheet.Runs[n].Values {
			line = append(line, text(v))
		}
		for _, x := range figures {
			line = append(line, text(x.of(r)))
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// WriteParquet writes the same table with typed columns: keys whose values are all numbers are DOUBLE, all true or
// false BOOLEAN, else strings. What is unknown is null.
func (f *Folder) WriteParquet(w io.Writer) error {
	var fields []reflect.StructField
	column := func(name string, kind reflect.Type) {
		name = strings.NewReplacer(",", "_", `"`, "_", "`", "_").Replace(name) // a tag has a grammar of its own
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("C%d", len(fields)), Type: reflect.PointerTo(kind),
			Tag: reflect.StructTag(`parquet:"` + name + `,optional"`),
		})
	}
	kinds := make([]reflect.Type, len(f.sheet.Columns))
	for i, name := range f.sheet.Columns {
		for n := range f.sheet.Runs {
			switch t := reflect.TypeOf(f.sheet.Runs[n].Values[i]); {
			case t == nil:
			case kinds[i] == nil:
				kinds[i] = t
			case kinds[i] != t:
				kinds[i] = reflect.TypeFor[string]()
			}
		}
		column(name, kinds[i])
	}
	for _, x := range figures {
		yes, count := true, int64(0)
		column(x.name, reflect.TypeOf(x.of(&Result{Iterations: &count, Converged: &yes})))
	}
	rowType := reflect.StructOf(fields)
	out := parquet.NewWriter(w, parquet.SchemaOf(reflect.New(rowType).Interface()))
	put := func(at reflect.Value, v any) {
		if v == nil {
			return
		}
		if at.Type().Elem().Kind() == reflect.String {
			v = text(v)
		}
		p := reflect.New(at.Type().Elem())
		p.Elem().Set(reflect.ValueOf(v))
		at.Set(p)
	}
	for n, r := range f.Results() {
		if r == nil {
			continue
		}
		line := reflect.New(rowType)
		for i, v := range f.sheet.Runs[n].Values {
			put(line.Elem().Field(i), v)
		}
		for i, x := range figures {
			put(line.Elem().Field(len(f.sheet.Columns)+i), x.of(r))
		}
		_ = out.Write(line.Interface())
	}
	return out.Close()
}

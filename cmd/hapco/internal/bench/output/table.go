package output

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Table is a row for each of some results, under a row of names: the columns are the members of their JSON that are
// numbers or words, those of a part under its name and theirs.
func Table[T any](results []T) [][]string {
	names, _ := flat(reflect.ValueOf(new(T)).Elem(), "")
	rows := [][]string{names}
	for i := range results {
		_, row := flat(reflect.ValueOf(&results[i]).Elem(), "")
		rows = append(rows, row)
	}
	return rows
}

// flat are the names and the texts of a struct's columns.
func flat(v reflect.Value, prefix string) (names, row []string) {
	for f, x := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Struct && (f.Anonymous || name != "") {
			inner := prefix
			if !f.Anonymous {
				inner += name + "_"
			}
			n, r := flat(x, inner)
			names, row = append(names, n...), append(row, r...)
		} else if name != "" && name != "-" {
			if text, ok := cell(x); ok {
				names, row = append(names, prefix+name), append(row, text)
			}
		}
	}
	return names, row
}

// cell is a value as text: nothing for a pointer to none. ok is false for what is neither a number, a word nor words.
func cell(x reflect.Value) (text string, ok bool) {
	kind := x.Type()
	if kind.Kind() == reflect.Pointer {
		if kind = kind.Elem(); x.IsNil() {
			return "", kind.Kind() <= reflect.Float64
		}
		x = x.Elem()
	}
	switch {
	case kind.Kind() == reflect.Float64:
		return strconv.FormatFloat(x.Float(), 'g', 6, 64), true
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.String:
		return strings.Join(x.Interface().([]string), "; "), true
	}
	return fmt.Sprint(x), kind.Kind() == reflect.String || kind.Kind() <= reflect.Float64
}

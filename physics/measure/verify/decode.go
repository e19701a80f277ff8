package verify

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Decode fills the struct, slice, array, number or string that to points to from a JSON value. It is strict, unlike
// encoding/json: a member that is missing, that the struct does not have, or that is of another type is an error, and
// so is an array of another length. Fields go by their json tags. A field whose tag says omitempty may be missing; a
// pointer may be null too. An `any` takes what there is. The fields of an embedded struct are the struct's own. path
// names the value in errors.
func Decode(value, to any, path string) error {
	return decode(value, reflect.ValueOf(to).Elem(), path)
}

func decode(value any, to reflect.Value, path string) error {
	mismatch := func(want string) error {
		return fmt.Errorf("%s: %s where %s belongs", path, what(value), want)
	}
	switch to.Kind() {
	case reflect.Pointer:
		if value == nil {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return decode(value, to.Elem(), path)
	case reflect.Interface:
		if value != nil {
			to.Set(reflect.ValueOf(value))
		}
	case reflect.Float64:
		x, ok := value.(float64)
		if !ok {
			return mismatch("a number")
		}
		to.SetFloat(x)
	case reflect.Int:
		x, ok := value.(float64)
		if !ok || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return mismatch("a whole number")
		}
		to.SetInt(int64(x))
	case reflect.String:
		x, ok := value.(string)
		if !ok {
			return mismatch("a word")
		}
		to.SetString(x)
	case reflect.Bool:
		x, ok := value.(bool)
		if !ok {
			return mismatch("true or false")
		}
		to.SetBool(x)
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok {
			return mismatch("an array")
		}
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
		return decodeEach(list, to, path)
	case reflect.Array:
		list, ok := value.([]any)
		if !ok || len(list) != to.Len() {
			return mismatch(fmt.Sprintf("an array of %d", to.Len()))
		}
		return decodeEach(list, to, path)
	case reflect.Map:
		members, ok := value.(map[string]any)
		if !ok {
			return mismatch("an object")
		}
		to.Set(reflect.MakeMapWithSize(to.Type(), len(members)))
		for _, key := range sorted(members) {
			x := reflect.New(to.Type().Elem()).Elem()
			if err := decode(members[key], x, join(path, key)); err != nil {
				return err
			}
			to.SetMapIndex(reflect.ValueOf(key), x)
		}
	case reflect.Struct:
		members, ok := value.(map[string]any)
		if !ok {
			return mismatch("an object")
		}
		return decodeStruct(members, to, path)
	default:
		panic("verify: cannot decode into " + to.Type().String())
	}
	return nil
}

func decodeEach(list []any, to reflect.Value, path string) error {
	for i, v := range list {
		// The path of an element costs more than the element: only errors have it.
		if err := decode(v, to.Index(i), ""); err != nil {
			return decode(v, to.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
	}
	return nil
}

func decodeStruct(members map[string]any, to reflect.Value, path string) error {
	known, err := decodeFields(members, to, path)
	if err != nil || known == len(members) {
		return err
	}
	for _, key := range sorted(members) {
		if !hasField(to.Type(), key) {
			return fmt.Errorf("%s is not understood", join(path, key))
		}
	}
	return nil
}

// decodeFields tells how many members the fields of a struct have taken.
func decodeFields(members map[string]any, to reflect.Value, path string) (known int, err error) {
	for i := range to.NumField() {
		field := to.Type().Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			own, err := decodeFields(members, to.Field(i), path)
			if known += own; err != nil {
				return known, err
			}
			continue
		}
		if name == "" {
			panic("verify: field without a json name in " + to.Type().String())
		}
		v, ok := members[name]
		if !ok {
			if rest == "omitempty" {
				continue
			}
			return known, fmt.Errorf("%s is missing", join(path, name))
		}
		known++
		if err := decode(v, to.Field(i), join(path, name)); err != nil {
			return known, err
		}
	}
	return known, nil
}

func hasField(t reflect.Type, key string) bool {
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == key {
			return true
		}
	}
	return false
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// what names a JSON value in errors.
func what(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > 40 {
			v = v[:40] + "..."
		}
		return strconv.Quote(v)
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

// Package checkpoint keeps the state of an object and puts it back, bit for bit: all of Go's memory that can be reached
// from it. What is put back is put where it was, so that pointers from outside still hold. A world of any kind has a
// checkpoint so, without code of its own.
//
// The object must be at rest: no goroutine works on it meanwhile. Memory outside Go and work beside are for the
// object's types to keep, see Settler and Keeper; variables that only a closure reaches are not kept.
package checkpoint

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// Settler is an object that works beside its owner. Settle waits until that work is done.
type Settler interface{ Settle() }

// Keeper is a type with state outside Go's memory, of those that the object reaches. Restore is called before Go's
// memory is put back, and after, which may be nil, once it has been.
type Keeper interface {
	Keep() (restore func() (after func()))
}

// Image is the state of an object at one moment. It may be put back any number of times.
type Image struct {
	root    any
	keeper  []func() (after func())
	raw     []raw
	restore []func() // of memory with pointers, maps and channels
}

// raw is memory without pointers, as a slice on the live memory and a copy of it.
type raw struct{ live, saved []byte }

// Take keeps the state of what a pointer leads to. What is as it was in an earlier image of the same object, or nil,
// shares its memory.
func Take(root any, earlier *Image) *Image {
	if s, ok := root.(Settler); ok {
		s.Settle()
	}
	w := &walk{image: &Image{root: root}, seen: map[place]bool{}, kinds: map[reflect.Type]kind{}}
	v := reflect.ValueOf(root)
	w.visit(v.UnsafePointer(), v.Type().Elem(), 1)
	w.copyRaw(earlier)
	return w.image
}

// Bytes is the memory that the image takes beside what is in it with pointers.
func (m *Image) Bytes() (n int) {
	for i := range m.raw {
		n += len(m.raw[i].saved)
	}
	return n
}

// Restore puts the state back. Memory that has not changed is not written.
func (m *Image) Restore() {
	if s, ok := m.root.(Settler); ok {
		s.Settle()
	}
	var after []func()
	for _, restore := range m.keeper {
		if f := restore(); f != nil {
			after = append(after, f)
		}
	}
	for i := range m.raw {
		if r := &m.raw[i]; !bytes.Equal(r.live, r.saved) {
			copy(r.live, r.saved)
		}
	}
	for _, restore := range m.restore {
		restore()
	}
	for _, f := range after {
		f()
	}
}

func bytesOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

func drain(c reflect.Value) (all []reflect.Value) {
	for {
		v, ok := c.TryRecv()
		if !ok {
			return all
		}
		all = append(all, v)
	}
}

// place is memory as a type.
type place struct {
	at   unsafe.Pointer
	kind reflect.Type
	n    int
}

// kind is what matters of a type.
type kind struct {
	pointers bool // it holds some
	opaque   bool // it holds something of the system's, which is left as it is
}

type walk struct {
	image *Image
	seen  map[place]bool
	kinds map[reflect.Type]kind
	plain []plain
}

// plain is memory without pointers.
type plain struct {
	at unsafe.Pointer
	n  int
}

var keeper = reflect.TypeFor[Keeper]()

// left tells of a type that belongs to Go's runtime or the system, and of teams of goroutines: they stay as they are.
// So does C's memory.
func left(t reflect.Type) bool {
	switch t.PkgPath() {
	case "context", "os", "runtime", "io", "net", "reflect", "hapco/physics/machinery/team":
		return true
	case "sync":
		return t.Name() == "Pool" || t.Name() == "Map"
	}
	return strings.HasPrefix(t.Name(), "_Ctype_")
}

func (w *walk) kindOf(t reflect.Type) kind {
	k, ok := w.kinds[t]
	if ok {
		return k
	}
	w.kinds[t] = kind{pointers: true} // of a type that holds itself
	switch t.Kind() {
	case reflect.Array:
		k = w.kindOf(t.Elem())
		k.pointers = k.pointers && t.Len() > 0
	case reflect.Struct:
		for i := range t.NumField() {
			f := w.kindOf(t.Field(i).Type)
			k.pointers, k.opaque = k.pointers || f.pointers, k.opaque || f.opaque
		}
	case reflect.Pointer, reflect.Slice, reflect.Interface, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String:
		k.pointers = true
	}
	if left(t) {
		k = kind{pointers: true, opaque: true}
	}
	w.kinds[t] = k
	return k
}

// visit keeps n values of a type in a row, and what they lead to.
func (w *walk) visit(at unsafe.Pointer, t reflect.Type, n int) {
	if at == nil || n == 0 || t.Size() == 0 || left(t) || w.seen[place{at, t, n}] {
		return
	}
	w.seen[place{at, t, n}] = true
	if n == 1 && reflect.PointerTo(t).Implements(keeper) {
		w.image.keeper = append(w.image.keeper, reflect.NewAt(t, at).Interface().(Keeper).Keep())
	}
	k := w.kindOf(t)
	if !k.pointers {
		w.plain = append(w.plain, plain{at, n * int(t.Size())})
		return
	}
	if !k.opaque {
		live := reflect.SliceAt(t, at, n)
		saved := reflect.MakeSlice(live.Type(), n, n)
		reflect.Copy(saved, live)
		w.image.restore = append(w.image.restore, func() {
			if !bytes.Equal(bytesOf(live), bytesOf(saved)) {
				reflect.Copy(live, saved)
			}
		})
	}
	for i := range n {
		w.follow(unsafe.Add(at, i*int(t.Size())), t, k.opaque)
	}
}

// follow keeps what a value leads to; parts tells that its own memory is kept in parts.
func (w *walk) follow(at unsafe.Pointer, t reflect.Type, parts bool) {
	if left(t) || !w.kindOf(t).pointers && !parts {
		return
	}
	v := reflect.NewAt(t, at).Elem()
	if parts && t.Kind() != reflect.Struct && t.Kind() != reflect.Array {
		w.visit(at, t, 1)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		w.visit(v.UnsafePointer(), t.Elem(), 1)
	case reflect.Slice:
		w.visit(v.UnsafePointer(), t.Elem(), v.Cap())
	case reflect.Interface:
		if !v.IsNil() {
			w.box(v.Elem())
		}
	case reflect.Map:
		w.table(v)
	case reflect.Chan:
		w.queue(v)
	case reflect.Array:
		for i := range t.Len() {
			w.part(unsafe.Add(at, i*int(t.Elem().Size())), t.Elem(), parts)
		}
	case reflect.Struct:
		if t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
			to := *(*unsafe.Pointer)(unsafe.Add(at, t.Field(t.NumField()-1).Offset))
			w.visit(to, t.Field(0).Type.Elem().Elem(), 1)
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			w.part(unsafe.Add(at, f.Offset), f.Type, parts)
		}
	}
}

func (w *walk) part(at unsafe.Pointer, t reflect.Type, parts bool) {
	if parts && !w.kindOf(t).opaque {
		w.visit(at, t, 1)
		return
	}
	w.follow(at, t, parts)
}

// box follows a value that has no memory of its own: it cannot change, but it may lead to what can.
func (w *walk) box(v reflect.Value) {
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	w.follow(own.UnsafePointer(), v.Type(), false)
}

func (w *walk) table(v reflect.Value) {
	if v.IsNil() || w.seen[place{v.UnsafePointer(), v.Type(), 0}] {
		return
	}
	w.seen[place{v.UnsafePointer(), v.Type(), 0}] = true
	var keys, values []reflect.Value
	for i := v.MapRange(); i.Next(); {
		keys, values = append(keys, i.Key()), append(values, i.Value())
		w.box(i.Key())
		w.box(i.Value())
	}
	live := reflect.NewAt(v.Type(), unsafe.Pointer(new(unsafe.Pointer))).Elem() // the map itself, wherever its variable goes
	live.Set(v)
	w.image.restore = append(w.image.restore, func() {
		live.Clear()
		for k := range keys {
			live.SetMapIndex(keys[k], values[k])
		}
	})
}

func (w *walk) queue(v reflect.Value) {
	if v.IsNil() || v.Cap() == 0 || v.Type().ChanDir() != reflect.BothDir || w.seen[place{v.UnsafePointer(), v.Type(), 0}] {
		return
	}
	w.seen[place{v.UnsafePointer(), v.Type(), 0}] = true
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	saved := drain(own)
	for _, x := range saved {
		own.Send(x)
		w.box(x)
	}
	w.image.restore = append(w.image.restore, func() {
		drain(own)
		for _, x := range saved {
			own.Send(x)
		}
	})
}

// copyRaw copies memory without pointers, each byte once.
func (w *walk) copyRaw(earlier *Image) {
	slices.SortFunc(w.plain, func(a, b plain) int {
		return cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), b.n-a.n)
	})
	before := map[unsafe.Pointer][]byte{}
	if earlier != nil {
		for i := range earlier.raw {
			before[unsafe.Pointer(&earlier.raw[i].live[0])] = earlier.raw[i].saved
		}
	}
	for i := 0; i < len(w.plain); {
		p := w.plain[i]
		for i++; i < len(w.plain) && uintptr(w.plain[i].at) < uintptr(p.at)+uintptr(p.n); i++ {
			p.n = max(p.n, int(uintptr(w.plain[i].at)-uintptr(p.at))+w.plain[i].n)
		}
		live := unsafe.Slice((*byte)(p.at), p.n)
		saved := before[p.at]
		if !bytes.Equal(saved, live) {
			saved = bytes.Clone(live)
		}
		w.image.raw = append(w.image.raw, raw{live, saved})
	}
}

package main

/*
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/cmd/internal/stepped"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/blackbox"
)

// Rows that C reads lie in Go's memory: both must agree on their sizes.
const (
	_ = -uint(C.sizeof_hapco_contact ^ unsafe.Sizeof(stepped.Contact{}))
	_ = -uint(C.sizeof_hapco_body ^ unsafe.Sizeof(stepped.Body{}))
	_ = -uint(C.sizeof_hapco_report ^ unsafe.Sizeof(stepped.Report{}))
	_ = -uint(C.sizeof_hapco_pose ^ unsafe.Sizeof([7]float64{}))
	_ = -uint(32 ^ unsafe.Sizeof(physics.Point{}))
)

// answer hands an error to the thread that called.
func answer(err error) C.int {
	if err == nil {
		return 0
	}
	c, text := stepped.Classify(err)
	b := append([]byte(text), 0)
	C.hapco_note((*C.char)(unsafe.Pointer(&b[0])))
	return C.int(c)
}

var errNull = &failure{Code: stepped.CodeInvalid, Text: "an argument is NULL that must not be (cure: the address of what is asked for)"}

// text is a C string; at most the size of a large scene.
func text(s *C.char) (string, error) {
	if s == nil {
		return "", errNull
	}
	return C.GoString(s), nil
}

func texts(s **C.char, n C.int64_t) ([]string, error) {
	if n < 0 || n > 1<<20 || n > 0 && s == nil {
		return nil, invalid("%d texts (cure: their number, and an array of them)", int64(n))
	}
	out := make([]string, n)
	for i, t := range unsafe.Slice(s, n) {
		var err error
		if out[i], err = text(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// numbers is an array of the caller's.
func numbers(p *C.double, n int) []float64 { return unsafe.Slice((*float64)(p), n) }

// stays are texts that stay for good.
var stays = struct {
	sync.Mutex
	pins runtime.Pinner
	of   map[string]*byte
}{of: map[string]*byte{}}

func stay(s string) *C.char {
	stays.Lock()
	defer stays.Unlock()
	if stays.of[s] == nil {
		b := append([]byte(s), 0)
		stays.pins.Pin(&b[0])
		stays.of[s] = &b[0]
	}
	return (*C.char)(unsafe.Pointer(stays.of[s]))
}

//export hapcoVersion
func hapcoVersion() *C.char { return stay(assets.Version) }

//export hapcoSolverName
func hapcoSolverName(i C.int64_t, name **C.char) C.int {
	return answer(guarded(func() error {
		if name == nil {
			return errNull
		}
		names := contact.Names()
		if i < 0 || int(i) >= len(names) {
			return beyond("solver", int64(i), len(names))
		}
		*name = stay(names[i])
		return nil
	}))
}

//export hapcoSolverOpen
func hapcoSolverOpen(name *C.char, out *C.uintptr_t) C.int {
	return answer(guarded(func() error {
		word, err := text(name)
		if out == nil || err != nil {
			return errNull
		}
		s, err := openSolver(word)
		if err == nil {
			*out = C.uintptr_t(add(s))
		}
		return err
	}))
}

//export hapcoSolverClose
func hapcoSolverClose(number C.uintptr_t) C.int { return answer(shut[*solver](uintptr(number))) }

// optionsOf reads options; nil: the usual ones.
func optionsOf(c *C.hapco_options) (o options, err error) {
	usual := C.hapco_options{tolerance: 1e-8, rho_factor: 1, max_iterations: 100000, criterion: C.HAPCO_NATURAL, columns: blackbox.DefaultColumns}
	if c == nil {
		c = &usual
	}
	o.Options = contact.DefaultOptions()
	o.Tolerance, o.MaxIterations, o.Timed = float64(c.tolerance), int(c.max_iterations), true
	o.Rho, o.RhoFactor = float64(c.rho), float64(c.rho_factor)
	o.warm, o.columns = c.warm != 0, int(c.columns)
	if c.criterion < 0 || c.form < 0 || c.criterion > math.MaxUint8 || c.form > math.MaxUint8 {
		return o, invalid("criterion = %d, form = %d (cure: names of hapco.h)", c.criterion, c.form)
	}
	o.Criterion, o.form = contact.Criterion(c.criterion), blackbox.Form(c.form)
	return o, o.check(float64(c.deadline))
}

// asked is what every solve is asked for.
type asked struct {
	n         C.int64_t
	q, mu     *C.double
	options   *C.hapco_options
	r         *C.double
	status    *C.int32_t
	result    *C.hapco_result
	arguments bool // the others are there
}

// solve checks what is asked for, has it done and tells what came of it.
func (a *asked) solve(number C.uintptr_t, do func(s *solver, n int, q, mu, r []float64, o *options) (contact.Result, error)) C.int {
	return answer(with(uintptr(number), func(s *solver) error {
		if a.n < 0 || a.n > contact.MaxContacts {
			return invalid("n = %d contacts (cure: 0 to %d)", int64(a.n), contact.MaxContacts)
		}
		n := int(a.n)
		if n > 0 && (a.q == nil || a.mu == nil || a.r == nil || !a.arguments) {
			return errNull
		}
		o, err := optionsOf(a.options)
		if err != nil {
			return err
		}
		q, mu, r := numbers(a.q, 3*n), numbers(a.mu, n), numbers(a.r, 3*n)
		res, err := do(s, n, q, mu, r, &o)
		if err != nil {
			return err
		}
		all, counts := s.statuses(r, mu)
		if a.status != nil {
			for i, t := range all {
				unsafe.Slice(a.status, n)[i] = C.int32_t(t)
			}
		}
		if out := a.result; out != nil {
			*out = C.hapco_result{
				natural_error: C.double(res.NaturalError), natural_normal: C.double(res.Errors.NaturalNormal), natural_tangential: C.double(res.Errors.NaturalTangential),
				scaled_error: C.double(res.ScaledError), scaled_normal: C.double(res.Errors.ScaledNormal), scaled_tangential: C.double(res.Errors.ScaledTangential),
				relative_change: C.double(res.RelativeChange), rho_min: C.double(res.RhoMin), elapsed: C.double(res.Elapsed.Seconds()),
				calls: C.int64_t(s.box.Calls), columns: C.int64_t(s.box.Asked), iterations: C.int32_t(res.Iterations),
				open: C.int32_t(counts[contact.Open]), stick: C.int32_t(counts[contact.Stick]), slip: C.int32_t(counts[contact.Slip]),
				converged: flag(res.Converged),
			}
		}
		return nil
	}))
}

//export hapcoSolverDense
func hapcoSolverDense(number C.uintptr_t, n C.int64_t, w, q, mu *C.double, o *C.hapco_options, r *C.double, status *C.int32_t, result *C.hapco_result) C.int {
	a := asked{n, q, mu, o, r, status, result, w != nil}
	return a.solve(number, func(s *solver, n int, q, mu, r []float64, o *options) (contact.Result, error) {
		s.box.Calls, s.box.Asked = 0, 0
		return s.dense(&contact.Problem{N: n, W: numbers(w, 9*n*n), Q: q, Mu: mu}, r, o)
	})
}

//export hapcoSolverBlocks
func hapcoSolverBlocks(number C.uintptr_t, n, blocks C.int64_t, row, column *C.int32_t, values, q, mu *C.double, o *C.hapco_options, r *C.double, status *C.int32_t, result *C.hapco_result) C.int {
	a := asked{n, q, mu, o, r, status, result, blocks == 0 || row != nil && column != nil && values != nil}
	return a.solve(number, func(s *solver, n int, q, mu, r []float64, o *options) (contact.Result, error) {
		if blocks < 0 || int64(blocks) > 16*contact.MaxContacts*contact.MaxContacts {
			return contact.Result{}, invalid("%d blocks (cure: their number)", int64(blocks))
		}
		s.box.Calls, s.box.Asked = 0, 0
		k := int(blocks)
		w, err := s.scatter(n, unsafe.Slice((*int32)(row), k), unsafe.Slice((*int32)(column), k), numbers(values, 9*k))
		if err != nil {
			return contact.Result{}, err
		}
		return s.dense(&contact.Problem{N: n, W: w, Q: q, Mu: mu}, r, o)
	})
}

//export hapcoSolverModel
func hapcoSolverModel(number C.uintptr_t, n C.int64_t, model C.hapco_model, user unsafe.Pointer, q, mu *C.double, o *C.hapco_options, r *C.double, status *C.int32_t, result *C.hapco_result) C.int {
	a := asked{n, q, mu, o, r, status, result, model != nil}
	return a.solve(number, func(s *solver, n int, q, mu, r []float64, o *options) (contact.Result, error) {
		return s.model(func(x, r []float64, columns int) error {
			if c := C.hapco_ask(model, user, C.int64_t(n), C.int64_t(columns), (*C.double)(&r[0]), (*C.double)(&x[0])); c != 0 {
				return &failure{Code: stepped.CodeCallback, Text: fmt.Sprintf("the model returned %d", int(c))}
			}
			return nil
		}, q, mu, r, o)
	})
}

//export hapcoSolverRead
func hapcoSolverRead(number C.uintptr_t, file *C.char, n *C.int64_t) C.int {
	return answer(with(uintptr(number), func(s *solver) error {
		name, err := text(file)
		if n == nil || err != nil {
			return errNull
		}
		if s.read, s.answer, err = contact.LoadFC3D(name); err == nil {
			*n = C.int64_t(s.read.N)
		}
		return err
	}))
}

//export hapcoSolverProblem
func hapcoSolverProblem(number C.uintptr_t, n C.int64_t, w, q, mu, r *C.double) C.int {
	return answer(with(uintptr(number), func(s *solver) error {
		p := s.read
		if p == nil || int64(n) != int64(p.N) {
			return invalid("no problem of %d contacts has been read (cure: hapco_solver_read, and its n)", int64(n))
		}
		for _, to := range []struct {
			p    *C.double
			from []float64
		}{{w, p.W}, {q, p.Q}, {mu, p.Mu}, {r, s.answer}} {
			if to.p != nil {
				copy(numbers(to.p, len(to.from)), to.from)
			}
		}
		if r != nil && s.answer == nil {
			copy(numbers(r, 3*p.N), slices.Repeat([]float64{math.NaN()}, 3*p.N))
		}
		return nil
	}))
}

//export hapcoWorldOpen
func hapcoWorldOpen(name, scene *C.char, set **C.char, sets C.int64_t, out *C.uintptr_t) C.int {
	return answer(guarded(func() error {
		n, err := text(name)
		if out == nil || err != nil {
			return errNull
		}
		changes, err := texts(set, sets)
		if err != nil {
			return err
		}
		var data []byte
		if scene != nil {
			data = append([]byte{}, C.GoString(scene)...)
		}
		w, err := openWorld(n, data, changes)
		if err == nil {
			*out = C.uintptr_t(add(w))
		}
		return err
	}))
}

//export hapcoWorldClose
func hapcoWorldClose(number C.uintptr_t) C.int { return answer(shut[*world](uintptr(number))) }

// flag is a truth for C.
func flag(yes bool) C.int32_t { return C.int32_t(stepped.Flag(yes)) }

func poseOf(p *C.hapco_pose) *frame.Pose {
	if p == nil {
		return nil
	}
	return stepped.PoseOf((*[7]float64)(unsafe.Pointer(p)))
}

func (w *world) tell(to *C.hapco_report) {
	if to != nil {
		*(*stepped.Report)(unsafe.Pointer(to)) = w.Report()
	}
}

//export hapcoWorldDescribe
func hapcoWorldDescribe(number C.uintptr_t, out *C.hapco_description) C.int {
	return ask(number, out != nil, func(w *world) error {
		c := w.Scene.Common()
		*out = C.hapco_description{kind: w.chars(c.Kind), title: w.chars(c.Title), notes: w.chars(w.Notes),
			own_step: C.double(w.OwnStep()), surfaces: C.int64_t(len(w.Info.Surfaces)), solids: C.int64_t(w.Solids()),
			shapes: C.int64_t(len(w.Info.Shapes)), keys: C.int64_t(len(w.Keys)), numbers: C.int64_t(len(w.Info.Numbers))}
		*(*[7]float64)(unsafe.Pointer(&out.start)) = stepped.PoseRow(&w.Info.Start)
		return nil
	})
}

func (w *world) chars(s string) *C.char { return (*C.char)(unsafe.Pointer(w.word(s))) }

// ask has something done with a world, where there is all that must be.
func ask(number C.uintptr_t, there bool, do func(w *world) error) C.int {
	return answer(with(uintptr(number), func(w *world) error {
		if !there {
			return errNull
		}
		return do(w)
	}))
}

// list tells C of rows, which stay where they are until the next call.
func list[R, T any](number C.uintptr_t, out **T, count *C.int64_t, of func(w *world) ([]R, error)) C.int {
	return ask(number, out != nil && count != nil, func(w *world) error {
		rows, err := of(w)
		*out, *count = (*T)(unsafe.Pointer(at(w, rows))), C.int64_t(len(rows))
		return err
	})
}

// put is a text where one is asked for.
func (w *world) put(to **C.char, s string) {
	if to != nil {
		*to = w.chars(s)
	}
}

//export hapcoWorldStep
func hapcoWorldStep(number C.uintptr_t, pose *C.hapco_pose, dt C.double, out *C.hapco_report) C.int {
	return ask(number, true, func(w *world) error {
		err := w.Step(poseOf(pose), float64(dt))
		w.tell(out)
		return err
	})
}

//export hapcoWorldReach
func hapcoWorldReach(number C.uintptr_t, pose *C.hapco_pose, out *C.hapco_report) C.int {
	return ask(number, true, func(w *world) error {
		err := w.Reach(poseOf(pose))
		w.tell(out)
		return err
	})
}

//export hapcoWorldReset
func hapcoWorldReset(number C.uintptr_t) C.int {
	return ask(number, true, func(w *world) error {
		w.Reset()
		return nil
	})
}

//export hapcoWorldContacts
func hapcoWorldContacts(number C.uintptr_t, out **C.hapco_contact, count *C.int64_t) C.int {
	return list(number, out, count, func(w *world) ([]stepped.Contact, error) { return w.Contacts(), nil })
}

// putSurface tells C of points and triangles.
func (w *world) putSurface(to *C.hapco_surface, name string, points []mgl64.Vec3, triangles [][3]int32) {
	*to = C.hapco_surface{name: w.chars(name), points: C.int64_t(len(points)), triangles: C.int64_t(len(triangles)),
		position: (*C.double)(unsafe.Pointer(at(w, points))), index: (*C.int32_t)(unsafe.Pointer(at(w, triangles)))}
}

//export hapcoWorldSurface
func hapcoWorldSurface(number C.uintptr_t, i C.int64_t, out *C.hapco_surface) C.int {
	return ask(number, out != nil, func(w *world) error {
		if i < 0 || int(i) >= len(w.Info.Surfaces) {
			return beyond("surface", int64(i), len(w.Info.Surfaces))
		}
		s := &w.Info.Surfaces[i]
		w.putSurface(out, s.Name, w.Draw().Surfaces[i].Vertices, s.Triangles)
		out.driven, out.rigid = flag(s.Driven || s.Second), flag(s.Rigid)
		return nil
	})
}

//export hapcoWorldField
func hapcoWorldField(number C.uintptr_t, i C.int64_t, name, unit **C.char) C.int {
	return ask(number, true, func(w *world) error {
		if i < 0 || int(i) >= len(w.Info.Fields) {
			return beyond("field", int64(i), len(w.Info.Fields))
		}
		w.put(name, w.Info.Fields[i].Name)
		w.put(unit, w.Info.Fields[i].Unit)
		return nil
	})
}

//export hapcoWorldSurfaceField
func hapcoWorldSurfaceField(number C.uintptr_t, surface, field C.int64_t, out **C.double, count *C.int64_t) C.int {
	return list(number, out, count, func(w *world) ([]float64, error) { return w.Field(int64(surface), int64(field)) })
}

//export hapcoWorldShape
func hapcoWorldShape(number C.uintptr_t, i C.int64_t, out *C.hapco_surface) C.int {
	return ask(number, out != nil, func(w *world) error {
		if i < 0 || int(i) >= len(w.Info.Shapes) {
			return beyond("shape", int64(i), len(w.Info.Shapes))
		}
		w.putSurface(out, "", w.Info.Shapes[i].Vertices, w.Info.Shapes[i].Triangles)
		out.rigid = 1
		return nil
	})
}

//export hapcoWorldSolid
func hapcoWorldSolid(number C.uintptr_t, i C.int64_t, out *C.hapco_solid) C.int {
	return ask(number, out != nil, func(w *world) error {
		s, elements, err := w.Solid(int64(i))
		if err != nil {
			return err
		}
		vectors := func(v []mgl64.Vec3) *C.double { return (*C.double)(unsafe.Pointer(at(w, v))) }
		tensors := func(v [][6]float64) *C.double { return (*C.double)(unsafe.Pointer(at(w, v))) }
		*out = C.hapco_solid{nodes: C.int64_t(len(s.Positions)), elements: C.int64_t(len(elements)),
			position: vectors(s.Positions), displacement: vectors(s.Displacement), force: vectors(s.Force),
			strain: tensors(s.Strain), stress: tensors(s.Stress), element: (*C.int32_t)(unsafe.Pointer(at(w, elements)))}
		return nil
	})
}

//export hapcoWorldBodies
func hapcoWorldBodies(number C.uintptr_t, out **C.hapco_body, count *C.int64_t) C.int {
	return list(number, out, count, func(w *world) ([]stepped.Body, error) { return w.Bodies(), nil })
}

//export hapcoWorldPoints
func hapcoWorldPoints(number C.uintptr_t, out **C.float, count *C.int64_t) C.int {
	return list(number, out, count, func(w *world) ([]physics.Point, error) { return w.Draw().Points, nil })
}

//export hapcoWorldNumber
func hapcoWorldNumber(number C.uintptr_t, i C.int64_t, name, unit **C.char, value *C.double) C.int {
	return ask(number, true, func(w *world) error {
		if i < 0 || int(i) >= len(w.Info.Numbers) {
			return beyond("number", int64(i), len(w.Info.Numbers))
		}
		w.put(name, w.Info.Numbers[i].Name)
		w.put(unit, w.Info.Numbers[i].Unit)
		if value != nil {
			*value = C.double(w.Draw().Numbers[i])
		}
		return nil
	})
}

//export hapcoWorldKey
func hapcoWorldKey(number C.uintptr_t, i C.int64_t, out *C.hapco_key) C.int {
	return ask(number, out != nil, func(w *world) error {
		if i < 0 || int(i) >= len(w.Keys) {
			return beyond("key", int64(i), len(w.Keys))
		}
		k := &w.Keys[i]
		least, most := stepped.Ends(k)
		*out = C.hapco_key{name: w.chars(k.Name), label: w.chars(k.Label), unit: w.chars(k.Unit), help: w.chars(k.Help),
			value: C.double(w.Value(k)), least: C.double(least), most: C.double(most), usual: C.double(k.Default),
			words: C.int64_t(len(stepped.Words(k))), view: flag(!k.Settable())}
		return nil
	})
}

// keyed has something done with a key.
func keyed(number C.uintptr_t, name *C.char, rest bool, do func(w *world, k *physics.Key) error) C.int {
	return ask(number, rest && name != nil, func(w *world) error {
		k, err := w.Key(C.GoString(name))
		if err != nil {
			return err
		}
		return do(w, k)
	})
}

//export hapcoWorldWord
func hapcoWorldWord(number C.uintptr_t, key *C.char, i C.int64_t, out **C.char) C.int {
	return keyed(number, key, out != nil, func(w *world, k *physics.Key) error {
		words := stepped.Words(k)
		if i < 0 || int(i) >= len(words) {
			return beyond("word of "+k.Name, int64(i), len(words))
		}
		*out = w.chars(words[i])
		return nil
	})
}

//export hapcoWorldGet
func hapcoWorldGet(number C.uintptr_t, key *C.char, value *C.double) C.int {
	return keyed(number, key, value != nil, func(w *world, k *physics.Key) error {
		*value = C.double(w.Value(k))
		return nil
	})
}

//export hapcoWorldSet
func hapcoWorldSet(number C.uintptr_t, key *C.char, value C.double) C.int {
	return keyed(number, key, true, func(w *world, k *physics.Key) error { return w.Give(k, float64(value)) })
}

//export hapcoWorldSetWord
func hapcoWorldSetWord(number C.uintptr_t, key, word *C.char) C.int {
	return keyed(number, key, word != nil, func(w *world, k *physics.Key) error { return w.GiveWord(k, C.GoString(word)) })
}

//export hapcoWorldRecord
func hapcoWorldRecord(number C.uintptr_t, file *C.char) C.int {
	return ask(number, file != nil, func(w *world) error { return w.Record(C.GoString(file)) })
}

//export hapcoWorldRecordEnd
func hapcoWorldRecordEnd(number C.uintptr_t) C.int {
	return ask(number, true, func(w *world) error { return w.RecordEnd() })
}

//export hapcoWorldSnapshot
func hapcoWorldSnapshot(number C.uintptr_t, out *C.uintptr_t) C.int {
	return ask(number, out != nil, func(w *world) error {
		*out = C.uintptr_t(add(&snapshot{w.Snapshot()}))
		return nil
	})
}

//export hapcoWorldRestore
func hapcoWorldRestore(number, from C.uintptr_t) C.int {
	return ask(number, true, func(w *world) error {
		return with(uintptr(from), func(s *snapshot) error { return w.Restore(s.Snapshot) })
	})
}

//export hapcoSnapshotClose
func hapcoSnapshotClose(number C.uintptr_t) C.int { return answer(shut[*snapshot](uintptr(number))) }

//export hapcoRecordingRead
func hapcoRecordingRead(file *C.char, rows *C.double, count *C.int64_t) C.int {
	return answer(guarded(func() error {
		name, err := text(file)
		if count == nil || err != nil {
			return errNull
		}
		all, err := stepped.ReadRecording(name)
		if err != nil {
			return err
		}
		if rows != nil {
			if int64(*count) < int64(len(all)) {
				return invalid("room for %d steps of %d (cure: rows NULL tells how many)", int64(*count), len(all))
			}
			copy(unsafe.Slice((*[21]float64)(unsafe.Pointer(rows)), len(all)), all)
		}
		*count = C.int64_t(len(all))
		return nil
	}))
}

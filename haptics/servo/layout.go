package servo

// #include "servo.h"
import "C"

import (
	"unsafe"

	"hapco/haptics"
)

// The C kernel writes haptics.Record byte for byte. These arrays have negative length, and do not compile, where size
// or an offset differs.
var (
	_ [unsafe.Sizeof(haptics.Record{}) - unsafe.Sizeof(C.hapco_record{})]byte
	_ [unsafe.Sizeof(C.hapco_record{}) - unsafe.Sizeof(haptics.Record{})]byte
	_ [unsafe.Offsetof(haptics.Record{}.Flags) - unsafe.Offsetof(C.hapco_record{}.flags)]byte
	_ [unsafe.Offsetof(C.hapco_record{}.flags) - unsafe.Offsetof(haptics.Record{}.Flags)]byte
	_ [unsafe.Offsetof(haptics.Record{}.Position) - unsafe.Offsetof(C.hapco_record{}.position)]byte
	_ [unsafe.Offsetof(C.hapco_record{}.position) - unsafe.Offsetof(haptics.Record{}.Position)]byte
	_ [unsafe.Offsetof(haptics.Record{}.Residual) - unsafe.Offsetof(C.hapco_record{}.residual)]byte
	_ [unsafe.Offsetof(C.hapco_record{}.residual) - unsafe.Offsetof(haptics.Record{}.Residual)]byte
	_ [len(haptics.FlagNames) - C.HAPCO_FLAGS]byte
	_ [C.HAPCO_FLAGS - len(haptics.FlagNames)]byte
)

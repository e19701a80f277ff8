package output

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hapco/physics/files/atomicfile"
)

// Compile builds the C++ program of another engine in a folder of its own, which clean removes. The error is one line:
// there is no comparison with who, why, and the cure.
func Compile(ctx context.Context, who, packages string, source []byte, flags ...string) (program string, clean func(), err error) {
	cure := "(cure: apt-get install g++ " + packages + ")"
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return "", nil, errors.New("no comparison with " + who + ": no g++ " + cure)
	}
	folder, err := os.MkdirTemp("", "hapco-peer-")
	if err != nil {
		return "", nil, fmt.Errorf("no comparison with %s: %w", who, err)
	}
	clean = func() { os.RemoveAll(folder) }
	at := filepath.Join(folder, "peer.cpp")
	program = filepath.Join(folder, "peer")
	if err = atomicfile.Write(at, atomicfile.Bytes(source)); err != nil {
		clean()
		return "", nil, fmt.Errorf("no comparison with %s: %w", who, err)
	}
	args := append([]string{"-O3", "-DNDEBUG", at, "-o", program}, flags...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		clean()
		first, _, _ := strings.Cut(strings.ReplaceAll(string(out), folder+"/", ""), "\n")
		return "", nil, fmt.Errorf("no comparison with %s: the compiler says %q %s", who, first, cure)
	}
	return program, clean, nil
}

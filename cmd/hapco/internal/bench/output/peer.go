package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hapco/physics/files/atomicfile"
)

// Peer is the program of another engine that a bench is compared with.
type Peer struct{ who, Folder, Program string }

// Compile builds one in a folder of its own. packages are what has it, the compiler first. The error is one line: there
// is no comparison with who, why, and the cure.
func Compile(ctx context.Context, who, packages string, source []byte, flags ...string) (p Peer, err error) {
	p.who = who
	cure := "(cure: apt-get install " + packages + ")"
	name, _, _ := strings.Cut(packages, " ")
	compiler, err := exec.LookPath(name)
	if err != nil {
		return p, errors.New("no comparison with " + who + ": no " + name + " " + cure)
	}
	if p.Folder, err = os.MkdirTemp("", "hapco-peer-"); err != nil {
		return p, fmt.Errorf("no comparison with %s: %w (cure: room for temporary files)", who, err)
	}
	p.Program = filepath.Join(p.Folder, "peer")
	at := p.Program + map[string]string{"gcc": ".c", "g++": ".cpp"}[name]
	if err = atomicfile.Write(at, atomicfile.Bytes(source)); err != nil {
		p.Remove()
		return p, fmt.Errorf("no comparison with %s: %w (cure: room for temporary files)", who, err)
	}
	args := append([]string{"-O3", "-DNDEBUG", at, "-o", p.Program}, flags...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		p.Remove()
		first, _, _ := strings.Cut(strings.ReplaceAll(string(out), p.Folder+"/", ""), "\n")
		return p, fmt.Errorf("no comparison with %s: the compiler says %q %s", who, first, cure)
	}
	return p, nil
}

// Run gives it an input and reads the JSON object that it answers.
func (p Peer) Run(ctx context.Context, in io.Reader, answer any) error {
	cmd := exec.CommandContext(ctx, p.Program)
	cmd.Stdin = in
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text[max(0, bytes.IndexByte(text, '{')):], answer)
	}
	if err != nil {
		return fmt.Errorf("no comparison with %s: %w", p.who, err)
	}
	return nil
}

// Remove removes its folder.
func (p Peer) Remove() { os.RemoveAll(p.Folder) }

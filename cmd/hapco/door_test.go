package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hapco/physics/machinery/testkit"
)

// `hapco serve` says in one line where its door is, and takes the path away at any signal; what it cannot serve it says in
// one line.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path, bin := filepath.Join(dir, "a.sock"), buildProgram(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		c := exec.Command(bin, "serve", "gyroscope", "--socket", path)
		pipe, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(pipe).ReadString('\n')
		if !strings.HasSuffix(line, "at "+path+"\n") {
			t.Errorf("%q", line)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if status := c.ProcessState.ExitCode(); status != exitInterrupted {
			t.Errorf("%v: status %d", sig, status)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%v: the path is still there", sig)
		}
	}
	c := exec.Command(bin, "serve", "packing", "--socket", path) // while it makes steps that take long
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var conn net.Conn
	testkit.Eventually(t, "the door", func() bool {
		var err error
		conn, err = net.Dial("unix", path)
		return err == nil
	})
	defer conn.Close()
	for _, text := range append([]string{`{"op":"hello","version":1,"hold":true}`}, slices.Repeat([]string{`{"op":"step","dt":0.5}`}, 100)...) {
		if _, err := conn.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadFull(conn, make([]byte, 8)); err != nil { // it has begun
		t.Fatal(err)
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	if _, err := os.Lstat(path); err == nil || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, %v", c.ProcessState, err)
	}
	for _, args := range [][]string{{"serve", "gyroscope", "--socket", "/no/such/folder/a"}, {"serve", "gyroscope", "--idle", "0"}} {
		if status, _, text := hapco(t, args...); status != exitBadInput || strings.Count(text, "\n") != 1 || !strings.Contains(text, "cure") {
			t.Errorf("%v: status %d, %s", args, status, text)
		}
	}
}

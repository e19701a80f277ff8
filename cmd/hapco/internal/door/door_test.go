package door

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hapco/cmd/internal/stepped"
	"hapco/physics/machinery/testkit"
	_ "hapco/physics/worlds"
)

// packed is a message of a client.
func packed(text string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, 0)
	return append(b, text...)
}

// answered reads a reply.
func answered(r io.Reader) (p Reply, data []byte, err error) {
	var head [headSize]byte
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return p, nil, err
	}
	b := make([]byte, binary.LittleEndian.Uint32(head[:]))
	data = make([]byte, binary.LittleEndian.Uint32(head[4:]))
	if _, err = io.ReadFull(r, b); err == nil {
		_, err = io.ReadFull(r, data)
	}
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	return p, data, err
}

// served is a world behind a door.
func served(t *testing.T, change func(s *Server)) (path string, s *Server, said func() []string) {
	t.Helper()
	w, err := stepped.Open("ice-billiard", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "a.sock")
	steps := NewSteps(w)
	s, err = New(path, steps)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var lines []string
	s.Notify = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	if change != nil {
		change(s)
	}
	s.Serve()
	t.Cleanup(func() {
		s.Close()
		s.group.Wait()
		if err := steps.Close(); err != nil {
			t.Error(err)
		}
	})
	return path, s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), lines...)
	}
}

func dial(t *testing.T, path string) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(testkit.Hang))
	return c
}

// ask sends a request and reads its reply.
func ask(t *testing.T, c net.Conn, text string) (Reply, []byte) {
	t.Helper()
	if _, err := c.Write(packed(text)); err != nil {
		t.Fatal(err)
	}
	p, data, err := answered(c)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p, data
}

const hello = `{"op":"hello","version":1}`
const holds = `{"op":"hello","version":1,"hold":true}`

// The path is the owner's alone, in a folder of the owner's; it goes with the server, another's file stays.
func TestPathIsTheOwners(t *testing.T) {
	path, s, _ := served(t, nil)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := New(path, nil); err == nil || !strings.Contains(err.Error(), "served already") {
		t.Error(err)
	}
	s.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the path is still there")
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(path), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(open, "a.sock"), file, filepath.Join(open, "none", "a"), filepath.Join(filepath.Dir(path), strings.Repeat("x", 120))} {
		if s, err := New(bad, nil); err == nil {
			s.Close()
			t.Errorf("%s was taken", bad)
		} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "cure") {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	// what a killed program has left is replaced
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	again, err := New(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// A path that is there is answered, from its first moment on.
func TestAPathThatIsThereIsAnswered(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		path := filepath.Join(dir, strconv.Itoa(i))
		dialled := make(chan error)
		go func() {
			for {
				c, err := net.Dial("unix", path)
				if !errors.Is(err, fs.ErrNotExist) {
					if err == nil {
						c.Close()
					}
					dialled <- err
					return
				}
			}
		}()
		s, err := New(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-dialled; err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		s.Close()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Error(left, err)
	}
}

// One client holds the stylus and changes the world; others look. With it go its snapshots, and another may take it.
func TestOneHolds(t *testing.T) {
	path, _, _ := served(t, nil)
	a, b := dial(t, path), dial(t, path)
	if p, data := ask(t, a, holds); p.Code != 0 || len(data) == 0 {
		t.Fatalf("%+v", p)
	}
	if p, _ := ask(t, b, holds); p.Code != stepped.CodeBusy {
		t.Errorf("%+v", p)
	}
	b = dial(t, path)
	ask(t, b, hello)
	if p, _ := ask(t, a, `{"op":"step"}`); p.Code != 0 {
		t.Errorf("%+v", p)
	}
	for _, text := range []string{`{"op":"step"}`, `{"op":"set","key":"friction","value":1}`, `{"op":"reset"}`, `{"op":"snapshot"}`, `{"op":"record"}`} {
		if p, _ := ask(t, b, text); p.Code != stepped.CodeBusy || !strings.Contains(p.Text, "cure") {
			t.Errorf("%s: %+v", text, p)
		}
	}
	_, mine := ask(t, a, `{"op":"report"}`)
	if p, theirs := ask(t, b, `{"op":"report"}`); p.Code != 0 || !bytes.Equal(mine, theirs) || len(mine) == 0 {
		t.Errorf("%+v", p)
	}
	for range mostSnapshots {
		if p, _ := ask(t, a, `{"op":"snapshot"}`); p.Code != 0 {
			t.Fatalf("%+v", p)
		}
	}
	if p, _ := ask(t, a, `{"op":"snapshot"}`); p.Code != stepped.CodeInvalid {
		t.Errorf("%+v", p)
	}
	a.Close()
	testkit.Eventually(t, "the stylus", func() bool {
		c := dial(t, path)
		p, _ := ask(t, c, holds)
		if p.Code != 0 {
			return false
		}
		p, _ = ask(t, c, `{"op":"restore","index":1}`)
		return p.Code == stepped.CodeUnknown
	})
}

// slow is a world that takes its time when a client has gone.
type slow struct{ left, over chan struct{} }

func (slow) About() (any, []Array)                      { return nil, nil }
func (slow) Do(*Client, *Request) (any, []Array, error) { return nil, nil, nil }
func (s slow) Left(c *Client) {
	if c.Holds {
		s.left <- struct{}{}
		<-s.over
	}
}

// The next client holds the stylus only after the world has taken back what the last one had.
func TestNextHolderWaits(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.sock")
	w := slow{make(chan struct{}), make(chan struct{})}
	s, err := New(path, w)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve()
	defer s.Close()
	a := dial(t, path)
	ask(t, a, holds)
	a.Close()
	<-w.left
	if p, _ := ask(t, dial(t, path), holds); p.Code != stepped.CodeBusy {
		t.Errorf("%+v", p)
	}
	close(w.over)
	var last net.Conn
	testkit.Eventually(t, "the stylus", func() bool {
		last = dial(t, path)
		p, _ := ask(t, last, holds)
		return p.Code == 0
	})
	last.Close()
	<-w.left
}

// hostile are messages that are none, or ask for what there is not, and the code of the answer.
var hostile = []struct {
	bytes []byte
	code  stepped.Code
	last  bool // the connection ends with it
}{
	{[]byte("GET / HTTP/1.1\r\n\r\n"), stepped.CodeInvalid, true},
	{[]byte{255, 255, 255, 255, 0, 0, 0, 0}, stepped.CodeInvalid, true},
	{[]byte{1, 0, 0, 0, 255, 255, 255, 255}, stepped.CodeInvalid, true},
	{[]byte{0, 0, 0, 0, 0, 0, 0, 0}, stepped.CodeInvalid, true},
	{packed(`{`), stepped.CodeInvalid, false},
	{packed(strings.Repeat("[", mostAsked)), stepped.CodeInvalid, false},
	{packed(`{"op":"step"} {"op":"step"}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","pose":[NaN,0,0,0,0,0,1]}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","pose":[1e999,0,0,0,0,0,1]}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","pose":[1e300,0,0,0,0,0,1]}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","pose":[0,0,0,0,0,0,0]}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","pose":[0,0,0]}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","dt":-1}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","dt":1e300}`), stepped.CodeInvalid, false},
	{packed(`{"op":"step","sudo":true}`), stepped.CodeInvalid, false},
	{packed(`{"op":"reach"}`), stepped.CodeInvalid, false},
	{packed(`{"op":"surface","index":-1}`), stepped.CodeUnknown, false},
	{packed(`{"op":"surface","index":9223372036854775807}`), stepped.CodeUnknown, false},
	{packed(`{"op":"shape","index":1000000}`), stepped.CodeUnknown, false},
	{packed(`{"op":"field","index":0,"field":1000}`), stepped.CodeUnknown, false},
	{packed(`{"op":"solid","index":7}`), stepped.CodeUnknown, false},
	{packed(`{"op":"get","key":"none"}`), stepped.CodeUnknown, false},
	{packed(`{"op":"set","key":"friction","value":-5}`), stepped.CodeFailed, false},
	{packed(`{"op":"set","key":"friction","word":"much"}`), stepped.CodeUnknown, false},
	{packed(`{"op":"restore","index":5}`), stepped.CodeUnknown, false},
	{packed(`{"op":"fetch","from":-1}`), stepped.CodeInvalid, false},
	{packed(`{"op":"` + strings.Repeat("x", 60000) + `"}`), stepped.CodeUnknown, false},
	{packed(`null`), stepped.CodeUnknown, false},
}

// Nothing that a client says harms the world: each gets one line, and a world that has been asked all of that goes on
// with the same bytes as one that has not.
func TestHostileClients(t *testing.T) {
	path, _, said := served(t, nil)
	quiet, _, _ := served(t, nil)
	var conns [2]net.Conn
	for i, p := range []string{path, quiet} {
		conns[i] = dial(t, p)
		ask(t, conns[i], holds)
	}
	step := func(i int) []byte {
		p, data := ask(t, conns[i], `{"op":"step","pose":[0.01,0,0,0,0,0,1]}`)
		if p.Code != 0 {
			t.Fatalf("%+v", p)
		}
		return data
	}
	for _, h := range hostile {
		c := conns[0]
		if h.last { // as somebody else
			c = dial(t, path)
			ask(t, c, hello)
		}
		if _, err := c.Write(h.bytes); err != nil {
			t.Fatal(err)
		}
		p, _, err := answered(c)
		if err != nil || p.Code != h.code || strings.Contains(p.Text, "\n") || !strings.Contains(p.Text, "(cure: ") || len(p.Text) > 2000 {
			t.Errorf("%.60q: %v, %+v", h.bytes, err, p)
		}
		if h.last {
			if _, _, err := answered(c); err == nil {
				t.Errorf("%.60q: the connection goes on", h.bytes)
			}
		}
		if !bytes.Equal(step(0), step(1)) {
			t.Fatalf("%.60q: another step after it", h.bytes)
		}
	}
	// before a hello nothing is answered, and who breaks off in a message is forgotten
	c := dial(t, path)
	if p, _ := ask(t, c, `{"op":"report"}`); p.Code != stepped.CodeInvalid {
		t.Errorf("%+v", p)
	}
	c = dial(t, path)
	_, _ = c.Write(packed(hello)[:11])
	c.Close()
	testkit.Eventually(t, "lines", func() bool { return len(said()) >= 5 })
	for _, line := range said() {
		if strings.Contains(line, "\n") || !strings.HasPrefix(line, "a client is let go: ") {
			t.Errorf("%q", line)
		}
	}
}

// Connections are bounded, silent ones end, and who has asked nothing for long gives its place away.
func TestClientsAreBounded(t *testing.T) {
	path, s, _ := served(t, func(s *Server) { s.Most, s.Idle = 2, 300*time.Millisecond })
	holder := dial(t, path)
	ask(t, holder, holds)
	other := dial(t, path)
	ask(t, other, hello)
	third := dial(t, path)
	if p, _ := ask(t, third, hello); p.Code != stepped.CodeBusy || !strings.Contains(p.Text, "2 clients") {
		t.Errorf("%+v", p)
	}
	// the other asks nothing: it is told so
	p, _, err := answered(other)
	if err != nil || p.Code != stepped.CodeClosed || !strings.Contains(p.Text, "cure") {
		t.Errorf("%v, %+v", err, p)
	}
	testkit.Eventually(t, "the end of all", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.clients) == 0 && s.holder == nil
	})
	// many that say nothing: the later ones are hung up on
	refused := 0
	var all []net.Conn
	for range silent*2 + 5 {
		all = append(all, dial(t, path))
	}
	for _, c := range all {
		_ = c.SetDeadline(time.Now().Add(testkit.Hang))
		if _, _, err := answered(c); err != nil { // the others are told what they have not asked
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("%d of %d were hung up on", refused, len(all))
	}
	if p, _ := ask(t, dial(t, path), holds); p.Code != 0 {
		t.Errorf("%+v", p)
	}
}

// The decoder neither panics nor takes more memory than a message may have, and what it takes it would write again.
func FuzzRequest(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.bytes)
	}
	f.Add(packed(holds))
	f.Add(packed(`{"op":"step","pose":[0,0,0,0,0,0,1],"dt":0.001}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		size, err := readHead(r)
		if err != nil {
			return
		}
		if size == 0 || size > mostAsked {
			t.Fatalf("%d bytes", size)
		}
		var q, again Request
		if err := readBody(r, size, &q); err != nil {
			if _, line := stepped.Classify(err); strings.Contains(line, "\n") {
				t.Errorf("%q", line)
			}
			return
		}
		text, err := json.Marshal(&q)
		if err != nil {
			t.Fatal(err)
		}
		if err := readBody(bytes.NewReader(text), uint32(len(text)), &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if other, _ := json.Marshal(&again); !bytes.Equal(text, other) {
			t.Errorf("%s is read as %s", text, other)
		}
	})
}

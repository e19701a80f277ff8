package door

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hapco/cmd/internal/stepped"
	"hapco/physics/machinery/failsafe"
)

const (
	greetLimit = 2 * time.Second // until a client has said hello
	frameLimit = 5 * time.Second // for the rest of a message, and for an answer to be taken
	silent     = 4               // times Server.Most: connections, also of who has said nothing yet
	mostLines  = 20              // said about clients that were let go
	longest    = 107 - 8         // bytes of a socket's path, with room for a process number
)

// World is what clients are let into. Its methods may be called from several goroutines; what they return is the
// caller's.
type World interface {
	// About is told to who says hello.
	About() (data any, arrays []Array)
	// Do does what a client asks for.
	Do(c *Client, q *Request) (data any, arrays []Array, err error)
	// Left hears that a client has gone.
	Left(c *Client)
}

// Client is who asks.
type Client struct {
	Holds bool // the stylus: it alone changes the world

	conn    *net.UnixConn
	greeted bool      // under the server's mu, as all below
	busy    bool      // it is being answered
	quiet   time.Time // since when it has asked nothing
}

// Server answers clients on a Unix socket.
type Server struct {
	Most   int               // clients at a time
	Idle   time.Duration     // after which a client that asks nothing is let go
	Notify func(line string) // hears of clients that are let go

	path     string
	world    World
	listener *net.UnixListener
	file     fs.FileInfo // of the socket, to know it again
	drop     func()      // of failsafe

	mu      sync.Mutex
	clients map[*Client]bool
	holder  *Client
	closed  bool
	said    int
	group   failsafe.Group
}

// DefaultFolder is where sockets lie without a path: a folder of the user's alone, made where there is none.
func DefaultFolder() (string, error) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		var err error
		if base, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("%w (cure: --socket PATH)", err)
		}
	}
	dir := filepath.Join(base, "hapco")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w (cure: --socket PATH)", err)
	}
	return dir, nil
}

// New begins to listen on a path with the owner's rights only, in a folder that nobody else may write to. A socket
// that nobody answers on any more is replaced; anything else of that name stays, and is an error.
func New(path string, world World) (*Server, error) {
	if len(path) > longest {
		return nil, fmt.Errorf("%s: %d bytes are too many for a socket (cure: a path of %d at most)", path, len(path), longest)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: make the folder first)", err)
	}
	st, _ := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || st == nil || st.Uid != uint32(os.Geteuid()) || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s: others may write to this folder (cure: a folder of your own, chmod go-w)", dir)
	}
	if old, err := os.Lstat(path); err == nil {
		if old.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("%s is there already (cure: another path)", path)
		}
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			if err == nil {
				c.Close()
			}
			return nil, fmt.Errorf("%s is served already (cure: another path)", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	// A path that is there is answered: it gets its name when it listens.
	unnamed := fmt.Sprintf("%s.%d", path, os.Getpid())
	os.Remove(unnamed)       // of a killed program
	old := unix.Umask(0o177) // it is nobody else's at no time
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: unnamed, Net: "unix"})
	unix.Umask(old)
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // Close looks whether it is ours
	err = os.Link(unnamed, path)
	os.Remove(unnamed)
	if err != nil {
		l.Close()
		return nil, err
	}
	s := &Server{Most: 8, Idle: 10 * time.Minute, path: path, world: world, listener: l, clients: map[*Client]bool{}}
	if s.file, err = os.Lstat(path); err != nil {
		l.Close()
		return nil, err
	}
	// A signal or a panic shuts the door before anything else: the path goes even where the program ends at once.
	s.drop = failsafe.Hold(s.unlink, func() bool { return true })
	return s, nil
}

// unlink removes the path, unless it is another's by now.
func (s *Server) unlink() {
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.file) {
		os.Remove(s.path)
	}
}

// Serve lets clients in until Close.
func (s *Server) Serve() {
	s.group.Go(func() {
		for {
			conn, err := s.listener.AcceptUnix()
			if err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				time.Sleep(10 * time.Millisecond) // no file is left for it
				continue
			}
			c := &Client{conn: conn, quiet: time.Now()}
			if s.admit(c) {
				s.group.Go(func() { s.talk(c) })
			}
		}
	})
}

// admit hangs up on who is not this user, and on who comes when very many have not said hello yet.
func (s *Server) admit(c *Client) bool {
	if !sameUser(c.conn) {
		c.conn.Close()
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= silent*s.Most {
		c.conn.Close()
		return false
	}
	s.clients[c] = true
	return true
}

// room finds a place for who has said hello: where all are taken, that of who has asked nothing for longest and holds
// nothing. Under mu.
func (s *Server) room() error {
	var idle *Client
	n := 0
	for o := range s.clients {
		if o.greeted {
			if n++; !o.busy && s.holder != o && (idle == nil || o.quiet.Before(idle.quiet)) {
				idle = o
			}
		}
	}
	switch {
	case n < s.Most:
	case idle == nil || time.Since(idle.quiet) < greetLimit:
		return &stepped.Failure{Code: stepped.CodeBusy, Text: fmt.Sprintf("there are %d clients already (cure: close one)", n)}
	default:
		delete(s.clients, idle)
		idle.conn.Close() // its talk ends
	}
	return nil
}

// sameUser tells whether the other end is this user's, or root's: what the rights of the path ask for already.
func sameUser(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	ok := false
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		ok = err == nil && (peer.Uid == uint32(os.Geteuid()) || peer.Uid == 0)
	})
	return ok && err == nil
}

// talk answers a client until it goes, or breaks the form.
func (s *Server) talk(c *Client) {
	why := s.answer(c)
	c.conn.Close()
	s.world.Left(c) // before another may hold the stylus: it takes back what this one has asked for
	s.mu.Lock()
	delete(s.clients, c)
	if s.holder == c {
		s.holder = nil
	}
	told := why != nil && s.Notify != nil && !s.closed && s.said < mostLines
	if told {
		s.said++
	}
	s.mu.Unlock()
	if told {
		_, line := stepped.Classify(why)
		s.Notify("a client is let go: " + line)
	}
}

// answer answers until the client goes, which is no error.
func (s *Server) answer(c *Client) (why error) {
	greeted := false
	var q Request
	for {
		limit := s.Idle
		if !greeted {
			limit = min(limit, greetLimit)
		}
		s.rest(c, false)
		_ = c.conn.SetReadDeadline(time.Now().Add(limit))
		size, err := readHead(c.conn)
		if err == nil {
			_ = c.conn.SetReadDeadline(time.Now().Add(frameLimit))
			err = readBody(c.conn, size, &q)
		}
		s.rest(c, true)
		var bad *stepped.Failure
		var form malformed
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = stepped.Invalid("it has asked nothing for %v (cure: connect again)", limit)
			_ = s.tell(c, &Reply{Code: stepped.CodeClosed, Text: err.Error()})
			return err
		case errors.As(err, &bad):
			if s.tell(c, &Reply{Code: bad.Code, Text: bad.Text}) != nil || !greeted || errors.As(err, &form) {
				return bad
			}
			continue
		case err != nil:
			if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		if greeted {
			err = s.do(c, &q)
		} else {
			err, greeted = s.greet(c, &q), true
		}
		if err != nil {
			return err
		}
	}
}

// rest notes that a client asks nothing, or does.
func (s *Server) rest(c *Client, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.quiet, c.busy = time.Now(), busy
}

// tell writes a reply within a time.
func (s *Server) tell(c *Client, p *Reply) error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(frameLimit))
	err := write(c.conn, p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("it does not take its answers")
	}
	return err
}

// greet hears a hello.
func (s *Server) greet(c *Client, q *Request) error {
	var err error
	switch {
	case q.Op != "hello":
		err = stepped.Invalid("%.40q before hello (cure: hello first)", q.Op)
	case q.Version != Version:
		err = stepped.Invalid("version %d (cure: a client of version %d, as this program's)", q.Version, Version)
	default:
		s.mu.Lock()
		if q.Hold && s.holder != nil {
			err = &stepped.Failure{Code: stepped.CodeBusy, Text: "another client holds the stylus (cure: hold=False only looks)"}
		} else if err = s.room(); err == nil {
			c.greeted, c.Holds = true, q.Hold
			if q.Hold {
				s.holder = c
			}
		}
		s.mu.Unlock()
	}
	if err != nil {
		code, text := stepped.Classify(err)
		_ = s.tell(c, &Reply{Code: code, Text: text})
		return err
	}
	data, arrays := s.world.About()
	return s.tell(c, &Reply{Data: data, Arrays: arrays})
}

// do does what is asked for.
func (s *Server) do(c *Client, q *Request) error {
	var p Reply
	var err error
	func() {
		defer stepped.Recovered(&err)
		p.Data, p.Arrays, err = s.world.Do(c, q)
	}()
	if err != nil {
		p = Reply{}
		p.Code, p.Text = stepped.Classify(err)
	}
	return s.tell(c, &p)
}

// Close removes the path and ends all connections. What the world is busy with is not waited for.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.unlink()
	s.drop()
	s.listener.Close()
	for c := range s.clients {
		c.conn.Close()
	}
	s.mu.Unlock()
}

package telemetry

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"hapco/haptics/record"
	"hapco/physics/machinery/failsafe"
)

// Server sends messages as they come to Foxglove and to whatever else speaks its websocket protocol. Clients may
// listen, and nothing else: what they publish or set is refused. A client that is too slow misses messages, and who
// falls behind for good, says nothing or wants nothing loses its connection, so that nobody keeps others out.
//
// Protocol: Foxglove WebSocket protocol v1, github.com/foxglove/ws-protocol.
type Server struct {
	channels []*record.Channel
	listener net.Listener
	http     *http.Server
	local    bool // it listens to this machine only
	name     string

	mu      sync.Mutex
	closed  bool
	ended   chan struct{} // closed with the server
	clients map[*client]bool
	kept    map[*record.Channel]message // the newest of those that come seldom
}

const (
	protocol        = "foxglove.websocket.v1"
	defaultPort     = 8765
	mostClients     = 8
	mostConnections = 32        // clients, and who has not said yet what it wants
	queue           = 1024      // messages that a client may be behind
	mostMissed      = 4 * queue // messages in a row for which a client had no room
	mostRead        = 64 << 10  // bytes of a client's message
	mostHeader      = 16 << 10  // bytes of a request's header
	writeLimit      = 5 * time.Second

	// Once a round every client is asked for a sign of life, and has until the next to give it. One that is subscribed
	// to nothing is let go after some rounds, or where another wants its place.
	round      = 10 * time.Second
	idleRounds = 6
)

// headerLimit is how long a request may take until all of its header is here.
var headerLimit = writeLimit

// origins are the pages that may connect from a browser, besides those of this machine.
var origins = []string{"app.foxglove.dev", "studio.foxglove.dev", "localhost:*", "localhost", "127.0.0.1:*", "127.0.0.1", `\[::1\]:*`, `\[::1\]`}

// client is one connection.
type client struct {
	out  chan message
	beat chan struct{}                               // has room for one: a sign of life is wanted
	end  func(code websocket.StatusCode, why string) // ends the connection; it does not wait

	// Under the server's mu.
	missed int                        // messages in a row
	ids    map[*record.Channel]uint32 // subscription of each channel
	owes   bool                       // a sign of life
	quiet  int                        // rounds without a subscription
}

func newClient() *client {
	return &client{out: make(chan message, queue), beat: make(chan struct{}, 1), ids: map[*record.Channel]uint32{}}
}

// message waits to be sent.
type message struct {
	channel *record.Channel
	at      int64
	data    []byte
}

// Serve begins to listen on an address, such as 127.0.0.1:8765; without a host on this machine alone. name is what
// clients show.
func Serve(address, name string, channels []*record.Channel) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		if _, e := strconv.ParseUint(address, 10, 16); e != nil {
			return nil, fmt.Errorf("%q is no address (cure: 127.0.0.1:%d, or a port alone)", address, defaultPort)
		}
		host, port = "", address
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%w (cure: another address or port)", err)
	}
	s := &Server{channels: channels, listener: l, name: name, clients: map[*client]bool{}, kept: map[*record.Channel]message{}}
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		s.local = a.IP.IsLoopback()
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.accept), ReadTimeout: headerLimit, ReadHeaderTimeout: headerLimit, MaxHeaderBytes: mostHeader, ErrorLog: log.New(io.Discard, "", 0)}
	s.http.SetKeepAlivesEnabled(false)
	s.ended = make(chan struct{})
	failsafe.Go(func() { _ = s.http.Serve(&bounded{Listener: l}) })
	failsafe.Go(s.rounds)
	return s, nil
}

// bounded is a listener that hangs up on who comes when there are many already.
type bounded struct {
	net.Listener
	open atomic.Int32
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if b.open.Add(1) <= mostConnections {
			return &counted{Conn: c, of: b}, nil
		}
		b.open.Add(-1)
		c.Close()
	}
}

// counted is a connection of a bounded listener.
type counted struct {
	net.Conn
	of   *bounded
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Conn.Close()
}

// rounds are made until the server closes.
func (s *Server) rounds() {
	t := time.NewTicker(round)
	defer t.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-t.C:
			s.round()
		}
	}
}

// round lets go of who has not given a sign of life since the last, or has wanted nothing for long, and asks the
// others.
func (s *Server) round() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		owes := c.owes
		c.owes = true
		if c.quiet++; len(c.ids) > 0 {
			c.quiet = 0
		}
		switch {
		case owes:
			s.drop(c, "no sign of life")
		case c.quiet > idleRounds:
			s.drop(c, "subscribed to nothing")
		default:
			select {
			case c.beat <- struct{}{}:
			default:
			}
		}
	}
}

// drop lets a client go; its place is free at once. Under mu.
func (s *Server) drop(c *client, why string) {
	delete(s.clients, c)
	c.end(websocket.StatusPolicyViolation, why)
}

// room finds a place for a client: where all are taken, that of who has been subscribed to nothing for longest. Under
// mu.
func (s *Server) room() bool {
	if len(s.clients) < mostClients {
		return true
	}
	var idle *client
	longest := 0
	for c := range s.clients {
		if len(c.ids) == 0 && c.quiet > longest {
			idle, longest = c, c.quiet
		}
	}
	if idle == nil {
		return false
	}
	s.drop(idle, "subscribed to nothing, and another wants the place")
	return true
}

// Address is where it listens, such as 127.0.0.1:8765.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends all connections.
func (s *Server) Close() error {
	err := s.http.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		close(s.ended)
	}
	s.closed = true
	for c := range s.clients {
		close(c.out)
		delete(s.clients, c)
	}
	return err
}

// Publish sends a message to those who subscribed to its channel. It does not wait. It is a Sink, but may be called
// from any goroutine.
func (s *Server) Publish(c *record.Channel, at int64, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := c == &Parameters
	if len(s.clients) == 0 && !keep {
		return
	}
	m := message{c, at, append([]byte(nil), data...)}
	if keep {
		s.kept[c] = m
	}
	for to := range s.clients {
		if to.offer(m); to.missed > mostMissed {
			s.drop(to, "too slow")
		}
	}
}

// offer queues a message where there is room. Under the server's mu.
func (c *client) offer(m message) {
	if _, wanted := c.ids[m.channel]; !wanted {
		return
	}
	select {
	case c.out <- m:
		if len(c.out) < queue/2 { // it has caught up
			c.missed = 0
		}
	default: // too slow
		c.missed++
	}
}

// here tells whether a request was sent to a name of this machine: a page elsewhere whose name was made to lead here
// says another.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ours tells whether a request comes from no page, or from one of Origins. That a page's name is the one that was asked
// for says nothing: whoever owns a name can let it lead here.
func ours(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && slices.ContainsFunc(origins, func(pattern string) bool {
		fits, _ := path.Match(pattern, strings.ToLower(u.Host))
		return fits
	})
}

func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	if s.local && !here(r.Host) {
		http.Error(w, "hapco listens to this machine only", http.StatusForbidden)
		return
	}
	if !ours(r.Header.Get("Origin")) {
		http.Error(w, "hapco does not send to this page", http.StatusForbidden)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, OriginPatterns: origins})
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow()
	if conn.Subprotocol() != protocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "subprotocol "+protocol+" is needed")
		return
	}
	conn.SetReadLimit(mostRead)
	c := newClient()
	c.end = func(code websocket.StatusCode, why string) {
		failsafe.Go(func() { _ = conn.Close(code, why) }) // it waits for the other's word
	}
	s.mu.Lock()
	full := s.closed || !s.room()
	if !full {
		s.clients[c] = true
	}
	s.mu.Unlock()
	if full {
		_ = conn.Close(websocket.StatusTryAgainLater, "too many listeners")
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer s.leave(c)
	if s.greet(ctx, conn) != nil {
		return
	}
	failsafe.Go(func() {
		defer cancel()
		s.send(ctx, c, conn)
	})
	failsafe.Go(func() { s.live(ctx, c, conn) })
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if err := s.hear(c, kind, data); err != nil {
			text, _ := json.Marshal(map[string]any{"op": "status", "level": 2, "message": err.Error()})
			if write(ctx, conn, websocket.MessageText, text) != nil {
				return
			}
		}
	}
}

// live gives the server a client's signs of life, when it asks for one.
func (s *Server) live(ctx context.Context, c *client, conn *websocket.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.beat:
		}
		if conn.Ping(ctx) != nil {
			return
		}
		s.mu.Lock()
		c.owes = false
		s.mu.Unlock()
	}
}

func (s *Server) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c)
}

func write(ctx context.Context, conn *websocket.Conn, kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return conn.Write(ctx, kind, data)
}

// greet says what there is.
func (s *Server) greet(ctx context.Context, conn *websocket.Conn) error {
	type channel struct {
		ID             int    `json:"id"`
		Topic          string `json:"topic"`
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		Schema         string `json:"schema"`
		SchemaEncoding string `json:"schemaEncoding"`
	}
	var list []channel
	for i, c := range s.channels {
		list = append(list, channel{i + 1, c.Topic, "json", c.Name, c.Schema, "jsonschema"})
	}
	for _, v := range []any{
		map[string]any{"op": "serverInfo", "name": s.name, "capabilities": []string{}, "metadata": map[string]string{}},
		map[string]any{"op": "advertise", "channels": list},
	} {
		text, err := json.Marshal(v)
		if err == nil {
			err = write(ctx, conn, websocket.MessageText, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hear does what a client asks for.
func (s *Server) hear(c *client, kind websocket.MessageType, data []byte) error {
	var m struct {
		Op            string `json:"op"`
		Subscriptions []struct {
			ID      uint32 `json:"id"`
			Channel int    `json:"channelId"`
		} `json:"subscriptions"`
		IDs []uint32 `json:"subscriptionIds"`
	}
	if kind != websocket.MessageText {
		return errors.New("hapco is read-only: nothing may be published")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("not understood: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Op {
	case "subscribe":
		for _, sub := range m.Subscriptions {
			if sub.Channel < 1 || sub.Channel > len(s.channels) {
				return fmt.Errorf("there is no channel %d", sub.Channel)
			}
			channel := s.channels[sub.Channel-1]
			c.ids[channel] = sub.ID
			if kept, ok := s.kept[channel]; ok && s.clients[c] { // else Close has closed its queue
				c.offer(kept)
			}
		}
	case "unsubscribe":
		maps.DeleteFunc(c.ids, func(_ *record.Channel, id uint32) bool { return slices.Contains(m.IDs, id) })
	default:
		return fmt.Errorf("hapco is read-only: %q is not done", m.Op)
	}
	return nil
}

// opMessage begins a message of data.
const opMessage = 1

// send writes what waits until the client has gone.
func (s *Server) send(ctx context.Context, c *client, conn *websocket.Conn) {
	var b []byte
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-c.out:
			if !ok {
				_ = conn.Close(websocket.StatusGoingAway, "hapco ends")
				return
			}
			s.mu.Lock()
			id, wanted := c.ids[m.channel]
			s.mu.Unlock()
			if !wanted {
				continue
			}
			b = append(b[:0], opMessage)
			b = binary.LittleEndian.AppendUint32(b, id)
			b = binary.LittleEndian.AppendUint64(b, uint64(max(0, m.at)))
			b = append(b, m.data...)
			if write(ctx, conn, websocket.MessageBinary, b) != nil {
				return
			}
		}
	}
}

package telemetry

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hapco/haptics/record"
	"hapco/physics/guard"
)

// Server sends messages as they come to Foxglove and to whatever else speaks its
// websocket protocol. Clients may listen, and nothing else: what they publish or set is
// refused. A client that is too slow misses messages.
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
	clients map[*client]bool
	kept    map[*record.Channel]message // the newest of those that come seldom
}

const (
	protocol    = "foxglove.websocket.v1"
	DefaultPort = 8765
	mostClients = 8
	queue       = 1024     // messages that a client may be behind
	mostRead    = 64 << 10 // bytes of a client's message
	writeLimit  = 5 * time.Second
)

// Origins are the pages that may connect from a browser, besides those of this machine.
var Origins = []string{"app.foxglove.dev", "studio.foxglove.dev", "localhost:*", "localhost", "127.0.0.1:*", "127.0.0.1", `\[::1\]:*`, `\[::1\]`}

// client is one connection.
type client struct {
	out chan message
	mu  sync.Mutex
	ids map[*record.Channel]uint32 // subscription of each channel
}

// message waits to be sent.
type message struct {
	channel *record.Channel
	at      int64
	data    []byte
}

// Serve begins to listen on an address, such as 127.0.0.1:8765; without a host on this
// machine alone. name is what clients show.
func Serve(address, name string, channels []*record.Channel) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		if _, e := strconv.ParseUint(address, 10, 16); e != nil {
			return nil, fmt.Errorf("%q is no address (cure: 127.0.0.1:%d, or a port alone)", address, DefaultPort)
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
	s.http = &http.Server{Handler: http.HandlerFunc(s.accept), ReadHeaderTimeout: writeLimit}
	guard.Go(func() { _ = s.http.Serve(l) })
	return s, nil
}

// Address is where it listens, such as 127.0.0.1:8765.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends all connections.
func (s *Server) Close() error {
	err := s.http.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.clients {
		close(c.out)
		delete(s.clients, c)
	}
	return err
}

// Publish sends a message to those who subscribed to its channel. It does not wait. It
// is a Sink, but may be called from any goroutine.
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
		to.offer(m)
	}
}

// offer queues a message where there is room.
func (c *client) offer(m message) {
	c.mu.Lock()
	_, wanted := c.ids[m.channel]
	c.mu.Unlock()
	if !wanted {
		return
	}
	select {
	case c.out <- m:
	default: // too slow
	}
}

// here tells whether a request was sent to a name of this machine: a page elsewhere whose
// name was made to lead here says another.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ours tells whether a request comes from no page, or from one of Origins. That a page's
// name is the one that was asked for says nothing: whoever owns a name can let it lead here.
func ours(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && slices.ContainsFunc(Origins, func(pattern string) bool {
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
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, OriginPatterns: Origins})
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow()
	if conn.Subprotocol() != protocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "subprotocol "+protocol+" is needed")
		return
	}
	conn.SetReadLimit(mostRead)
	c := &client{out: make(chan message, queue), ids: map[*record.Channel]uint32{}}
	s.mu.Lock()
	full := s.closed || len(s.clients) >= mostClients
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
	guard.Go(func() {
		defer cancel()
		c.send(ctx, conn)
	})
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
	switch m.Op {
	case "subscribe":
		for _, sub := range m.Subscriptions {
			if sub.Channel < 1 || sub.Channel > len(s.channels) {
				return fmt.Errorf("there is no channel %d", sub.Channel)
			}
			channel := s.channels[sub.Channel-1]
			c.mu.Lock()
			c.ids[channel] = sub.ID
			c.mu.Unlock()
			s.mu.Lock()
			if kept, ok := s.kept[channel]; ok && s.clients[c] { // else Close has closed its queue
				c.offer(kept)
			}
			s.mu.Unlock()
		}
	case "unsubscribe":
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, id := range m.IDs {
			for channel, was := range c.ids {
				if was == id {
					delete(c.ids, channel)
				}
			}
		}
	default:
		return fmt.Errorf("hapco is read-only: %q is not done", m.Op)
	}
	return nil
}

// opMessage begins a message of data.
const opMessage = 1

// send writes what waits until the client has gone.
func (c *client) send(ctx context.Context, conn *websocket.Conn) {
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
			c.mu.Lock()
			id, wanted := c.ids[m.channel]
			c.mu.Unlock()
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

package telemetry

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"hapco/physics/machinery/testkit"
)

func count(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clients)
}

// owing is how many clients owe a sign of life.
func owing(s *Server) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		if c.owes {
			n++
		}
	}
	return n
}

// listener is a client that reads, and what ended it.
func listener(t *testing.T, s *Server, subscribe bool) (ended chan error) {
	t.Helper()
	conn, _, err := dial(t, s, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	if subscribe {
		text, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": []map[string]int{{"id": 1, "channelId": 1}}})
		if err := conn.Write(t.Context(), websocket.MessageText, text); err != nil {
			t.Fatal(err)
		}
	}
	ended = make(chan error, 1)
	heard := make(chan struct{}, 16)
	go func() {
		for {
			if _, _, err := conn.Read(t.Context()); err != nil {
				ended <- err
				return
			}
			heard <- struct{}{}
		}
	}()
	for range 2 { // info and channels: it has its place
		testkit.Await(t, "the greeting", heard)
	}
	if subscribe {
		testkit.Eventually(t, "a subscription", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			n := 0
			for c := range s.clients {
				n += len(c.ids)
			}
			return n > 0
		})
	}
	return ended
}

// Clients that say nothing lose their places; who listens keeps its own.
func TestSilentClientsLoseTheirPlaces(t *testing.T) {
	s := serve(t)
	ended := listener(t, s, true)
	for k := 1; k < mostClients; k++ { // they do not read, and answer no ping
		if _, _, err := dial(t, s, nil, protocol); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "all clients", func() bool { return count(s) == mostClients })
	conn, _, err := dial(t, s, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("one more: %v", err)
	}
	s.round()
	testkit.Eventually(t, "a sign of life", func() bool { return owing(s) == mostClients-1 })
	s.round()
	if n := count(s); n != 1 {
		t.Errorf("%d clients are left", n)
	}
	testkit.Eventually(t, "a sign of life", func() bool { return owing(s) == 0 })
	listener(t, s, true)
	s.round()
	testkit.Eventually(t, "signs of life", func() bool { return owing(s) == 0 })
	if n := count(s); n != 2 || len(ended) > 0 {
		t.Errorf("%d clients, %d ended", n, len(ended))
	}
}

// A client that wants nothing is let go after some rounds, or when another wants its place.
func TestIdleClientsLoseTheirPlaces(t *testing.T) {
	s := serve(t)
	listens, idle := listener(t, s, true), listener(t, s, false)
	for k := range idleRounds + 1 {
		if n := count(s); n != 2 {
			t.Fatalf("%d clients in round %d", n, k)
		}
		s.round()
		testkit.Eventually(t, "signs of life", func() bool { return owing(s) == 0 })
	}
	if err := testkit.Await(t, "the end of the idle client", idle); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Error(err)
	}
	ends := make(chan error, mostClients)
	for k := 1; k < mostClients; k++ {
		idle := listener(t, s, false)
		go func() { ends <- <-idle }()
	}
	s.round()
	testkit.Eventually(t, "signs of life", func() bool { return owing(s) == 0 })
	if n := count(s); n != mostClients {
		t.Fatalf("%d clients", n)
	}
	newcomer := listener(t, s, true)
	if err := testkit.Await(t, "the end of an idle client", ends); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Error(err)
	}
	if n := count(s); n != mostClients || len(listens) > 0 || len(newcomer) > 0 {
		t.Errorf("%d clients; the first ended %d times, the last %d times", n, len(listens), len(newcomer))
	}
}

// Connections are bounded, and one that sends no request is closed.
func TestConnectionsAreBounded(t *testing.T) {
	old := headerLimit
	headerLimit = testkit.Hang
	defer func() { headerLimit = old }()
	s := serve(t)
	connect := func(s *Server) net.Conn {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	var silent []net.Conn
	for range mostConnections {
		silent = append(silent, connect(s))
	}
	if n, err := connect(s).Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("one connection more gets %d bytes, %v", n, err)
	}
	silent[0].Close()
	testkit.Eventually(t, "room", func() bool {
		conn, _, err := dial(t, s, nil, protocol)
		if err == nil {
			conn.CloseNow()
		}
		return err == nil
	})

	headerLimit = time.Millisecond
	s = serve(t)
	if n, err := connect(s).Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("a connection that says nothing gets %d bytes, %v", n, err)
	}
}

// What is no request of the protocol, or too large, gets an answer that says so, and its
// connection ends.
func TestMalformedRequests(t *testing.T) {
	s := serve(t)
	for request, status := range map[string]int{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                 http.StatusUpgradeRequired,
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*mostHeader) + "\r\n\r\n": http.StatusRequestHeaderFieldsTooLarge,
		"nonsense\r\n\r\n": http.StatusBadRequest,
	} {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(c)
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		if _, end := r.ReadByte(); answer.StatusCode != status || end == nil {
			t.Errorf("%.20q: status %d, %v", request, answer.StatusCode, end)
		}
		c.Close()
	}
	conn, _, err := dial(t, s, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	bad := []string{"", "{", "null", "[]", "7", `{"op":7}`, `{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}`, `{"op":"subscribe","subscriptions":[{"id":1,"channelId":1e99}]}`,
		`{"op":"subscribe","subscriptions":[{"id":1,"channelId":0}]}`, fmt.Sprintf(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":%d}]}`, len(channels)+1), `{"op":"unsubscribe","subscriptionIds":{}}`}
	for _, text := range bad {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for h := (heard{}); h.Op != "status"; {
			kind, data, err := conn.Read(t.Context())
			if err != nil || kind != websocket.MessageText || json.Unmarshal(data, &h) != nil {
				t.Fatalf("%q: %v, %v, %q", text, kind, err, data)
			}
			if h.Op == "status" && (h.Level != 2 || h.Message == "") {
				t.Errorf("%q: %+v", text, h)
			}
		}
	}
	if err := conn.Write(t.Context(), websocket.MessageText, make([]byte, mostRead+1)); err == nil {
		_, _, err = conn.Read(t.Context())
		if websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
			t.Errorf("a message of %d bytes: %v", mostRead+1, err)
		}
	}
	testkit.Eventually(t, "its place", func() bool { return count(s) == 0 })
}

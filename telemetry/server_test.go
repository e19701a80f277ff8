package telemetry

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"hapco/physics/machinery/testkit"
)

type heard struct {
	Op, Name, Message string
	Level             int
	Capabilities      []string
	Channels          []struct {
		ID                                                  int
		Topic, Encoding, SchemaName, Schema, SchemaEncoding string
	}
}

func dial(t *testing.T, s *Server, header http.Header, protocols ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Hang)
	t.Cleanup(cancel)
	conn, answer, err := websocket.Dial(ctx, "ws://"+s.Address()+"/", &websocket.DialOptions{Subprotocols: protocols, HTTPHeader: header, Host: header.Get("Host")})
	if err == nil {
		conn.SetReadLimit(1 << 20)
		t.Cleanup(func() { conn.CloseNow() })
	}
	return conn, answer, err
}

func serve(t *testing.T) *Server {
	t.Helper()
	s, err := Serve("0", "hapco liver", channels) // a port that is free, on this machine
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if !strings.HasPrefix(s.Address(), "127.0.0.1:") {
		t.Fatalf("it listens at %s", s.Address())
	}
	return s
}

// A client that speaks the protocol gets what it subscribed to, and may change nothing.
func TestClientListens(t *testing.T) {
	s := serve(t)
	info, keys, m := example()
	tape := NewTape(info, keys, s.Publish)
	tape.Take(m) // parameters are kept for who comes later
	tape.Drain()
	conn, _, err := dial(t, s, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	text := func() (h heard) {
		t.Helper()
		kind, data, err := conn.Read(t.Context())
		if err != nil || kind != websocket.MessageText {
			t.Fatalf("%v, %v", kind, err)
		}
		if err := json.Unmarshal(data, &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := text(); h.Op != "serverInfo" || h.Name != "hapco liver" || len(h.Capabilities) != 0 {
		t.Errorf("%+v", h)
	}
	ids := map[string]int{}
	h := text()
	for _, c := range h.Channels {
		ids[c.Topic] = c.ID
		if c.Encoding != "json" || c.SchemaEncoding != "jsonschema" || !json.Valid([]byte(c.Schema)) {
			t.Errorf("%+v", c)
		}
	}
	if h.Op != "advertise" || len(ids) != len(channels) {
		t.Errorf("%+v", h)
	}
	say := func(v any) {
		t.Helper()
		text, _ := json.Marshal(v)
		if err := conn.Write(t.Context(), websocket.MessageText, text); err != nil {
			t.Fatal(err)
		}
	}
	type sub struct {
		ID      int `json:"id"`
		Channel int `json:"channelId"`
	}
	data := func() (id uint32, at uint64, v map[string]any) {
		t.Helper()
		kind, b, err := conn.Read(t.Context())
		if err != nil || kind != websocket.MessageBinary || len(b) < 13 || b[0] != 1 {
			t.Fatalf("%v, %v, %q", kind, err, b)
		}
		if err := json.Unmarshal(b[13:], &v); err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint64(b[5:]), v
	}
	say(map[string]any{"op": "subscribe", "subscriptions": []sub{{70, ids[Parameters.Topic]}}})
	if id, _, v := data(); id != 70 || v["by_key"].(map[string]any)["friction"] != 0.3 {
		t.Errorf("%d, %v", id, v)
	}
	say(map[string]any{"op": "subscribe", "subscriptions": []sub{{71, ids[Steps.Topic]}}})
	say(map[string]any{"op": "setParameters", "parameters": []any{}}) // the answer tells that the subscription has been heard
	if h := text(); h.Op != "status" || h.Level != 2 || !strings.Contains(h.Message, "read-only") {
		t.Errorf("%+v", h)
	}
	m.Values = nil
	tape.Take(m)
	tape.Drain()
	if id, at, v := data(); id != 71 || at != uint64(m.At.UnixNano()) || v["step"] != 3.0 {
		t.Errorf("%d, %d, %v", id, at, v)
	}
	say(map[string]any{"op": "unsubscribe", "subscriptionIds": []int{70, 71}})
	if err := conn.Write(t.Context(), websocket.MessageBinary, []byte{1, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if h := text(); h.Op != "status" {
		t.Errorf("%+v", h)
	}
	tape.Take(m)
	tape.Drain()
	say(map[string]any{"op": "advertise"})
	if h := text(); h.Op != "status" { // and no data before it
		t.Errorf("%+v", h)
	}
}

// Pages from elsewhere, other names for this machine and other protocols are refused.
func TestServerRefuses(t *testing.T) {
	s := serve(t)
	for _, c := range []struct {
		header http.Header
		ok     bool
	}{
		{http.Header{"Origin": {"https://evil.example"}}, false},
		{http.Header{"Origin": {"https://app.foxglove.dev.evil.example"}}, false},
		{http.Header{"Host": {"evil.example:8765"}}, false},
		{http.Header{"Origin": {"https://app.foxglove.dev"}}, true},
		{http.Header{"Origin": {"http://localhost:8080"}}, true},
		{http.Header{}, true},
	} {
		_, answer, err := dial(t, s, c.header, protocol)
		if (err == nil) != c.ok || !c.ok && (answer == nil || answer.StatusCode != http.StatusForbidden) {
			t.Errorf("%v: %v, %v", c.header, err, answer)
		}
	}
	conn, _, err := dial(t, s, nil, "other.protocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("%v", err)
	}
	for _, address := range []string{"", "nonsense", "127.0.0.1", "1.2.3.4:99999", s.Address()} {
		if other, err := Serve(address, "", nil); err == nil {
			other.Close()
			t.Errorf("%q is taken", address)
		}
	}
}

// From the network too, a page is refused that was loaded by a name that leads here: the
// server is asked by that name, and the page is of the same.
func TestServerRefusesAPageThatLeadsHere(t *testing.T) {
	s := serve(t)
	s.local = false
	for origin, ok := range map[string]bool{"http://evil.example:8765": false, "null": false, "http://[::1]:8080": true, "https://app.foxglove.dev": true} {
		_, answer, err := dial(t, s, http.Header{"Host": {"evil.example:8765"}, "Origin": {origin}}, protocol)
		if (err == nil) != ok || !ok && (answer == nil || answer.StatusCode != http.StatusForbidden) {
			t.Errorf("%s: %v, %v", origin, err, answer)
		}
	}
}

// A client that asks for something while the server closes gets nothing, and ends nothing.
func TestClientAsksAClosedServer(t *testing.T) {
	s := serve(t)
	s.Publish(&Parameters, 1, []byte("{}"))
	c := newClient()
	s.clients[c] = true
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	text, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": []map[string]int{{"id": 1, "channelId": 2}}})
	if err := s.hear(c, websocket.MessageText, text); err != nil {
		t.Error(err)
	}
	if _, more := <-c.out; more {
		t.Error("it gets a message")
	}
}

// Who does not read is left behind, and nobody waits for it.
func TestSlowClientIsLeftBehind(t *testing.T) {
	s := serve(t)
	conn, _, err := dial(t, s, nil, protocol)
	if err != nil {
		t.Fatal(err)
	}
	for _, say := range []any{map[string]any{"op": "subscribe", "subscriptions": []map[string]int{{"id": 1, "channelId": 1}}}, map[string]any{"op": "nonsense"}} {
		text, _ := json.Marshal(say)
		if err := conn.Write(t.Context(), websocket.MessageText, text); err != nil {
			t.Fatal(err)
		}
	}
	for h := (heard{}); h.Op != "status"; { // then the subscription has been heard
		_, data, err := conn.Read(t.Context())
		if err != nil || json.Unmarshal(data, &h) != nil {
			t.Fatalf("%v, %q", err, data)
		}
	}
	data := make([]byte, 4096)
	published := 0
	for count(s) > 0 && published < 10*(queue+mostMissed) {
		s.Publish(&Steps, 1, data) // it would hang here
		published++
	}
	if count(s) > 0 || published < queue+mostMissed {
		t.Errorf("%d clients after %d messages", count(s), published)
	}
}

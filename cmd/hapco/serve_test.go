package main

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"hapco/physics/machinery/testkit"
)

// A running scene is seen by a client of Foxglove's protocol: ticks and steps arrive, with
// forces in them.
func TestRunServes(t *testing.T) {
	c := program("run", "bench-a-16", "--headless", "--seconds", "20", "--path", "penetration", "--device", "mouse", "--serve", "0")
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	address := ""
	for lines := bufio.NewScanner(pipe); address == "" && lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), "sending to "); ok {
			address, _, _ = strings.Cut(rest, ",")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Hang)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{Subprotocols: []string{"foxglove.websocket.v1"}})
	if err != nil {
		t.Fatalf("%q: %v", address, err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	count := map[byte]int{}
	force := 0.0
	for force < 0.05 || count[1] < 100 || count[2] < 20 || count[3] < 1 {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("%v after %v, %g N", err, count, force)
		}
		if kind == websocket.MessageText {
			var h struct {
				Op       string
				Channels []struct{ ID int }
			}
			if json.Unmarshal(data, &h) == nil && h.Op == "advertise" {
				var subscriptions []map[string]int
				for _, c := range h.Channels {
					subscriptions = append(subscriptions, map[string]int{"id": c.ID, "channelId": c.ID})
				}
				text, _ := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": subscriptions})
				if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		count[data[1]]++
		var step struct {
			Force [3]float64 `json:"force_N"`
		}
		if json.Unmarshal(data[13:], &step) == nil {
			force = max(force, step.Force[1])
		}
	}
	if status, _, errors := hapco(t, "run", "bench-a-16", "--headless", "--seconds", "1", "--serve", "nonsense"); status != exitBadInput || strings.Count(errors, "\n") != 1 || !strings.Contains(errors, "cure") {
		t.Errorf("exit status %d, %s", status, errors)
	}
}

// The start page is served as well: an address that is none is refused before it opens.
func TestStartPageServes(t *testing.T) {
	status, _, text := hapco(t, "run", "--gallery", "--serve", "nonsense", "--seconds", "1")
	if status != exitBadInput || !strings.Contains(text, "--serve") {
		t.Errorf("status %d, %s", status, text)
	}
}

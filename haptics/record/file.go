package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"hapco/haptics"
	"hapco/physics/machinery/budget"
)

// Topic is the channel of the ticks.
const Topic = "/haptics"

// chunk is how many bytes of ticks a crash may cost: a tick takes some 400 to 700, so that it is less than half a
// second at 500 Hz.
const chunk = 64 << 10

// ErrTruncated says that a file ends before its end: what was read is good.
var ErrTruncated = errors.New("the file was cut short")

// schema of a message, for tools that want one.
const schema = `{"type":"object","title":"hapco.Tick","properties":{
"tick":{"type":"integer"},"time_ns":{"type":"integer"},"model":{"type":"integer"},"late_ns":{"type":"integer"},"work_ns":{"type":"integer"},
"flags":{"type":"integer"},"interventions":{"type":"string"},"buttons":{"type":"integer"},"contacts":{"type":"integer"},"sweeps":{"type":"integer"},
"position_m":{"type":"array","items":{"type":"number"}},"rotation_xyzw":{"type":"array","items":{"type":"number"}},"tool_m":{"type":"array","items":{"type":"number"}},
"velocity_m_per_s":{"type":"array","items":{"type":"number"}},"raw_N":{"type":"array","items":{"type":"number"}},
"force_N":{"type":"array","items":{"type":"number"}},"torque_Nm":{"type":"array","items":{"type":"number"}},
"age_s":{"type":"number"},"gain":{"type":"number"},"energy_J":{"type":"number"},"alpha_Ns_per_m":{"type":"number"},"heat":{"type":"number"},"residual":{"type":"number"}}}`

// Ticks is the channel of the ticks.
var Ticks = Channel{Topic: Topic, Name: "hapco.Tick", Schema: schema}

// SecondTicks is the channel of the ticks of a second hand, beside the first one's.
var SecondTicks = Channel{Topic: Topic + "/second", Name: "hapco.Tick", Schema: schema}

// AppendTick appends a tick's message to b, under the names that haptics.Record has for JSON.
func AppendTick(b []byte, r *haptics.Record) []byte {
	w := JSON{Bytes: b}
	w.Begin('{')
	w.Unsigned("tick", r.Tick)
	w.Integer("time_ns", r.Time)
	w.Unsigned("model", r.Model)
	w.Integer("late_ns", int64(r.Late))
	w.Integer("work_ns", int64(r.Work))
	w.Integer("flags", int64(r.Flags))
	w.Text("interventions", r.Flags.String())
	w.Integer("buttons", int64(r.Buttons))
	w.Integer("contacts", int64(r.Contacts))
	w.Integer("sweeps", int64(r.Sweeps))
	w.List("position_m", r.Position[:]...)
	w.List("rotation_xyzw", r.Rotation[:]...)
	w.List("tool_m", r.Tool[:]...)
	w.List("velocity_m_per_s", r.Velocity[:]...)
	w.List("raw_N", r.Raw[:]...)
	w.List("force_N", r.Force[:]...)
	w.List("torque_Nm", r.Torque[:]...)
	w.Number("age_s", r.Age)
	w.Number("gain", r.Gain)
	w.Number("energy_J", r.Energy)
	w.Number("alpha_Ns_per_m", r.Alpha)
	w.Number("heat", r.Heat)
	w.Number("residual", r.Residual)
	w.End('}')
	return w.Bytes
}

// Writer writes ticks to an MCAP file.
type Writer struct {
	file  *os.File
	name  string
	w     *mcap.Writer
	start int64 // wall clock of servo time 0, ns
	buf   []byte
	n     uint32
	more  map[*Channel]uint16 // other channels of the file
}

// Create starts a new file; one that is there already is an error that is fs.ErrExist, as somebody may still be writing
// it. start is the wall clock of servo time 0, ns since 1970; notes are kept as the file's metadata (device, scene,
// reason ...).
func Create(path string, start int64, notes map[string]string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	w := &Writer{file: f, name: path, start: start}
	if err := w.begin(notes); err != nil {
		f.Close()
		os.Remove(path)
		return nil, named(path, err)
	}
	return w, nil
}

// createBeside is Create, but where the file is there already it takes the first free name of NAME-2.EXT, NAME-3.EXT
// ... The name is that of Name.
func createBeside(path string, start int64, notes map[string]string) (*Writer, error) {
	ext := filepath.Ext(path)
	for n, name := 2, path; ; n++ {
		w, err := Create(name, start, notes)
		if !errors.Is(err, fs.ErrExist) || n > mostBeside {
			return w, err
		}
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// mostBeside is the number up to which createBeside looks for a free name.
const mostBeside = 9999

func (w *Writer) begin(notes map[string]string) (err error) {
	w.w, err = mcap.NewWriter(w.file, &mcap.WriterOptions{
		Chunked: true, ChunkSize: chunk, Compression: mcap.CompressionZSTD, CompressionLevel: mcap.CompressionLevelFastest, IncludeCRC: true,
	})
	if err != nil {
		return err
	}
	if err := w.w.WriteHeader(&mcap.Header{Profile: "", Library: "hapco"}); err != nil {
		return err
	}
	if err := w.begins(1, &Ticks); err != nil || notes == nil {
		return err
	}
	return w.w.WriteMetadata(&mcap.Metadata{Name: "hapco", Metadata: notes})
}

// begins announces a channel.
func (w *Writer) begins(id uint16, c *Channel) error {
	schema := &mcap.Schema{ID: id, Name: c.Name, Encoding: "jsonschema", Data: []byte(c.Schema)}
	channel := &mcap.Channel{ID: id, SchemaID: id, Topic: c.Topic, MessageEncoding: "json", Metadata: map[string]string{}}
	return errors.Join(w.w.WriteSchema(schema), w.w.WriteChannel(channel))
}

// Write adds ticks.
func (w *Writer) Write(recs []haptics.Record) error {
	for i := range recs {
		r := &recs[i]
		w.buf = AppendTick(w.buf[:0], r)
		at := uint64(max(0, w.start+r.Time))
		if err := w.w.WriteMessage(&mcap.Message{ChannelID: 1, Sequence: w.n, LogTime: at, PublishTime: at, Data: w.buf}); err != nil {
			return named(w.name, err)
		}
		w.n++
	}
	return nil
}

// named is an error of a file; nil of none.
func named(file string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: %s: %w", file, err)
}

// Channel is a topic besides that of the ticks. Messages are JSON.
type Channel struct {
	Topic  string
	Name   string // of the schema, such as "hapco.Step"
	Schema string // JSON schema
}

// WriteTo adds a message to a channel, which the file has from its first message on. at is the wall clock, ns
// since 1970.
func (w *Writer) WriteTo(c *Channel, at int64, data []byte) error {
	id, ok := w.more[c]
	if !ok {
		if w.more == nil {
			w.more = map[*Channel]uint16{}
		}
		id = uint16(len(w.more) + 2)
		w.more[c] = id
		if err := w.begins(id, c); err != nil {
			return named(w.name, err)
		}
	}
	when := uint64(max(0, at))
	return named(w.name, w.w.WriteMessage(&mcap.Message{ChannelID: id, LogTime: when, PublishTime: when, Data: data}))
}

// Close ends the file: index, footer, and to disk.
func (w *Writer) Close() error {
	return named(w.name, errors.Join(w.w.Close(), w.file.Sync(), w.file.Close()))
}

// nextToken is lex.Next; where a damaged length makes the library panic it is an error like any other.
func nextToken(lex *mcap.Lexer, buf []byte) (kind mcap.TokenType, data []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("damaged record: %v", v)
		}
	}()
	return lex.Next(buf)
}

// maxChunk is the most bytes of a chunk, unpacked, and of a record. Ours have 256 kB, those of other programs that
// write the format 4 MB at most as a rule.
const maxChunk = 8 << 20

// unpacker is one of the format's compressions within the bounds of a meter.
type unpacker struct {
	io.Reader
	reset func(io.Reader) error
}

func (u unpacker) Reset(r io.Reader) error { return u.reset(r) }

func unpackers(m *budget.Meter) map[mcap.CompressionFormat]mcap.ResettableReader {
	// One goroutine's decoder: none is left behind when it is not closed.
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxChunk), zstd.WithDecoderMaxMemory(maxChunk))
	if err != nil {
		panic("record: " + err.Error()) // the options are ours
	}
	l := lz4.NewReader(nil)
	return map[mcap.CompressionFormat]mcap.ResettableReader{
		mcap.CompressionZSTD: unpacker{m.Out(z), z.Reset},
		mcap.CompressionLZ4:  unpacker{m.Out(l), func(r io.Reader) error { l.Reset(r); return nil }},
	}
}

// Read reads a file's ticks and notes. Of a file that a crash cut short it returns what there is, and an error that is
// ErrTruncated.
func Read(path string) (recs []haptics.Record, notes map[string]string, err error) {
	return readTicks(path, Topic)
}

// ReadSecond reads the ticks of a second hand; of a recording of one hand there are none.
func ReadSecond(path string) (recs []haptics.Record, err error) {
	recs, _, err = readTicks(path, SecondTicks.Topic)
	return recs, err
}

func readTicks(path, channel string) (recs []haptics.Record, notes map[string]string, err error) {
	// In pieces: a slice that grows is copied again and again, which takes three times as long.
	const piece = 1 << 14
	var pieces [][]haptics.Record
	var t haptics.Record // one for all: the parser takes it off the stack
	notes, err = Scan(path, func(topic string, data []byte) error {
		if topic != channel {
			return nil
		}
		t = haptics.Record{Time: math.MinInt64}
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("tick %d: %w", len(pieces)*piece+len(recs)+1, err)
		}
		if t.Time == math.MinInt64 {
			return fmt.Errorf("tick %d: no time_ns", len(pieces)*piece+len(recs)+1)
		}
		if len(recs) == piece {
			pieces, recs = append(pieces, recs), make([]haptics.Record, 0, piece)
		}
		recs = append(recs, t)
		return nil
	})
	if large := (*budget.TooLarge)(nil); errors.As(err, &large) {
		return nil, nil, err
	}
	if len(pieces) > 0 {
		recs = slices.Concat(append(pieces, recs)...)
	}
	return recs, notes, err
}

// Scan tells each of every message of a file, in its order, and returns its notes. Data is valid until each returns. Of
// a file that a crash cut short it tells what there is, and returns an error that is ErrTruncated.
func Scan(path string, each func(topic string, data []byte) error) (notes map[string]string, err error) {
	f, err := budget.Recording.Open(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	head := make([]byte, len(mcap.Magic))
	if n, _ := f.ReadAt(head, 0); n < len(head) && bytes.HasPrefix(mcap.Magic, head[:n]) {
		return nil, fmt.Errorf("record: %s before the first tick: %w", path, ErrTruncated)
	}
	// The lexer, not the library's reader: it takes bounds, so that a damaged length cannot ask for all memory.
	m := &budget.Meter{}
	lex, err := mcap.NewLexer(m.In(f), &mcap.LexerOptions{
		ValidateChunkCRCs: true, MaxDecompressedChunkSize: maxChunk, MaxRecordSize: maxChunk, Decompressors: unpackers(m),
	})
	if err != nil {
		return nil, fmt.Errorf("record: %s: not an MCAP file: %w", path, err)
	}
	defer lex.Close()
	var (
		buf     []byte
		channel = map[uint16]string{}
		message mcap.Message
		count   int
	)
	for {
		kind, data, err := nextToken(lex, buf)
		if cap(data) > cap(buf) {
			buf = data
		}
		if err == nil {
			switch kind {
			case mcap.TokenDataEnd, mcap.TokenFooter:
				return notes, nil
			case mcap.TokenMetadata:
				if md, e := mcap.ParseMetadata(data); e == nil && md.Name == "hapco" {
					notes = md.Metadata
				}
				continue
			case mcap.TokenChannel:
				if c, e := mcap.ParseChannel(data); e == nil {
					channel[c.ID] = c.Topic
				}
				continue
			case mcap.TokenMessage:
				err = message.PopulateFrom(data, false)
			default:
				continue
			}
		}
		if large := (*budget.TooLarge)(nil); errors.As(err, &large) {
			return nil, named(path, large)
		}
		if err != nil {
			return notes, fmt.Errorf("record: %s after %d messages: %w (%w)", path, count, ErrTruncated, err)
		}
		if err := each(channel[message.ChannelID], message.Data); err != nil {
			return notes, named(path, err)
		}
		count++
	}
}

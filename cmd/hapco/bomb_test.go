package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"hapco/haptics/record"
	"hapco/physics/machinery/testkit"
)

// Files of a few kilobytes that stand for gigabytes, one for each way that a
// reader could be led to it, and files that take much memory honestly. Each is
// given to the program, which may refuse it or not.

// times writes n lines, each made of its number.
func times(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

func gzipped(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if _, err := z.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gmshGroups has one entity in many groups, and many elements on it.
func gmshGroups(groups, elements int) string {
	return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 " + strconv.Itoa(groups) + " " + times(groups, func(i int) string { return strconv.Itoa(i+1) + " " }) +
		"0\n$EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1 2 3 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 " + strconv.Itoa(elements) + " 1 " + strconv.Itoa(elements) +
		"\n3 1 4 " + strconv.Itoa(elements) + "\n" + times(elements, func(i int) string { return strconv.Itoa(i+1) + " 1 2 3 4\n" }) + "$EndElements\n"
}

// vtuZeros is a grid whose arrays are zeros, packed.
func vtuZeros(t *testing.T, kind string, size int, arrays ...string) string {
	t.Helper()
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, v := range []int{1, size, size, packed.Len()} {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	data = append(data, packed.Bytes()...)
	return `<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor"><UnstructuredGrid><Piece>` +
		strings.ReplaceAll(strings.Join(arrays, ""), "/>", ` type="`+kind+`" format="appended" offset="0"/>`) +
		`</Piece></UnstructuredGrid><AppendedData encoding="raw">_` + string(data) + `</AppendedData></VTKFile>`
}

// recording is a file of empty ticks, in the chunks given.
func recording(t *testing.T, chunk int64, compression mcap.CompressionFormat, ticks int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, &mcap.WriterOptions{Chunked: true, ChunkSize: chunk, Compression: compression, IncludeCRC: true, SkipMessageIndexing: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []error{
		w.WriteHeader(&mcap.Header{}), w.WriteSchema(&mcap.Schema{ID: 1, Name: "s", Encoding: "jsonschema"}),
		w.WriteChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: record.Topic, MessageEncoding: "json"}),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
	for range ticks {
		if err := w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNoFileFillsTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin, dir := buildProgram(t), t.TempDir()
	const gigabyte = 1 << 30
	text := func(s string) []byte { return []byte(s) }
	info, solve, replay := []string{"mesh", "info"}, []string{"solve"}, []string{"replay", "--headless"}
	tag := func(i int) string { return fmt.Sprintf("0 0 0 %d\n", i+1) }
	limitOf := func(data []byte) int { return 64*len(data) + 64<<20 }
	inpNodes := "*NODE\n" + times(900, func(i int) string { return strconv.Itoa(i+1) + ",0\n" })
	medit := text("MeshVersionFormatted 2\nVertices 120000\n" + times(120000, tag) + "Tetrahedra 1\n1 2 3 4 1\nEnd\n")
	gmsh2 := text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n60000\n" +
		times(60000, func(i int) string { return fmt.Sprintf("%d 4 2 %d %d 1 2 3 4\n", i+1, i+1, i+1) }) + "$EndElements\n")
	vtkBytes := text("# vtk DataFile Version 5.1\nx\nBINARY\nDATASET POLYDATA\nPOINTS 300000 char\n" + strings.Repeat("\x01", 900000) + "\nLINES 900001 0\nOFFSETS char\n" + strings.Repeat("\x00", 900001) + "\nCONNECTIVITY char\n\n")
	commas := text("*NODE\n1,0,0,0\n*NSET, NSET=a\n1" + strings.Repeat(",1", 400000) + "\n*" + strings.Repeat(",", 400000) + "\n")
	obj := text(times(1000, func(int) string { return "v 0 0 0\n" }) + times(100000, func(int) string { return "f 1 2 3\n" }))
	for _, c := range []struct {
		name  string
		data  []byte
		args  []string
		limit int // bytes at most, beyond what a sound small file takes
	}{
		{"groups.msh", text(gmshGroups(6000, 1500)), info, gigabyte},
		{"points.vtu", text(vtuZeros(t, "Int8", 136<<20, `<Points><DataArray/></Points>`)), info, gigabyte},
		{"cells.vtu", text(vtuZeros(t, "UInt8", 100<<20, `<Points><DataArray/></Points><Cells><DataArray Name="connectivity"/><DataArray Name="offsets"/><DataArray Name="types"/></Cells>`)), info, gigabyte},
		{"small-cells.vtu", text(vtuZeros(t, "UInt8", 4<<20-1, `<Points><DataArray/></Points><Cells><DataArray Name="connectivity"/><DataArray Name="offsets"/><DataArray Name="types"/></Cells>`)), info, gigabyte},
		{"same.vtu", text(vtuZeros(t, "UInt8", 4<<20-1, `<Points><DataArray/></Points><PointData>`, strings.Repeat(`<DataArray Name="a"/>`, 600), `</PointData>`)), info, gigabyte},
		{"sets.vtu", text(vtuZeros(t, "UInt8", 4<<20-1, `<Points><DataArray/></Points><PointData>`, times(600, func(i int) string { return fmt.Sprintf(`<DataArray Name="set:%d"/>`, i) }), `</PointData>`)), info, gigabyte},
		{"nodes.msh.gz", gzipped(t, "$NOD\n9000000\n", strings.Repeat("1 0 0 0\n", 9000000)), info, gigabyte},
		{"numbers.msh.gz", gzipped(t, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1500000\n", times(1500000, func(i int) string { return fmt.Sprintf("%d 0 0 0\n", i) })), info, gigabyte},
		{"generate.inp", text(inpNodes + "*NSET, NSET=a, GENERATE\n" + strings.Repeat("1,50000\n", 6000)), info, gigabyte},
		{"within.inp", text(inpNodes + "*NSET, NSET=a, GENERATE\n" + strings.Repeat("1,40000\n", 20) + times(2000, func(i int) string { return fmt.Sprintf("*NSET, NSET=n%d\na,a,a,a\n", i) })), info, gigabyte},
		{"components.cdb", text("NBLOCK,6,SOLID,9,9\n(3i9,6e21.13e3)\n" + times(900, func(i int) string { return fmt.Sprintf("%9d        0        0\n", i+1) }) + "-1\n" +
			times(1500, func(i int) string { return fmt.Sprintf("CMBLOCK,C%d,NODE,2\n(8i10)\n         1    -60000\n", i) })), info, gigabyte},
		{"contacts.fc3d", text("contacts 4096\nmu\n" + strings.Repeat("0\n", 4096) + "q\n" + strings.Repeat("0\n", 3*4096) + "W\n0 0 1\n"), solve, gigabyte},
		{"contacts.fc3d.gz", gzipped(t, strings.Repeat("# nothing\n", 6000000), "contacts 4096\nmu\n"+strings.Repeat("0\n", 4096)+"q\n"+strings.Repeat("0\n", 3*4096)+"W\n0 0 1\n"), solve, gigabyte},
		{"numbers.fc3d.gz", gzipped(t, "contacts 4096\nmu\n"+strings.Repeat("0\n", 4096)+"q\n"+strings.Repeat("0\n", 3*4096)+"W\n", strings.Repeat("0 0 0\n", 10000000)), solve, gigabyte},
		{"ticks.mcap", recording(t, 60<<20, mcap.CompressionZSTD, 3000000), replay, gigabyte},
		{"small-chunks.mcap", recording(t, 4<<20, mcap.CompressionZSTD, 3000000), replay, gigabyte},
		{"lz4.mcap", recording(t, 4<<20, mcap.CompressionLZ4, 3000000), replay, gigabyte},

		// These hold what they say, in as few bytes as their formats allow.
		{"references.mesh", medit, info, limitOf(medit)},
		{"tags.msh", gmsh2, info, limitOf(gmsh2)},
		{"bytes.vtk", vtkBytes, info, limitOf(vtkBytes)},
		{"commas.inp", commas, info, limitOf(commas)},
		{"faces.obj", obj, info, limitOf(obj)},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.name)
			if err := os.WriteFile(path, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			peak, cpu, status, said := measured(t, 2*c.limit, bin, append(c.args, path)...)
			t.Logf("%.1f kB: exit status %d, %d MB, %.1f s; %s", float64(len(c.data))/1e3, status, peak>>20, cpu.Seconds(), said)
			const program = 64 << 20 // what the program takes for a small file
			if peak > c.limit+program {
				t.Errorf("takes %d MB, more than %d", peak>>20, (c.limit+program)>>20)
			}
			if status == 2 && (strings.Count(said, "\n") != 0 || !strings.Contains(said, c.name)) || status != 2 && status != 0 {
				t.Errorf("exit status %d: %s", status, said)
			}
			os.Remove(path)
		})
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// measured runs a program to its end, or until it has taken limit bytes or hangs: the most memory it had, its processor time, and what it said on
// standard error.
func measured(t *testing.T, limit int, bin string, args ...string) (peak int, cpu time.Duration, status int, said string) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit status tells
		close(done)
	}()
	start := time.Now()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(2 * time.Millisecond):
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if m := highWater.FindSubmatch(data); m != nil {
				kB, _ := strconv.Atoi(string(m[1]))
				peak = max(peak, kB<<10)
			}
			if peak > limit || time.Since(start) > testkit.Hang {
				_ = cmd.Process.Kill()
			}
		}
	}
	state := cmd.ProcessState
	return peak, state.UserTime() + state.SystemTime(), state.ExitCode(), strings.TrimSpace(stderr.String())
}

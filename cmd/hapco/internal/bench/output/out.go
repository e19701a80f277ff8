package output

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hapco/cmd/hapco/internal/app"
)

// Flags are common to all measurements.
type Flags struct {
	Out   string `help:"Folder for tables and plots." default:"out" type:"path"`
	Quick bool   `help:"Fewer repetitions and cases, for a first look."`
}

// MakeFolder makes the output folder.
func (f *Flags) MakeFolder() error {
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return app.BadInput(fmt.Errorf("--out: %w (cure: a folder that may be written)", err))
	}
	return nil
}

// WriteJSON writes DIR/name.json.
func (f *Flags) WriteJSON(name string, v any) error {
	return app.WriteOut(filepath.Join(f.Out, name+".json"), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}

// WriteCSV writes DIR/name.csv.
func (f *Flags) WriteCSV(name string, rows [][]string) error {
	return app.WriteOut(filepath.Join(f.Out, name+".csv"), func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// Marked is a page of which a part is made by a program: what stands between its lines <!-- mark --> and <!-- end -->.
type Marked struct{ file, before, Text, after string }

// OpenMarked reads the page; where there is no such file, what is written is all of it.
func OpenMarked(file, mark string) (Marked, error) {
	const end = "<!-- end -->"
	begin := "<!-- " + mark + " -->"
	old, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return Marked{file: file}, app.MayWrite(file)
	}
	if err != nil {
		return Marked{}, err
	}
	before, rest, found := strings.Cut(string(old), begin)
	text, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return Marked{}, fmt.Errorf("%s has no lines %s and %s (cure: write them where the tables belong)", file, begin, end)
	}
	return Marked{file, before + begin + "\n", strings.TrimPrefix(text, "\n"), end + after}, app.MayWrite(file)
}

// Write puts text in the place of the old one.
func (m Marked) Write(text string) error {
	return app.WriteOut(m.file, func(w io.Writer) error {
		_, err := io.WriteString(w, m.before+text+m.after)
		return err
	})
}

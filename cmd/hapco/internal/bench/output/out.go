package output

import (
	"encoding/csv"
	"encoding/json"
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

// WriteMarked writes text to a file, or into it: between the lines <!-- mark -->
// and <!-- end --> where the file has them.
func WriteMarked(file, mark, text string) error {
	const end = "<!-- end -->"
	begin := "<!-- " + mark + " -->"
	if old, err := os.ReadFile(file); err == nil {
		before, rest, found := strings.Cut(string(old), begin)
		if found {
			_, after, closed := strings.Cut(rest, end)
			if !closed {
				return fmt.Errorf("%s: %s without %s (cure: the second line where the tables end)", file, begin, end)
			}
			text = before + begin + "\n" + text + end + after
		}
	} else if !os.IsNotExist(err) {
		return err
	}
	return app.WriteOut(file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

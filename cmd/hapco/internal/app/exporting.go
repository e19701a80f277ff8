package app

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hapco/physics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/files/export"
	"hapco/physics/machinery/failsafe"
	"hapco/ui"
)

// exporter writes what a window shows into one folder: all formats at once.
type exporter struct {
	dir      string
	sinks    []export.Sink
	pictures chan *image.NRGBA
	written  chan error // of the pictures, once
	size     image.Rectangle
	count    int
	first    float64
	last     float64
}

// NewExport begins an export of a scene to a new folder within parent.
func NewExport(parent, scene string, info *physics.Info) (ui.Exporter, error) {
	name := strings.TrimSuffix(filepath.Base(scene), filepath.Ext(scene))
	e := &exporter{dir: filepath.Join(parent, "hapco-"+name+"-"+time.Now().Format("20060102-150405.000"))}
	if err := os.MkdirAll(filepath.Join(e.dir, "pictures"), 0o755); err != nil {
		return nil, fmt.Errorf("export: %w (cure: start hapco in a folder that may be written)", err)
	}
	series, err1 := export.NewShown(filepath.Join(e.dir, "vtu"), name, info)
	table, err2 := export.NewTable(filepath.Join(e.dir, "table.csv"), info)
	stl, err3 := export.NewSTL(filepath.Join(e.dir, "stl"), info)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	e.sinks = []export.Sink{series, table, stl, export.NewNPZ(filepath.Join(e.dir, "arrays.npz"), info)}
	e.pictures, e.written = make(chan *image.NRGBA, 8), make(chan error, 1)
	failsafe.Go(func() { e.written <- e.draw() })
	return e, nil
}

// draw writes the pictures as they come.
func (e *exporter) draw() (err error) {
	n := 0
	for p := range e.pictures {
		if err == nil {
			err = writePicture(filepath.Join(e.dir, "pictures", fmt.Sprintf("%06d.png", n)), p)
		}
		n++
	}
	return err
}

func writePicture(file string, p *image.NRGBA) error {
	return atomicfile.WriteSoon(file, func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, p) })
}

// Add takes a state. Pictures of another size than the first, as of a window that was resized, have no place in a film:
// they are left out.
func (e *exporter) Add(t float64, f *physics.Frame, picture *image.NRGBA) (err error) {
	for _, s := range e.sinks {
		err = errors.Join(err, s.Add(t, f))
	}
	if e.count == 0 {
		e.size, e.first = picture.Rect, t
	}
	if picture.Rect == e.size {
		e.pictures <- picture
		e.count, e.last = e.count+1, t
	}
	if err != nil {
		err = fmt.Errorf("export: %w", err)
	}
	return err
}

// Close ends all files and makes the film.
func (e *exporter) Close() (said string, err error) {
	close(e.pictures)
	err = <-e.written
	for _, s := range e.sinks {
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	said = fmt.Sprintf("%s: vtu, table.csv, arrays.npz, stl, %d pictures", filepath.Base(e.dir), e.count)
	if e.count < 2 {
		return said, nil
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return said + "; no film: ffmpeg is not installed", nil
	}
	// at the mean rate of the pictures; H.264 wants even sides
	rate := max(float64(e.count-1)/(e.last-e.first), 0.5)
	part := filepath.Join(e.dir, "film.part.mp4")
	out, err := exec.Command("ffmpeg", "-y", "-loglevel", "error", "-framerate", fmt.Sprintf("%.4f", rate), "-i", filepath.Join(e.dir, "pictures", "%06d.png"),
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", part).CombinedOutput()
	if err == nil {
		err = os.Rename(part, filepath.Join(e.dir, "film.mp4"))
	}
	if err != nil {
		os.Remove(part)
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return said + "; no film: ffmpeg: " + line, nil
	}
	return said + ", film.mp4", nil
}

package ui

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"

	"hapco/render"
)

// writePNG writes a picture that appears whole or not at all.
func writePNG(path string, picture image.Image) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".hapco-*.png")
	if err != nil {
		return fmt.Errorf("ui: screenshot %s: %w (cure: a folder that exists and may be written)", path, err)
	}
	defer os.Remove(f.Name()) // fails once renamed
	w := bufio.NewWriter(f)
	err = errors.Join(render.WritePNG(w, picture), w.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("ui: screenshot %s: %w", path, err)
	}
	return nil
}

// picture writes the scene alone as JPEG, as it would look in a window of that many pixels.
func (vp *viewport) picture(path string, width, height int) error {
	view := vp.view
	view.Overlay, view.Triad = false, false
	img, err := vp.render.Screenshot(vp.scene.snap, &vp.cam, &view, width, height, 0.8)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := jpeg.Encode(&text, img, &jpeg.Options{Quality: 86}); err != nil {
		return fmt.Errorf("ui: picture %s: %w", path, err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("ui: picture %s: %w (cure: a folder that exists and may be written)", path, err)
	}
	return nil
}

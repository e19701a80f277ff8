package ui

import (
	"fmt"
	"image"
	"image/jpeg"
	"io"

	files "hapco/physics/files/atomicfile"
	"hapco/render"
)

// writePNG writes a picture that appears whole or not at all.
func writePNG(path string, picture image.Image) error {
	if err := files.Write(path, func(w io.Writer) error { return render.WritePNG(w, picture) }); err != nil {
		return fmt.Errorf("ui: screenshot: %w", err)
	}
	return nil
}

// picture writes the scene alone as JPEG, as it would look in a window of that many pixels.
func (vp *viewport) picture(path string, width, height int) error {
	view := vp.view
	view.Overlay, view.Triad, view.Fixed = false, false, false
	img, err := vp.render.Screenshot(vp.scene.snap, &vp.cam, &view, width, height, 0.8)
	if err != nil {
		return err
	}
	if err := files.WriteSoon(path, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 86}) }); err != nil {
		return fmt.Errorf("ui: picture: %w", err)
	}
	return nil
}

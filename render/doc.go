// Package render draws physics snapshots with OpenGL 3.3 core: deformed surfaces, colours of a field, the stylus,
// contacts with their forces, ground and axes. It opens no window; the caller makes a context current and calls
// everything here that is not marked otherwise from that one thread.
//
// A frame:
//
//	r, err := render.New()          // once, with a current context
//	r.SetScene(bodies)              // whenever the scene changes
//	cam.FitBounds(lo, hi, aspect)   // lo, hi from Bounds(snapshot)
//	r.Draw(snapshot, &cam, &opt, view)
//
// Draw sets every piece of GL state it depends on and leaves blending, depth test, culling and scissor off, program 0
// and vertex array 0 bound, so that a panel can be drawn after it.
//
// Lengths are metres and forces newtons as everywhere; pixels are framebuffer pixels with the origin at the upper left,
// y down, unless a comment says so.
//
// References. Colours of the contact statuses: M. Okabe, K. Ito, "Color universal design" (2008). Colour map: hue and
// lightness path in OKLab (B. Ottosson, 2020). Friction cone: thesis, section 2.2, figure 2.5. Zoom on contact: thesis,
// section 4.5.
package render

package ui

import (
	"fmt"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/render"
)

// painter draws imgui's triangles with OpenGL 3.3. GL thread only.
type painter struct {
	program   uint32
	size      int32 // uniform, see render.FlatProgram
	atlas     uint32
	vertices  uint32
	indices   uint32
	array     uint32
	indexType uint32
	indexSize int
}

func newPainter() (p *painter, err error) {
	p = &painter{}
	if p.program, p.size, err = render.FlatProgram(); err != nil {
		return nil, fmt.Errorf("ui: the panel: %w", err)
	}
	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.vertices)
	gl.GenBuffers(1, &p.indices)
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.vertices)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, p.indices)
	size, offPos, _, offColor := imgui.VertexBufferLayout() // the place in the texture follows that in the window
	gl.EnableVertexAttribArray(0)
	gl.EnableVertexAttribArray(1)
	gl.VertexAttribPointerWithOffset(0, 4, gl.FLOAT, false, int32(size), uintptr(offPos))
	gl.VertexAttribPointerWithOffset(1, 4, gl.UNSIGNED_BYTE, true, int32(size), uintptr(offColor))
	gl.BindVertexArray(0)

	p.indexSize = imgui.IndexBufferLayout()
	p.indexType = gl.UNSIGNED_SHORT
	if p.indexSize == 4 {
		p.indexType = gl.UNSIGNED_INT
	}
	return p, nil
}

// setAtlas uploads the fonts. Call it again after the atlas was rebuilt.
func (p *painter) setAtlas(fonts imgui.FontAtlas) {
	image := fonts.TextureDataAlpha8()
	if p.atlas == 0 {
		gl.GenTextures(1, &p.atlas)
	}
	// Text falls on whole pixels: the nearest texel is the filtered one, at half the cost where the CPU draws.
	render.FillCoverage(p.atlas, image.Width, image.Height, image.Pixels, gl.NEAREST)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	fonts.SetTextureID(imgui.TextureID(p.atlas))
}

// paint draws what imgui rendered over a framebuffer of width x height pixels.
func (p *painter) paint(data imgui.DrawData, width, height int) {
	if !data.Valid() || width <= 0 || height <= 0 {
		return
	}
	gl.Viewport(0, 0, int32(width), int32(height))
	gl.Enable(gl.BLEND)
	gl.BlendEquation(gl.FUNC_ADD)
	// The second pair keeps the framebuffer's alpha at 1, for screenshots and for desktops that blend windows.
	gl.BlendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	gl.Disable(gl.CULL_FACE)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.FRAMEBUFFER_SRGB)
	gl.PolygonMode(gl.FRONT_AND_BACK, gl.FILL)
	gl.Enable(gl.SCISSOR_TEST)
	gl.UseProgram(p.program)
	gl.Uniform2f(p.size, float32(width), float32(height))
	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.vertices)
	for _, list := range data.CommandLists() {
		vertices, vertexBytes := list.VertexBuffer()
		gl.BufferData(gl.ARRAY_BUFFER, vertexBytes, vertices, gl.STREAM_DRAW)
		indices, indexBytes := list.IndexBuffer()
		gl.BufferData(gl.ELEMENT_ARRAY_BUFFER, indexBytes, indices, gl.STREAM_DRAW)
		for _, c := range list.Commands() {
			if c.HasUserCallback() {
				c.CallUserCallback(list)
				continue
			}
			clip := c.ClipRect()
			x, y := max(int32(clip.X), 0), max(int32(float32(height)-clip.W), 0)
			if cw, ch := int32(clip.Z-clip.X), int32(clip.W-clip.Y); cw > 0 && ch > 0 {
				gl.Scissor(x, y, cw, ch)
				gl.BindTexture(gl.TEXTURE_2D, uint32(c.TextureID()))
				gl.DrawElementsBaseVertexWithOffset(gl.TRIANGLES, int32(c.ElementCount()), p.indexType,
					uintptr(c.IndexOffset()*p.indexSize), int32(c.VertexOffset()))
			}
		}
	}
	gl.BindVertexArray(0)
	gl.UseProgram(0)
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.Disable(gl.SCISSOR_TEST)
	gl.Disable(gl.BLEND)
}

func (p *painter) delete() {
	gl.DeleteProgram(p.program)
	gl.DeleteTextures(1, &p.atlas)
	gl.DeleteBuffers(1, &p.vertices)
	gl.DeleteBuffers(1, &p.indices)
	gl.DeleteVertexArrays(1, &p.array)
}

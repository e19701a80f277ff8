package ui

import (
	"fmt"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/render"
)

// painter draws imgui's triangles with OpenGL 3.3. GL thread only.
type painter struct {
	program    uint32
	projection int32 // uniform
	atlas      uint32
	vertices   uint32
	indices    uint32
	array      uint32
	indexType  uint32
	indexSize  int
}

const paintVertex = `#version 330 core
uniform mat4 projection;
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 color;
out vec2 fragUV;
out vec4 fragColor;
void main() {
	fragUV = uv;
	fragColor = color;
	gl_Position = projection * vec4(position, 0.0, 1.0);
}
`

const paintFragment = `#version 330 core
uniform sampler2D atlas;
in vec2 fragUV;
in vec4 fragColor;
out vec4 color;
void main() {
	color = fragColor * texture(atlas, fragUV);
}
`

func newPainter() (*painter, error) {
	p := &painter{}
	var shaders []uint32
	for _, s := range [...]struct {
		kind uint32
		text string
	}{{gl.VERTEX_SHADER, paintVertex}, {gl.FRAGMENT_SHADER, paintFragment}} {
		id, err := render.Compile(s.kind, s.text)
		if err != nil {
			return nil, fmt.Errorf("ui: compile the panel's shader: %w", err)
		}
		defer gl.DeleteShader(id)
		shaders = append(shaders, id)
	}
	var err error
	if p.program, err = render.Link(shaders...); err != nil {
		return nil, fmt.Errorf("ui: link the panel's shaders: %w", err)
	}
	p.projection = gl.GetUniformLocation(p.program, gl.Str("projection\x00"))

	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.vertices)
	gl.GenBuffers(1, &p.indices)
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.vertices)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, p.indices)
	size, offPos, offUV, offColor := imgui.VertexBufferLayout()
	for i := range uint32(3) {
		gl.EnableVertexAttribArray(i)
	}
	gl.VertexAttribPointerWithOffset(0, 2, gl.FLOAT, false, int32(size), uintptr(offPos))
	gl.VertexAttribPointerWithOffset(1, 2, gl.FLOAT, false, int32(size), uintptr(offUV))
	gl.VertexAttribPointerWithOffset(2, 4, gl.UNSIGNED_BYTE, true, int32(size), uintptr(offColor))
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
	gl.BindTexture(gl.TEXTURE_2D, p.atlas)
	// Text falls on whole pixels: the nearest texel is the filtered one, at half the cost where the CPU draws.
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	// One byte a texel holds the coverage; the shader sees white with that alpha.
	white := [4]int32{gl.ONE, gl.ONE, gl.ONE, gl.RED}
	gl.TexParameteriv(gl.TEXTURE_2D, gl.TEXTURE_SWIZZLE_RGBA, &white[0])
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.R8, int32(image.Width), int32(image.Height), 0, gl.RED, gl.UNSIGNED_BYTE, image.Pixels)
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
	w, h := float32(width), float32(height)
	projection := [16]float32{
		2 / w, 0, 0, 0,
		0, -2 / h, 0, 0,
		0, 0, -1, 0,
		-1, 1, 0, 1,
	}
	gl.UniformMatrix4fv(p.projection, 1, false, &projection[0])
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
			x, y := max(int32(clip.X), 0), max(int32(h-clip.W), 0)
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

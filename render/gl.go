package render

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

//go:embed shaders
var shaderFiles embed.FS

// glInfo tells what the context offers.
type glInfo struct {
	Renderer, Version string
	Software          bool // drawn by the CPU: multisampling is off
}

// The oldest OpenGL that the shaders need.
const needMajor, needMinor = 3, 3

// load resolves the GL functions of the current context and checks its version.
func load() (glInfo, error) {
	if err := gl.Init(); err != nil {
		return glInfo{}, fmt.Errorf("render: cannot load OpenGL: %w (make a context current first; on Debian the driver is in libgl1 and libgl1-mesa-dri)", err)
	}
	info := glInfo{Renderer: glString(gl.RENDERER), Version: glString(gl.VERSION)}
	if err := checkVersion(info.Version, info.Renderer); err != nil {
		return info, err
	}
	lower := strings.ToLower(info.Renderer)
	for _, name := range [...]string{"llvmpipe", "softpipe", "swrast", "swr", "software"} {
		if strings.Contains(lower, name) {
			info.Software = true
		}
	}
	return info, nil
}

// checkVersion reports an OpenGL older than 3.3.
func checkVersion(version, renderer string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("render: OpenGL 3.3 is needed, the driver reports version %q (%s): no OpenGL context is current, or the driver is broken; install libgl1-mesa-dri", version, renderer)
	}
	if major < needMajor || major == needMajor && minor < needMinor {
		return fmt.Errorf("render: OpenGL 3.3 is needed, found %d.%d (%s): update the graphics driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw on the CPU", major, minor, renderer)
	}
	return nil
}

func glString(name uint32) string {
	p := gl.GetString(name)
	if p == nil {
		return ""
	}
	return gl.GoStr(p)
}

// uniform is one of the shaders' uniforms.
type uniform uint8

const (
	uModel uniform = iota
	uColor
	uLook
	uKind
	uMap
	uTissue
	uVertices
	uWire
	uLines
	uSolid
	uHalf
	uAlpha
	uPixels
	uGrains
	uBalls
	uStep
	uSize
	uniformCount
)

// uniformNames are what the shaders call them.
var uniformNames = [uniformCount]string{"uModel", "uColor", "uLook", "uKind", "uMap", "uTissue", "uVertices", "uWire",
	"uLines", "uSolid", "uHalf", "uAlpha", "uPixels", "uGrains", "uBalls", "uStep", "uSize"}

// program is a linked shader program and where its uniforms live.
type program struct {
	id uint32
	at [uniformCount]int32
}

// The uniform block Frame of shaders/frame.glsl sits at this binding point.
const frameBinding = 0

// newProgram compiles shaders/vert and shaders/frag, each behind the common header frame.glsl.
func newProgram(vert, frag string, uniforms ...uniform) (p program, err error) {
	vs, err := compile(gl.VERTEX_SHADER, vert)
	if err != nil {
		return p, err
	}
	defer gl.DeleteShader(vs)
	fs, err := compile(gl.FRAGMENT_SHADER, frag)
	if err != nil {
		return p, err
	}
	defer gl.DeleteShader(fs)
	p.id = gl.CreateProgram()
	gl.AttachShader(p.id, vs)
	gl.AttachShader(p.id, fs)
	gl.LinkProgram(p.id)
	if err := fault(p.id, gl.LINK_STATUS, gl.GetProgramiv, gl.GetProgramInfoLog); err != nil {
		gl.DeleteProgram(p.id)
		return program{}, fmt.Errorf("render: link %s with %s: %w", vert, frag, err)
	}
	if b := gl.GetUniformBlockIndex(p.id, gl.Str("Frame\x00")); b != gl.INVALID_INDEX {
		gl.UniformBlockBinding(p.id, b, frameBinding)
	}
	for _, u := range uniforms {
		name := uniformNames[u]
		if p.at[u] = gl.GetUniformLocation(p.id, gl.Str(name+"\x00")); p.at[u] < 0 {
			gl.DeleteProgram(p.id)
			return program{}, fmt.Errorf("render: %s with %s: the driver finds no uniform %q", vert, frag, name)
		}
	}
	return p, nil
}

// compile compiles shaders/name. A name may carry a preprocessor symbol to define, as in "surface.frag+WIRE".
func compile(kind uint32, name string) (uint32, error) {
	stage := "#define VERTEX\n"
	if kind == gl.FRAGMENT_SHADER {
		stage = "#define FRAGMENT\n"
	}
	name, symbol, found := strings.Cut(name, "+")
	if found {
		stage += "#define " + symbol + "\n"
	}
	head, err := shaderFiles.ReadFile("shaders/frame.glsl")
	if err != nil {
		return 0, fmt.Errorf("render: %w", err)
	}
	body, err := shaderFiles.ReadFile("shaders/" + name)
	if err != nil {
		return 0, fmt.Errorf("render: %w", err)
	}
	src, free := gl.Strs("#version 330 core\n"+stage+string(head)+"\x00", "#line 1\n"+string(body)+"\x00")
	defer free()
	id := gl.CreateShader(kind)
	gl.ShaderSource(id, 2, src, nil)
	gl.CompileShader(id)
	if err := fault(id, gl.COMPILE_STATUS, gl.GetShaderiv, gl.GetShaderInfoLog); err != nil {
		gl.DeleteShader(id)
		return 0, fmt.Errorf("render: compile %s: %w", name, err)
	}
	return id, nil
}

// FlatProgram draws what is flat, a texture times a colour: attribute 0 is a place in pixels from the upper left and
// one in the texture, attribute 1 an sRGB colour with opacity; size is the uniform of the viewport's, pixels.
func FlatProgram() (id uint32, size int32, err error) {
	p, err := newProgram("text.vert", "text.frag", uMap, uSize)
	return p.id, p.at[uSize], err
}

// fault is what the driver says of a shader or a program whose status is bad.
func fault(
	id, status uint32, get func(id, what uint32, value *int32), log func(id uint32, size int32, n *int32, text *uint8),
) error {
	var ok, n int32
	if get(id, status, &ok); ok != gl.FALSE {
		return nil
	}
	get(id, gl.INFO_LOG_LENGTH, &n)
	text := make([]byte, n+1)
	log(id, n, nil, &text[0])
	return errors.New(strings.TrimRight(string(text), "\x00\n"))
}

// stream is a vertex buffer that is filled anew each frame. Its store is orphaned first, so the driver need not wait
// for draws that still read the old contents.
type stream struct {
	id   uint32
	size int // bytes of the store
}

// upload replaces the contents with the first bytes of data. A stream grows to a high-water mark and stays there.
func (s *stream) upload(data []float32) {
	n := 4 * len(data)
	if n == 0 {
		return
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, s.id)
	if s.size < n {
		s.size = n + n/2
	}
	gl.BufferData(gl.ARRAY_BUFFER, s.size, nil, gl.STREAM_DRAW)
	gl.BufferSubData(gl.ARRAY_BUFFER, 0, n, unsafe.Pointer(&data[0]))
}

// holdings are the names of what a context holds, to be given back together.
type holdings struct{ buffers, arrays, textures, framebuffers []uint32 }

func (h *holdings) buffer() uint32      { return another(&h.buffers, gl.GenBuffers) }
func (h *holdings) array() uint32       { return another(&h.arrays, gl.GenVertexArrays) }
func (h *holdings) texture() uint32     { return another(&h.textures, gl.GenTextures) }
func (h *holdings) framebuffer() uint32 { return another(&h.framebuffers, gl.GenFramebuffers) }

func another(names *[]uint32, make func(n int32, names *uint32)) uint32 {
	var name [1]uint32
	make(1, &name[0])
	*names = append(*names, name[0])
	return name[0]
}

// release gives all of it back.
func (h *holdings) release() {
	for _, kind := range [...]struct {
		names []uint32
		drop  func(n int32, names *uint32)
	}{
		{h.buffers, gl.DeleteBuffers}, {h.arrays, gl.DeleteVertexArrays},
		{h.textures, gl.DeleteTextures}, {h.framebuffers, gl.DeleteFramebuffers},
	} {
		if n := len(kind.names); n > 0 {
			kind.drop(int32(n), &kind.names[0])
		}
	}
	*h = holdings{}
}

// buffer makes a buffer that is written once, and leaves it bound.
func buffer[T float32 | int32 | uint32](h *holdings, target uint32, data []T) uint32 {
	id := h.buffer()
	gl.BindBuffer(target, id)
	if len(data) > 0 {
		gl.BufferData(target, 4*len(data), unsafe.Pointer(&data[0]), gl.STATIC_DRAW)
	}
	return id
}

// vertexArray makes one over a buffer of floats, whose attributes have these sizes and follow each other, and leaves it
// bound.
func (h *holdings) vertexArray(buffer uint32, sizes ...int) uint32 {
	stride, offset := 0, 0
	for _, n := range sizes {
		stride += n
	}
	id := h.array()
	gl.BindVertexArray(id)
	gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
	for i, n := range sizes {
		attribute(uint32(i), n, stride, offset, 0)
		offset += n
	}
	return id
}

// elements are triangles on the card.
type elements struct {
	vao   uint32 // with an index buffer
	count int32  // corners
}

func (e *elements) draw() {
	gl.BindVertexArray(e.vao)
	gl.DrawElements(gl.TRIANGLES, e.count, gl.UNSIGNED_INT, nil)
}

// attribute points attribute index of the bound vertex array at size floats in the bound buffer; divisor 1 advances it
// once per instance.
func attribute(index uint32, size, stride, offset int, divisor uint32) {
	gl.EnableVertexAttribArray(index)
	gl.VertexAttribPointerWithOffset(index, int32(size), gl.FLOAT, false, int32(4*stride), uintptr(4*offset))
	gl.VertexAttribDivisor(index, divisor)
}

// Fill writes bytes into a texture, or makes room for them where pixels is nil, and leaves it bound.
func Fill(texture uint32, inside int32, width, height int, format, kind uint32, pixels unsafe.Pointer, filter int32) {
	gl.BindTexture(gl.TEXTURE_2D, texture)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
	gl.TexImage2D(gl.TEXTURE_2D, 0, inside, int32(width), int32(height), 0, format, kind, pixels)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
}

// FillCoverage writes a byte a texel into a texture: how much of it is covered. A shader sees white with that opacity.
func FillCoverage(texture uint32, width, height int, pixels unsafe.Pointer, filter int32) {
	Fill(texture, gl.R8, width, height, gl.RED, gl.UNSIGNED_BYTE, pixels, filter)
	white := [4]int32{gl.ONE, gl.ONE, gl.ONE, gl.RED}
	gl.TexParameteriv(gl.TEXTURE_2D, gl.TEXTURE_SWIZZLE_RGBA, &white[0])
}

// disable turns capabilities of the context off.
func disable(capabilities ...uint32) {
	for _, c := range capabilities {
		gl.Disable(c)
	}
}

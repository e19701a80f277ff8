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
	if p.id, err = Link(vs, fs); err != nil {
		return p, fmt.Errorf("render: link %s with %s: %w", vert, frag, err)
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
	id, err := Compile(kind, "#version 330 core\n"+stage+string(head), "#line 1\n"+string(body))
	if err != nil {
		return 0, fmt.Errorf("render: compile %s: %w", name, err)
	}
	return id, nil
}

// Compile makes a shader of the parts of its text. The error is the driver's word.
func Compile(kind uint32, text ...string) (id uint32, err error) {
	for i := range text {
		text[i] += "\x00"
	}
	src, free := gl.Strs(text...)
	defer free()
	id = gl.CreateShader(kind)
	gl.ShaderSource(id, int32(len(text)), src, nil)
	gl.CompileShader(id)
	if err = fault(id, gl.COMPILE_STATUS, gl.GetShaderiv, gl.GetShaderInfoLog); err != nil {
		gl.DeleteShader(id)
	}
	return id, err
}

// Link makes a program of compiled shaders. The error is the driver's word.
func Link(shaders ...uint32) (id uint32, err error) {
	id = gl.CreateProgram()
	for _, s := range shaders {
		gl.AttachShader(id, s)
	}
	gl.LinkProgram(id)
	if err = fault(id, gl.LINK_STATUS, gl.GetProgramiv, gl.GetProgramInfoLog); err != nil {
		gl.DeleteProgram(id)
	}
	return id, err
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
	if s.id == 0 {
		gl.GenBuffers(1, &s.id)
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, s.id)
	if s.size < n {
		s.size = n + n/2
	}
	gl.BufferData(gl.ARRAY_BUFFER, s.size, nil, gl.STREAM_DRAW)
	gl.BufferSubData(gl.ARRAY_BUFFER, 0, n, unsafe.Pointer(&data[0]))
}

func (s *stream) delete() {
	if s.id != 0 {
		gl.DeleteBuffers(1, &s.id)
	}
	*s = stream{}
}

// staticBuffer makes a buffer that is written once.
func staticBuffer[T float32 | int32 | uint32](target uint32, data []T) uint32 {
	var id uint32
	gl.GenBuffers(1, &id)
	gl.BindBuffer(target, id)
	if len(data) > 0 {
		gl.BufferData(target, 4*len(data), unsafe.Pointer(&data[0]), gl.STATIC_DRAW)
	}
	return id
}

// vertexArray makes one over a buffer of floats, whose attributes have these sizes and follow each other, and leaves it
// bound.
func vertexArray(buffer uint32, sizes ...int) (id uint32) {
	stride, offset := 0, 0
	for _, n := range sizes {
		stride += n
	}
	gl.GenVertexArrays(1, &id)
	gl.BindVertexArray(id)
	gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
	for i, n := range sizes {
		attribute(uint32(i), n, stride, offset, 0)
		offset += n
	}
	return id
}

// attribute points attribute index of the bound vertex array at size floats in the bound buffer; divisor 1 advances it
// once per instance.
func attribute(index uint32, size, stride, offset int, divisor uint32) {
	gl.EnableVertexAttribArray(index)
	gl.VertexAttribPointerWithOffset(index, int32(size), gl.FLOAT, false, int32(4*stride), uintptr(4*offset))
	gl.VertexAttribDivisor(index, divisor)
}

// One triangle that covers the viewport at the far plane.
out float vHeight;
void main() {
	vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
	vHeight = p.y * 0.5 + 0.5;
	gl_Position = vec4(p, 1.0, 1.0);
}

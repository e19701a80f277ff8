// The square of ground that the shadow map covers.
out vec2 vAt;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	vAt = corner * 0.5 + 0.5;
	gl_Position = uViewProj * vec4(uShadow.x + corner.x * uShadow.w, uGround.x, uShadow.z + corner.y * uShadow.w, 1.0);
}

out vec3 vPosition;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	vPosition = vec3(uShadow.x + corner.x * uGround.z, uGround.x, uShadow.z + corner.y * uGround.z);
	gl_Position = uViewProj * vec4(vPosition, 1.0);
}

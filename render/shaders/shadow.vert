// Bodies as seen from above, moved aside by their height along the light. Rigid ones
// have a model matrix; of balls, attribute 0 is the place of the centre and the radius.
layout(location = 0) in vec4 aPosition;
uniform mat4 uModel;
uniform float uBalls; // 1: discs, four corners each
out float vHeight;
void main() {
	vec3 q = (uModel * vec4(aPosition.xyz, 1.0)).xyz;
	float h = max(q.y - uGround.x, 0.0);
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	vec2 p = (q.xz + uBalls * aPosition.w * corner - uShadow.xz + vec2(0.10, -0.08) * h) / uShadow.w;
	vHeight = h / uShadow.w;
	gl_Position = vec4(p, 0.0, 1.0);
}

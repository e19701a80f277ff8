// The depth is that of the ball's centre: a fragment that is hidden is then never
// shaded, which is most of them in a heap.
flat in vec3 vColor;
out vec4 oColor;

void main() {
	vec2 at = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
	float q = 1.0 - dot(at, at);
	if (q < 0.0) discard;
	vec3 n = at.x * uRight.xyz + at.y * uUp.xyz + sqrt(q) * uBack.xyz;
	oColor = vec4(toScreen(light(vColor, n, uBack.xyz, vec4(0.25, 60.0, 0.25, 0.0), 1.0)), 1.0);
}

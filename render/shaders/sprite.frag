// The depth is that of the ball's centre: a fragment that is hidden is then never
// shaded, which is most of them in a heap. The lighting is light() for a ball seen from
// afar, without what the eye does not see on so few pixels.
flat in vec3 vColor;
flat in vec4 vCrowd;
flat in vec3 vHalf; // half way from the light to the eye
out vec4 oColor;

void main() {
	vec2 at = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
	float q = 1.0 - dot(at, at);
	if (q < 0.0) discard;
	vec3 n = at.x * uRight.xyz + at.y * uUp.xyz + sqrt(q) * uBack.xyz;
	if (uGrains > 0.5) {
		oColor = vec4(toScreen(grain(vColor, n, uBack.xyz, vCrowd)), 1.0);
		return;
	}
	float nk = dot(n, uKey.xyz), fill = max(dot(n, uFill.xyz), 0.0);
	const vec3 wrap = 0.25 * vec3(0.50, 0.22, 0.18);
	vec3 key = max((vec3(nk) + wrap) * (1.0 / (1.0 + wrap)), 0.0);
	vec3 c = vColor * (vec3(0.175, 0.180, 0.205) + n.y * vec3(0.095, 0.105, 0.125) + key * vec3(1.00, 0.95, 0.88) + fill * vec3(0.16, 0.17, 0.20));
	float s2 = max(dot(n, vHalf), 0.0);
	s2 *= s2;
	float s4 = s2 * s2, s16 = s4 * s4 * s4 * s4;
	c += (0.10 + 0.12 * vColor) * (0.25 * s4 * s2) + 0.19 * (s16 * s16 * s16 * s16);
	oColor = vec4(toScreen(c), 1.0);
}

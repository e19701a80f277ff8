in vec2 vAt;
uniform sampler2D uMap;
out vec4 oColor;
void main() {
	float shade = texture(uMap, vAt).r * uShadow.y;
	// Lit, and fading out: a shadow shows only on what is lit.
	float off = length(2.0 * vAt - 1.0);
	vec3 floor = vec3(0.40, 0.43, 0.48);
	oColor = vec4(floor * (1.0 - 0.80 * shade), mix(0.62, 0.85, uGround.w) * (1.0 - smoothstep(0.30, 1.0, off)));
}

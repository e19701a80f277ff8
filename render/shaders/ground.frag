in vec2 vAt;
uniform sampler2D uMap;
out vec4 oColor;
void main() {
	float shade = texture(uMap, vAt).r;
	oColor = vec4(0.0, 0.0, 0.0, shade * (0.48 - 0.20 * uScreen.w));
	if (uGround.w > 0.0) { // a floor: lit, and fading out
		float off = length(2.0 * vAt - 1.0);
		vec3 floor = mix(vec3(0.36, 0.39, 0.44), vec3(0.90, 0.90, 0.88), uScreen.w);
		oColor = vec4(floor * (1.0 - 0.62 * shade), 0.85 * (1.0 - smoothstep(0.45, 1.0, off)));
	}
}

in float vHeight;
uniform sampler2D uMap;
uniform vec2 uStep;
out vec4 oColor;
void main() { // 13 taps by 7 fetches, each between two texels
	vec2 p = gl_FragCoord.xy / vec2(textureSize(uMap, 0));
	float s = 0.16 * texture(uMap, p).r;
	s += 0.20 * (texture(uMap, p + 1.5 * uStep).r + texture(uMap, p - 1.5 * uStep).r);
	s += 0.14 * (texture(uMap, p + 3.5 * uStep).r + texture(uMap, p - 3.5 * uStep).r);
	s += 0.08 * (texture(uMap, p + 5.5 * uStep).r + texture(uMap, p - 5.5 * uStep).r);
	oColor = vec4(s);
}

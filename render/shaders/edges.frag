in vec3 vNormal, vToEye;
in float vSide, vStress;
uniform float uWidth;
uniform vec4 uColor; // sRGB, opacity
uniform vec2 uKind;  // x: 1 stress colours; y: opacity of edges that face away
uniform sampler2D uMap;
out vec4 oColor;

void main() {
	float cover = clamp(0.5 * uWidth + 0.5 - abs(vSide), 0.0, 1.0);
	float facing = smoothstep(-0.15, 0.15, dot(normalize(vNormal), normalize(vToEye)));
	vec3 c = uColor.rgb;
	if (uKind.x > 0.5) c = texture(uMap, vec2(clamp(vStress, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
	oColor = vec4(c, uColor.a * cover * mix(uKind.y, 1.0, facing));
}

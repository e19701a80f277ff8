in float vSide;
flat in float vWidth;
flat in vec4 vColor;
uniform float uAlpha;
out vec4 oColor;
void main() {
	float cover = clamp(0.5 * vWidth + 0.5 - abs(vSide), 0.0, 1.0);
	oColor = vec4(vColor.rgb, vColor.a * cover * uAlpha);
}

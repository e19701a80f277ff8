in vec3 vPosition, vNormal;
in vec4 vColor;
uniform float uAlpha;
out vec4 oColor;
void main() {
	vec3 v = normalize(uEye.xyz - vPosition);
	vec3 n = normalize(vNormal);
	// Signals first, things second: the colour keeps most of its strength in shade.
	vec3 albedo = toLinear(vColor.rgb);
	float key = max(dot(n, uKey.xyz) * 0.6 + 0.4, 0.0);
	vec3 h = normalize(uKey.xyz + v);
	vec3 c = albedo * (0.30 + 0.85 * key) + vec3(0.20) * exp2(58.0 * (max(dot(n, h), 0.0) - 1.0));
	oColor = vec4(sqrt(min(c, 1.0)), vColor.a * uAlpha);
}

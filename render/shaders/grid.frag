in float vSide;
in vec3 vPosition;
flat in vec2 vWidth;
out vec4 oColor;
void main() {
	float cover = clamp(0.5 * vWidth.x + 0.5 - abs(vSide), 0.0, 1.0);
	vec2 from = vPosition.xz - uShadow.xz;
	float away = dot(from, from) / (uGround.z * uGround.z);
	float fade = max(1.0 - away * 1.05, 0.0);
	fade *= fade;
	// Where the cells get narrower than a few pixels the lines would run together.
	vec3 d = vPosition - uEye.xyz;
	float depth = -dot(d, uBack.xyz);
	float pixels = uGround.y / (uRight.w * depth) * abs(d.y) * inversesqrt(dot(d, d));
	fade *= clamp(pixels * 0.14 - 0.25, 0.0, 1.0);
	float below = uEye.y < uGround.x ? 0.4 : 1.0;
	oColor = vec4(uInk.rgb, cover * fade * below * vWidth.y);
}

in vec3 vPosition;
uniform sampler2D uMap;
out vec4 oColor;

// lines is how much of a pixel the lines of a grid cover.
float lines(vec2 p, float width) {
	vec2 w = fwidth(p);
	vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
	vec2 cover = clamp(0.5 * width + 0.5 - d, 0.0, 1.0);
	// Lines closer than a few pixels would flicker: fade them out.
	cover *= 1.0 - smoothstep(0.15, 0.45, w);
	return max(cover.x, cover.y);
}

void main() {
	vec2 from = vPosition.xz - uShadow.xz;
	float away = length(from) / uGround.z;
	float fade = 1.0 - smoothstep(0.25, 1.0, away);
	if (fade <= 0.0) discard;
	vec2 p = vPosition.xz / uGround.y;
	float fine = lines(p, uScreen.z), coarse = lines(p * 0.2, 1.4 * uScreen.z);
	float line = max(0.16 * fine, 0.32 * coarse) * fade;
	float shade = 0.0;
	if (uGround.w > 0.0) {
		vec2 s = from / uShadow.w * 0.5 + 0.5;
		vec2 inside = step(vec2(0.0), s) * step(s, vec2(1.0));
		shade = texture(uMap, s).r * inside.x * inside.y * mix(0.62, 0.38, uScreen.w);
	}
	// From below the ground must not hide the scene.
	float above = smoothstep(-0.05, 0.12, (uEye.y - uGround.x) / uGround.z);
	shade *= above;
	line *= mix(0.35, 1.0, above);
	float alpha = 1.0 - (1.0 - shade) * (1.0 - line);
	vec3 c = uInk.rgb * line * (1.0 - 0.6 * shade);
	oColor = vec4(alpha > 0.0 ? c / alpha : vec3(0.0), alpha);
}

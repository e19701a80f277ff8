in vec2 vAt;
flat in vec4 vKind;
flat in float vRadius;
uniform float uAlpha;
out vec4 oColor;

void main() {
	float px = max(1.0, uScreen.z); // width of an outline, pixels
	float d = length(vAt);
	if (vKind.w > 1.5 && vKind.w < 2.5) d = (abs(vAt.x) + abs(vAt.y)) * 0.78;
	else if (vKind.w > 2.5 && vKind.w < 3.5) d = max(abs(vAt.x), abs(vAt.y)) * 1.1;
	float cover = clamp(vRadius + 0.5 - d, 0.0, 1.0);
	if (cover <= 0.0) discard;
	vec3 ink = vec3(0.05, 0.06, 0.08);
	vec3 c;
	if (vKind.w > 4.5) { // plate: fades out towards its rim
		c = vKind.rgb;
		cover *= 0.5 * clamp(2.5 - 2.5 * d / vRadius, 0.0, 1.0);
	} else if (vKind.w > 3.5) { // halo: a ring only
		cover *= clamp(d - (vRadius - 2.0 * px) + 0.5, 0.0, 1.0);
		if (cover <= 0.0) discard;
		c = vKind.rgb;
	} else if (vKind.w < 0.5) { // ring with a dark middle
		float hole = clamp(vRadius - 2.4 * px + 0.5 - d, 0.0, 1.0);
		c = mix(vKind.rgb, ink, hole);
	} else if (vKind.w > 2.5) { // mark of a fixed node: dark with a light rim
		c = mix(vKind.rgb, vec3(0.70, 0.74, 0.80), 0.9 * clamp(d - (vRadius - px) + 0.5, 0.0, 1.0));
		cover *= 0.8;
	} else { // disc and diamond: dark rim, a little roundness
		float rim = clamp(d - (vRadius - px) + 0.5, 0.0, 1.0);
		vec2 q = vAt / vRadius;
		float shine = clamp(1.0 - length(q - vec2(-0.3, 0.35)), 0.0, 1.0);
		c = mix(vKind.rgb * (0.92 + 0.25 * shine), ink, rim * 0.85);
	}
	oColor = vec4(c, cover * uAlpha);
}

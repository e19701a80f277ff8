// One source for three programs: plain surfaces, with WIRE those that show their
// mesh, with RIBBON the smooth outlines.
in vec3 vPosition, vNormal;
in vec3 vShade;
#if !defined(WIRE) && !defined(RIBBON)
#define TISSUE
in vec3 vMatter;           // place at rest, in sizes of the body
uniform sampler3D uTissue; // a field without a pattern: its gradient, and itself, both 0..1 about 0.5; it repeats
#endif
#ifdef WIRE
in vec3 vCorner;
uniform vec4 uWire;  // width in pixels, opacity of lines, opacity of the surface, 1: lines in the surface's colour
uniform vec4 uLines; // sRGB of the lines
#endif
#ifdef RIBBON
in float vCover;
#endif
uniform vec4 uColor; // linear albedo; a: opacity at normal incidence, 1 opaque
uniform vec4 uLook;  // bleed, gloss, specular, metal
uniform vec4 uKind;  // x: 1 stress colours; y: 1 back faces (inside); z: 1 ghost; w: mottling
uniform sampler2D uMap;
out vec4 oColor;

void main() {
	vec3 v = normalize(uEye.xyz - vPosition);
	vec3 n = normalize(vNormal);
	if (uKind.y > 0.5) n = -n;

	if (uKind.z > 0.5) { // only the outline of the ghost shows
		float facing = abs(dot(n, v));
		float edge = pow(1.0 - facing, 1.6);
		// The very rim fades, which hides its stairs.
		float rim = clamp(facing / max(fwidth(facing), 1e-4), 0.0, 1.0);
		oColor = vec4(mix(uColor.rgb * 0.8, uColor.rgb, edge), uColor.a * rim * (0.12 + 0.88 * edge));
		return;
	}

#ifdef WIRE
	// Distance to the nearest edge, in pixels, from the barycentric coordinates.
	vec3 d3 = vCorner / max(fwidth(vCorner), 1e-6);
	float cover = clamp(0.5 * uWire.x + 0.5 - min(d3.x, min(d3.y, d3.z)), 0.0, 1.0) * uWire.y;
	vec3 line = uLines.rgb;
	if (uWire.w > 0.5) line = texture(uMap, vec2(clamp(vShade.x, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
	if (uWire.z <= 0.0) { // mesh only
		if (cover <= 0.0) discard;
		oColor = vec4(line, cover);
		return;
	}
#endif
	vec3 albedo = uColor.rgb;
	vec4 look = uLook;
	float ao = 1.0 - 0.42 * max(vShade.y, 0.0) + 0.10 * max(-vShade.y, 0.0);
	if (uKind.x > 0.5) {
		albedo = toLinear(texture(uMap, vec2(clamp(vShade.x, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb);
		// Colours carry numbers here: little gloss, no tinting.
		look = vec4(0.25, 40.0, look.z * 0.18, 0.0);
	} else {
		albedo *= 1.0 + uKind.w * vShade.z * vec3(0.20, 0.30, 0.26);
		albedo = mix(albedo, albedo * vec3(0.80, 0.55, 0.55), uKind.w * max(vShade.y, 0.0) * 0.8);
	}
	vec3 bumped = n;
#ifdef TISSUE
	// Fine structure, vessels and a film of water, which go with the material: only where colours carry no numbers.
	if (uKind.w > 0.0 && uKind.x < 0.5) {
		vec4 fine = texture(uTissue, vMatter * 9.0) * 2.0 - 1.0;
		fine *= clamp(1.6 - 120.0 * fwidth(vMatter.x + vMatter.y), 0.0, 1.0); // finer than pixels it would glitter
		float wet = uKind.w;
		bumped = normalize(n + 0.24 * wet * fine.xyz);
		float vessel = clamp(1.2 - 14.0 * abs(vShade.z + 0.22 * fine.w), 0.0, 1.0) * (0.55 + 0.45 * fine.x);
		float uneven = wet * 0.18 * fine.w;
		albedo *= vec3(1.0 + 0.7 * uneven, 1.0 + uneven, 1.0 + uneven) - wet * vessel * vec3(0.42, 0.68, 0.58);
	}
#endif
	// The tool dims what lies close under it (a sphere's ambient occlusion).
	if (uProbe.w > 0.0) {
		vec3 d = uProbe.xyz - vPosition;
		float dist2 = max(dot(d, d), uProbe.w * uProbe.w);
		float facing = max(dot(n, d) * inversesqrt(dist2), 0.0);
		ao *= 1.0 - 0.75 * facing * uProbe.w * uProbe.w / dist2;
	}
	vec3 c = toScreen(light(albedo, bumped, v, look, ao));
	float alpha = uColor.a;
	if (alpha < 1.0) { // glass-like: denser where the surface turns away
		float turn = (1.0 - abs(dot(n, v))) * (1.0 - abs(dot(n, v)));
		alpha = mix(alpha, 0.85, turn);
		if (uKind.y > 0.5) alpha *= 0.55;
	}
#ifdef WIRE
	c = mix(c, line, cover);
	alpha = mix(uWire.z, 1.0, cover);
#endif
#ifdef RIBBON
	alpha *= vCover;
#endif
	oColor = vec4(c, alpha);
}

// One source for several programs, since the CPU would compute what a branch does not need: plain surfaces; with
// TISSUE those in their own colours that are wet and uneven, with SOLID things of stone, wood and the like, with WIRE
// surfaces that show their mesh, with RIBBON the smooth outlines, with GHOST no more than an outline of a surface.
in vec3 vPosition, vNormal;
in vec3 vShade;
#if defined(TISSUE) || defined(SOLID)
in vec3 vMatter;           // place at rest, in sizes of the body
uniform sampler3D uTissue; // a field without a pattern: its gradient, and itself, both 0..1 about 0.5; it repeats
#endif
#ifdef SOLID
uniform vec2 uSolid; // what it is made of, see solidKinds; a number of its own, 0..1
uniform vec3 uHalf;  // half its edges, in radii, as vMatter is
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
uniform vec3 uKind;  // x: 1 stress colours; y: 1 back faces (inside); z: mottling
uniform sampler2D uMap;
out vec4 oColor;

void main() {
	vec3 v = normalize(uEye.xyz - vPosition);
	vec3 n = normalize(vNormal);
#ifdef GHOST
	float facing = abs(dot(n, v));
	float edge = pow(1.0 - facing, 1.6);
	// The very rim fades, which hides its stairs.
	float rim = clamp(facing / max(fwidth(facing), 1e-4), 0.0, 1.0);
	oColor = vec4(mix(uColor.rgb * 0.8, uColor.rgb, edge), uColor.a * rim * (0.12 + 0.88 * edge));
#else
	if (uKind.y > 0.5) n = -n;

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
#ifndef TISSUE
	if (uKind.x > 0.5) {
		albedo = toLinear(texture(uMap, vec2(clamp(vShade.x, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb);
		// Colours carry numbers here: little gloss, no tinting.
		look = vec4(0.25, 40.0, look.z * 0.18, 0.0);
	} else
#endif
	{
		albedo *= 1.0 + uKind.z * vShade.z * vec3(0.20, 0.30, 0.26);
		albedo = mix(albedo, albedo * vec3(0.80, 0.55, 0.55), uKind.z * max(vShade.y, 0.0) * 0.8);
	}
	vec3 bumped = n;
#ifdef TISSUE
	// Fine structure, vessels and a film of water, which go with the material.
	vec4 fine = texture(uTissue, vMatter * 9.0) * 2.0 - 1.0;
	fine *= clamp(1.6 - 120.0 * fwidth(vMatter.x + vMatter.y), 0.0, 1.0); // finer than pixels it would glitter
	float wet = uKind.z;
	bumped = normalize(n + 0.24 * wet * fine.xyz);
	float vessel = clamp(1.2 - 14.0 * abs(vShade.z + 0.22 * fine.w), 0.0, 1.0) * (0.55 + 0.45 * fine.x);
	float uneven = wet * 0.18 * fine.w;
	albedo *= vec3(1.0 + 0.7 * uneven, 1.0 + uneven, 1.0 + uneven) - wet * vessel * vec3(0.42, 0.68, 0.58);
#endif
#ifdef SOLID
	vec3 p = vMatter, side = 1.0 - abs(p) / uHalf; // 0 on a face
	vec4 grit = texture(uTissue, p * 1.7 + uSolid.y * 7.0) * 2.0 - 1.0;
	int on = side.x < side.y ? (side.x < side.z ? 0 : 2) : (side.y < side.z ? 1 : 2); // the axis of the face
	vec3 gap = side * uHalf;  // to the edges of the face, in radii
	gap[on] = 1.0;
	float rim = min(gap.x, min(gap.y, gap.z));
	if (uSolid.x < 1.5) { // brick: baked clay, rough, each another; mortar along its edges
		vec4 fine = texture(uTissue, p * 0.45 + uSolid.y * 3.0) * 2.0 - 1.0;
		albedo *= (0.72 + 0.5 * uSolid.y) * (1.0 + 0.30 * fine.w + 0.30 * grit.w);
		albedo = mix(vec3(0.42, 0.38, 0.33), albedo, smoothstep(0.015, 0.06, rim + 0.02 * grit.w));
		bumped = normalize(n + 0.30 * grit.xyz);
	} else if (uSolid.x < 2.5) { // book: cloth and gold, and paper between the covers
		float board = 0.78; // of half its thickness: the pages
		if (on != 1 && !(on == 0 && p.x < 0.0)) {
			float y = abs(p.y) / uHalf.y;
			float sheets = 0.5 + 0.5 * sin(p.y * 900.0);
			albedo = y > board ? albedo * 0.8 : vec3(0.80, 0.74, 0.60) * (0.72 + 0.16 * sheets + 0.12 * grit.w) * (0.55 + 0.45 * smoothstep(0.0, 0.12, board - y));
		} else {
			albedo *= 0.88 + 0.22 * texture(uTissue, p * 6.0).a + 0.1 * grit.w;
			vec2 q = on == 1 ? vec2(p.x / uHalf.x, p.z / uHalf.z) : vec2(0.0, p.z / uHalf.z);
			vec2 e = (1.0 - abs(q)) * (on == 1 ? uHalf.xz : vec2(1.0, uHalf.z));
			float frame = min(e.x, e.y);
			float gold = on == 1 ? step(abs(frame - 0.075), 0.010) + step(abs(frame - 0.11), 0.004) : step(abs(abs(q.y) - 0.72), 0.012) + step(abs(abs(q.y) - 0.80), 0.006);
			if (on == 1 && abs(q.y + 0.30) < 0.16 && abs(q.x) < 0.5) gold += step(0.5, fract(q.y * 9.0 + 0.2)) * step(abs(q.x), 0.5 - 0.22 * fract(floor(q.y * 9.0 + 0.2) * 0.618));
			if (on == 1 && q.x < -0.86) albedo *= 0.72; // the hinge of the cover
			if (gold > 0.5) { albedo = vec3(0.80, 0.56, 0.16); look = vec4(0.0, 60.0, 0.7, 0.6); }
			bumped = normalize(n + 0.05 * grit.xyz);
		}
	} else if (uSolid.x < 3.5) { // wood: rings about the longest axis, and pores along it
		vec3 q = uHalf.x >= max(uHalf.y, uHalf.z) ? p.yxz : (uHalf.z >= uHalf.y ? p.xzy : p);
		vec4 bend = texture(uTissue, q * vec3(0.35, 0.10, 0.35) + uSolid.y) * 2.0 - 1.0;
		float ring = fract(length(q.xz + vec2(0.35, 0.6)) * 16.0 + 1.3 * bend.w);
		float pores = texture(uTissue, q * vec3(5.0, 0.4, 5.0)).a;
		albedo *= 0.80 + 0.24 * smoothstep(0.0, 0.75, ring) * (1.0 - smoothstep(0.85, 1.0, ring)) + 0.25 * (pores - 0.5) + 0.10 * bend.x;
		look = vec4(0.15, 40.0, 0.22, 0.0);
	} else if (uSolid.x < 4.5) { // stone
		vec4 coarse = texture(uTissue, p * 0.5 + uSolid.y * 5.0) * 2.0 - 1.0;
		albedo *= 1.0 + 0.28 * coarse.w + 0.30 * grit.w;
		bumped = normalize(n + 0.30 * coarse.xyz + 0.22 * grit.xyz);
		look = vec4(0.2, 16.0, 0.06, 0.0);
	} else { // domino: a line across, and spots on either half
		if ((on == 0) == (uHalf.x < uHalf.z)) {
			vec2 q = on == 0 ? p.zy / uHalf.zy : p.xy / uHalf.xy;
			float many = floor(fract(uSolid.y * (q.y > 0.0 ? 7.3 : 3.1)) * 6.0) + 1.0;
			vec2 c = vec2(q.x, abs(q.y) * 2.0 - 1.0), a = abs(c);
			float spot = step(length(c), 0.17) * mod(many, 2.0);
			if (many > 1.5) spot += step(length(c - vec2(0.5, 0.5)), 0.17) + step(length(c + vec2(0.5, 0.5)), 0.17);
			if (many > 3.5) spot += step(length(c - vec2(0.5, -0.5)), 0.17) + step(length(c + vec2(0.5, -0.5)), 0.17);
			if (many > 5.5) spot += step(length(vec2(a.x - 0.5, c.y)), 0.17);
			if (spot + step(abs(q.y), 0.035) > 0.5) albedo = vec3(0.02);
		}
		look = vec4(0.3, 90.0, 0.45, 0.0);
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
#endif
}

// Common header of every shader: what holds for a whole frame, and lighting.
layout(std140) uniform Frame {
	mat4 uViewProj;
	vec4 uEye;      // xyz: eye, world, m
	vec4 uRight;    // xyz: screen right, world; w: metres per pixel at unit depth
	vec4 uUp;       // xyz: screen up, world
	vec4 uBack;     // xyz: towards the eye, world
	vec4 uKey;      // xyz: towards the key light, world
	vec4 uFill;     // xyz: towards the fill light, world
	vec4 uScreen;   // width, height of the viewport, pixels; content scale
	vec4 uProbe;    // sphere round the tool that shades the tissue: centre, radius (0: none)
	vec4 uGround;   // height, cell, radius of the ground, m; 1 where there is a floor
	vec4 uShadow;   // x, z: centre of the shadow map; w: half its size, m; y: 1 where there are shadows
	vec4 uTop;      // background at the top, sRGB
	vec4 uBottom;   // background at the bottom, sRGB
	vec4 uInk;      // lines and text against the background, sRGB
	vec4 uClip;     // plane: what lies below it is cut off while CLIP_DISTANCE0 is enabled
};

// Light is computed in linear terms; the screen's curve is taken as a square,
// which is close to sRGB and far cheaper than a power where the CPU draws.
vec3 toLinear(vec3 c) { return c * c; }

// toScreen also keeps highlights from clipping to flat white by a gentle shoulder.
vec3 toScreen(vec3 c) {
	c = c * (1.0 + c * 0.12) / (1.0 + c * 0.42);
	return sqrt(c);
}

#ifdef FRAGMENT
// light is the colour of a surface point. n and v are unit vectors (normal, to
// the eye), look = (bleed, gloss, specular, metal).
vec3 light(vec3 albedo, vec3 n, vec3 v, vec4 look, float ao) {
	float nk = dot(n, uKey.xyz), nv = max(dot(n, v), 0.0);
	// Light wraps round into the shade, red further than blue, as it does in
	// tissue; look.x is how much.
	vec3 wrap = look.x * vec3(0.50, 0.22, 0.18);
	vec3 key = max((vec3(nk) + wrap) / (1.0 + wrap), 0.0);
	float fill = max(dot(n, uFill.xyz), 0.0);
	vec3 ambient = vec3(0.175, 0.180, 0.205) + n.y * vec3(0.095, 0.105, 0.125);
	vec3 diffuse = albedo * (ambient * ao + key * (0.4 + 0.6 * ao) * vec3(1.00, 0.95, 0.88) + fill * ao * vec3(0.16, 0.17, 0.20));

	// Two lobes: the broad one shows the shape, the narrow one says "wet".
	float away = look.y * (max(dot(n, normalize(uKey.xyz + v)), 0.0) - 1.0);
	vec3 tint = mix(vec3(1.0), albedo * 1.6, look.w);
	vec3 lobes = (0.10 + 0.12 * albedo) * exp2(0.16 * away) + 0.75 * exp2(1.44 * away);
	vec3 spec = tint * lobes * (look.z * clamp(nk * 4.0 + 0.8, 0.0, 1.0));
	float graze = 1.0 - nv;
	graze *= graze;
	// The sky that the surface mirrors: bright above, dark below.
	float up = clamp(0.5 + (2.0 * dot(n, v) * n.y - v.y), 0.0, 1.0);
	vec3 sky = mix(vec3(0.08), vec3(0.70, 0.78, 0.92), up * up);
	vec3 mirror = tint * sky * ((graze * graze * (0.16 + 0.40 * look.z) + look.w * 0.45) * ao);
	return diffuse * (1.0 - 0.55 * look.w) + spec + mirror;
}
#endif

#ifdef VERTEX
// ribbon is a corner (gl_VertexID 0..3) of a quad of constant width round the
// segment from a to b, given in clip coordinates. The part behind the eye is cut
// off first, since it has no place on the screen. side is the distance from the
// middle in pixels; at becomes the world position of the end.
vec4 ribbon(vec4 ca, vec4 cb, float width, out float side, out vec3 at, vec3 a, vec3 b) {
	float da = ca.z + ca.w, db = cb.z + cb.w; // before the near plane where positive
	float ta = da < 0.0 ? da / (da - db) : 0.0, tb = db < 0.0 ? da / (da - db) : 1.0;
	side = 0.0;
	at = a;
	if (da < 0.0 && db < 0.0) return vec4(2.0, 2.0, 2.0, 1.0);
	vec4 pa = mix(ca, cb, ta), pb = mix(ca, cb, tb);
	bool second = gl_VertexID >= 2;
	vec4 here = second ? pb : pa;
	at = mix(a, b, second ? tb : ta);
	vec2 along = (pb.xy / pb.w - pa.xy / pa.w) * uScreen.xy;
	vec2 normal = vec2(-along.y, along.x) / max(length(along), 1e-4);
	float reach = 0.5 * width + 0.75;
	side = (gl_VertexID & 1) == 0 ? reach : -reach;
	here.xy += normal * side * 2.0 / uScreen.xy * here.w;
	return here;
}
#endif

#ifdef GRAINS
// What neighbours do to a grain, see grains.go: the mean direction to them, and how many there are, 0..1.
#ifdef VERTEX
vec4 crowdOf(float code) {
	vec4 q = floor(code / vec4(4096.0, 64.0, 1.0, 262144.0));
	q.xyz -= 64.0 * floor(q.xyz / 64.0);
	return vec4(q.xyz / 31.5 - 1.0, q.w / 63.0);
}
#endif
#ifdef FRAGMENT
uniform float uGrains; // 1 sand, 2 snow, 3 water; 0 balls
uniform sampler3D uTissue;

// grain is the colour of a point of a grain with unit normal n, seen along v.
vec3 grain(vec3 albedo, vec3 n, vec3 v, vec4 crowd) {
	float open = 1.0 - clamp(0.10 + 1.1 * dot(n, crowd.xyz), 0.0, 0.85);
	float deep = crowd.w * (1.0 - min(length(crowd.xyz) * 1.6, 1.0)); // surrounded: no light comes there
	open *= 1.0 - 0.7 * deep;
	vec3 heap = -crowd.xyz;
	vec4 fine = texture(uTissue, n * 0.23 + crowd.yzx * 3.0) * 2.0 - 1.0;
	if (uGrains < 1.5) {
		n = normalize(n + 0.35 * heap + 0.75 * fine.xyz);
		return light(albedo * (1.0 + 0.22 * fine.w), n, v, vec4(0.25, 24.0, 0.07, 0.0), 1.0) * (0.28 + 0.72 * open);
	}
	if (uGrains < 2.5) {
		n = normalize(n * 0.55 + 2.2 * heap + 0.45 * fine.xyz);
		albedo = mix(vec3(0.50, 0.64, 0.86), vec3(1.0, 1.0, 1.02), open) * (0.94 + 0.08 * fine.w);
		vec3 c = light(albedo, n, v, vec4(0.15, 30.0, 0.05, 0.0), 1.0) * (0.62 + 0.38 * open) + vec3(0.10, 0.11, 0.13) * open;
		return c + 1.6 * max(fine.w - 0.72, 0.0) * max(dot(n, uKey.xyz), 0.0);
	}
	n = normalize(n * 0.45 + 2.2 * heap);
	float graze = 1.0 - max(dot(n, v), 0.0);
	// Seen through, it shows what is behind, tinted; its rim mirrors the sky.
	vec3 through = mix(toLinear(uTop.rgb), albedo, 0.35 + 0.4 * crowd.w) * (0.55 + 0.45 * open);
	vec3 c = mix(through, vec3(0.62, 0.74, 0.82), 0.06 + 0.85 * graze * graze * graze);
	return c + 1.3 * pow(max(dot(n, normalize(uKey.xyz + v)), 0.0), 90.0) + 0.25 * albedo * max(-dot(n, uKey.xyz), 0.0);
}
#endif
#endif

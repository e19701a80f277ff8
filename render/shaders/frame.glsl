// Common header of every shader: what holds for a whole frame, and lighting.
layout(std140) uniform Frame {
	mat4 uViewProj;
	vec4 uEye;      // xyz: eye, world, m
	vec4 uRight;    // xyz: screen right, world; w: metres per pixel at unit depth
	vec4 uUp;       // xyz: screen up, world
	vec4 uBack;     // xyz: towards the eye, world
	vec4 uKey;      // xyz: towards the key light, world
	vec4 uFill;     // xyz: towards the fill light, world
	vec4 uScreen;   // width, height of the viewport, pixels; content scale; 1 on a light theme
	vec4 uProbe;    // sphere round the tool that shades the tissue: centre, radius (0: none)
	vec4 uGround;   // height, cell, radius of the ground, m; 1 where there is a floor
	vec4 uShadow;   // xz: centre, half-size of the shadow map, m; w: unused
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

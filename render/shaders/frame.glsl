// Common header of every shader: what holds for a whole frame, and lighting.
layout(std140) uniform Frame {
	mat4 uViewProj;
	vec4 uEye;      // xyz: eye, world, m
	vec4 uRight;    // xyz: screen right, world; w: metres per pixel at unit depth
	vec4 uUp;       // xyz: screen up, world
	vec4 uBack;     // xyz: towards the eye, world
	vec4 uKey;      // xyz: towards the key light, world
	vec4 uScreen;   // width, height of the viewport, pixels; content scale; 1 on a light theme
	vec4 uProbe;    // sphere round the tool that shades the tissue: centre, radius (0: none)
	vec4 uGround;   // height, cell, half-extent of the ground, m; shadow strength
	vec4 uShadow;   // xz: centre, half-size of the shadow map, m; w: unused
	vec4 uTop;      // background at the top, sRGB
	vec4 uBottom;   // background at the bottom, sRGB
	vec4 uInk;      // lines and text against the background, sRGB
};

// toScreen brings linear light to sRGB; a gentle shoulder keeps highlights from
// clipping to flat white.
vec3 toScreen(vec3 c) {
	c = c * (1.0 + c * 0.12) / (1.0 + c * 0.42);
	return pow(c, vec3(1.0 / 2.2));
}

vec3 toLinear(vec3 c) { return pow(c, vec3(2.2)); }

// light is the colour of a surface point. n and v are unit vectors (normal, to
// the eye), look = (bleed, gloss, specular, metal).
vec3 light(vec3 albedo, vec3 n, vec3 v, vec4 look, float ao) {
	// Light wraps round into the shade, red further than blue, as it does in
	// tissue; look.x is how much.
	vec3 wrap = look.x * vec3(0.55, 0.26, 0.20);
	vec3 key = max((vec3(dot(n, uKey.xyz)) + wrap) / (1.0 + wrap), 0.0);
	float fill = max(dot(n, normalize(uRight.xyz * 0.8 + uBack.xyz * 0.6 - uUp.xyz * 0.1)), 0.0);
	vec3 ambient = mix(vec3(0.13, 0.12, 0.125), vec3(0.33, 0.36, 0.42), n.y * 0.5 + 0.5);
	vec3 diffuse = albedo * (ambient * ao + key * vec3(1.02, 0.98, 0.92) * mix(ao, 1.0, 0.6) + fill * vec3(0.16, 0.17, 0.20) * ao);

	vec3 h = normalize(uKey.xyz + v);
	float nh = max(dot(n, h), 0.0), nv = max(dot(n, v), 0.0);
	float fresnel = pow(1.0 - nv, 4.0);
	// Two lobes: the broad one shows the shape, the narrow one says "wet".
	float broad = pow(nh, look.y * 0.12), narrow = pow(nh, look.y);
	vec3 tint = mix(vec3(1.0), albedo * 1.6, look.w);
	vec3 spec = tint * look.z * (0.16 * broad + 0.75 * narrow) * step(0.0, dot(n, uKey.xyz) + 0.2);
	vec3 sky = mix(vec3(0.10), vec3(0.75, 0.82, 0.95), smoothstep(-0.3, 0.9, reflect(-v, n).y));
	vec3 rim = tint * sky * (fresnel * 0.35 * (0.4 + look.z) + look.w * 0.45) * ao;
	return diffuse * (1.0 - 0.55 * look.w) + spec + rim;
}

// A point drawn as a disc that faces the eye, with constant size on the screen.
layout(location = 0) in vec4 iPlace; // xyz world; w radius, pixels
layout(location = 1) in vec4 iKind;  // rgb sRGB; w shape
out vec2 vAt; // pixels from the centre
flat out vec4 vKind;
flat out float vRadius;

void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	vRadius = iPlace.w;
	vAt = corner * (vRadius + 1.5);
	vKind = iKind;
	vec4 p = uViewProj * vec4(iPlace.xyz, 1.0);
	// Stand off the surface by the disc's own radius, as a ball would.
	float lift = vRadius * uRight.w * p.w;
	p = uViewProj * vec4(iPlace.xyz + lift * normalize(uEye.xyz - iPlace.xyz), 1.0);
	p.xy += vAt * 2.0 / uScreen.xy * p.w;
	gl_Position = p;
}

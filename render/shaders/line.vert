// A line segment of constant width on the screen.
layout(location = 0) in vec4 iA;     // xyz world; w width, design pixels
layout(location = 1) in vec4 iB;     // xyz world
layout(location = 2) in vec4 iColor; // sRGB, opacity
out float vSide;
flat out float vWidth;
flat out vec4 vColor;

void main() {
	vec4 ca = uViewProj * vec4(iA.xyz, 1.0), cb = uViewProj * vec4(iB.xyz, 1.0);
	vec4 here = gl_VertexID >= 2 ? cb : ca;
	vec2 along = (cb.xy / cb.w - ca.xy / ca.w) * uScreen.xy;
	vec2 normal = vec2(-along.y, along.x) / max(length(along), 1e-4);
	vWidth = iA.w * uScreen.z;
	float reach = 0.5 * vWidth + 0.75;
	vSide = (gl_VertexID & 1) == 0 ? reach : -reach;
	here.xy += normal * vSide * 2.0 / uScreen.xy * here.w;
	vColor = iColor;
	gl_Position = here;
}

// Mesh edges as quads of constant width on the screen. An instance is an edge;
// its end points come from the surface's own vertex buffer.
layout(location = 0) in ivec2 aEdge;
uniform samplerBuffer uVertices; // two texels a vertex: position and stress, normal and cavity
uniform float uWidth;            // pixels
out vec3 vNormal, vToEye;
out float vSide, vStress;

void main() {
	int corner = gl_VertexID;
	vec4 a = texelFetch(uVertices, 2 * aEdge.x), b = texelFetch(uVertices, 2 * aEdge.y);
	vec4 ca = uViewProj * vec4(a.xyz, 1.0), cb = uViewProj * vec4(b.xyz, 1.0);
	bool second = corner >= 2;
	vec4 here = second ? cb : ca;
	vec4 p = second ? b : a;
	vec2 along = (cb.xy / cb.w - ca.xy / ca.w) * uScreen.xy;
	vec2 normal = vec2(-along.y, along.x) / max(length(along), 1e-4);
	float half_ = 0.5 * uWidth + 0.75;
	vSide = (corner & 1) == 0 ? half_ : -half_;
	here.xy += normal * vSide * 2.0 / uScreen.xy * here.w;
	here.z -= 0.0006 * here.w; // in front of its own surface
	gl_Position = here;
	vNormal = texelFetch(uVertices, 2 * (second ? aEdge.y : aEdge.x) + 1).xyz;
	vToEye = uEye.xyz - p.xyz;
	vStress = p.w;
}

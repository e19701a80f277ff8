// A surface with its mesh. Every corner of a triangle is a vertex of its own,
// which knows its place in the triangle; the deformed positions come from the
// surface's vertex buffer.
layout(location = 0) in float aVertex;
layout(location = 1) in vec3 aCorner; // barycentric; raised by 1 where the opposite edge is not drawn
uniform samplerBuffer uVertices;      // two texels a vertex: position and stress, normal and cavity
out vec3 vPosition, vNormal, vCorner;
out vec3 vShade;

void main() {
	int v = 2 * int(aVertex);
	vec4 p = texelFetch(uVertices, v), n = texelFetch(uVertices, v + 1);
	vPosition = p.xyz;
	vNormal = n.xyz;
	vCorner = aCorner;
	vShade = vec3(p.w, n.w, 0.0);
	gl_Position = uViewProj * vec4(p.xyz, 1.0);
	gl_ClipDistance[0] = dot(uClip.xyz, p.xyz) + uClip.w;
}

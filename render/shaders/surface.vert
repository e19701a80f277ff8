// A deformed surface. The model matrix is the identity except for the ghost.
layout(location = 0) in vec4 aPosition; // xyz world, m; w: stress, 0..1 of the range
layout(location = 1) in vec4 aNormal;   // xyz unit; w: cavity, -1 ridge .. 1 dent
layout(location = 2) in vec4 aMatter;   // xyz: place at rest, in sizes of the body; w: mottle, -1..1
uniform mat4 uModel;
out vec3 vPosition, vNormal;
out vec3 vShade; // stress, cavity, mottle
out vec3 vMatter;

void main() {
	vec4 p = uModel * vec4(aPosition.xyz, 1.0);
	vPosition = p.xyz;
	vNormal = mat3(uModel) * aNormal.xyz;
	vShade = vec3(aPosition.w, aNormal.w, aMatter.w);
#ifdef SOLID
	vMatter = aMatter.xyz;
#else
	vMatter = mat3(0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6) * aMatter.xyz; // turned: no row of texels runs along the body
#endif
	gl_Position = uViewProj * p;
	gl_ClipDistance[0] = dot(uClip.xyz, p.xyz) + uClip.w;
}

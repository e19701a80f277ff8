// A ribbon along an edge of the outline, one pixel wide, away from the triangle
// that faces the eye; outline.go says why.
layout(location = 0) in vec4 iA;       // xyz; w stress
layout(location = 1) in vec4 iNormalA; // xyz; w cavity
layout(location = 2) in vec4 iB;
layout(location = 3) in vec4 iNormalB;
layout(location = 4) in vec4 iInner;   // third corner of the triangle
uniform mat4 uModel;
out vec3 vPosition, vNormal;
out vec3 vShade;
out float vCover;

void main() {
	bool second = gl_VertexID >= 2, outer = (gl_VertexID & 1) == 1;
	vec4 a = uModel * vec4(iA.xyz, 1.0), b = uModel * vec4(iB.xyz, 1.0), c = uModel * vec4(iInner.xyz, 1.0);
	vec4 p = second ? b : a;
	vec4 n = second ? iNormalB : iNormalA;
	vPosition = p.xyz;
	vNormal = mat3(uModel) * n.xyz;
	vShade = vec3(second ? iB.w : iA.w, n.w, 0.0);
	vCover = outer ? 0.0 : 1.0;
	vec4 ca = uViewProj * a, cb = uViewProj * b, cc = uViewProj * c, here = uViewProj * p;
	if (min(ca.w, min(cb.w, cc.w)) <= 0.0) {
		gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
		return;
	}
	vec2 pa = ca.xy / ca.w * uScreen.xy, pb = cb.xy / cb.w * uScreen.xy, pc = cc.xy / cc.w * uScreen.xy;
	vec2 along = pb - pa;
	vec2 away = vec2(-along.y, along.x) / max(length(along), 1e-4);
	if (dot(away, pc - pa) > 0.0) away = -away;
	if (outer) here.xy += away * 2.0 / uScreen.xy * here.w;
	gl_Position = here;
}

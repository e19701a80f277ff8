// One arrow an instance; glyphs.go describes the mesh.
layout(location = 0) in vec3 aRing;   // cos, sin, radius code
layout(location = 1) in vec2 aAxial;  // axial code, lean of the normal
layout(location = 2) in vec4 iTail;   // xyz world; w radius of the shaft, m
layout(location = 3) in vec4 iShaft;  // xyz tail to tip, m
layout(location = 4) in vec4 iColor;  // sRGB, opacity
out vec3 vPosition, vNormal;
out vec4 vColor;

void main() {
	float len = length(iShaft.xyz);
	vec3 u = iShaft.xyz / len;
	vec3 v = normalize(cross(u, abs(u.x) > 0.7 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
	vec3 w = cross(u, v);
	// A short arrow shrinks as a whole, so that its direction still shows.
	float radius = min(iTail.w, len * 0.085);
	float head = min(6.0 * radius, 0.55 * len);
	float along = aAxial.x < 0.5 ? 0.0 : (aAxial.x < 1.5 ? len - head : len);
	float r = aRing.z < 0.5 ? 0.0 : (aRing.z < 1.5 ? radius : 2.4 * radius);
	vec3 side = v * aRing.x + w * aRing.y;
	vPosition = iTail.xyz + u * along + side * r;
	vNormal = aAxial.y < -0.5 ? -u : normalize(side + u * aAxial.y);
	vColor = iColor;
	gl_Position = uViewProj * vec4(vPosition, 1.0);
}

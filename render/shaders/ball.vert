// A ball as a square that faces the eye and covers it; ball.frag finds its surface.
layout(location = 0) in vec4 iPlace; // xyz world, m; w radius, m
layout(location = 1) in vec4 iKind;  // rgb sRGB; w: neighbours
out vec3 vPosition;
flat out vec4 vBall;
flat out vec3 vColor;
flat out vec4 vCrowd;

void main() {
	vCrowd = crowdOf(iKind.w);
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	vec3 to = uEye.xyz - iPlace.xyz;
	float d = max(length(to), 1e-9), r = iPlace.w;
	vec3 w = to / d;
	vec3 u = normalize(cross(uUp.xyz, w));
	// Seen from near, the outline of a ball is larger than its radius.
	float wide = r * d / sqrt(max(d * d - r * r, 1e-4 * d * d));
	vBall = iPlace;
	vColor = iKind.rgb;
	vPosition = iPlace.xyz + (corner.x * u + corner.y * cross(w, u)) * wide;
	gl_Position = uViewProj * vec4(vPosition, 1.0);
}

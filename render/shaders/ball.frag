in vec3 vPosition;
flat in vec4 vBall;
flat in vec3 vColor;
flat in vec4 vCrowd;
out vec4 oColor;

void main() {
	// Where the sight line eye + t d meets |x - c| = r first.
	vec3 d = normalize(vPosition - uEye.xyz), o = uEye.xyz - vBall.xyz;
	float b = dot(o, d), c = dot(o, o) - vBall.w * vBall.w, q = b * b - c;
	if (q < 0.0) discard;
	vec3 p = uEye.xyz + (-b - sqrt(q)) * d;
	vec3 n = (p - vBall.xyz) / vBall.w;
	vec4 at = uViewProj * vec4(p, 1.0);
	gl_FragDepth = 0.5 + 0.5 * at.z / at.w;
	if (uGrains > 0.5) {
		oColor = vec4(toScreen(grain(toLinear(vColor), n, -d, vCrowd)), 1.0);
		return;
	}
	oColor = vec4(toScreen(light(toLinear(vColor), n, -d, vec4(0.25, 60.0, 0.25, 0.0), 1.0)), 1.0);
}

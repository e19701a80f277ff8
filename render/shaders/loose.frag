in vec3 vPosition, vColor;
out vec4 oColor;

void main() {
	// The triangle's own normal, from how the position changes across the screen.
	vec3 n = normalize(cross(dFdx(vPosition), dFdy(vPosition)));
	vec3 v = normalize(uEye.xyz - vPosition);
	n = faceforward(n, -v, n);
	oColor = vec4(toScreen(light(toLinear(vColor), n, v, vec4(0.3, 60.0, 0.22, 0.0), 1.0)), 1.0);
}

// Bodies as seen from above, moved aside by their height along the light.
layout(location = 0) in vec4 aPosition;
out float vHeight;
void main() {
	float h = max(aPosition.y - uGround.x, 0.0);
	vec2 p = (aPosition.xz - uShadow.xz + vec2(0.10, -0.08) * h) / uShadow.w;
	vHeight = h / uShadow.w;
	gl_Position = vec4(p, 0.0, 1.0);
}

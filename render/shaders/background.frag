in float vHeight;
out vec4 oColor;
void main() {
	vec3 c = mix(uBottom.rgb, uTop.rgb, smoothstep(0.0, 1.0, vHeight));
	// Half a grey level of noise hides the bands of a slow gradient.
	float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
	oColor = vec4(c + (noise - 0.5) / 255.0, 1.0);
}

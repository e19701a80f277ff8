// A ball that is small on the screen, as a point; sprite.frag shades it.
layout(location = 0) in vec4 iPlace; // xyz world, m; w radius, m
layout(location = 1) in vec4 iKind;  // rgb sRGB; w: neighbours
uniform float uPixels;               // drawn for a metre at unit depth
flat out vec3 vColor;
flat out vec4 vCrowd;
flat out vec3 vHalf; // half way from the light to the eye

void main() {
	vCrowd = crowdOf(iKind.w);
	vColor = toLinear(iKind.rgb);
	vHalf = normalize(uKey.xyz + uBack.xyz);
	gl_Position = uViewProj * vec4(iPlace.xyz, 1.0);
	gl_PointSize = max(1.0, 2.0 * iPlace.w * uPixels / max(gl_Position.w, 1e-9));
}

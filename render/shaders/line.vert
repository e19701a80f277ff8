// A line segment of constant width on the screen.
layout(location = 0) in vec4 iA;     // xyz world; w width, design pixels
layout(location = 1) in vec4 iB;     // xyz world
layout(location = 2) in vec4 iColor; // sRGB, opacity
out float vSide;
flat out float vWidth;
flat out vec4 vColor;

void main() {
	vWidth = iA.w * uScreen.z;
	vColor = iColor;
	vec3 unused;
	gl_Position = ribbon(uViewProj * vec4(iA.xyz, 1.0), uViewProj * vec4(iB.xyz, 1.0), vWidth, vSide, unused, iA.xyz, iB.xyz);
}

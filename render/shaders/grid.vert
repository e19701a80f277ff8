// The ground's grid, one line an instance: the chords of a disc, first those
// along z, then those along x. Every fifth line is stronger.
uniform float uLines; // in each direction
out float vSide;
out vec3 vPosition;
flat out vec2 vWidth; // pixels; strength

void main() {
	float i = float(gl_InstanceID);
	bool second = i >= uLines;
	if (second) i -= uLines;
	vec2 middle = uShadow.xz;
	float cell = uGround.y, reach = uGround.z;
	// Lines stand on multiples of the cell, so that coordinates can be read off.
	float k = floor((second ? middle.y : middle.x) / cell) + i - floor(0.5 * uLines);
	float at = k * cell;
	float off = at - (second ? middle.y : middle.x);
	float chord = sqrt(max(reach * reach - off * off, 0.0));
	vec3 a = second ? vec3(middle.x - chord, uGround.x, at) : vec3(at, uGround.x, middle.y - chord);
	vec3 b = second ? vec3(middle.x + chord, uGround.x, at) : vec3(at, uGround.x, middle.y + chord);
	bool strong = abs(mod(k + 0.5, 5.0) - 0.5) < 0.25;
	vWidth = vec2((strong ? 1.4 : 1.0) * uScreen.z, strong ? 0.30 : 0.15);
	vec4 ca = uViewProj * vec4(a, 1.0), cb = uViewProj * vec4(b, 1.0);
	vec3 ends[2] = vec3[2](a, b);
	vPosition = ends[gl_VertexID >> 1];
	gl_Position = ribbon(ca, cb, vWidth.x, vSide, vPosition, a, b);
}

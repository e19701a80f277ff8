// A corner of triangles that have no fixed shape.
layout(location = 0) in vec3 aPosition; // world, m
layout(location = 1) in vec3 aColor;    // sRGB
out vec3 vPosition, vColor;

void main() {
	vPosition = aPosition;
	vColor = aColor;
	gl_Position = uViewProj * vec4(aPosition, 1.0);
}

in float vHeight;
out vec4 oColor;
void main() { // what is higher casts less
	oColor = vec4(1.0 / (1.0 + 3.0 * vHeight * vHeight));
}

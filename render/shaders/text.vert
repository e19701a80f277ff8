layout(location = 0) in vec4 aPlace; // xy pixels from the upper left, zw texture
layout(location = 1) in vec4 aColor; // sRGB, opacity
uniform vec2 uSize;                  // viewport, pixels
out vec2 vTexture;
out vec4 vColor;
void main() {
	vTexture = aPlace.zw;
	vColor = aColor;
	gl_Position = vec4(aPlace.x / uSize.x * 2.0 - 1.0, 1.0 - aPlace.y / uSize.y * 2.0, 0.0, 1.0);
}

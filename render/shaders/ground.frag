in vec2 vAt;
uniform sampler2D uMap;
out vec4 oColor;
void main() { oColor = vec4(0.0, 0.0, 0.0, texture(uMap, vAt).r * (0.48 - 0.20 * uScreen.w)); }

in vec2 vTexture;
in vec4 vColor;
uniform sampler2D uMap;
out vec4 oColor;
void main() { oColor = vec4(vColor.rgb, vColor.a * texture(uMap, vTexture).r); }

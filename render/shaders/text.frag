in vec2 vTexture;
in vec4 vColor;
uniform sampler2D uMap;
out vec4 oColor;
void main() { oColor = vColor * texture(uMap, vTexture); }

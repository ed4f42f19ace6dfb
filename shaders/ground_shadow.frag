in vec2 metres;
in vec2 place;
out vec4 colour;
uniform sampler2D shadow;
uniform float one_over_radius;
uniform float darkness;

void main() {
  float fade = clamp(1.1 - 1.1 * length(metres * one_over_radius), 0.0, 1.0);
  colour = vec4(vec3(0.0), darkness * fade * texture(shadow, place).r);
}

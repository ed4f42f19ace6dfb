noperspective in float across;
noperspective in float half_width;
flat in vec4 line_colour;
out vec4 colour;
uniform float roundness;  // 1: lit as a rod, 0: flat

void main() {
  float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
  float t = min(abs(across) / half_width, 1.0);
  float shade = mix(1.0, 0.35 + 0.65 * sqrt(1.0 - t * t), roundness);
  colour = cover * line_colour.a * vec4(line_colour.rgb * shade, 1.0);
}

in vec3 shown;
out vec4 colour;

void main() {
  // Half a step of the 8-bit screen as noise, so that the gradient shows no bands.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  colour = vec4(shown + (noise - 0.5) / 255.0, 1.0);
}

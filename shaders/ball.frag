in vec2 disc;
in vec3 middle;
flat in float shown_radius;
flat in vec4 ball_colour;
out vec4 colour;
uniform mat4 projection;
uniform vec3 light;  // direction to the light, in the eye's coordinates

void main() {
  float r = length(disc);
  float cover = clamp((1.0 - r) / fwidth(r) + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 n = vec3(disc, sqrt(max(1.0 - r * r, 0.0)));
  float sun = max((dot(n, light) + 0.3) / 1.3, 0.0);
  float gloss = pow(max(dot(n, normalize(light + vec3(0.0, 0.0, 1.0))), 0.0), 40.0);
  vec3 shown = to_screen(to_linear(ball_colour.rgb) * (0.25 + 0.25 * n.z + 0.65 * sun) + 0.25 * gloss);
  colour = cover * ball_colour.a * vec4(shown, 1.0);
  vec4 clip = projection * vec4(middle.xy, middle.z + shown_radius * n.z, 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * clip.z / clip.w, 0.0, 1.0);
}

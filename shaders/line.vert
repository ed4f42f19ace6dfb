// A segment as a rectangle on the screen, as thick as a rod of `radius` metres but for the limits in pixels.
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 rgba;
uniform mat4 view;
uniform mat4 projection;
uniform vec2 viewport;         // [pixel]
uniform float near_plane;
uniform float pixels_at_one;   // how many pixels a metre at a metre's depth is
uniform float radius;
uniform vec2 radius_pixels;    // least and most
uniform float towards_eye;     // share of the distance by which the line is drawn nearer
noperspective out float across;  // [pixel] from the middle
noperspective out float half_width;
flat out vec4 line_colour;

void main() {
  vec4 a = view * vec4(from, 1.0);
  vec4 b = view * vec4(to, 1.0);
  if (min(-a.z, -b.z) < near_plane) {
    if (max(-a.z, -b.z) <= near_plane) {
      gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
      return;
    }
    vec4 cut = mix(a, b, (-near_plane - a.z) / (b.z - a.z));
    if (-a.z < near_plane) a = cut;
    else b = cut;
  }
  a.xyz *= 1.0 - towards_eye;
  b.xyz *= 1.0 - towards_eye;
  vec4 clip_a = projection * a;
  vec4 clip_b = projection * b;
  vec2 along = (clip_b.xy / clip_b.w - clip_a.xy / clip_a.w) * viewport;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1.0, 0.0);

  bool at_b = (gl_VertexID & 1) != 0;
  vec4 clip = at_b ? clip_b : clip_a;
  float side = (gl_VertexID & 2) != 0 ? 1.0 : -1.0;
  half_width = clamp(radius * pixels_at_one / clip.w, radius_pixels.x, radius_pixels.y);
  across = side * (half_width + 1.0);
  clip.xy += across * vec2(-along.y, along.x) * 2.0 / viewport * clip.w;
  line_colour = rgba;
  gl_Position = clip;
}

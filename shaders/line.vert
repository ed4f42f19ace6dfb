// A segment as a rectangle on the screen, as thick as a rod of `radius` metres, within limits in pixels.
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 rgba;
uniform mat4 view_projection;
uniform float depth_offset;    // projection[3][2]
uniform vec2 viewport;         // [pixel]
uniform float near_plane;
uniform float pixels_at_one;   // pixels per metre at a depth of 1 m
uniform float radius;
uniform vec2 radius_pixels;    // least and most
uniform float towards_eye;     // share of the distance by which the line is drawn nearer
uniform float taper;           // relative loss of width at the far end
noperspective out float across;  // [pixel] from the middle
noperspective out float half_width;
flat out vec4 line_colour;

void main() {
  // w is the depth in front of the eye.
  vec4 a = view_projection * vec4(from, 1.0);
  vec4 b = view_projection * vec4(to, 1.0);
  if (min(a.w, b.w) < near_plane) {
    if (max(a.w, b.w) <= near_plane) {
      gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
      return;
    }
    vec4 cut = mix(a, b, (near_plane - a.w) / (b.w - a.w));
    if (a.w < near_plane) a = cut;
    else b = cut;
  }
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1.0, 0.0);

  bool at_b = (gl_VertexID & 1) != 0;
  vec4 clip = at_b ? b : a;
  float side = (gl_VertexID & 2) != 0 ? 1.0 : -1.0;
  half_width = clamp(radius * pixels_at_one / clip.w, radius_pixels.x, radius_pixels.y);
  if (at_b) half_width *= max(1.0 - taper, 0.01);
  across = side * (half_width + 0.5);
  clip.xy += across * vec2(-along.y, along.x) * 2.0 / viewport * clip.w;
  // Moves towards the eye: changes the depth, not the place on the screen.
  clip *= 1.0 - towards_eye;
  clip.z += towards_eye * depth_offset;
  line_colour = rgba;
  gl_Position = clip;
}

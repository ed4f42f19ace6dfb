// A sphere as a square that faces the eye.
layout(location = 0) in vec3 centre;
layout(location = 1) in float radius;  // [m], within limits in pixels
layout(location = 2) in vec4 rgba;
uniform mat4 view;
uniform mat4 projection;
uniform float pixels_at_one;
uniform vec2 radius_pixels;
uniform float near_plane;
uniform float towards_eye;  // radii by which the ball is drawn nearer
out vec2 disc;
out vec3 middle;
flat out float shown_radius;
flat out vec4 ball_colour;

void main() {
  middle = (view * vec4(centre, 1.0)).xyz;
  if (-middle.z <= near_plane) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  float metres_per_pixel = -middle.z / pixels_at_one;
  shown_radius = clamp(radius, radius_pixels.x * metres_per_pixel, radius_pixels.y * metres_per_pixel);
  middle *= 1.0 - min(towards_eye * shown_radius / -middle.z, 0.5);
  // One pixel of margin for the soft rim.
  float margin = 1.0 + metres_per_pixel / shown_radius;
  disc = margin * (2.0 * vec2(gl_VertexID & 1, (gl_VertexID & 2) / 2) - 1.0);
  ball_colour = rgba;
  gl_Position = projection * vec4(middle + vec3(shown_radius * disc, 0.0), 1.0);
}

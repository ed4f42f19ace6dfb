layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float heat;       // strain over the largest strain of the scale
layout(location = 3) in float two_sided;  // 0 on a one-sided surface
layout(location = 4) in vec2 threads;     // place in the weave, counted in threads
uniform mat4 view_projection;
out vec3 at;
out vec3 smooth_normal;
out float heat_at;
flat out float has_back;
out vec2 thread;

void main() {
  at = position;
  smooth_normal = normal;
  heat_at = heat;
  has_back = two_sided;
  thread = threads;
  gl_Position = view_projection * vec4(position, 1.0);
}

// The cloth, projected along the light onto the ground and seen from above.
layout(location = 0) in vec3 position;
uniform vec3 centre;
uniform vec2 shadow_low;
uniform float shadow_size;
out float height;

void main() {
  vec3 above = position - centre;
  height = above.y;
  vec2 fallen = above.xz - kToLight.xz * (above.y / kToLight.y);
  gl_Position = vec4(2.0 * (fallen - shadow_low) / shadow_size - 1.0, 0.0, 1.0);
}

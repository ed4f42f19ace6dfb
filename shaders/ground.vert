// A square in the plane of the ground, in metres from the ground's centre.
uniform mat4 view_projection;
uniform vec3 centre;  // relative to the camera's target
uniform vec2 low;
uniform float size;
out vec2 metres;
out vec2 place;  // 0 to 1 over the square

void main() {
  place = vec2(gl_VertexID & 1, (gl_VertexID & 2) / 2);
  metres = low + size * place;
  gl_Position = view_projection * vec4(centre + vec3(metres.x, 0.0, metres.y), 1.0);
  gl_Position.z = 0.999999 * gl_Position.w;  // at the far plane, so that it hides nothing
}

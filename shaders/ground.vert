// A square around the centre of the ground, in metres from it.
uniform mat4 view_projection;
uniform vec3 centre;  // relative to the camera's target
uniform float radius;
out vec2 metres;

void main() {
  metres = radius * vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1);
  gl_Position = view_projection * vec4(centre + vec3(metres.x, 0.0, metres.y), 1.0);
}

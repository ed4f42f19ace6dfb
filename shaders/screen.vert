// One triangle that covers the viewport.
out vec2 place;  // 0 to 1 in both directions

void main() {
  place = vec2((gl_VertexID & 1) * 2, gl_VertexID & 2);
  gl_Position = vec4(2.0 * place - 1.0, 1.0, 1.0);
}

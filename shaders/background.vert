// A sky that is lightest at the horizon, as a strip of kBands bands over the viewport. Colours are computed
// per vertex, because the background covers every pixel of the view.
const int kBands = 16;
out vec3 shown;

uniform vec3 top;
uniform vec3 horizon;
uniform vec3 bottom;

void main() {
  vec2 place = vec2(gl_VertexID & 1, float(gl_VertexID / 2) / float(kBands));
  float up = smoothstep(0.42, 1.0, place.y);
  float down = smoothstep(0.42, 0.0, place.y);
  shown = mix(horizon, top, up) + (bottom - horizon) * down;
  gl_Position = vec4(2.0 * place - 1.0, 1.0, 1.0);
}

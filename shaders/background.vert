// A sky that is lightest at the horizon, as a strip of kBands bands over the viewport. Colours are worked
// out here, for a handful of points, since every pixel of the window is one of the background's.
const int kBands = 16;
out vec3 shown;

const vec3 kTop = vec3(0.125, 0.145, 0.180);
const vec3 kHorizon = vec3(0.265, 0.300, 0.350);
const vec3 kBottom = vec3(0.190, 0.210, 0.245);

void main() {
  vec2 place = vec2(gl_VertexID & 1, float(gl_VertexID / 2) / float(kBands));
  float up = smoothstep(0.42, 1.0, place.y);
  float down = smoothstep(0.42, 0.0, place.y);
  shown = mix(kHorizon, kTop, up) + (kBottom - kHorizon) * down;
  gl_Position = vec4(2.0 * place - 1.0, 1.0, 1.0);
}

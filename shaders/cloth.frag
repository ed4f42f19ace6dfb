in vec3 at;
in vec3 smooth_normal;
in float heat_at;
flat in float has_back;
in vec2 thread;
out vec4 colour;

uniform vec3 eye;
uniform int heat_map;
uniform int weave;
uniform sampler2D heat_colours;
uniform vec3 front;
uniform vec3 back;
uniform float ambient;

// Brightness of a plain weave: warp over weft and weft over warp in turn, with round threads. Every eighth
// thread of both is darker, which makes shear visible. Threads thinner than a pixel fade out.
float woven(vec2 at) {
  vec2 width = fwidth(at);
  float pixels = 1.0 / max(max(width.x, width.y), 1e-6);
  vec2 cell = floor(at);
  vec2 inside = at - cell - 0.5;
  vec2 square = 4.0 * inside * inside;
  float warp_above = mod(cell.x + cell.y, 2.0);
  float height = mix(square.y + 0.5 * square.x, square.x + 0.5 * square.y, warp_above);
  float threads = (0.5 - height) * clamp(0.5 * pixels - 0.9, 0.0, 1.0);
  vec2 from_marked = abs(fract(at / 8.0) * 8.0 - 4.5);
  vec2 marked = clamp((0.5 - from_marked) / width + 0.5, 0.0, 1.0);
  float marks = max(marked.x, marked.y) * clamp(1.6 * pixels - 0.5, 0.0, 1.0);
  return 1.0 + 0.22 * threads - 0.10 * marks;
}

const vec3 kToFill = vec3(-0.7493, 0.0999, 0.6546);
const vec3 kSky = vec3(0.30, 0.33, 0.38);
const vec3 kBounce = vec3(0.13, 0.12, 0.11);

void main() {
  vec3 to_eye = normalize(eye - at);
  vec3 n = smooth_normal;
  if (dot(n, n) < 1e-4)
    n = cross(dFdx(at), dFdy(at));  // without a vertex normal: that of the triangle, towards the eye
  else if (!gl_FrontFacing)
    n = -n;
  n = normalize(n);

  vec3 albedo = to_linear(gl_FrontFacing || has_back < 0.5 ? front : back);
  if (weave != 0) albedo *= woven(thread);
  float sheen_strength = 1.0;
  if (heat_map != 0) {
    // The middle of the first texel is no strain, that of the last one the end of the scale.
    albedo = to_linear(texture(heat_colours, vec2(heat_at * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb);
    sheen_strength = 0.25;
  }

  // A warm key light that reaches a little beyond the terminator, as if it shone through the cloth; a cool fill
  // light from the opposite side; the light of the sky; and a lamp at the eye, so that folds are visible from
  // every direction.
  float towards_light = dot(n, kToLight);
  float sun = max((towards_light + 0.2) / 1.2, 0.0);
  float facing = max(dot(n, to_eye), 0.0);
  vec3 light = ambient * mix(kBounce, kSky, 0.5 + 0.5 * n.y) + 0.68 * sun * vec3(1.0, 0.96, 0.90) +
               0.15 * max(dot(n, kToFill), 0.0) * vec3(0.86, 0.93, 1.0) + 0.24 * facing * facing;

  // Fuzz brightens the cloth at grazing angles; a soft highlight shows the curvature.
  float grazing = 1.0 - facing;
  float fibres = grazing * grazing * grazing * (0.25 + 0.75 * sun);
  float gloss = max(dot(n, normalize(kToLight + to_eye)), 0.0);
  gloss *= gloss;
  gloss *= gloss;
  gloss *= gloss;
  gloss *= gloss;
  vec3 sheen = sheen_strength * (0.30 * fibres * mix(vec3(1.0), albedo, 0.4) + vec3(0.07 * gloss));
  colour = vec4(to_screen(albedo * light + sheen), 1.0);
}

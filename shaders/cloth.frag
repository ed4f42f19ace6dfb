in vec3 at;
in vec3 smooth_normal;
in float heat_at;
flat in float has_back;
out vec4 colour;

uniform vec3 eye;
uniform int heat_map;
uniform sampler2D heat_colours;
uniform vec3 front;
uniform vec3 back;

const vec3 kSky = vec3(0.30, 0.33, 0.38);
const vec3 kGround = vec3(0.13, 0.12, 0.11);

void main() {
  vec3 to_eye = normalize(eye - at);
  vec3 n = smooth_normal;
  if (dot(n, n) < 1e-4)
    n = cross(dFdx(at), dFdy(at));  // no normal of its own: the triangle's, which faces the eye
  else if (!gl_FrontFacing)
    n = -n;
  n = normalize(n);

  vec3 albedo = to_linear(gl_FrontFacing || has_back < 0.5 ? front : back);
  float sheen_strength = 1.0;
  if (heat_map != 0) {
    // The middle of the first texel is no strain, that of the last one the end of the scale.
    albedo = to_linear(texture(heat_colours, vec2(heat_at * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb);
    sheen_strength = 0.25;
  }

  // A sun that wraps a little around, as through the cloth; the sky; and a lamp beside the eye, which
  // keeps the folds visible from everywhere.
  float towards_light = dot(n, kToLight);
  float sun = max((towards_light + 0.2) / 1.2, 0.0);
  float facing = max(dot(n, to_eye), 0.0);
  vec3 light = mix(kGround, kSky, 0.5 + 0.5 * n.y) + 0.72 * sun * vec3(1.0, 0.97, 0.92) +
               0.36 * facing * facing;

  // Fibres that stand up catch the light at grazing angles; a soft gloss shows the curvature.
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

in vec2 metres;
out vec4 colour;

uniform float radius;
uniform float spacing;      // of the finer lines [m]
uniform vec2 lines_from;    // where a coarser line runs, in metres from the centre
uniform float line_width;   // [pixel]
uniform float grid;         // 1: lines and floor, 0: the shadow alone
uniform sampler2D shadow;
uniform vec2 shadow_low;    // the square that the shadow's texture covers, in metres from the centre
uniform float shadow_size;
uniform float shadow_strength;

// Coverage of the pixel by lines `step` metres apart; where they come too close to be told apart, none.
float lines(float step) {
  vec2 at = (metres - lines_from) / step;
  vec2 width = fwidth(at);
  vec2 pixels = abs(fract(at - 0.5) - 0.5) / width;
  vec2 cover = clamp(0.5 * line_width + 0.5 - pixels, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.4, width));
  return max(cover.x, cover.y);
}

void main() {
  float away = length(metres) / radius;
  float fade = 1.0 - smoothstep(0.1, 1.0, away);
  if (fade <= 0.0) discard;
  fade *= fade;
  float line = grid * max(0.16 * lines(spacing), 0.34 * lines(10.0 * spacing));
  float floor_light = 0.055 * grid;
  float light = line + floor_light * (1.0 - line);
  float dark = 0.0;
  vec2 at = (metres - shadow_low) / shadow_size;
  if (shadow_strength > 0.0 && all(greaterThan(at, vec2(0.0))) && all(lessThan(at, vec2(1.0))))
    dark = shadow_strength * texture(shadow, at).r;
  // The light veil first, then the shadow over it.
  vec3 veil = vec3(0.80, 0.88, 1.0) * light * (1.0 - dark);
  colour = fade * vec4(veil, light * (1.0 - dark) + dark);
}

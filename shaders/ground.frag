// The ground: a fine grid and one ten times as coarse.
in vec2 metres;
out vec4 colour;

uniform float one_over_radius;
uniform float one_over_spacing;  // of the finer lines
uniform vec2 lines_from;         // where a coarser line runs, in metres from the centre
uniform float half_width;        // of the lines [pixel]
uniform vec3 tint;

// Share of the pixel that a line covers; `width` is the pixel's size in grid spacings.
float cover(vec2 at, vec2 width, vec2 one_over_width) {
  vec2 pixels = abs(fract(at - 0.5) - 0.5) * one_over_width;
  // Lines less than a few pixels apart fade out.
  vec2 fade = clamp(1.4 - 3.5 * width, 0.0, 1.0);
  vec2 covered = clamp(half_width + 0.5 - pixels, 0.0, 1.0) * fade;
  return max(covered.x, covered.y);
}

void main() {
  vec2 from_centre = metres * one_over_radius;
  float fade = clamp(1.1 - 1.1 * length(from_centre), 0.0, 1.0);
  fade *= fade;
  vec2 at = (metres - lines_from) * one_over_spacing;
  vec2 width = fwidth(at);
  vec2 one_over_width = 1.0 / width;
  float fine = cover(at, width, one_over_width);
  float coarse = cover(0.1 * at, 0.1 * width, 10.0 * one_over_width);
  colour = (fade * max(max(0.19 * fine, 0.36 * coarse), 0.055)) * vec4(tint, 1.0);
}

// One pass of a separable Gaussian blur of nine texels, by five fetches with linear filtering.
in vec2 place;
out float dark;
uniform sampler2D source;
uniform vec2 texel;

void main() {
  vec2 near = 1.3846154 * texel;
  vec2 far = 3.2307692 * texel;
  dark = 0.2270270 * texture(source, place).r +
         0.3162162 * (texture(source, place + near).r + texture(source, place - near).r) +
         0.0702703 * (texture(source, place + far).r + texture(source, place - far).r);
}

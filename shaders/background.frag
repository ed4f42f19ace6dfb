in vec2 place;
out vec4 colour;

const vec3 kTop = vec3(0.125, 0.145, 0.180);
const vec3 kHorizon = vec3(0.275, 0.310, 0.360);
const vec3 kBottom = vec3(0.190, 0.210, 0.245);

void main() {
  float up = smoothstep(0.42, 1.0, place.y);
  float down = smoothstep(0.42, 0.0, place.y);
  vec3 shown = mix(kHorizon, kTop, up) + (kBottom - kHorizon) * down;
  // Half a step of the 8-bit screen as noise, so that the gradient shows no bands.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  colour = vec4(shown + (noise - 0.5) / 255.0, 1.0);
}

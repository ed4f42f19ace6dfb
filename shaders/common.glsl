// Inserted into every shader after its #version line.
//
// Lighting is linear; to_screen() encodes it with gamma 2, which is close to sRGB and cheap for a software
// renderer. Colour constants are encoded, and decoded by to_linear(). Positions are relative to the camera's
// target. Blended colours are premultiplied by their opacity.

vec3 to_linear(vec3 shown) { return shown * shown; }
vec3 to_screen(vec3 light) { return sqrt(max(light, 0.0)); }

// Shared by the cloth and its shadow on the ground.
const vec3 kToLight = vec3(0.3015, 0.8614, 0.4091);

// Put before every shader, after its #version line.
//
// Light is added up in linear values; to_screen() encodes them with gamma 2, close to sRGB and cheap for a
// CPU that plays the graphics card. Colours are written as they look and decoded by to_linear().
// Positions are relative to the camera's target. What is blended is premultiplied by its opacity.

vec3 to_linear(vec3 shown) { return shown * shown; }
vec3 to_screen(vec3 light) { return sqrt(max(light, 0.0)); }

// Shared by the cloth and its shadow on the ground.
const vec3 kToLight = vec3(0.3015, 0.8614, 0.4091);

in float height;
out float dark;

void main() {
  if (height < 0.0) discard;
  dark = 1.0;
}

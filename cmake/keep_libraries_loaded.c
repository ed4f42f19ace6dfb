/* Linked into the executables of the AddressSanitizer build alone. The OpenGL drivers that a window loads are
   unloaded before LeakSanitizer looks, which then reports what they allocated as leaks from an unknown module.
   Libraries that stay loaded keep those allocations reachable. */
int dlclose(void* handle) {
  (void)handle;
  return 0;
}

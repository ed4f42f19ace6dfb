# SPDX-License-Identifier: MIT
# clothlab_options: how every target of this project is compiled. Libraries get it from
# clothlab_library(), tests from clothlab_test(); third-party headers are SYSTEM and stay quiet.

find_package(Threads REQUIRED)

add_library(clothlab_options INTERFACE)
target_compile_features(clothlab_options INTERFACE cxx_std_20)
target_link_libraries(clothlab_options INTERFACE Threads::Threads)

if(MSVC)
  target_compile_options(clothlab_options INTERFACE /W4 /permissive- /utf-8 /fp:precise)
  target_compile_definitions(clothlab_options INTERFACE _USE_MATH_DEFINES NOMINMAX)
  if(CLOTHLAB_WERROR)
    target_compile_options(clothlab_options INTERFACE /WX)
  endif()
else()
  target_compile_options(clothlab_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # GCC 12 and 13 see an overlapping or an endless copy in "text" + std::to_string(n) that is not there (their PR
    # 105651).
    target_compile_options(clothlab_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-stringop-overflow>")
  endif()
  # A fused multiply-add rounds once where a multiplication and an addition round twice, and the compiler
  # fuses or not as it optimises. The golden hashes of the tests, equal bits at -O0 and -O2 and recordings
  # that replay bit for bit all need one answer, so contraction is off and fast-math is never used.
  # That nobody reads errno or the exception flags changes no result, and lets loops with roots and divisions
  # become vector instructions.
  target_compile_options(clothlab_options INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
  if(CLOTHLAB_WERROR)
    target_compile_options(clothlab_options INTERFACE -Werror)
  endif()
endif()

if(CLOTHLAB_SANITIZE)
  set(sanitize_flags -fsanitize=${CLOTHLAB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CLOTHLAB_SANITIZE MATCHES "undefined")
    # Checks at every access and every call of a member, which double compile times and find next to nothing: a
    # null access and an object that is gone fault under AddressSanitizer too, and nothing here casts to a derived
    # class or between pointers to different types.
    list(APPEND sanitize_flags -fno-sanitize=null,alignment,vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the analysis behind this warning; the other builds have it.
    list(APPEND sanitize_flags -Wno-maybe-uninitialized)
  endif()
  target_compile_options(clothlab_options INTERFACE ${sanitize_flags})
  target_link_options(clothlab_options INTERFACE ${sanitize_flags})
endif()
if(CLOTHLAB_SANITIZE MATCHES "address")
  add_library(clothlab_keep_libraries_loaded OBJECT "${CMAKE_CURRENT_LIST_DIR}/keep_libraries_loaded.c")
  target_link_libraries(clothlab_options INTERFACE $<TARGET_OBJECTS:clothlab_keep_libraries_loaded>)
endif()

# SPDX-License-Identifier: MIT
# clothlab::zip: bundles are ZIP files. Debian's CMake file of libzip also asks for its command-line tools, so pkg-config
# comes first.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBZIP QUIET IMPORTED_TARGET GLOBAL libzip>=1.7)
endif()
if(NOT TARGET PkgConfig::LIBZIP)
  find_package(libzip 1.7 CONFIG QUIET)
endif()
if(TARGET PkgConfig::LIBZIP)
  clothlab_provide(zip PkgConfig::LIBZIP)
elseif(TARGET libzip::zip)
  clothlab_provide(zip libzip::zip)
else()
  clothlab_require("libzip 1.7 or newer" DEBIAN "libzip-dev and pkg-config" HOMEBREW libzip VCPKG libzip)
endif()

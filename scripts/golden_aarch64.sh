#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the golden runs (tests/golden) for AArch64 and runs them in an emulator: their bits must be those of x86-64.
#
#   scripts/golden_aarch64.sh
#
# Some minutes. Needs, on Debian, g++-aarch64-linux-gnu, qemu-user and apt with that architecture
# (dpkg --add-architecture arm64, apt-get update). Installs nothing: the libraries lie in build/aarch64. Exit 77 where
# something is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
  echo "NOT RUN: $1" >&2
  exit 77
}
command -v aarch64-linux-gnu-g++ > /dev/null || skip "the compiler is missing (Debian: g++-aarch64-linux-gnu)"
command -v qemu-aarch64 > /dev/null || skip "the emulator is missing (Debian: qemu-user)"
dpkg --print-foreign-architectures | grep -qx arm64 || skip "apt does not know arm64 (dpkg --add-architecture arm64, apt-get update)"

build=$PWD/build/aarch64
root=$build/root
if [[ ! -d $root ]]; then
  mkdir -p "$build/packages"
  (
    cd "$build/packages"
    apt-get download libzip4:arm64 libbz2-1.0:arm64 libssl3:arm64 zlib1g:arm64 libgtest-dev:arm64 libgmock-dev:arm64
  )
  for package in "$build"/packages/*.deb; do dpkg -x "$package" "$root.new"; done
  mv "$root.new" "$root"
fi
libraries=$root/usr/lib/aarch64-linux-gnu
host=$(gcc -print-multiarch)

# What the program of the window links is found for this machine, as nothing of it is built.
cmake -S . -B "$build" -G Ninja --log-level=NOTICE -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_LIBRARY_ARCHITECTURE="$host" -Dglfw3_DIR="/usr/lib/$host/cmake/glfw3" \
  -DGMP_LIBRARY="/usr/lib/$host/libgmp.so" -DGMPXX_LIBRARY="/usr/lib/$host/libgmpxx.so" -DCMAKE_DISABLE_FIND_PACKAGE_tinyobjloader=ON \
  -DCLOTHLAB_TESTS=ON -DCLOTHLAB_PYTHON=OFF -DGTest_DIR="$libraries/cmake/GTest" \
  -Dpkgcfg_lib_LIBZIP_zip="$(echo "$libraries"/libzip.so.*.*)" \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries:$root/lib/aarch64-linux-gnu" \
  -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$libraries:$root/lib/aarch64-linux-gnu"
cmake --build "$build" --target golden_test
qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries:$root/lib/aarch64-linux-gnu" \
  "$build/tests/golden/golden_test" --gtest_brief=1
